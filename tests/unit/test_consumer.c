/* The consumer's state machine (spec, Consumer state machine), seen from outside the node. */
#include <stdlib.h>
#include <string.h>

#include "lib/suite.h"
#include "unit/rig.h"

static struct rig rig;

static void started_consumer(void)
{
    rig_init(&rig, YK_ROLE_CONSUMER);
    rig_start(&rig);
    rig_forget(&rig);
}

/* A consumer whose pairing 7/op-a to enc-1 is active. */
static void active_consumer(void)
{
    started_consumer();
    rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, MEDIA_5);
    rig_intent(&rig, "dec-1", "enc-1", 7, "op-a");
    rig_report(&rig, YK_REPORT_ACTIVE, "joined");
    rig_forget(&rig);
}

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
    started_consumer();
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
    active_consumer();
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
    active_consumer();
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

    started_consumer();
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
    active_consumer();
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
    active_consumer();
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
    active_consumer();
    rig_intent(&rig, "dec-1", "enc-2", 7, "op-b");
    rig_expect_has(&rig, "ack 7/op-b applied\n");
}
END_TEST

START_TEST(redelivery_of_the_applied_intent_is_acknowledged_again_and_changes_nothing)
{
    active_consumer();
    rig_intent(&rig, "dec-1", "enc-1", 7, "op-a");
    rig_expect(&rig, "ack 7/op-a applied\n");
    rig_intent(&rig, "dec-1", "enc-1", 7, "op-a");
    rig_expect(&rig, "ack 7/op-a applied\n");
}
END_TEST

START_TEST(self_pair_is_rejected_and_changes_nothing)
{
    active_consumer();
    rig_intent(&rig, "dec-1", "dec-1", 8, "op-b");
    rig_expect(&rig, "ack 8/op-b refused self-pair\nnote intent-refused\n");
    ck_assert_uint_eq(rig.disk.pairing.version.n, 7);
}
END_TEST

START_TEST(kind_mismatch_is_rejected_and_changes_nothing)
{
    active_consumer();
    rig_hear_producer(&rig, "cam-1", YK_KIND_USB, MEDIA_6);
    rig_forget(&rig);
    rig_intent(&rig, "dec-1", "cam-1", 8, "op-b");
    rig_expect(&rig, "ack 8/op-b refused kind-mismatch\nnote intent-refused\n");
}
END_TEST

START_TEST(malformed_producer_id_is_answered_with_unknown_producer)
{
    active_consumer();
    rig_intent(&rig, "dec-1", "!", 8, "op-b");
    rig_expect(&rig, "ack 8/op-b refused unknown-producer\nnote intent-refused\n");
}
END_TEST

START_TEST(unheard_producer_is_applied_as_pending_and_attached_when_it_announces)
{
    started_consumer();
    rig_intent(&rig, "dec-1", "enc-1", 1, "op-a");
    rig_expect(&rig, "persist bound+0 enc-1 1/op-a\nack 1/op-a applied\nevt pairing-applied\n"
                     "evt media-pending\n"
                     "ann pending enc-1 1/op-a err=\"producer enc-1 is not heard\"\n");
    rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, NULL);
    rig_expect(&rig, "note peer-new\n");
    rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, MEDIA_5);
    rig_expect(&rig, "attach " MEDIA_5 "\n");
}
END_TEST

START_TEST(kind_mismatch_that_shows_later_is_an_error_attaches_nothing_and_mends_itself)
{
    started_consumer();
    rig_intent(&rig, "dec-1", "enc-1", 1, "op-a");
    rig_forget(&rig);
    rig_hear_producer(&rig, "enc-1", YK_KIND_USB, MEDIA_5);
    rig_expect_has(&rig, "evt driver-error\n");
    rig_expect_has(&rig, "ann error enc-1 1/op-a err=\"kind mismatch");
    rig_expect_not(&rig, "attach");
    rig_forget(&rig);
    rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, MEDIA_5);
    rig_expect_has(&rig, "attach " MEDIA_5 "\n");
}
END_TEST

START_TEST(replacement_detaches_first_and_attaches_when_release_is_confirmed)
{
    active_consumer();
    rig_hear_producer(&rig, "enc-2", YK_KIND_HDMI, MEDIA_6);
    rig.answer_detach = false;
    rig_forget(&rig);
    rig_intent(&rig, "dec-1", "enc-2", 8, "op-b");
    rig_expect(&rig, "persist bound+0 enc-2 8/op-b\ndetach replace\nack 8/op-b applied\n"
                     "evt pairing-applied\nevt media-pending\nann pending enc-2 8/op-b\n");
    rig_report(&rig, YK_REPORT_PENDING, "");
    rig_report(&rig, YK_REPORT_ACTIVE, "still joined"); /* stale: no media-up comes of it */
    rig_expect(&rig, "");
    rig_report(&rig, YK_REPORT_IDLE, "");
    rig_expect(&rig, "attach " MEDIA_6 "\n");
}
END_TEST

START_TEST(replacement_by_an_unknown_producer_detaches_too)
{
    active_consumer();
    rig_intent(&rig, "dec-1", "enc-9", 8, "op-b");
    rig_expect_has(&rig, "detach replace\n");
    rig_expect_not(&rig, "attach");
}
END_TEST

START_TEST(pair_with_the_producer_that_plays_does_not_touch_the_picture)
{
    active_consumer();
    rig_intent(&rig, "dec-1", "enc-1", 8, "op-b");
    rig_expect(&rig, "persist bound+0 enc-1 8/op-b\nack 8/op-b applied\nevt pairing-applied\n"
                     "ann active enc-1 8/op-b evidence=\"joined\"\n");
}
END_TEST

START_TEST(unpair_is_pending_until_release_is_confirmed)
{
    active_consumer();
    rig.answer_detach = false;
    rig_intent(&rig, "dec-1", NULL, 8, "op-b");
    rig_expect(&rig, "persist bound+0 none 8/op-b\ndetach unpair\nack 8/op-b applied\n"
                     "evt pairing-applied\nevt media-down\nann pending none 8/op-b\n");
    rig_report(&rig, YK_REPORT_IDLE, "");
    rig_expect(&rig, "ann idle none 8/op-b\n");
}
END_TEST

START_TEST(failed_teardown_is_an_error_that_is_retried_without_the_producer)
{
    active_consumer();
    rig.answer_detach = false;
    rig_intent(&rig, "dec-1", NULL, 8, "op-b");
    rig_forget(&rig);
    rig_report(&rig, YK_REPORT_ERROR, "busy");
    rig_expect(&rig, "evt driver-error\nann error none 8/op-b err=\"busy\"\n");
    rig_bye(&rig, "enc-1");
    rig_pass(&rig, YK_SECOND);
    rig_expect_has(&rig, "evt driver-retry\ndetach unpair\n");
    rig_forget(&rig);
    rig_report(&rig, YK_REPORT_IDLE, "");
    rig_expect(&rig, "ann idle none 8/op-b\n");
}
END_TEST

START_TEST(unpair_after_an_unconfirmed_replacement_releases_as_unpair)
{
    /* an appliance confirms a replace at once and stays on its channel */
    active_consumer();
    rig_intent(&rig, "dec-1", "enc-9", 8, "op-b");
    rig_forget(&rig);
    rig_intent(&rig, "dec-1", NULL, 9, "op-c");
    rig_expect_has(&rig, "detach unpair\n");
}
END_TEST

START_TEST(resources_of_an_unpaired_backend_are_released)
{
    active_consumer();
    rig_intent(&rig, "dec-1", NULL, 8, "op-b");
    rig_forget(&rig);
    rig_report(&rig, YK_REPORT_PENDING, "port 3 is still there");
    rig_expect_has(&rig, "detach unpair\n");
    rig_expect_has(&rig, "ann pending none 8/op-b");
}
END_TEST

START_TEST(report_of_an_older_generation_changes_nothing)
{
    uint64_t old;

    active_consumer();
    old = rig.generation;
    rig_hear_producer(&rig, "enc-2", YK_KIND_HDMI, MEDIA_6);
    rig_intent(&rig, "dec-1", "enc-2", 8, "op-b");
    rig_forget(&rig);
    rig_report_for(&rig, old, YK_REPORT_ACTIVE, "the old one");
    rig_report_for(&rig, old, YK_REPORT_ERROR, "the old one");
    rig_expect(&rig, "");
}
END_TEST

START_TEST(driver_failure_is_retried_after_1_2_4_8_16_30_30_seconds)
{
    static const unsigned waits[] = {1, 2, 4, 8, 16, 30, 30};

    active_consumer();
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        rig_report(&rig, YK_REPORT_ERROR, "no signal");
        rig_expect_has(&rig, "evt driver-error\n");
        rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, MEDIA_5);
        for (unsigned second = 0; second + 1 < waits[i]; second++) {
            rig_pass(&rig, YK_SECOND);
            rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, MEDIA_5);
        }
        rig_pass(&rig, YK_SECOND - 1);
        rig_expect_not(&rig, "evt driver-retry\n");
        rig_pass(&rig, 1);
        rig_expect_has(&rig, "evt driver-retry\nattach ");
        rig_forget(&rig);
    }
    rig_report(&rig, YK_REPORT_ACTIVE, "joined"); /* success resets the backoff */
    rig_report(&rig, YK_REPORT_ERROR, "no signal");
    rig_forget(&rig);
    rig_pass(&rig, YK_SECOND);
    rig_expect_has(&rig, "evt driver-retry\nattach ");
}
END_TEST

START_TEST(polls_do_not_postpone_a_scheduled_retry)
{
    active_consumer();
    rig_report(&rig, YK_REPORT_ERROR, "no signal");
    rig_forget(&rig);
    for (int i = 0; i < 9; i++) {
        rig_pass(&rig, 100 * YK_MS);
        rig_report(&rig, i % 2 == 0 ? YK_REPORT_ERROR : YK_REPORT_PENDING, "no signal");
    }
    rig_expect_not(&rig, "evt driver-error"); /* a poll is not another attempt */
    rig_expect_not(&rig, "evt driver-retry");
    rig_pass(&rig, 100 * YK_MS);
    rig_expect_has(&rig, "evt driver-retry\nattach ");
}
END_TEST

START_TEST(error_is_announced_until_an_attempt_succeeds)
{
    active_consumer();
    rig_report(&rig, YK_REPORT_ERROR, "no signal");
    rig_forget(&rig);
    rig_pass(&rig, YK_SECOND);
    rig_report(&rig, YK_REPORT_PENDING, "starting");
    rig_expect_not(&rig, "media-pending");
    rig_report(&rig, YK_REPORT_ACTIVE, "joined");
    rig_expect_has(&rig, "evt media-up\nann active enc-1 7/op-a");
}
END_TEST

START_TEST(drift_of_a_live_producer_is_pending_and_attached_again_after_the_backoff)
{
    active_consumer();
    rig_report(&rig, YK_REPORT_PENDING, "membership vanished");
    rig_expect(&rig, "evt media-pending\nann pending enc-1 7/op-a err=\"membership vanished\"\n");
    rig_report(&rig, YK_REPORT_PENDING, "membership vanished");
    rig_pass(&rig, YK_SECOND);
    rig_expect_has(&rig, "evt driver-retry\nattach " MEDIA_5 "\n");
}
END_TEST

START_TEST(lost_producer_makes_pending_and_detaches_nothing)
{
    active_consumer();
    rig_pass(&rig, 6500 * YK_MS - 1);
    rig_expect_not(&rig, "peer-lost");
    rig_pass(&rig, 1);
    rig_expect_has(&rig, "evt peer-lost\nevt media-pending\n"
                         "ann pending enc-1 7/op-a err=\"producer enc-1 is not heard\"\n");
    rig_expect_not(&rig, "detach");
    rig_forget(&rig);
    rig_report(&rig, YK_REPORT_ACTIVE, "joined"); /* a poll that says active does not lift it */
    rig_expect(&rig, "");
    rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, MEDIA_5);
    rig_expect(&rig, "evt peer-returned\nattach " MEDIA_5 "\n");
    rig_report(&rig, YK_REPORT_ACTIVE, "joined");
    rig_expect(&rig, "evt media-up\nann active enc-1 7/op-a evidence=\"joined\"\n");
}
END_TEST

START_TEST(bye_of_the_producer_is_pending_at_once_without_peer_lost)
{
    active_consumer();
    rig_bye(&rig, "enc-1");
    rig_expect_has(&rig, "evt media-pending\nann pending");
    rig_pass(&rig, 10 * YK_SECOND);
    rig_expect_not(&rig, "peer-lost");
    rig_expect_not(&rig, "detach");
    rig_forget(&rig);
    rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, MEDIA_5);
    rig_expect_has(&rig, "evt peer-returned\n");
}
END_TEST

START_TEST(media_turning_null_is_pending_and_its_return_attaches_the_same)
{
    active_consumer();
    rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, NULL);
    rig_expect(&rig, "evt media-pending\n"
                     "ann pending enc-1 7/op-a err=\"producer enc-1 announces no media\"\n");
    rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, MEDIA_5);
    rig_expect(&rig, "attach " MEDIA_5 "\n");
}
END_TEST

START_TEST(changed_media_clears_evidence_and_announces_pending_before_the_new_attach)
{
    active_consumer();
    rig.answer_detach = false;
    rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, MEDIA_6);
    rig_expect(&rig, "detach replace\nevt media-pending\nann pending enc-1 7/op-a\n");
    rig_report(&rig, YK_REPORT_IDLE, "");
    rig_expect(&rig, "attach " MEDIA_6 "\n");
}
END_TEST

START_TEST(changed_media_in_error_is_acted_on_at_once_with_a_fresh_backoff)
{
    active_consumer();
    rig_report(&rig, YK_REPORT_ERROR, "no signal");
    rig_pass(&rig, YK_SECOND);
    rig_report(&rig, YK_REPORT_ERROR, "no signal");
    rig_forget(&rig);
    rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, MEDIA_6);
    rig_expect_has(&rig, "detach replace\n");
    rig_expect_has(&rig, "attach " MEDIA_6 "\n");
    rig_report(&rig, YK_REPORT_ERROR, "no signal");
    rig_forget(&rig);
    rig_pass(&rig, YK_SECOND);
    rig_expect_has(&rig, "evt driver-retry\n");
}
END_TEST

START_TEST(producer_in_error_that_has_media_is_attached_to)
{
    struct yk_frame frame = {.type = YK_TYPE_ANN};

    started_consumer();
    rig_intent(&rig, "dec-1", "enc-1", 1, "op-a");
    rig_forget(&rig);
    frame.as.ann.role = YK_ROLE_PRODUCER;
    frame.as.ann.kind = YK_KIND_HDMI;
    frame.as.ann.name = yk_slice_of("enc-1");
    frame.as.ann.state = YK_STATE_ERROR;
    frame.as.ann.has_err = true;
    frame.as.ann.err = yk_slice_of("its own affair");
    frame.as.ann.media = yk_slice_of(MEDIA_5);
    rig_hear(&rig, "enc-1", &frame);
    rig_expect_has(&rig, "attach " MEDIA_5 "\n");
}
END_TEST

START_TEST(restart_with_a_pairing_asks_for_teardown_before_it_attaches)
{
    active_consumer();
    rig.answer_detach = false;
    rig_restart(&rig);
    rig_expect_has(&rig, "detach restart\nevt started\n");
    rig_expect_has(&rig, "ann pending enc-1 7/op-a");
    rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, MEDIA_5);
    rig_expect_not(&rig, "attach");
    rig_report(&rig, YK_REPORT_IDLE, "");
    rig_expect_has(&rig, "attach " MEDIA_5 "\n");
}
END_TEST

START_TEST(restart_after_an_unpair_releases_as_unpair)
{
    active_consumer();
    rig.answer_detach = false;
    rig_intent(&rig, "dec-1", NULL, 8, "op-b");
    rig_forget(&rig);
    rig_restart(&rig); /* the crash came before the driver let go */
    rig_expect_has(&rig, "detach unpair\n");
    rig_expect_has(&rig, "ann pending none 8/op-b");
    rig_report(&rig, YK_REPORT_IDLE, "");
    rig_expect_has(&rig, "ann idle none 8/op-b\n");
}
END_TEST

START_TEST(never_paired_consumer_asks_for_no_teardown)
{
    rig_init(&rig, YK_ROLE_CONSUMER);
    rig_start(&rig);
    rig_expect_not(&rig, "detach");
}
END_TEST

START_TEST(stop_quiesces_keeps_the_pairing_and_says_bye)
{
    active_consumer();
    rig.answer_detach = false;
    rig_stop(&rig);
    rig_expect(&rig, "evt stopping\ndetach stop\n");
    rig_intent(&rig, "dec-1", NULL, 8, "op-b"); /* not any more */
    rig_expect(&rig, "");
    rig_report(&rig, YK_REPORT_IDLE, "");
    rig_expect(&rig, "bye\nstopped\n");
    ck_assert_str_eq(rig.disk.pairing.producer.text, "enc-1");
}
END_TEST

START_TEST(stop_does_not_wait_longer_for_the_driver_than_its_limit)
{
    active_consumer();
    rig.answer_detach = false;
    rig_stop(&rig);
    rig_pass(&rig, YK_SECOND - 1);
    ck_assert(!rig.stopped);
    rig_pass(&rig, 1);
    ck_assert(rig.stopped);
    rig_expect_has(&rig, "bye\nstopped\n");
}
END_TEST

START_TEST(driver_is_polled_every_second)
{
    active_consumer();
    rig.polls = 0;
    rig_pass(&rig, 5 * YK_SECOND);
    ck_assert_uint_eq(rig.polls, 5);
}
END_TEST

START_TEST(driver_that_is_silent_after_pending_is_asked_again)
{
    started_consumer();
    rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, MEDIA_5);
    rig_intent(&rig, "dec-1", "enc-1", 1, "op-a");
    rig_report(&rig, YK_REPORT_PENDING, "starting");
    rig_forget(&rig);
    for (int i = 0; i < 29; i++) {
        rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, MEDIA_5);
        rig_pass(&rig, YK_SECOND);
    }
    rig_expect_not(&rig, "driver-retry");
    rig_pass(&rig, YK_SECOND);
    rig_expect_has(&rig, "evt driver-retry\nattach ");
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
        unheard_producer_is_applied_as_pending_and_attached_when_it_announces,
        kind_mismatch_that_shows_later_is_an_error_attaches_nothing_and_mends_itself,
        replacement_detaches_first_and_attaches_when_release_is_confirmed,
        replacement_by_an_unknown_producer_detaches_too,
        pair_with_the_producer_that_plays_does_not_touch_the_picture,
        unpair_is_pending_until_release_is_confirmed,
        failed_teardown_is_an_error_that_is_retried_without_the_producer,
        unpair_after_an_unconfirmed_replacement_releases_as_unpair,
        resources_of_an_unpaired_backend_are_released,
        report_of_an_older_generation_changes_nothing,
        driver_failure_is_retried_after_1_2_4_8_16_30_30_seconds,
        polls_do_not_postpone_a_scheduled_retry,
        error_is_announced_until_an_attempt_succeeds,
        drift_of_a_live_producer_is_pending_and_attached_again_after_the_backoff,
        lost_producer_makes_pending_and_detaches_nothing,
        bye_of_the_producer_is_pending_at_once_without_peer_lost,
        media_turning_null_is_pending_and_its_return_attaches_the_same,
        changed_media_clears_evidence_and_announces_pending_before_the_new_attach,
        changed_media_in_error_is_acted_on_at_once_with_a_fresh_backoff,
        producer_in_error_that_has_media_is_attached_to,
        restart_with_a_pairing_asks_for_teardown_before_it_attaches,
        restart_after_an_unpair_releases_as_unpair,
        never_paired_consumer_asks_for_no_teardown,
        stop_quiesces_keeps_the_pairing_and_says_bye,
        stop_does_not_wait_longer_for_the_driver_than_its_limit,
        stop_is_not_held_up_by_an_intent_whose_save_failed,
        driver_is_polled_every_second,
        driver_that_is_silent_after_pending_is_asked_again,
        NULL,
    };

    return suite_main("consumer", tests);
}
