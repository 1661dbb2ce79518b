/* The rules of one pairing or unpairing, with frames and times given. */
#include <string.h>

#include "cli/operation.h"
#include "cli_rig.h"
#include "lib/suite.h"

#define MEDIA "{\"group\":\"239.10.0.5\",\"port\":5004}"

static struct cli_rig rig;
static struct yk_operation operation;
static unsigned tells; /* bits, of all that was told */

static void start_with(enum yk_op op, const char *consumer, const char *producer,
                       enum yk_state wait, yk_time timeout)
{
    struct yk_operation_options options = {
        .op = op, .consumer = consumer, .producer = producer, .wait = wait, .timeout = timeout};

    options.authors[0] = cli_id("op-first");
    options.authors[1] = cli_id("op-second");
    tells = 0;
    yk_operation_start(&operation, &options, &rig.knowledge, rig.now);
}

static void start_pair(const char *consumer, const char *producer)
{
    start_with(YK_OP_PAIR, consumer, producer, YK_STATE_NONE, 5 * YK_SECOND);
}

/* What is wanted now, when all was told. */
static enum yk_want next(void)
{
    enum yk_want want;

    while ((want = yk_operation_next(&operation, rig.now)) == YK_WANT_TELL) {
        tells |= 1u << operation.told;
    }
    return want;
}

static bool was_told(enum yk_tell tell)
{
    return (tells & 1u << tell) != 0;
}

static void hear(struct yk_frame frame)
{
    cli_hear(&rig, frame);
    yk_operation_hear(&operation, &frame, rig.now);
}

/* Lets time pass up to `until`; counts what is sent. */
static unsigned pass(yk_time until)
{
    unsigned sent = 0;

    for (;;) {
        enum yk_want want = next();

        if (want == YK_WANT_SEND) {
            sent++;
        } else if (want == YK_WANT_NOTHING || yk_operation_deadline(&operation) > until) {
            break;
        } else {
            ck_assert(yk_operation_deadline(&operation) > rig.now);
            rig.now = yk_operation_deadline(&operation);
        }
    }
    rig.now = until > rig.now ? until : rig.now;
    return sent;
}

static void room(void)
{
    cli_rig_init(&rig);
    cli_hear(&rig, cli_consumer("dec-1", "Room 3", YK_STATE_IDLE, NULL, 6, "op-before"));
    cli_hear(&rig, cli_producer("enc-1", "Lobby", YK_KIND_HDMI, MEDIA));
}

static void answer(bool applied, enum yk_reason reason)
{
    hear(cli_ack("dec-1", &operation.intent.version, applied, reason));
}

#define ENDS_AS(wanted)                              \
    do {                                             \
        ck_assert_int_eq(next(), YK_WANT_NOTHING);   \
        ck_assert_int_eq(operation.outcome, wanted); \
    } while (0)

START_TEST(known_nodes_need_no_listening)
{
    room();
    start_pair("dec-1", "enc-1");
    ck_assert_int_eq(next(), YK_WANT_SEND);
    ck_assert_uint_eq(rig.now, operation.started);
    ck_assert(was_told(YK_TELL_HEARD) && !was_told(YK_TELL_STRANGER));
}
END_TEST

START_TEST(version_is_one_above_the_highest_announced)
{
    room();
    start_pair("dec-1", "enc-1");
    ck_assert_int_eq(next(), YK_WANT_SEND);
    ck_assert_uint_eq(operation.intent.version.n, 7);
    ck_assert_str_eq(operation.intent.version.author.text, "op-first");
    ck_assert(!operation.blind);
}
END_TEST

START_TEST(version_is_one_above_the_highest_in_intents_and_acks)
{
    struct yk_version twelve = {.n = 12, .author = cli_id("op-x")};

    room();
    cli_hear(&rig, cli_intent("enc-9", "dec-1", 11, "op-y"));
    start_pair("dec-1", "enc-1");
    ck_assert_int_eq(next(), YK_WANT_SEND);
    ck_assert_uint_eq(operation.intent.version.n, 12);

    cli_hear(&rig, cli_ack("dec-1", &twelve, false, YK_REASON_KIND_MISMATCH));
    start_pair("dec-1", "enc-1");
    ck_assert_int_eq(next(), YK_WANT_SEND);
    ck_assert_uint_eq(operation.intent.version.n, 13);
}
END_TEST

START_TEST(first_intent_of_a_fresh_consumer_is_version_1_and_not_blind)
{
    cli_rig_init(&rig);
    cli_hear(&rig, cli_consumer("dec-1", "", YK_STATE_IDLE, NULL, 0, ""));
    start_with(YK_OP_UNPAIR, "dec-1", NULL, YK_STATE_NONE, YK_SECOND);
    ck_assert_int_eq(next(), YK_WANT_SEND);
    ck_assert_uint_eq(operation.intent.version.n, 1);
    ck_assert_int_eq(operation.intent.op, YK_OP_UNPAIR);
    ck_assert_uint_eq(operation.intent.producer.size, 0);
    ck_assert(!operation.blind);
}
END_TEST

START_TEST(an_announcement_heard_ends_the_listening)
{
    cli_rig_init(&rig);
    start_pair("dec-1", "enc-1");
    ck_assert_int_eq(next(), YK_WANT_WAIT);
    rig.now += 400 * YK_MS;
    hear(cli_producer("enc-1", "Lobby", YK_KIND_HDMI, MEDIA));
    ck_assert_int_eq(next(), YK_WANT_WAIT);
    rig.now += 400 * YK_MS;
    hear(cli_consumer("dec-1", "Room 3", YK_STATE_IDLE, NULL, 6, "op-before"));
    ck_assert_int_eq(next(), YK_WANT_SEND);
    ck_assert_uint_eq(operation.intent.version.n, 7);
}
END_TEST

START_TEST(retries_come_after_10_ms_doubling_to_250_ms)
{
    static const unsigned gaps_ms[] = {10, 20, 40, 80, 160, 250, 250, 250};

    room();
    start_pair("dec-1", "enc-1");
    for (size_t i = 0; i < sizeof gaps_ms / sizeof gaps_ms[0]; i++) {
        ck_assert_int_eq(next(), YK_WANT_SEND);
        ck_assert_int_eq(next(), YK_WANT_WAIT);
        ck_assert_uint_eq(yk_operation_deadline(&operation) - rig.now, gaps_ms[i] * YK_MS);
        rig.now = yk_operation_deadline(&operation);
    }
}
END_TEST

START_TEST(retries_carry_the_same_version_and_intent)
{
    struct yk_intent first;

    room();
    start_pair("dec-1", "enc-1");
    ck_assert_int_eq(next(), YK_WANT_SEND);
    first = operation.intent;
    ck_assert_uint_gt(pass(rig.now + 4 * YK_SECOND), 10);
    ck_assert(yk_intent_equal(&first, &operation.intent));
}
END_TEST

START_TEST(an_applied_ack_ends_it)
{
    room();
    start_pair("dec-1", "enc-1");
    ck_assert_int_eq(next(), YK_WANT_SEND);
    rig.now += 3 * YK_MS;
    answer(true, YK_REASON_APPLIED);
    ENDS_AS(YK_OUTCOME_APPLIED);
    ck_assert_int_eq(operation.reason, YK_REASON_APPLIED);
    ck_assert_uint_eq(operation.ended - operation.started, 3 * YK_MS);
    ck_assert(was_told(YK_TELL_SAVED));
}
END_TEST

START_TEST(an_ack_of_another_version_or_node_is_not_ours)
{
    struct yk_version other = {.n = 7, .author = cli_id("op-other")};

    room();
    start_pair("dec-1", "enc-1");
    ck_assert_int_eq(next(), YK_WANT_SEND);
    hear(cli_ack("dec-1", &other, true, YK_REASON_APPLIED));
    hear(cli_ack("dec-2", &operation.intent.version, true, YK_REASON_APPLIED));
    ck_assert_int_eq(next(), YK_WANT_WAIT);
}
END_TEST

START_TEST(an_announcement_of_our_version_counts_when_the_ack_is_lost)
{
    room();
    start_pair("dec-1", "enc-1");
    ck_assert_int_eq(next(), YK_WANT_SEND);
    hear(cli_consumer("dec-1", "", YK_STATE_PENDING, "enc-1", 7, "op-first"));
    ENDS_AS(YK_OUTCOME_APPLIED);
}
END_TEST

START_TEST(every_rejection_is_a_refusal_with_its_reason)
{
    static const enum yk_reason reasons[] = {YK_REASON_SUPERSEDED, YK_REASON_UNKNOWN_PRODUCER,
                                             YK_REASON_DRIVER_ERROR, YK_REASON_KIND_MISMATCH,
                                             YK_REASON_SELF_PAIR};

    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        room();
        start_pair("dec-1", "enc-1");
        ck_assert_int_eq(next(), YK_WANT_SEND);
        answer(false, reasons[i]);
        ENDS_AS(YK_OUTCOME_REFUSED);
        ck_assert_int_eq(operation.reason, reasons[i]);
        cli_rig_fini(&rig);
    }
}
END_TEST

START_TEST(a_lost_race_names_the_version_that_won)
{
    room();
    start_pair("dec-1", "enc-1");
    ck_assert_int_eq(next(), YK_WANT_SEND);
    hear(cli_intent("cli-other", "dec-1", 7, "op-zzz"));
    answer(false, YK_REASON_SUPERSEDED);
    ENDS_AS(YK_OUTCOME_REFUSED);
    ck_assert_uint_eq(operation.rival.n, 7);
    ck_assert_str_eq(operation.rival.author.text, "op-zzz");
}
END_TEST

START_TEST(an_announced_higher_version_is_a_lost_race_without_any_ack)
{
    room();
    start_pair("dec-1", "enc-1");
    ck_assert_int_eq(next(), YK_WANT_SEND);
    hear(cli_consumer("dec-1", "", YK_STATE_ACTIVE, "enc-2", 8, "op-zzz"));
    ENDS_AS(YK_OUTCOME_REFUSED);
    ck_assert_int_eq(operation.reason, YK_REASON_SUPERSEDED);
    ck_assert_uint_eq(operation.rival.n, 8);
}
END_TEST

START_TEST(an_equal_counter_with_a_lower_author_is_no_lost_race)
{
    room();
    start_pair("dec-1", "enc-1");
    ck_assert_int_eq(next(), YK_WANT_SEND);
    hear(cli_consumer("dec-1", "", YK_STATE_ACTIVE, "enc-2", 7, "op-aaa"));
    ck_assert_int_eq(next(), YK_WANT_WAIT);
}
END_TEST

START_TEST(no_answer_in_time_is_unanswered)
{
    room();
    start_pair("dec-1", "enc-1");
    pass(rig.now + 5 * YK_SECOND - 1);
    ck_assert_int_eq(operation.outcome, YK_OUTCOME_NONE);
    rig.now++;
    ENDS_AS(YK_OUTCOME_UNANSWERED);
    ck_assert_uint_eq(operation.ended - operation.started, 5 * YK_SECOND);
}
END_TEST

START_TEST(a_consumer_not_heard_still_gets_the_intent)
{
    yk_time started;

    cli_rig_init(&rig);
    start_pair("dec-1", "enc-1");
    started = rig.now;
    ck_assert_uint_eq(pass(started + YK_KNOWLEDGE_LISTEN - 1), 0);
    rig.now++;
    ck_assert_int_eq(next(), YK_WANT_SEND);
    ck_assert_str_eq(operation.intent.consumer.text, "dec-1");
    ck_assert_str_eq(operation.intent.producer.text, "enc-1");
    ck_assert(operation.blind);
    ck_assert_uint_eq(operation.intent.version.n, 1);
    ck_assert(was_told(YK_TELL_UNHEARD) && was_told(YK_TELL_STRANGER));
    pass(started + 5 * YK_SECOND);
    ENDS_AS(YK_OUTCOME_UNANSWERED);
}
END_TEST

START_TEST(a_consumer_not_heard_of_a_known_version_is_not_blind)
{
    cli_rig_init(&rig);
    cli_hear(&rig, cli_intent("enc-9", "dec-1", 4, "op-y"));
    start_pair("dec-1", "enc-1");
    pass(rig.now + 5 * YK_SECOND);
    ENDS_AS(YK_OUTCOME_UNANSWERED);
    ck_assert(!operation.blind);
    ck_assert_uint_eq(operation.intent.version.n, 5);
}
END_TEST

START_TEST(a_short_timeout_leaves_a_quarter_for_sending)
{
    yk_time started;

    cli_rig_init(&rig);
    start_with(YK_OP_PAIR, "dec-1", "enc-1", YK_STATE_NONE, YK_SECOND);
    started = rig.now;
    ck_assert_uint_eq(pass(started + 750 * YK_MS - 1), 0);
    ck_assert_uint_ge(pass(started + YK_SECOND), 3);
    ENDS_AS(YK_OUTCOME_UNANSWERED);
}
END_TEST

START_TEST(however_short_the_timeout_it_is_sent_once)
{
    cli_rig_init(&rig);
    start_with(YK_OP_PAIR, "dec-1", "enc-1", YK_STATE_NONE, 0);
    ck_assert_int_eq(next(), YK_WANT_SEND);
    ENDS_AS(YK_OUTCOME_UNANSWERED);
}
END_TEST

START_TEST(a_complete_picture_needs_no_listening_for_who_is_not_in_it)
{
    room();
    rig.knowledge.complete = true;
    start_pair("dec-1", "enc-9");
    ck_assert_int_eq(next(), YK_WANT_SEND);
    ck_assert(was_told(YK_TELL_STRANGER));
}
END_TEST

/* Another decoder shows enc-9, so that is an id and no name. */
static void room_with_a_silent_producer(void)
{
    room();
    cli_hear(&rig, cli_consumer("dec-2", "", YK_STATE_ACTIVE, "enc-9", 3, "op-y"));
    start_pair("dec-1", "enc-9");
}

START_TEST(an_id_in_use_is_sent_before_its_producer_is_heard)
{
    room_with_a_silent_producer();
    ck_assert_int_eq(next(), YK_WANT_SEND);
    ck_assert_str_eq(operation.intent.producer.text, "enc-9");
    ck_assert(!was_told(YK_TELL_STRANGER));
    answer(true, YK_REASON_APPLIED);
    hear(cli_consumer("dec-1", "", YK_STATE_ACTIVE, "enc-9", 7, "op-first"));
    ENDS_AS(YK_OUTCOME_APPLIED);
    ck_assert(!was_told(YK_TELL_STRANGER));
}
END_TEST

START_TEST(a_silent_producer_is_warned_of_when_it_had_the_time_to_speak)
{
    yk_time answered;

    room_with_a_silent_producer();
    ck_assert_int_eq(next(), YK_WANT_SEND);
    rig.now += 20 * YK_MS;
    answered = rig.now;
    answer(true, YK_REASON_APPLIED);
    hear(cli_consumer("dec-1", "", YK_STATE_PENDING, "enc-9", 7, "op-first"));
    ck_assert_int_eq(next(), YK_WANT_WAIT);
    pass(operation.learn_until);
    ENDS_AS(YK_OUTCOME_APPLIED);
    ck_assert(was_told(YK_TELL_STRANGER));
    ck_assert_uint_eq(operation.ended, answered);
}
END_TEST

START_TEST(a_producer_heard_after_the_save_ends_the_waiting)
{
    room_with_a_silent_producer();
    ck_assert_int_eq(next(), YK_WANT_SEND);
    answer(true, YK_REASON_APPLIED);
    ck_assert_int_eq(next(), YK_WANT_WAIT);
    hear(cli_producer("enc-9", "", YK_KIND_HDMI, MEDIA));
    ENDS_AS(YK_OUTCOME_APPLIED);
    ck_assert(!was_told(YK_TELL_STRANGER));
}
END_TEST

START_TEST(a_word_nobody_used_as_an_id_may_be_a_name_still_to_be_heard)
{
    room();
    start_pair("dec-1", "Foyer");
    ck_assert_int_eq(next(), YK_WANT_WAIT);
    hear(cli_producer("enc-5", "Foyer", YK_KIND_HDMI, MEDIA));
    ck_assert_uint_eq(pass(operation.learn_until), 1);
    ck_assert_str_eq(operation.intent.producer.text, "enc-5");
}
END_TEST

START_TEST(a_blind_intent_too_low_is_written_anew_under_a_fresh_author)
{
    struct yk_intent blind;

    cli_rig_init(&rig);
    start_pair("dec-1", "enc-1");
    pass(rig.now + 3 * YK_SECOND);
    blind = operation.intent;
    answer(false, YK_REASON_SUPERSEDED);
    ck_assert_uint_ge(pass(rig.now + YK_SECOND), 4); /* so that it speaks the sooner */
    ck_assert_int_eq(operation.outcome, YK_OUTCOME_NONE);
    hear(cli_consumer("dec-1", "", YK_STATE_ACTIVE, "enc-2", 41, "op-old"));
    ck_assert_int_eq(next(), YK_WANT_SEND);
    ck_assert(was_told(YK_TELL_AGAIN));
    ck_assert_uint_eq(operation.intent.version.n, 42);
    ck_assert(!yk_id_equal(&operation.intent.version.author, &blind.version.author));
    answer(true, YK_REASON_APPLIED);
    ENDS_AS(YK_OUTCOME_APPLIED);
}
END_TEST

START_TEST(a_blind_intent_superseded_and_never_explained_is_a_refusal)
{
    cli_rig_init(&rig);
    start_pair("dec-1", "enc-1");
    pass(rig.now + 3 * YK_SECOND);
    answer(false, YK_REASON_SUPERSEDED);
    pass(operation.deadline);
    ENDS_AS(YK_OUTCOME_REFUSED);
    ck_assert_int_eq(operation.reason, YK_REASON_SUPERSEDED);
}
END_TEST

START_TEST(what_was_written_anew_is_written_anew_only_once)
{
    cli_rig_init(&rig);
    start_pair("dec-1", "enc-1");
    pass(rig.now + 3 * YK_SECOND);
    hear(cli_consumer("dec-1", "", YK_STATE_ACTIVE, "enc-2", 41, "op-old"));
    ck_assert_int_eq(next(), YK_WANT_SEND);
    hear(cli_consumer("dec-1", "", YK_STATE_ACTIVE, "enc-3", 50, "op-new"));
    ENDS_AS(YK_OUTCOME_REFUSED);
}
END_TEST

START_TEST(waiting_for_active_goes_on_after_the_save)
{
    room();
    start_with(YK_OP_PAIR, "dec-1", "enc-1", YK_STATE_ACTIVE, 5 * YK_SECOND);
    ck_assert_int_eq(next(), YK_WANT_SEND);
    answer(true, YK_REASON_APPLIED);
    ck_assert_uint_eq(pass(rig.now + YK_SECOND), 0);
    hear(cli_consumer("dec-1", "", YK_STATE_PENDING, "enc-1", 7, "op-first"));
    ck_assert_int_eq(next(), YK_WANT_WAIT);
    hear(cli_consumer("dec-1", "", YK_STATE_ACTIVE, "enc-1", 7, "op-first"));
    ENDS_AS(YK_OUTCOME_ACTIVE);
    ck_assert_int_eq(operation.state, YK_STATE_ACTIVE);
}
END_TEST

START_TEST(active_under_another_version_is_not_what_was_waited_for)
{
    room();
    start_with(YK_OP_PAIR, "dec-1", "enc-1", YK_STATE_ACTIVE, 5 * YK_SECOND);
    ck_assert_int_eq(next(), YK_WANT_SEND);
    hear(cli_consumer("dec-1", "", YK_STATE_ACTIVE, "enc-2", 6, "op-before"));
    ck_assert_int_eq(next(), YK_WANT_WAIT);
}
END_TEST

START_TEST(waiting_for_idle_ends_with_idle)
{
    room();
    start_with(YK_OP_UNPAIR, "dec-1", NULL, YK_STATE_IDLE, 5 * YK_SECOND);
    ck_assert_int_eq(next(), YK_WANT_SEND);
    answer(true, YK_REASON_APPLIED);
    hear(cli_consumer("dec-1", "", YK_STATE_IDLE, NULL, 7, "op-first"));
    ENDS_AS(YK_OUTCOME_IDLE);
}
END_TEST

START_TEST(saved_and_not_active_in_time_keeps_the_last_state_and_error)
{
    struct yk_frame failed = cli_consumer("dec-1", "", YK_STATE_ERROR, "enc-1", 7, "op-first");

    failed.as.ann.has_err = true;
    failed.as.ann.err = yk_slice_of("no signal");
    room();
    start_with(YK_OP_PAIR, "dec-1", "enc-1", YK_STATE_ACTIVE, 5 * YK_SECOND);
    ck_assert_int_eq(next(), YK_WANT_SEND);
    answer(true, YK_REASON_APPLIED);
    hear(failed);
    pass(operation.deadline);
    ENDS_AS(YK_OUTCOME_NOT_ACTIVE);
    ck_assert_int_eq(operation.state, YK_STATE_ERROR);
    ck_assert_uint_eq(operation.err_size, strlen("no signal"));
}
END_TEST

START_TEST(saved_and_then_replaced_ends_at_once_and_names_the_rival)
{
    room();
    start_with(YK_OP_UNPAIR, "dec-1", NULL, YK_STATE_IDLE, 5 * YK_SECOND);
    ck_assert_int_eq(next(), YK_WANT_SEND);
    answer(true, YK_REASON_APPLIED);
    hear(cli_consumer("dec-1", "", YK_STATE_ACTIVE, "enc-2", 8, "op-zzz"));
    ENDS_AS(YK_OUTCOME_NOT_IDLE);
    ck_assert_uint_eq(operation.rival.n, 8);
}
END_TEST

START_TEST(a_counter_at_its_end_is_said_and_nothing_is_sent)
{
    cli_rig_init(&rig);
    cli_hear(&rig, cli_consumer("dec-1", "", YK_STATE_IDLE, NULL, YK_COUNT_MAX, "op-last"));
    start_with(YK_OP_UNPAIR, "dec-1", NULL, YK_STATE_NONE, YK_SECOND);
    ENDS_AS(YK_OUTCOME_EXHAUSTED);
    ck_assert_uint_eq(operation.sent, 0);
}
END_TEST

START_TEST(the_last_counter_but_one_can_still_be_followed)
{
    cli_rig_init(&rig);
    cli_hear(&rig, cli_consumer("dec-1", "", YK_STATE_IDLE, NULL, YK_COUNT_MAX - 1, "op-x"));
    start_with(YK_OP_UNPAIR, "dec-1", NULL, YK_STATE_NONE, YK_SECOND);
    ck_assert_int_eq(next(), YK_WANT_SEND);
    ck_assert_uint_eq(operation.intent.version.n, YK_COUNT_MAX);
}
END_TEST

#define IS_MISTAKE(wanted)                           \
    do {                                             \
        ENDS_AS(YK_OUTCOME_MISTAKE);                 \
        ck_assert_int_eq(operation.mistake, wanted); \
        ck_assert_uint_eq(operation.sent, 0);        \
    } while (0)

START_TEST(human_names_are_taken_when_everybody_had_time_to_speak)
{
    room();
    start_pair("Room 3", "Lobby");
    ck_assert_int_eq(next(), YK_WANT_WAIT);
    rig.now = operation.learn_until;
    ck_assert_int_eq(next(), YK_WANT_SEND);
    ck_assert_str_eq(operation.intent.consumer.text, "dec-1");
    ck_assert_str_eq(operation.intent.producer.text, "enc-1");
}
END_TEST

START_TEST(human_names_are_taken_at_once_from_a_complete_picture)
{
    room();
    rig.knowledge.complete = true;
    start_pair("Room 3", "Lobby");
    ck_assert_int_eq(next(), YK_WANT_SEND);
}
END_TEST

START_TEST(a_name_of_two_nodes_is_refused)
{
    room();
    start_pair("Room 3", "enc-1");
    ck_assert_int_eq(next(), YK_WANT_WAIT);
    hear(cli_consumer("dec-0", "Room 3", YK_STATE_IDLE, NULL, 0, ""));
    rig.now = operation.learn_until;
    IS_MISTAKE(YK_MISTAKE_AMBIGUOUS);
    ck_assert_uint_eq(operation.mistaken->found.count, 2);
    ck_assert_str_eq(operation.mistaken->found.nodes[0].text, "dec-0");
    ck_assert_str_eq(operation.mistaken->found.nodes[1].text, "dec-1");
}
END_TEST

START_TEST(what_is_neither_id_nor_a_known_name_is_refused)
{
    room();
    start_pair("bad id!", "enc-1");
    rig.now = operation.learn_until;
    IS_MISTAKE(YK_MISTAKE_UNKNOWN);
}
END_TEST

START_TEST(one_node_by_id_and_by_name_is_a_self_pair)
{
    room();
    rig.knowledge.complete = true;
    start_pair("dec-1", "Room 3");
    IS_MISTAKE(YK_MISTAKE_SELF);
}
END_TEST

START_TEST(a_producer_in_the_place_of_the_consumer_is_refused)
{
    room();
    start_pair("enc-1", "dec-1");
    IS_MISTAKE(YK_MISTAKE_ROLE);
    ck_assert_ptr_eq(operation.mistaken, &operation.consumer);
}
END_TEST

START_TEST(a_consumer_in_the_place_of_the_producer_is_refused)
{
    room();
    cli_hear(&rig, cli_consumer("dec-2", "", YK_STATE_IDLE, NULL, 0, ""));
    start_pair("dec-1", "dec-2");
    IS_MISTAKE(YK_MISTAKE_ROLE);
    ck_assert_ptr_eq(operation.mistaken, &operation.producer);
}
END_TEST

START_TEST(the_role_of_a_node_that_is_gone_binds_nobody)
{
    room();
    cli_hear(&rig, cli_bye("enc-1"));
    start_with(YK_OP_UNPAIR, "enc-1", NULL, YK_STATE_NONE, YK_SECOND);
    ck_assert_int_eq(next(), YK_WANT_SEND);
}
END_TEST

START_TEST(kinds_are_judged_by_the_consumer)
{
    room();
    cli_hear(&rig, cli_producer("kb-1", "", YK_KIND_USB, NULL));
    start_pair("dec-1", "kb-1");
    ck_assert_int_eq(next(), YK_WANT_SEND);
}
END_TEST

START_TEST(a_consumer_that_said_goodbye_counts_as_not_heard)
{
    room();
    cli_hear(&rig, cli_bye("dec-1"));
    start_pair("dec-1", "enc-1");
    ck_assert_int_eq(next(), YK_WANT_SEND);
    ck_assert(was_told(YK_TELL_UNHEARD));
    ck_assert(!operation.blind);
}
END_TEST

START_TEST(every_outcome_has_the_word_of_the_contract)
{
    ck_assert_str_eq(yk_outcome_word(YK_OUTCOME_APPLIED), "applied");
    ck_assert_str_eq(yk_outcome_word(YK_OUTCOME_ACTIVE), "active");
    ck_assert_str_eq(yk_outcome_word(YK_OUTCOME_IDLE), "idle");
    ck_assert_str_eq(yk_outcome_word(YK_OUTCOME_REFUSED), "refused");
    ck_assert_str_eq(yk_outcome_word(YK_OUTCOME_UNANSWERED), "unanswered");
    ck_assert_str_eq(yk_outcome_word(YK_OUTCOME_NOT_ACTIVE), "not-active");
    ck_assert_str_eq(yk_outcome_word(YK_OUTCOME_NOT_IDLE), "not-idle");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        known_nodes_need_no_listening,
        version_is_one_above_the_highest_announced,
        version_is_one_above_the_highest_in_intents_and_acks,
        first_intent_of_a_fresh_consumer_is_version_1_and_not_blind,
        an_announcement_heard_ends_the_listening,
        retries_come_after_10_ms_doubling_to_250_ms,
        retries_carry_the_same_version_and_intent,
        an_applied_ack_ends_it,
        an_ack_of_another_version_or_node_is_not_ours,
        an_announcement_of_our_version_counts_when_the_ack_is_lost,
        every_rejection_is_a_refusal_with_its_reason,
        a_lost_race_names_the_version_that_won,
        an_announced_higher_version_is_a_lost_race_without_any_ack,
        an_equal_counter_with_a_lower_author_is_no_lost_race,
        no_answer_in_time_is_unanswered,
        a_consumer_not_heard_still_gets_the_intent,
        a_consumer_not_heard_of_a_known_version_is_not_blind,
        a_short_timeout_leaves_a_quarter_for_sending,
        however_short_the_timeout_it_is_sent_once,
        a_complete_picture_needs_no_listening_for_who_is_not_in_it,
        an_id_in_use_is_sent_before_its_producer_is_heard,
        a_silent_producer_is_warned_of_when_it_had_the_time_to_speak,
        a_producer_heard_after_the_save_ends_the_waiting,
        a_word_nobody_used_as_an_id_may_be_a_name_still_to_be_heard,
        a_blind_intent_too_low_is_written_anew_under_a_fresh_author,
        a_blind_intent_superseded_and_never_explained_is_a_refusal,
        what_was_written_anew_is_written_anew_only_once,
        waiting_for_active_goes_on_after_the_save,
        active_under_another_version_is_not_what_was_waited_for,
        waiting_for_idle_ends_with_idle,
        saved_and_not_active_in_time_keeps_the_last_state_and_error,
        saved_and_then_replaced_ends_at_once_and_names_the_rival,
        a_counter_at_its_end_is_said_and_nothing_is_sent,
        the_last_counter_but_one_can_still_be_followed,
        human_names_are_taken_when_everybody_had_time_to_speak,
        human_names_are_taken_at_once_from_a_complete_picture,
        a_name_of_two_nodes_is_refused,
        what_is_neither_id_nor_a_known_name_is_refused,
        one_node_by_id_and_by_name_is_a_self_pair,
        a_producer_in_the_place_of_the_consumer_is_refused,
        a_consumer_in_the_place_of_the_producer_is_refused,
        the_role_of_a_node_that_is_gone_binds_nobody,
        kinds_are_judged_by_the_consumer,
        a_consumer_that_said_goodbye_counts_as_not_heard,
        every_outcome_has_the_word_of_the_contract,
        NULL,
    };

    return suite_main("pair_operation", tests);
}
