/* What the igmp driver makes of an interface that comes, goes and changes under it. */
#include "drivers/igmp/igmp.h"
#include "igmp_rig.h"
#include "lib/suite.h"

START_TEST(a_missing_interface_is_an_error_until_it_comes)
{
    struct driver_rig rig;

    igmp_enter_namespace();
    rig_open(&rig, &yk_driver_igmp, IGMP_ON_ETH1, &rig_consumer);
    rig_attach(&rig, IGMP_MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_ERROR);
    igmp_expect_detail(&rig, "interface \"eth1\": does not exist; ");
    igmp_run("ip link add eth1 type veth peer name far && ip link set far up");
    rig_attach(&rig, IGMP_MEDIA);
    igmp_expect_detail(&rig, "interface \"eth1\": has no IPv4 address; ");
    igmp_run("ip address add 10.0.0.2/24 dev eth1");
    rig_attach(&rig, IGMP_MEDIA);
    igmp_expect_detail(&rig, "interface \"eth1\": is down; ");
    igmp_run("ip link set eth1 up");
    igmp_wait_for_carrier();
    rig_attach(&rig, IGMP_MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_ACTIVE);
    rig_close(&rig);
}
END_TEST

START_TEST(an_interface_made_anew_is_pending_and_joined_by_the_next_attach)
{
    struct driver_rig rig;
    pid_t pid;

    igmp_make_host();
    rig_open(&rig, &yk_driver_igmp, IGMP_SLEEPER, &rig_consumer);
    rig_attach(&rig, IGMP_MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    pid = igmp_evident_pid(&rig);
    igmp_run("ip link del eth1");
    ck_assert_int_eq(rig_poll(&rig), YK_REPORT_PENDING);
    igmp_expect_detail(&rig, "interface \"eth1\": is gone; ");
    igmp_add_eth1();
    ck_assert_int_eq(rig_poll(&rig), YK_REPORT_PENDING);
    igmp_expect_detail(&rig, "interface \"eth1\": was made anew");
    ck_assert(!igmp_kernel_lists("eth1", IGMP_GROUP_5));
    rig_attach(&rig, IGMP_MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_PENDING);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    ck_assert(igmp_kernel_lists("eth1", IGMP_GROUP_5));
    ck_assert_int_ne(igmp_evident_pid(&rig), pid); /* its own membership went with the interface */
    ck_assert(!igmp_is_alive(pid));
    rig_close(&rig);
}
END_TEST

START_TEST(another_address_is_pending_and_taken_by_the_next_attach)
{
    struct driver_rig rig;
    pid_t pid;

    igmp_make_host();
    rig_open(&rig, &yk_driver_igmp, IGMP_SLEEPER, &rig_consumer);
    rig_attach(&rig, IGMP_MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    pid = igmp_evident_pid(&rig);
    igmp_run("ip address del 10.0.0.2/24 dev eth1 && ip address add 10.0.0.3/24 dev eth1");
    ck_assert_int_eq(rig_poll(&rig), YK_REPORT_PENDING);
    igmp_expect_detail(&rig, "10.0.0.2");
    rig_attach(&rig, IGMP_MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_ACTIVE);
    igmp_expect_detail(&rig, "joined on eth1 (10.0.0.3)");
    ck_assert_int_eq(igmp_evident_pid(&rig), pid); /* it does not use the address */
    rig_close(&rig);
}
END_TEST

START_TEST(an_address_that_moves_to_another_interface_is_followed)
{
    struct driver_rig rig;

    igmp_make_host();
    igmp_run(
        "ip link add eth2 type veth peer name far2 && ip link set far2 up && ip link set eth2 up");
    rig_open(&rig, &yk_driver_igmp, "{\"interface\": \"10.0.0.2\"}", &rig_consumer);
    rig_attach(&rig, IGMP_MEDIA);
    igmp_expect_detail(&rig, "joined on eth1 (10.0.0.2)");
    igmp_run("ip address del 10.0.0.2/24 dev eth1 && ip address add 10.0.0.2/24 dev eth2");
    ck_assert_int_eq(rig_poll(&rig), YK_REPORT_PENDING);
    rig_attach(&rig, IGMP_MEDIA);
    igmp_poll_until(&rig, YK_REPORT_ACTIVE);
    igmp_expect_detail(&rig, "joined on eth2 (10.0.0.2)");
    ck_assert(igmp_kernel_lists("eth2", IGMP_GROUP_5));
    ck_assert(!igmp_kernel_lists("eth1", IGMP_GROUP_5));
    rig_close(&rig);
}
END_TEST

START_TEST(a_process_that_uses_the_address_is_started_anew_with_another_one)
{
    struct driver_rig rig;
    pid_t pid;

    igmp_make_host();
    rig_open(&rig, &yk_driver_igmp,
             "{\"interface\": \"eth1\", \"command\": [\"sh\", \"-c\", \"exec sleep 1000\", "
             "\"{address}\"]}",
             &rig_consumer);
    rig_attach(&rig, IGMP_MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    pid = igmp_evident_pid(&rig);
    igmp_run("ip address del 10.0.0.2/24 dev eth1 && ip address add 10.0.0.3/24 dev eth1");
    rig_attach(&rig, IGMP_MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    ck_assert_int_ne(igmp_evident_pid(&rig), pid);
    rig_close(&rig);
}
END_TEST

START_TEST(no_carrier_is_pending_and_its_return_is_taken_by_a_poll)
{
    struct driver_rig rig;

    igmp_make_host();
    rig_open(&rig, &yk_driver_igmp, IGMP_ON_ETH1, &rig_consumer);
    rig_attach(&rig, IGMP_MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_ACTIVE);
    igmp_run("ip link set far down");
    igmp_poll_until(&rig, YK_REPORT_PENDING);
    igmp_expect_detail(&rig, "interface \"eth1\": no carrier; ");
    rig_attach(&rig, IGMP_MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_PENDING);
    igmp_run("ip link set far up");
    igmp_poll_until(&rig, YK_REPORT_ACTIVE);
    rig_close(&rig);
}
END_TEST

START_TEST(a_short_loss_of_carrier_lets_a_consumer_join_anew_and_a_producer_go_on)
{
    const struct yk_driver_site *const sites[] = {&rig_consumer, &rig_producer};

    igmp_make_host();
    for (int i = 0; i < 2; i++) {
        struct driver_rig rig;
        pid_t pid;

        rig_open(&rig, &yk_driver_igmp, IGMP_SLEEPER, sites[i]);
        rig_attach(&rig, IGMP_MEDIA);
        rig_wait(&rig, YK_REPORT_ACTIVE);
        pid = igmp_evident_pid(&rig);
        igmp_run("ip link set far down && ip link set far up");
        igmp_wait_for_carrier();
        ck_assert_int_eq(rig_poll(&rig), i == 0 ? YK_REPORT_PENDING : YK_REPORT_ACTIVE);
        rig_wait(&rig, YK_REPORT_ACTIVE);
        ck_assert(i == 0 ? igmp_evident_pid(&rig) != pid : igmp_evident_pid(&rig) == pid);
        ck_assert_int_eq(rig_poll(&rig), YK_REPORT_ACTIVE); /* once is enough */
        rig_close(&rig);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_missing_interface_is_an_error_until_it_comes,
        an_interface_made_anew_is_pending_and_joined_by_the_next_attach,
        another_address_is_pending_and_taken_by_the_next_attach,
        an_address_that_moves_to_another_interface_is_followed,
        a_process_that_uses_the_address_is_started_anew_with_another_one,
        no_carrier_is_pending_and_its_return_is_taken_by_a_poll,
        a_short_loss_of_carrier_lets_a_consumer_join_anew_and_a_producer_go_on,
        NULL,
    };

    return suite_main("igmp_drift", tests);
}
