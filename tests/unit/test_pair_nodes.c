/* Whom a pairing means and what it waits to hear of them before it is sent. */
#include "lib/suite.h"
#include "pair_rig.h"

START_TEST(known_nodes_need_no_listening)
{
    pair_room();
    pair_start_pair("dec-1", "enc-1");
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    ck_assert_uint_eq(pair.rig.now, pair.operation.started);
    ck_assert(pair_was_told(YK_TELL_HEARD) && !pair_was_told(YK_TELL_STRANGER));
}
END_TEST

START_TEST(an_announcement_heard_ends_the_listening)
{
    cli_rig_init(&pair.rig);
    pair_start_pair("dec-1", "enc-1");
    ck_assert_int_eq(pair_next(), YK_WANT_WAIT);
    pair.rig.now += 400 * YK_MS;
    pair_hear(cli_producer("enc-1", "Lobby", YK_KIND_HDMI, PAIR_MEDIA));
    ck_assert_int_eq(pair_next(), YK_WANT_WAIT);
    pair.rig.now += 400 * YK_MS;
    pair_hear(cli_consumer("dec-1", "Room 3", YK_STATE_IDLE, NULL, 6, "op-before"));
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    ck_assert_uint_eq(pair.operation.intent.version.n, 7);
}
END_TEST

START_TEST(a_consumer_not_heard_still_gets_the_intent)
{
    yk_time started;

    cli_rig_init(&pair.rig);
    pair_start_pair("dec-1", "enc-1");
    started = pair.rig.now;
    ck_assert_uint_eq(pair_pass(started + YK_KNOWLEDGE_LISTEN - 1), 0);
    pair.rig.now++;
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    ck_assert_str_eq(pair.operation.intent.consumer.text, "dec-1");
    ck_assert_str_eq(pair.operation.intent.producer.text, "enc-1");
    ck_assert(pair.operation.blind);
    ck_assert_uint_eq(pair.operation.intent.version.n, 1);
    ck_assert(pair_was_told(YK_TELL_UNHEARD) && pair_was_told(YK_TELL_STRANGER));
    pair_pass(started + 5 * YK_SECOND);
    PAIR_ENDS_AS(YK_OUTCOME_UNANSWERED);
}
END_TEST

START_TEST(a_consumer_not_heard_of_a_known_version_is_not_blind)
{
    cli_rig_init(&pair.rig);
    cli_hear(&pair.rig, cli_intent("enc-9", "dec-1", 4, "op-y"));
    pair_start_pair("dec-1", "enc-1");
    pair_pass(pair.rig.now + 5 * YK_SECOND);
    PAIR_ENDS_AS(YK_OUTCOME_UNANSWERED);
    ck_assert(!pair.operation.blind);
    ck_assert_uint_eq(pair.operation.intent.version.n, 5);
}
END_TEST

START_TEST(a_short_timeout_leaves_a_quarter_for_sending)
{
    yk_time started;

    cli_rig_init(&pair.rig);
    pair_start(YK_OP_PAIR, "dec-1", "enc-1", YK_STATE_NONE, YK_SECOND);
    started = pair.rig.now;
    ck_assert_uint_eq(pair_pass(started + 750 * YK_MS - 1), 0);
    ck_assert_uint_ge(pair_pass(started + YK_SECOND), 3);
    PAIR_ENDS_AS(YK_OUTCOME_UNANSWERED);
}
END_TEST

START_TEST(however_short_the_timeout_it_is_sent_once)
{
    cli_rig_init(&pair.rig);
    pair_start(YK_OP_PAIR, "dec-1", "enc-1", YK_STATE_NONE, 0);
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    PAIR_ENDS_AS(YK_OUTCOME_UNANSWERED);
}
END_TEST

START_TEST(a_complete_picture_needs_no_listening_for_who_is_not_in_it)
{
    pair_room();
    pair.rig.knowledge.complete = true;
    pair_start_pair("dec-1", "enc-9");
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    ck_assert(pair_was_told(YK_TELL_STRANGER));
}
END_TEST

/* Another decoder shows enc-9, so that is an id and no name. */
static void room_with_a_silent_producer(void)
{
    pair_room();
    cli_hear(&pair.rig, cli_consumer("dec-2", "", YK_STATE_ACTIVE, "enc-9", 3, "op-y"));
    pair_start_pair("dec-1", "enc-9");
}

START_TEST(an_id_in_use_is_sent_before_its_producer_is_heard)
{
    room_with_a_silent_producer();
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    ck_assert_str_eq(pair.operation.intent.producer.text, "enc-9");
    ck_assert(!pair_was_told(YK_TELL_STRANGER));
    pair_answer(true, YK_REASON_APPLIED);
    pair_hear(cli_consumer("dec-1", "", YK_STATE_ACTIVE, "enc-9", 7, "op-first"));
    PAIR_ENDS_AS(YK_OUTCOME_APPLIED);
    ck_assert(!pair_was_told(YK_TELL_STRANGER));
}
END_TEST

START_TEST(a_silent_producer_is_warned_of_when_it_had_the_time_to_speak)
{
    yk_time answered;

    room_with_a_silent_producer();
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    pair.rig.now += 20 * YK_MS;
    answered = pair.rig.now;
    pair_answer(true, YK_REASON_APPLIED);
    pair_hear(cli_consumer("dec-1", "", YK_STATE_PENDING, "enc-9", 7, "op-first"));
    ck_assert_int_eq(pair_next(), YK_WANT_WAIT);
    pair_pass(pair.operation.learn_until);
    PAIR_ENDS_AS(YK_OUTCOME_APPLIED);
    ck_assert(pair_was_told(YK_TELL_STRANGER));
    ck_assert_uint_eq(pair.operation.ended, answered);
}
END_TEST

START_TEST(a_producer_heard_after_the_save_ends_the_waiting)
{
    room_with_a_silent_producer();
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    pair_answer(true, YK_REASON_APPLIED);
    ck_assert_int_eq(pair_next(), YK_WANT_WAIT);
    pair_hear(cli_producer("enc-9", "", YK_KIND_HDMI, PAIR_MEDIA));
    PAIR_ENDS_AS(YK_OUTCOME_APPLIED);
    ck_assert(!pair_was_told(YK_TELL_STRANGER));
}
END_TEST

START_TEST(a_word_nobody_used_as_an_id_may_be_a_name_still_to_be_heard)
{
    pair_room();
    pair_start_pair("dec-1", "Foyer");
    ck_assert_int_eq(pair_next(), YK_WANT_WAIT);
    pair_hear(cli_producer("enc-5", "Foyer", YK_KIND_HDMI, PAIR_MEDIA));
    ck_assert_uint_eq(pair_pass(pair.operation.learn_until), 1);
    ck_assert_str_eq(pair.operation.intent.producer.text, "enc-5");
}
END_TEST

#define IS_MISTAKE(wanted)                                \
    do {                                                  \
        PAIR_ENDS_AS(YK_OUTCOME_MISTAKE);                 \
        ck_assert_int_eq(pair.operation.mistake, wanted); \
        ck_assert_uint_eq(pair.operation.sent, 0);        \
    } while (0)

START_TEST(human_names_are_taken_when_everybody_had_time_to_speak)
{
    pair_room();
    pair_start_pair("Room 3", "Lobby");
    ck_assert_int_eq(pair_next(), YK_WANT_WAIT);
    pair.rig.now = pair.operation.learn_until;
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    ck_assert_str_eq(pair.operation.intent.consumer.text, "dec-1");
    ck_assert_str_eq(pair.operation.intent.producer.text, "enc-1");
}
END_TEST

START_TEST(human_names_are_taken_at_once_from_a_complete_picture)
{
    pair_room();
    pair.rig.knowledge.complete = true;
    pair_start_pair("Room 3", "Lobby");
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
}
END_TEST

START_TEST(a_name_of_two_nodes_is_refused)
{
    pair_room();
    pair_start_pair("Room 3", "enc-1");
    ck_assert_int_eq(pair_next(), YK_WANT_WAIT);
    pair_hear(cli_consumer("dec-0", "Room 3", YK_STATE_IDLE, NULL, 0, ""));
    pair.rig.now = pair.operation.learn_until;
    IS_MISTAKE(YK_MISTAKE_AMBIGUOUS);
    ck_assert_uint_eq(pair.operation.mistaken->found.count, 2);
    ck_assert_str_eq(pair.operation.mistaken->found.nodes[0].text, "dec-0");
    ck_assert_str_eq(pair.operation.mistaken->found.nodes[1].text, "dec-1");
}
END_TEST

START_TEST(what_is_neither_id_nor_a_known_name_is_refused)
{
    pair_room();
    pair_start_pair("bad id!", "enc-1");
    pair.rig.now = pair.operation.learn_until;
    IS_MISTAKE(YK_MISTAKE_UNKNOWN);
}
END_TEST

START_TEST(one_node_by_id_and_by_name_is_a_self_pair)
{
    pair_room();
    pair.rig.knowledge.complete = true;
    pair_start_pair("dec-1", "Room 3");
    IS_MISTAKE(YK_MISTAKE_SELF);
}
END_TEST

START_TEST(a_producer_in_the_place_of_the_consumer_is_refused)
{
    pair_room();
    pair_start_pair("enc-1", "dec-1");
    IS_MISTAKE(YK_MISTAKE_ROLE);
    ck_assert_ptr_eq(pair.operation.mistaken, &pair.operation.consumer);
}
END_TEST

START_TEST(a_consumer_in_the_place_of_the_producer_is_refused)
{
    pair_room();
    cli_hear(&pair.rig, cli_consumer("dec-2", "", YK_STATE_IDLE, NULL, 0, ""));
    pair_start_pair("dec-1", "dec-2");
    IS_MISTAKE(YK_MISTAKE_ROLE);
    ck_assert_ptr_eq(pair.operation.mistaken, &pair.operation.producer);
}
END_TEST

START_TEST(the_role_of_a_node_that_is_gone_binds_nobody)
{
    pair_room();
    cli_hear(&pair.rig, cli_bye("enc-1"));
    pair_start(YK_OP_UNPAIR, "enc-1", NULL, YK_STATE_NONE, YK_SECOND);
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
}
END_TEST

START_TEST(kinds_are_judged_by_the_consumer)
{
    pair_room();
    cli_hear(&pair.rig, cli_producer("kb-1", "", YK_KIND_USB, NULL));
    pair_start_pair("dec-1", "kb-1");
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
}
END_TEST

START_TEST(a_consumer_that_said_goodbye_counts_as_not_heard)
{
    pair_room();
    cli_hear(&pair.rig, cli_bye("dec-1"));
    pair_start_pair("dec-1", "enc-1");
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    ck_assert(pair_was_told(YK_TELL_UNHEARD));
    ck_assert(!pair.operation.blind);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        known_nodes_need_no_listening,
        an_announcement_heard_ends_the_listening,
        a_consumer_not_heard_still_gets_the_intent,
        a_consumer_not_heard_of_a_known_version_is_not_blind,
        a_short_timeout_leaves_a_quarter_for_sending,
        however_short_the_timeout_it_is_sent_once,
        a_complete_picture_needs_no_listening_for_who_is_not_in_it,
        an_id_in_use_is_sent_before_its_producer_is_heard,
        a_silent_producer_is_warned_of_when_it_had_the_time_to_speak,
        a_producer_heard_after_the_save_ends_the_waiting,
        a_word_nobody_used_as_an_id_may_be_a_name_still_to_be_heard,
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
        NULL,
    };

    return suite_main("pair_nodes", tests);
}
