/* A consumer, its producer and its driver: when it attaches, retries and is active (spec, Consumer state
 * machine; Peer tracking). */
#include "lib/suite.h"
#include "unit/rig.h"

static struct rig rig;

START_TEST(unheard_producer_is_applied_as_pending_and_attached_when_it_announces)
{
    rig_start_consumer(&rig);
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
    rig_start_consumer(&rig);
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

START_TEST(driver_failure_is_retried_after_1_2_4_8_16_30_30_seconds)
{
    static const unsigned waits[] = {1, 2, 4, 8, 16, 30, 30};

    rig_start_paired(&rig);
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
    rig_start_paired(&rig);
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
    rig_start_paired(&rig);
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
    rig_start_paired(&rig);
    rig_report(&rig, YK_REPORT_PENDING, "membership vanished");
    rig_expect(&rig, "evt media-pending\nann pending enc-1 7/op-a err=\"membership vanished\"\n");
    rig_report(&rig, YK_REPORT_PENDING, "membership vanished");
    rig_pass(&rig, YK_SECOND);
    rig_expect_has(&rig, "evt driver-retry\nattach " MEDIA_5 "\n");
}
END_TEST

START_TEST(driver_is_polled_every_second)
{
    rig_start_paired(&rig);
    rig.polls = 0;
    rig_pass(&rig, 5 * YK_SECOND);
    ck_assert_uint_eq(rig.polls, 5);
}
END_TEST

START_TEST(driver_that_is_silent_after_pending_is_asked_again)
{
    rig_start_consumer(&rig);
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

START_TEST(lost_producer_makes_pending_and_detaches_nothing)
{
    rig_start_paired(&rig);
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
    rig_start_paired(&rig);
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
    rig_start_paired(&rig);
    rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, NULL);
    rig_expect(&rig, "evt media-pending\n"
                     "ann pending enc-1 7/op-a err=\"producer enc-1 announces no media\"\n");
    rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, MEDIA_5);
    rig_expect(&rig, "attach " MEDIA_5 "\n");
}
END_TEST

START_TEST(changed_media_clears_evidence_and_announces_pending_before_the_new_attach)
{
    rig_start_paired(&rig);
    rig.answer_detach = false;
    rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, MEDIA_6);
    rig_expect(&rig, "detach replace\nevt media-pending\nann pending enc-1 7/op-a\n");
    rig_report(&rig, YK_REPORT_IDLE, "");
    rig_expect(&rig, "attach " MEDIA_6 "\n");
}
END_TEST

/* Also media of before, which the receiver knows as it was read then. */
START_TEST(media_that_changes_to_and_fro_is_attached_each_time)
{
    static const char *const media[] = {"{\"port\":1}", "{\"port\":2}", "{\"port\":3}"};
    unsigned now = 0;

    rig_start_paired(&rig);
    for (unsigned i = 0; i < 60; i++) {
        char attach[64];

        now = (now + 1 + (i / 2) % 2) % 3;
        snprintf(attach, sizeof attach, "attach %s\n", media[now]);
        rig_forget(&rig);
        rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, media[now]);
        rig_report(&rig, YK_REPORT_ACTIVE, "joined");
        ck_assert_msg(strstr(rig.trace, attach) != NULL, "%u: no %s", i, attach);
    }
}
END_TEST

START_TEST(changed_media_in_error_is_acted_on_at_once_with_a_fresh_backoff)
{
    rig_start_paired(&rig);
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

    rig_start_consumer(&rig);
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

int main(void)
{
    const TTest *const tests[] = {
        unheard_producer_is_applied_as_pending_and_attached_when_it_announces,
        kind_mismatch_that_shows_later_is_an_error_attaches_nothing_and_mends_itself,
        driver_failure_is_retried_after_1_2_4_8_16_30_30_seconds,
        polls_do_not_postpone_a_scheduled_retry,
        error_is_announced_until_an_attempt_succeeds,
        drift_of_a_live_producer_is_pending_and_attached_again_after_the_backoff,
        driver_is_polled_every_second,
        driver_that_is_silent_after_pending_is_asked_again,
        lost_producer_makes_pending_and_detaches_nothing,
        bye_of_the_producer_is_pending_at_once_without_peer_lost,
        media_turning_null_is_pending_and_its_return_attaches_the_same,
        changed_media_clears_evidence_and_announces_pending_before_the_new_attach,
        media_that_changes_to_and_fro_is_attached_each_time,
        changed_media_in_error_is_acted_on_at_once_with_a_fresh_backoff,
        producer_in_error_that_has_media_is_attached_to,
        NULL,
    };

    return suite_main("consumer media", tests);
}
