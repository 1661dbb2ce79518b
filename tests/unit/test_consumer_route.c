/* A consumer's way from one route to another: teardown before what follows, at replacement, unpair,
 * restart and stop (spec, Consumer state machine). */
#include "lib/suite.h"
#include "unit/rig.h"

static struct rig rig;

START_TEST(replacement_detaches_first_and_attaches_when_release_is_confirmed)
{
    rig_start_paired(&rig);
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
    rig_start_paired(&rig);
    rig_intent(&rig, "dec-1", "enc-9", 8, "op-b");
    rig_expect_has(&rig, "detach replace\n");
    rig_expect_not(&rig, "attach");
}
END_TEST

START_TEST(pair_with_the_producer_that_plays_does_not_touch_the_picture)
{
    rig_start_paired(&rig);
    rig_intent(&rig, "dec-1", "enc-1", 8, "op-b");
    rig_expect(&rig, "persist bound+0 enc-1 8/op-b\nack 8/op-b applied\nevt pairing-applied\n"
                     "ann active enc-1 8/op-b evidence=\"joined\"\n");
}
END_TEST

START_TEST(unpair_is_pending_until_release_is_confirmed)
{
    rig_start_paired(&rig);
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
    rig_start_paired(&rig);
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
    rig_start_paired(&rig);
    rig_intent(&rig, "dec-1", "enc-9", 8, "op-b");
    rig_forget(&rig);
    rig_intent(&rig, "dec-1", NULL, 9, "op-c");
    rig_expect_has(&rig, "detach unpair\n");
}
END_TEST

START_TEST(resources_of_an_unpaired_backend_are_released)
{
    rig_start_paired(&rig);
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

    rig_start_paired(&rig);
    old = rig.generation;
    rig_hear_producer(&rig, "enc-2", YK_KIND_HDMI, MEDIA_6);
    rig_intent(&rig, "dec-1", "enc-2", 8, "op-b");
    rig_forget(&rig);
    rig_report_for(&rig, old, YK_REPORT_ACTIVE, "the old one");
    rig_report_for(&rig, old, YK_REPORT_ERROR, "the old one");
    rig_expect(&rig, "");
}
END_TEST

START_TEST(restart_with_a_pairing_asks_for_teardown_before_it_attaches)
{
    rig_start_paired(&rig);
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
    rig_start_paired(&rig);
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
    rig_start_paired(&rig);
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
    rig_start_paired(&rig);
    rig.answer_detach = false;
    rig_stop(&rig);
    rig_pass(&rig, YK_SECOND - 1);
    ck_assert(!rig.stopped);
    rig_pass(&rig, 1);
    ck_assert(rig.stopped);
    rig_expect_has(&rig, "bye\nstopped\n");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        replacement_detaches_first_and_attaches_when_release_is_confirmed,
        replacement_by_an_unknown_producer_detaches_too,
        pair_with_the_producer_that_plays_does_not_touch_the_picture,
        unpair_is_pending_until_release_is_confirmed,
        failed_teardown_is_an_error_that_is_retried_without_the_producer,
        unpair_after_an_unconfirmed_replacement_releases_as_unpair,
        resources_of_an_unpaired_backend_are_released,
        report_of_an_older_generation_changes_nothing,
        restart_with_a_pairing_asks_for_teardown_before_it_attaches,
        restart_after_an_unpair_releases_as_unpair,
        never_paired_consumer_asks_for_no_teardown,
        stop_quiesces_keeps_the_pairing_and_says_bye,
        stop_does_not_wait_longer_for_the_driver_than_its_limit,
        NULL,
    };

    return suite_main("consumer route", tests);
}
