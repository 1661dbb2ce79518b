#include "drivers/igmp/igmp.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "igmp_rig.h"
#include "lib/suite.h"

START_TEST(a_consumer_is_active_on_the_kernels_evidence)
{
    struct driver_rig rig;

    igmp_make_host();
    rig_open(&rig, &yk_driver_igmp, IGMP_ON_ETH1, &rig_consumer);
    ck_assert_int_eq(rig_poll(&rig), YK_REPORT_IDLE);
    rig_attach(&rig, IGMP_MEDIA);
    ck_assert_uint_eq(rig.reports, 2);
    ck_assert_int_eq(rig.status, YK_REPORT_ACTIVE);
    ck_assert_str_eq(rig.detail, "239.10.0.5:5004 joined on eth1 (10.0.0.2)");
    ck_assert(igmp_kernel_lists("eth1", IGMP_GROUP_5));
    rig_close(&rig);
    ck_assert(!igmp_kernel_lists("eth1", IGMP_GROUP_5));
}
END_TEST

START_TEST(a_detach_leaves_the_group_and_is_confirmed)
{
    struct driver_rig rig;

    igmp_make_host();
    rig_open(&rig, &yk_driver_igmp, IGMP_ON_ETH1, &rig_consumer);
    rig_attach(&rig, IGMP_MEDIA);
    rig_detach(&rig, YK_DETACH_UNPAIR);
    ck_assert_int_eq(rig.status, YK_REPORT_IDLE);
    ck_assert(!igmp_kernel_lists("eth1", IGMP_GROUP_5));
    rig_detach(&rig, YK_DETACH_UNPAIR); /* idempotent */
    ck_assert_int_eq(rig.status, YK_REPORT_IDLE);
    rig_close(&rig);
}
END_TEST

START_TEST(an_interface_may_be_given_by_address_or_left_to_the_kernel)
{
    struct driver_rig rig;

    igmp_make_host();
    rig_open(&rig, &yk_driver_igmp, "{\"interface\": \"10.0.0.2\"}", &rig_consumer);
    rig_attach(&rig, IGMP_MEDIA);
    igmp_expect_detail(&rig, "joined on eth1 (10.0.0.2)");
    rig_close(&rig);

    rig_open(&rig, &yk_driver_igmp, "{\"type\": \"igmp\"}", &rig_consumer);
    rig_attach(&rig, IGMP_MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_ERROR);
    igmp_expect_detail(&rig, "no route to 239.10.0.5 (");
    igmp_run("ip route add 224.0.0.0/4 dev eth1");
    rig_attach(&rig, IGMP_MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_ACTIVE);
    igmp_expect_detail(&rig, "joined on eth1 (10.0.0.2)");
    igmp_run("ip route del 224.0.0.0/4 dev eth1"); /* what is joined stays joined */
    ck_assert_int_eq(rig_poll(&rig), YK_REPORT_ACTIVE);
    rig_close(&rig);
}
END_TEST

START_TEST(other_media_replace_the_former_ones)
{
    struct driver_rig rig;

    igmp_make_host();
    rig_open(&rig, &yk_driver_igmp, IGMP_ON_ETH1, &rig_consumer);
    rig_attach(&rig, IGMP_MEDIA);
    rig_attach(&rig, IGMP_OTHER_MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_ACTIVE);
    ck_assert(igmp_kernel_lists("eth1", IGMP_GROUP_6));
    ck_assert(!igmp_kernel_lists("eth1", IGMP_GROUP_5));
    rig_close(&rig);
}
END_TEST

START_TEST(media_that_are_not_allowed_are_an_error_naming_the_value)
{
    struct driver_rig rig;

    igmp_make_host();
    rig_open(&rig, &yk_driver_igmp, IGMP_ON_ETH1, &rig_consumer);
    rig_attach(&rig, "{\"group\":\"10.0.0.5\",\"port\":5004}");
    ck_assert_int_eq(rig.status, YK_REPORT_ERROR);
    igmp_expect_detail(&rig, "media.group: \"10.0.0.5\" is not a multicast address");
    ck_assert_int_eq(rig_poll(&rig), YK_REPORT_ERROR);
    rig_attach(&rig, "{\"group\":\"224.0.0.5\",\"port\":5004}");
    igmp_expect_detail(&rig, "\"224.0.0.5\"");
    rig_attach(&rig, "{\"group\":\"239.121.111.107\",\"port\":5004}");
    igmp_expect_detail(&rig, "the control group");
    rig_attach(&rig, "");
    ck_assert_int_eq(rig.status, YK_REPORT_ERROR);
    rig_detach(&rig, YK_DETACH_UNPAIR);
    ck_assert_int_eq(rig.status, YK_REPORT_IDLE);
    rig_close(&rig);
}
END_TEST

START_TEST(a_process_is_part_of_the_evidence_once_it_outlived_its_start)
{
    struct driver_rig rig;
    char wanted[128];

    igmp_make_host();
    rig_open(&rig, &yk_driver_igmp, IGMP_SLEEPER, &rig_consumer);
    rig_attach(&rig, IGMP_MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_PENDING);
    ck_assert_int_eq(rig_poll(&rig), YK_REPORT_PENDING);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    snprintf(wanted, sizeof wanted,
             "239.10.0.5:5004 joined on eth1 (10.0.0.2), sleep pid %d running",
             igmp_evident_pid(&rig));
    ck_assert_str_eq(rig.detail, wanted);
    ck_assert(igmp_is_alive(igmp_evident_pid(&rig)));
    rig_close(&rig);
}
END_TEST

START_TEST(the_same_media_again_touch_nothing)
{
    struct driver_rig rig;
    unsigned before;
    pid_t pid;

    igmp_make_host();
    rig_open(&rig, &yk_driver_igmp, IGMP_SLEEPER, &rig_consumer);
    rig_attach(&rig, IGMP_MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    pid = igmp_evident_pid(&rig);
    before = rig.reports;
    rig_attach(&rig, "{\"group\":\"239.10.0.5\",\"note\":\"more\",\"port\":5004}");
    ck_assert_uint_eq(rig.reports, before + 1);
    ck_assert_int_eq(rig.status, YK_REPORT_ACTIVE);
    ck_assert_int_eq(igmp_evident_pid(&rig), pid);
    rig_close(&rig);
}
END_TEST

START_TEST(a_process_that_dies_is_an_error_and_started_by_the_next_attach)
{
    struct driver_rig rig;
    pid_t pid;

    igmp_make_host();
    rig_open(&rig, &yk_driver_igmp, IGMP_SLEEPER, &rig_consumer);
    rig_attach(&rig, IGMP_MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    pid = igmp_evident_pid(&rig);
    kill(pid, SIGKILL);
    rig_wait(&rig, YK_REPORT_ERROR);
    igmp_expect_detail(&rig, "sleep was ended by signal 9 (Killed) after ");
    ck_assert_int_eq(rig_poll(&rig), YK_REPORT_ERROR);
    ck_assert(igmp_kernel_lists("eth1", IGMP_GROUP_5));
    rig_attach(&rig, IGMP_MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_PENDING);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    ck_assert_int_ne(igmp_evident_pid(&rig), pid);
    rig_close(&rig);
}
END_TEST

START_TEST(a_process_that_dies_at_once_is_never_active)
{
    struct driver_rig rig;

    igmp_make_host();
    rig_open(&rig, &yk_driver_igmp, "{\"interface\": \"eth1\", \"command\": [\"false\"]}",
             &rig_consumer);
    for (int i = 0; i < 3; i++) {
        rig_attach(&rig, IGMP_MEDIA);
        rig_wait(&rig, YK_REPORT_ERROR);
        igmp_expect_detail(&rig, "false ended with status 1 after 0.");
    }
    ck_assert(!rig.was_active);
    rig_close(&rig);
}
END_TEST

START_TEST(a_program_that_is_not_there_is_an_error_with_the_remedy)
{
    struct driver_rig rig;

    igmp_make_host();
    rig_open(&rig, &yk_driver_igmp, "{\"interface\": \"eth1\", \"command\": [\"no-such-player\"]}",
             &rig_consumer);
    rig_attach(&rig, IGMP_MEDIA);
    rig_wait(&rig, YK_REPORT_ERROR);
    ck_assert_str_eq(rig.detail, "cannot start \"no-such-player\": No such file or directory; "
                                 "install it, or correct driver.command");
    rig_close(&rig);
}
END_TEST

START_TEST(release_is_confirmed_when_the_process_has_ended)
{
    struct driver_rig rig;
    unsigned before;
    pid_t pid;

    igmp_make_host();
    rig_open(&rig, &yk_driver_igmp,
             "{\"interface\": \"eth1\", \"command\": [\"sh\", \"-c\", "
             "\"trap '' TERM; while :; do sleep 0.05; done\"]}",
             &rig_consumer);
    rig_attach(&rig, IGMP_MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    pid = igmp_evident_pid(&rig);
    before = rig.reports;
    rig_detach(&rig, YK_DETACH_STOP);
    ck_assert_uint_eq(rig.reports, before); /* no claim yet */
    ck_assert_int_eq(rig_poll(&rig), YK_REPORT_PENDING);
    ck_assert(rig_wait_report(&rig, yk_driver_igmp.stop_limit_ms));
    ck_assert_int_eq(rig.status, YK_REPORT_IDLE);
    ck_assert(!igmp_is_alive(pid));
    rig_close(&rig);
}
END_TEST

START_TEST(an_attach_while_the_former_process_ends_waits_for_it)
{
    struct driver_rig rig;
    pid_t pid;

    igmp_make_host();
    rig_open(&rig, &yk_driver_igmp, IGMP_SLEEPER, &rig_consumer);
    rig_attach(&rig, IGMP_MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    pid = igmp_evident_pid(&rig);
    rig_detach(&rig, YK_DETACH_REPLACE);
    rig_attach(&rig, IGMP_OTHER_MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_PENDING);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    igmp_expect_detail(&rig, "239.10.0.6:5004 joined");
    ck_assert_int_ne(igmp_evident_pid(&rig), pid);
    ck_assert(!igmp_is_alive(pid));
    rig_close(&rig);
}
END_TEST

START_TEST(close_ends_the_process_and_leaves_the_group)
{
    struct driver_rig rig;
    pid_t pid;

    igmp_make_host();
    rig_open(&rig, &yk_driver_igmp, IGMP_SLEEPER, &rig_consumer);
    rig_attach(&rig, IGMP_MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    pid = igmp_evident_pid(&rig);
    rig_close(&rig);
    ck_assert(!igmp_is_alive(pid));
    ck_assert(!igmp_kernel_lists("eth1", IGMP_GROUP_5));
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
}
END_TEST

START_TEST(after_a_restart_nothing_of_a_former_life_is_held)
{
    struct driver_rig rig;

    igmp_make_host();
    rig_open(&rig, &yk_driver_igmp, IGMP_SLEEPER, &rig_consumer);
    rig_detach(&rig, YK_DETACH_RESTART);
    ck_assert_int_eq(rig.status, YK_REPORT_IDLE);
    rig_close(&rig);
}
END_TEST

START_TEST(a_thousand_attachments_leave_no_descriptor_behind)
{
    struct driver_rig rig;
    unsigned before;

    igmp_make_host();
    rig_open(&rig, &yk_driver_igmp, IGMP_SLEEPER, &rig_consumer);
    rig_attach(&rig, IGMP_MEDIA);
    rig_detach(&rig, YK_DETACH_UNPAIR);
    rig_wait(&rig, YK_REPORT_IDLE);
    before = rig_descriptors();
    for (int i = 0; i < 1000; i++) {
        rig_attach(&rig, i % 2 == 0 ? IGMP_MEDIA : IGMP_OTHER_MEDIA);
        rig_detach(&rig, YK_DETACH_UNPAIR);
        rig_wait(&rig, YK_REPORT_IDLE);
    }
    ck_assert_uint_eq(rig_descriptors(), before);
    rig_close(&rig);
}
END_TEST

START_TEST(a_producer_without_process_is_active_and_says_that_it_only_announces)
{
    struct driver_rig rig;

    igmp_enter_namespace(); /* no interface at all */
    rig_open(&rig, &yk_driver_igmp, "{\"type\": \"igmp\"}", &rig_producer);
    rig_attach(&rig, IGMP_MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_ACTIVE);
    ck_assert_str_eq(rig.detail, "239.10.0.5:5004 announced, no stream process configured");
    rig_close(&rig);
}
END_TEST

START_TEST(a_producer_runs_its_process_and_joins_nothing)
{
    struct driver_rig rig;

    igmp_make_host();
    rig_open(&rig, &yk_driver_igmp, IGMP_SLEEPER, &rig_producer);
    rig_attach(&rig, IGMP_MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    igmp_expect_detail(&rig, "239.10.0.5:5004 announced on eth1 (10.0.0.2), sleep pid ");
    ck_assert(!igmp_kernel_lists("eth1", IGMP_GROUP_5));
    rig_close(&rig);
}
END_TEST

START_TEST(placeholders_get_media_address_and_id)
{
    struct driver_rig rig;

    igmp_make_host();
    rig_open(&rig, &yk_driver_igmp,
             "{\"interface\": \"eth1\", \"command\": [\"sh\", \"-c\", \"test \\\"$1\\\" = "
             "'239.10.0.5 5004 10.0.0.2 enc-1' && exit 42\", \"x\", "
             "\"{group} {port} {address} {id}\"]}",
             &rig_producer);
    rig_attach(&rig, IGMP_MEDIA);
    rig_wait(&rig, YK_REPORT_ERROR);
    igmp_expect_detail(&rig, "sh ended with status 42");
    rig_close(&rig);
}
END_TEST

START_TEST(configured_media_are_judged_with_their_place)
{
    struct driver_rig rig;
    struct yk_refusal why;
    json_t *media = json_pack("{s:s,s:i}", "group", "10.0.0.5", "port", 5004);

    rig_open(&rig, &yk_driver_igmp, "{\"type\": \"igmp\"}", &rig_producer);
    ck_assert(!yk_driver_igmp.check_media(rig.self, media, &why));
    ck_assert_ptr_nonnull(strstr(why.text, "media.group: \"10.0.0.5\""));
    json_object_set_new(media, "group", json_string("239.10.0.5"));
    ck_assert(yk_driver_igmp.check_media(rig.self, media, &why));
    json_decref(media);
    rig_close(&rig);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_consumer_is_active_on_the_kernels_evidence,
        a_detach_leaves_the_group_and_is_confirmed,
        an_interface_may_be_given_by_address_or_left_to_the_kernel,
        other_media_replace_the_former_ones,
        media_that_are_not_allowed_are_an_error_naming_the_value,
        a_process_is_part_of_the_evidence_once_it_outlived_its_start,
        the_same_media_again_touch_nothing,
        a_process_that_dies_is_an_error_and_started_by_the_next_attach,
        a_process_that_dies_at_once_is_never_active,
        a_program_that_is_not_there_is_an_error_with_the_remedy,
        release_is_confirmed_when_the_process_has_ended,
        an_attach_while_the_former_process_ends_waits_for_it,
        close_ends_the_process_and_leaves_the_group,
        after_a_restart_nothing_of_a_former_life_is_held,
        a_thousand_attachments_leave_no_descriptor_behind,
        a_producer_without_process_is_active_and_says_that_it_only_announces,
        a_producer_runs_its_process_and_joins_nothing,
        placeholders_get_media_address_and_id,
        configured_media_are_judged_with_their_place,
        NULL,
    };

    return suite_main("igmp", tests);
}
