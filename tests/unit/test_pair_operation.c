/* The rules of one pairing or unpairing of nodes that are known: versions, retries, answers, ends. */
#include <string.h>

#include "lib/suite.h"
#include "pair_rig.h"

START_TEST(version_is_one_above_the_highest_announced)
{
    pair_room();
    pair_start_pair("dec-1", "enc-1");
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    ck_assert_uint_eq(pair.operation.intent.version.n, 7);
    ck_assert_str_eq(pair.operation.intent.version.author.text, "op-first");
    ck_assert(!pair.operation.blind);
}
END_TEST

START_TEST(version_is_one_above_the_highest_in_intents_and_acks)
{
    struct yk_version twelve = {.n = 12, .author = cli_id("op-x")};

    pair_room();
    cli_hear(&pair.rig, cli_intent("enc-9", "dec-1", 11, "op-y"));
    pair_start_pair("dec-1", "enc-1");
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    ck_assert_uint_eq(pair.operation.intent.version.n, 12);

    cli_hear(&pair.rig, cli_ack("dec-1", &twelve, false, YK_REASON_KIND_MISMATCH));
    pair_start_pair("dec-1", "enc-1");
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    ck_assert_uint_eq(pair.operation.intent.version.n, 13);
}
END_TEST

START_TEST(first_intent_of_a_fresh_consumer_is_version_1_and_not_blind)
{
    cli_rig_init(&pair.rig);
    cli_hear(&pair.rig, cli_consumer("dec-1", "", YK_STATE_IDLE, NULL, 0, ""));
    pair_start(YK_OP_UNPAIR, "dec-1", NULL, YK_STATE_NONE, YK_SECOND);
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    ck_assert_uint_eq(pair.operation.intent.version.n, 1);
    ck_assert_int_eq(pair.operation.intent.op, YK_OP_UNPAIR);
    ck_assert_uint_eq(pair.operation.intent.producer.size, 0);
    ck_assert(!pair.operation.blind);
}
END_TEST

START_TEST(retries_come_after_10_ms_doubling_to_250_ms)
{
    static const unsigned gaps_ms[] = {10, 20, 40, 80, 160, 250, 250, 250};

    pair_room();
    pair_start_pair("dec-1", "enc-1");
    for (size_t i = 0; i < sizeof gaps_ms / sizeof gaps_ms[0]; i++) {
        ck_assert_int_eq(pair_next(), YK_WANT_SEND);
        ck_assert_int_eq(pair_next(), YK_WANT_WAIT);
        ck_assert_uint_eq(yk_operation_deadline(&pair.operation) - pair.rig.now,
                          gaps_ms[i] * YK_MS);
        pair.rig.now = yk_operation_deadline(&pair.operation);
    }
}
END_TEST

START_TEST(retries_carry_the_same_version_and_intent)
{
    struct yk_intent first;

    pair_room();
    pair_start_pair("dec-1", "enc-1");
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    first = pair.operation.intent;
    ck_assert_uint_gt(pair_pass(pair.rig.now + 4 * YK_SECOND), 10);
    ck_assert(yk_intent_equal(&first, &pair.operation.intent));
}
END_TEST

START_TEST(an_applied_ack_ends_it)
{
    pair_room();
    pair_start_pair("dec-1", "enc-1");
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    pair.rig.now += 3 * YK_MS;
    pair_answer(true, YK_REASON_APPLIED);
    PAIR_ENDS_AS(YK_OUTCOME_APPLIED);
    ck_assert_int_eq(pair.operation.reason, YK_REASON_APPLIED);
    ck_assert_uint_eq(pair.operation.ended - pair.operation.started, 3 * YK_MS);
    ck_assert(pair_was_told(YK_TELL_SAVED));
}
END_TEST

START_TEST(an_ack_of_another_version_or_node_is_not_ours)
{
    struct yk_version other = {.n = 7, .author = cli_id("op-other")};

    pair_room();
    pair_start_pair("dec-1", "enc-1");
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    pair_hear(cli_ack("dec-1", &other, true, YK_REASON_APPLIED));
    pair_hear(cli_ack("dec-2", &pair.operation.intent.version, true, YK_REASON_APPLIED));
    ck_assert_int_eq(pair_next(), YK_WANT_WAIT);
}
END_TEST

START_TEST(an_announcement_of_our_version_counts_when_the_ack_is_lost)
{
    pair_room();
    pair_start_pair("dec-1", "enc-1");
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    pair_hear(cli_consumer("dec-1", "", YK_STATE_PENDING, "enc-1", 7, "op-first"));
    PAIR_ENDS_AS(YK_OUTCOME_APPLIED);
}
END_TEST

START_TEST(every_rejection_is_a_refusal_with_its_reason)
{
    static const enum yk_reason reasons[] = {YK_REASON_SUPERSEDED, YK_REASON_UNKNOWN_PRODUCER,
                                             YK_REASON_DRIVER_ERROR, YK_REASON_KIND_MISMATCH,
                                             YK_REASON_SELF_PAIR};

    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        pair_room();
        pair_start_pair("dec-1", "enc-1");
        ck_assert_int_eq(pair_next(), YK_WANT_SEND);
        pair_answer(false, reasons[i]);
        PAIR_ENDS_AS(YK_OUTCOME_REFUSED);
        ck_assert_int_eq(pair.operation.reason, reasons[i]);
        cli_rig_fini(&pair.rig);
    }
}
END_TEST

START_TEST(a_lost_race_names_the_version_that_won)
{
    pair_room();
    pair_start_pair("dec-1", "enc-1");
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    pair_hear(cli_intent("cli-other", "dec-1", 7, "op-zzz"));
    pair_answer(false, YK_REASON_SUPERSEDED);
    PAIR_ENDS_AS(YK_OUTCOME_REFUSED);
    ck_assert_uint_eq(pair.operation.rival.n, 7);
    ck_assert_str_eq(pair.operation.rival.author.text, "op-zzz");
}
END_TEST

START_TEST(an_announced_higher_version_is_a_lost_race_without_any_ack)
{
    pair_room();
    pair_start_pair("dec-1", "enc-1");
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    pair_hear(cli_consumer("dec-1", "", YK_STATE_ACTIVE, "enc-2", 8, "op-zzz"));
    PAIR_ENDS_AS(YK_OUTCOME_REFUSED);
    ck_assert_int_eq(pair.operation.reason, YK_REASON_SUPERSEDED);
    ck_assert_uint_eq(pair.operation.rival.n, 8);
}
END_TEST

START_TEST(an_equal_counter_with_a_lower_author_is_no_lost_race)
{
    pair_room();
    pair_start_pair("dec-1", "enc-1");
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    pair_hear(cli_consumer("dec-1", "", YK_STATE_ACTIVE, "enc-2", 7, "op-aaa"));
    ck_assert_int_eq(pair_next(), YK_WANT_WAIT);
}
END_TEST

START_TEST(no_answer_in_time_is_unanswered)
{
    pair_room();
    pair_start_pair("dec-1", "enc-1");
    pair_pass(pair.rig.now + 5 * YK_SECOND - 1);
    ck_assert_int_eq(pair.operation.outcome, YK_OUTCOME_NONE);
    pair.rig.now++;
    PAIR_ENDS_AS(YK_OUTCOME_UNANSWERED);
    ck_assert_uint_eq(pair.operation.ended - pair.operation.started, 5 * YK_SECOND);
}
END_TEST

START_TEST(a_blind_intent_too_low_is_written_anew_under_a_fresh_author)
{
    struct yk_intent blind;

    cli_rig_init(&pair.rig);
    pair_start_pair("dec-1", "enc-1");
    pair_pass(pair.rig.now + 3 * YK_SECOND);
    blind = pair.operation.intent;
    pair_answer(false, YK_REASON_SUPERSEDED);
    ck_assert_uint_ge(pair_pass(pair.rig.now + YK_SECOND), 4); /* so that it speaks the sooner */
    ck_assert_int_eq(pair.operation.outcome, YK_OUTCOME_NONE);
    pair_hear(cli_consumer("dec-1", "", YK_STATE_ACTIVE, "enc-2", 41, "op-old"));
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    ck_assert(pair_was_told(YK_TELL_AGAIN));
    ck_assert_uint_eq(pair.operation.intent.version.n, 42);
    ck_assert(!yk_id_equal(&pair.operation.intent.version.author, &blind.version.author));
    pair_answer(true, YK_REASON_APPLIED);
    PAIR_ENDS_AS(YK_OUTCOME_APPLIED);
}
END_TEST

START_TEST(a_blind_intent_superseded_and_never_explained_is_a_refusal)
{
    cli_rig_init(&pair.rig);
    pair_start_pair("dec-1", "enc-1");
    pair_pass(pair.rig.now + 3 * YK_SECOND);
    pair_answer(false, YK_REASON_SUPERSEDED);
    pair_pass(pair.operation.deadline);
    PAIR_ENDS_AS(YK_OUTCOME_REFUSED);
    ck_assert_int_eq(pair.operation.reason, YK_REASON_SUPERSEDED);
}
END_TEST

START_TEST(what_was_written_anew_is_written_anew_only_once)
{
    cli_rig_init(&pair.rig);
    pair_start_pair("dec-1", "enc-1");
    pair_pass(pair.rig.now + 3 * YK_SECOND);
    pair_hear(cli_consumer("dec-1", "", YK_STATE_ACTIVE, "enc-2", 41, "op-old"));
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    pair_hear(cli_consumer("dec-1", "", YK_STATE_ACTIVE, "enc-3", 50, "op-new"));
    PAIR_ENDS_AS(YK_OUTCOME_REFUSED);
}
END_TEST

START_TEST(waiting_for_active_goes_on_after_the_save)
{
    pair_room();
    pair_start(YK_OP_PAIR, "dec-1", "enc-1", YK_STATE_ACTIVE, 5 * YK_SECOND);
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    pair_answer(true, YK_REASON_APPLIED);
    ck_assert_uint_eq(pair_pass(pair.rig.now + YK_SECOND), 0);
    pair_hear(cli_consumer("dec-1", "", YK_STATE_PENDING, "enc-1", 7, "op-first"));
    ck_assert_int_eq(pair_next(), YK_WANT_WAIT);
    pair_hear(cli_consumer("dec-1", "", YK_STATE_ACTIVE, "enc-1", 7, "op-first"));
    PAIR_ENDS_AS(YK_OUTCOME_ACTIVE);
    ck_assert_int_eq(pair.operation.state, YK_STATE_ACTIVE);
}
END_TEST

START_TEST(active_under_another_version_is_not_what_was_waited_for)
{
    pair_room();
    pair_start(YK_OP_PAIR, "dec-1", "enc-1", YK_STATE_ACTIVE, 5 * YK_SECOND);
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    pair_hear(cli_consumer("dec-1", "", YK_STATE_ACTIVE, "enc-2", 6, "op-before"));
    ck_assert_int_eq(pair_next(), YK_WANT_WAIT);
}
END_TEST

START_TEST(waiting_for_idle_ends_with_idle)
{
    pair_room();
    pair_start(YK_OP_UNPAIR, "dec-1", NULL, YK_STATE_IDLE, 5 * YK_SECOND);
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    pair_answer(true, YK_REASON_APPLIED);
    pair_hear(cli_consumer("dec-1", "", YK_STATE_IDLE, NULL, 7, "op-first"));
    PAIR_ENDS_AS(YK_OUTCOME_IDLE);
}
END_TEST

START_TEST(saved_and_not_active_in_time_keeps_the_last_state_and_error)
{
    struct yk_frame failed = cli_consumer("dec-1", "", YK_STATE_ERROR, "enc-1", 7, "op-first");

    failed.as.ann.has_err = true;
    failed.as.ann.err = yk_slice_of("no signal");
    pair_room();
    pair_start(YK_OP_PAIR, "dec-1", "enc-1", YK_STATE_ACTIVE, 5 * YK_SECOND);
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    pair_answer(true, YK_REASON_APPLIED);
    pair_hear(failed);
    pair_pass(pair.operation.deadline);
    PAIR_ENDS_AS(YK_OUTCOME_NOT_ACTIVE);
    ck_assert_int_eq(pair.operation.state, YK_STATE_ERROR);
    ck_assert_uint_eq(pair.operation.err_size, strlen("no signal"));
}
END_TEST

START_TEST(saved_and_then_replaced_ends_at_once_and_names_the_rival)
{
    pair_room();
    pair_start(YK_OP_UNPAIR, "dec-1", NULL, YK_STATE_IDLE, 5 * YK_SECOND);
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    pair_answer(true, YK_REASON_APPLIED);
    pair_hear(cli_consumer("dec-1", "", YK_STATE_ACTIVE, "enc-2", 8, "op-zzz"));
    PAIR_ENDS_AS(YK_OUTCOME_NOT_IDLE);
    ck_assert_uint_eq(pair.operation.rival.n, 8);
}
END_TEST

START_TEST(a_counter_at_its_end_is_said_and_nothing_is_sent)
{
    cli_rig_init(&pair.rig);
    cli_hear(&pair.rig, cli_consumer("dec-1", "", YK_STATE_IDLE, NULL, YK_COUNT_MAX, "op-last"));
    pair_start(YK_OP_UNPAIR, "dec-1", NULL, YK_STATE_NONE, YK_SECOND);
    PAIR_ENDS_AS(YK_OUTCOME_EXHAUSTED);
    ck_assert_uint_eq(pair.operation.sent, 0);
}
END_TEST

START_TEST(the_last_counter_but_one_can_still_be_followed)
{
    cli_rig_init(&pair.rig);
    cli_hear(&pair.rig, cli_consumer("dec-1", "", YK_STATE_IDLE, NULL, YK_COUNT_MAX - 1, "op-x"));
    pair_start(YK_OP_UNPAIR, "dec-1", NULL, YK_STATE_NONE, YK_SECOND);
    ck_assert_int_eq(pair_next(), YK_WANT_SEND);
    ck_assert_uint_eq(pair.operation.intent.version.n, YK_COUNT_MAX);
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
        version_is_one_above_the_highest_announced,
        version_is_one_above_the_highest_in_intents_and_acks,
        first_intent_of_a_fresh_consumer_is_version_1_and_not_blind,
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
        every_outcome_has_the_word_of_the_contract,
        NULL,
    };

    return suite_main("pair_operation", tests);
}
