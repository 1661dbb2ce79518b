/* A consumer and its intents, seen from outside the node: what is saved, acknowledged and refused (spec,
 * Consumer state machine 1 to 5). */
#include <string.h>

#include "lib/suite.h"
#include "unit/rig.h"

static struct rig rig;

START_TEST(startup_saves_a_reservation_before_it_announces)
{
    rig_init(&rig, YK_ROLE_CONSUMER);
    rig.hold_saves = true;
    rig_start(&rig);
    ck_assert(yk_node_is_blocked(rig.node));
    ck_assert_uint_eq(yk_node_deadline(rig.node), YK_TIME_NEVER);
    ck_assert_ptr_nonnull(strstr(rig.trace, "persist bound+"));
    rig_expect_not(&rig, "ann");
    rig_forget(&rig);
    rig_saved(&rig, true);
    rig_expect(&rig, "evt started\nann idle never\n");
}
END_TEST

START_TEST(pair_acknowledges_only_after_the_save_then_events_then_announces)
{
    rig_start_consumer(&rig);
    rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, MEDIA_5);
    rig_forget(&rig);
    rig.hold_saves = true;
    rig_intent(&rig, "dec-1", "enc-1", 7, "op-a");
    rig_expect(&rig, "persist bound+0 enc-1 7/op-a\n");
    ck_assert(yk_node_is_blocked(rig.node));
    rig_saved(&rig, true);
    rig_expect(&rig, "attach " MEDIA_5 "\nack 7/op-a applied\nevt pairing-applied\n"
                     "evt media-pending\nann pending enc-1 7/op-a\n");
    rig_report(&rig, YK_REPORT_ACTIVE, "joined");
    rig_expect(&rig, "evt media-up\nann active enc-1 7/op-a evidence=\"joined\"\n");
}
END_TEST

START_TEST(failed_save_keeps_the_previous_pairing_and_acknowledges_nothing)
{
    rig_start_paired(&rig);
    rig.hold_saves = true;
    rig_intent(&rig, "dec-1", "enc-2", 8, "op-b");
    rig_forget(&rig);
    rig_saved(&rig, false);
    rig_expect(&rig, "note save-failed\n");
    ck_assert(!yk_node_is_blocked(rig.node));
    ck_assert_str_eq(rig.disk.pairing.producer.text, "enc-1");
    /* also for a duplicate delivery of the failed intent */
    rig_intent(&rig, "dec-1", "enc-2", 8, "op-b");
    rig_expect(&rig, "persist bound+0 enc-2 8/op-b\n");
    rig_saved(&rig, false);
    rig_expect(&rig, "note save-failed\n");
    rig_intent(&rig, "dec-1", "enc-2", 8, "op-b");
    rig_forget(&rig);
    rig_saved(&rig, true);
    rig_expect_has(&rig, "ack 8/op-b applied\n");
}
END_TEST

START_TEST(intent_whose_save_failed_is_applied_when_the_disk_is_well_though_nobody_else_heard_it)
{
    rig_start_paired(&rig);
    rig.hold_saves = true;
    rig_intent(&rig, "dec-1", "enc-2", 8, "op-b");
    rig_saved(&rig, false);
    rig_pass(&rig, 4 * YK_SECOND);
    rig_expect_has(&rig, "persist bound+0 enc-2 8/op-b\n");
    rig_forget(&rig);
    rig_saved(&rig, true);
    rig_expect_has(&rig, "ack 8/op-b applied\n");
    rig.hold_saves = false;
    rig_forget(&rig);
    rig_pass(&rig, 10 * YK_SECOND);
    rig_expect_not(&rig, "persist");
    rig_expect_not(&rig, "int ");
}
END_TEST

START_TEST(unknown_and_repeated_feedback_of_a_save_is_ignored)
{
    struct yk_input input = {.kind = YK_INPUT_PERSISTED, .now = 0};
    static struct yk_effects effects;

    rig_start_consumer(&rig);
    rig.hold_saves = true;
    rig_intent(&rig, "dec-1", "enc-1", 7, "op-a");
    rig_forget(&rig);
    input.now = rig.now;
    input.as.persisted.request = rig.request + 1;
    input.as.persisted.ok = true;
    yk_node_step(rig.node, &input, &effects);
    ck_assert_uint_eq(effects.count, 0);
    ck_assert(yk_node_is_blocked(rig.node));
    input.as.persisted.request = rig.request;
    rig_saved(&rig, true);
    rig_expect_has(&rig, "ack 7/op-a applied\n");
    yk_node_step(rig.node, &input, &effects);
    ck_assert_uint_eq(effects.count, 0);
}
END_TEST

START_TEST(version_not_above_the_current_one_is_superseded)
{
    rig_start_paired(&rig);
    rig_intent(&rig, "dec-1", "enc-2", 6, "op-z");
    rig_expect(&rig, "ack 6/op-z refused superseded\n");
    rig_intent(&rig, "dec-1", "enc-2", 7, "op-Z"); /* 'Z' is below 'a' */
    rig_expect(&rig, "ack 7/op-Z refused superseded\n");
    rig_intent(&rig, "dec-1", "enc-2", 7, "op-a"); /* same version, another body: first wins */
    rig_expect(&rig, "ack 7/op-a refused superseded\n");
    rig_intent(&rig, "dec-1", NULL, 7, "op-a");
    rig_expect(&rig, "ack 7/op-a refused superseded\n");
}
END_TEST

START_TEST(who_asks_under_too_low_a_version_soon_hears_which_one_governs)
{
    rig_start_paired(&rig);
    rig_pass(&rig, YK_SECOND);
    rig_intent(&rig, "dec-1", "enc-2", 1, "op-z");
    rig_expect(&rig, "ack 1/op-z refused superseded\n"
                     "ann active enc-1 7/op-a evidence=\"joined\"\n");
    rig_intent(&rig, "dec-1", "enc-2", 1, "op-z");
    rig_expect(&rig, "ack 1/op-z refused superseded\n");
    rig_pass(&rig, 250 * YK_MS);
    rig_expect(&rig, "ann active enc-1 7/op-a evidence=\"joined\"\n");
}
END_TEST

START_TEST(equal_counter_with_a_higher_author_wins)
{
    rig_start_paired(&rig);
    rig_intent(&rig, "dec-1", "enc-2", 7, "op-b");
    rig_expect_has(&rig, "ack 7/op-b applied\n");
}
END_TEST

START_TEST(redelivery_of_the_applied_intent_is_acknowledged_again_and_changes_nothing)
{
    rig_start_paired(&rig);
    rig_intent(&rig, "dec-1", "enc-1", 7, "op-a");
    rig_expect(&rig, "ack 7/op-a applied\n");
    rig_intent(&rig, "dec-1", "enc-1", 7, "op-a");
    rig_expect(&rig, "ack 7/op-a applied\n");
}
END_TEST

START_TEST(self_pair_is_rejected_and_changes_nothing)
{
    rig_start_paired(&rig);
    rig_intent(&rig, "dec-1", "dec-1", 8, "op-b");
    rig_expect(&rig, "ack 8/op-b refused self-pair\nnote intent-refused\n");
    ck_assert_uint_eq(rig.disk.pairing.version.n, 7);
}
END_TEST

START_TEST(kind_mismatch_is_rejected_and_changes_nothing)
{
    rig_start_paired(&rig);
    rig_hear_producer(&rig, "cam-1", YK_KIND_USB, MEDIA_6);
    rig_forget(&rig);
    rig_intent(&rig, "dec-1", "cam-1", 8, "op-b");
    rig_expect(&rig, "ack 8/op-b refused kind-mismatch\nnote intent-refused\n");
}
END_TEST

START_TEST(malformed_producer_id_is_answered_with_unknown_producer)
{
    rig_start_paired(&rig);
    rig_intent(&rig, "dec-1", "!", 8, "op-b");
    rig_expect(&rig, "ack 8/op-b refused unknown-producer\nnote intent-refused\n");
}
END_TEST

START_TEST(stop_is_not_held_up_by_an_intent_whose_save_failed)
{
    rig_init(&rig, YK_ROLE_CONSUMER);
    rig.options.stop_limit = 2 * YK_SECOND; /* longer than any re-issue waits */
    rig.answer_detach = false;
    rig_start(&rig);
    rig.hold_saves = true;
    rig_intent(&rig, "dec-1", "enc-2", 8, "op-b");
    rig_saved(&rig, false);
    rig_forget(&rig);
    while (rig_count(&rig, "ann ") == 0) {
        rig_pass(&rig, YK_MS);
    }
    rig_stop(&rig); /* it was to be offered to ourselves from now on */
    rig_pass(&rig, 2 * YK_SECOND);
    ck_assert(rig.stopped);
    rig_expect_not(&rig, "persist");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        startup_saves_a_reservation_before_it_announces,
        pair_acknowledges_only_after_the_save_then_events_then_announces,
        failed_save_keeps_the_previous_pairing_and_acknowledges_nothing,
        intent_whose_save_failed_is_applied_when_the_disk_is_well_though_nobody_else_heard_it,
        unknown_and_repeated_feedback_of_a_save_is_ignored,
        version_not_above_the_current_one_is_superseded,
        who_asks_under_too_low_a_version_soon_hears_which_one_governs,
        equal_counter_with_a_higher_author_wins,
        redelivery_of_the_applied_intent_is_acknowledged_again_and_changes_nothing,
        self_pair_is_rejected_and_changes_nothing,
        kind_mismatch_is_rejected_and_changes_nothing,
        malformed_producer_id_is_answered_with_unknown_producer,
        stop_is_not_held_up_by_an_intent_whose_save_failed,
        NULL,
    };

    return suite_main("consumer", tests);
}
