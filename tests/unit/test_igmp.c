#include "drivers/igmp/igmp.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver_rig.h"
#include "lib/suite.h"

#define MEDIA "{\"group\":\"239.10.0.5\",\"port\":5004}"
#define OTHER_MEDIA "{\"group\":\"239.10.0.6\",\"port\":5004}"
#define ON_ETH1 "{\"type\": \"igmp\", \"interface\": \"eth1\"}"
#define SLEEPER "{\"type\": \"igmp\", \"interface\": \"eth1\", \"command\": [\"sleep\", \"1000\"]}"

/* ---- a host of our own: a network namespace with an interface eth1, plugged into "far" */

static void write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static void enter_namespace(void)
{
    char map[32];

    if (geteuid() == 0) {
        ck_assert_int_eq(unshare(CLONE_NEWNET), 0);
        return;
    }
    snprintf(map, sizeof map, "0 %u 1", geteuid());
    ck_assert_int_eq(unshare(CLONE_NEWUSER | CLONE_NEWNET), 0);
    write_file("/proc/self/uid_map", map);
}

static void run(const char *command)
{
    ck_assert_msg(system(command) == 0, "%s", command);
}

/* The kernel tells of a carrier with some delay. */
static void wait_for_carrier(void)
{
    run("for i in $(seq 500); do ip link show eth1 | grep -q 'state UP' && exit 0; sleep 0.01; "
        "done; exit 1");
}

static void add_eth1(void)
{
    run("ip link add eth1 type veth peer name far");
    run("ip link set far up");
    run("ip address add 10.0.0.2/24 dev eth1");
    run("ip link set eth1 up");
    wait_for_carrier();
}

static void make_host(void)
{
    enter_namespace();
    run("ip link set lo up");
    add_eth1();
}

/* Does the kernel say that the group is joined on the interface? `group` as it is printed there. */
static bool kernel_lists(const char *interface, const char *group)
{
    FILE *list = fopen("/proc/net/igmp", "r");
    char line[256], name[64] = "";
    bool found = false;

    ck_assert_ptr_nonnull(list);
    while (fgets(line, sizeof line, list) != NULL) {
        if (line[0] != '\t') {
            sscanf(line, "%*d %63s", name);
        } else if (strcmp(name, interface) == 0 && strncmp(line + 4, group, 8) == 0) {
            found = true;
        }
    }
    fclose(list);
    return found;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define GROUP_5 "05000AEF"
#define GROUP_6 "06000AEF"
#else
#define GROUP_5 "EF0A0005"
#define GROUP_6 "EF0A0006"
#endif

/* The process id in the last evidence, or 0. */
static pid_t evident_pid(const struct driver_rig *rig)
{
    const char *at = strstr(rig->detail, " pid ");

    return at == NULL ? 0 : atoi(at + 5);
}

static void expect_detail(const struct driver_rig *rig, const char *part)
{
    ck_assert_msg(strstr(rig->detail, part) != NULL, "%s", rig->detail);
}

static void poll_until(struct driver_rig *rig, enum yk_report status)
{
    for (unsigned ms = 0; rig_poll(rig) != status; ms += 10) {
        ck_assert_uint_lt(ms, RIG_WAIT_MS);
        usleep(10000);
    }
}

static bool is_alive(pid_t pid)
{
    return kill(pid, 0) == 0;
}

/* ---- membership */

START_TEST(a_consumer_is_active_on_the_kernels_evidence)
{
    struct driver_rig rig;

    make_host();
    rig_open(&rig, &yk_driver_igmp, ON_ETH1, &rig_consumer);
    ck_assert_int_eq(rig_poll(&rig), YK_REPORT_IDLE);
    rig_attach(&rig, MEDIA);
    ck_assert_uint_eq(rig.reports, 2);
    ck_assert_int_eq(rig.status, YK_REPORT_ACTIVE);
    ck_assert_str_eq(rig.detail, "239.10.0.5:5004 joined on eth1 (10.0.0.2)");
    ck_assert(kernel_lists("eth1", GROUP_5));
    rig_close(&rig);
    ck_assert(!kernel_lists("eth1", GROUP_5));
}
END_TEST

START_TEST(a_detach_leaves_the_group_and_is_confirmed)
{
    struct driver_rig rig;

    make_host();
    rig_open(&rig, &yk_driver_igmp, ON_ETH1, &rig_consumer);
    rig_attach(&rig, MEDIA);
    rig_detach(&rig, YK_DETACH_UNPAIR);
    ck_assert_int_eq(rig.status, YK_REPORT_IDLE);
    ck_assert(!kernel_lists("eth1", GROUP_5));
    rig_detach(&rig, YK_DETACH_UNPAIR); /* idempotent */
    ck_assert_int_eq(rig.status, YK_REPORT_IDLE);
    rig_close(&rig);
}
END_TEST

START_TEST(an_interface_may_be_given_by_address_or_left_to_the_kernel)
{
    struct driver_rig rig;

    make_host();
    rig_open(&rig, &yk_driver_igmp, "{\"interface\": \"10.0.0.2\"}", &rig_consumer);
    rig_attach(&rig, MEDIA);
    expect_detail(&rig, "joined on eth1 (10.0.0.2)");
    rig_close(&rig);

    rig_open(&rig, &yk_driver_igmp, "{\"type\": \"igmp\"}", &rig_consumer);
    rig_attach(&rig, MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_ERROR);
    expect_detail(&rig, "no route to 239.10.0.5 (");
    run("ip route add 224.0.0.0/4 dev eth1");
    rig_attach(&rig, MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_ACTIVE);
    expect_detail(&rig, "joined on eth1 (10.0.0.2)");
    run("ip route del 224.0.0.0/4 dev eth1"); /* what is joined stays joined */
    ck_assert_int_eq(rig_poll(&rig), YK_REPORT_ACTIVE);
    rig_close(&rig);
}
END_TEST

START_TEST(other_media_replace_the_former_ones)
{
    struct driver_rig rig;

    make_host();
    rig_open(&rig, &yk_driver_igmp, ON_ETH1, &rig_consumer);
    rig_attach(&rig, MEDIA);
    rig_attach(&rig, OTHER_MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_ACTIVE);
    ck_assert(kernel_lists("eth1", GROUP_6));
    ck_assert(!kernel_lists("eth1", GROUP_5));
    rig_close(&rig);
}
END_TEST

START_TEST(media_that_are_not_allowed_are_an_error_naming_the_value)
{
    struct driver_rig rig;

    make_host();
    rig_open(&rig, &yk_driver_igmp, ON_ETH1, &rig_consumer);
    rig_attach(&rig, "{\"group\":\"10.0.0.5\",\"port\":5004}");
    ck_assert_int_eq(rig.status, YK_REPORT_ERROR);
    expect_detail(&rig, "media.group: \"10.0.0.5\" is not a multicast address");
    ck_assert_int_eq(rig_poll(&rig), YK_REPORT_ERROR);
    rig_attach(&rig, "{\"group\":\"224.0.0.5\",\"port\":5004}");
    expect_detail(&rig, "\"224.0.0.5\"");
    rig_attach(&rig, "{\"group\":\"239.121.111.107\",\"port\":5004}");
    expect_detail(&rig, "the control group");
    rig_attach(&rig, "");
    ck_assert_int_eq(rig.status, YK_REPORT_ERROR);
    rig_detach(&rig, YK_DETACH_UNPAIR);
    ck_assert_int_eq(rig.status, YK_REPORT_IDLE);
    rig_close(&rig);
}
END_TEST

/* ---- drift */

START_TEST(a_missing_interface_is_an_error_until_it_comes)
{
    struct driver_rig rig;

    enter_namespace();
    rig_open(&rig, &yk_driver_igmp, ON_ETH1, &rig_consumer);
    rig_attach(&rig, MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_ERROR);
    expect_detail(&rig, "interface \"eth1\": does not exist; ");
    run("ip link add eth1 type veth peer name far && ip link set far up");
    rig_attach(&rig, MEDIA);
    expect_detail(&rig, "interface \"eth1\": has no IPv4 address; ");
    run("ip address add 10.0.0.2/24 dev eth1");
    rig_attach(&rig, MEDIA);
    expect_detail(&rig, "interface \"eth1\": is down; ");
    run("ip link set eth1 up");
    wait_for_carrier();
    rig_attach(&rig, MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_ACTIVE);
    rig_close(&rig);
}
END_TEST

START_TEST(an_interface_made_anew_is_pending_and_joined_by_the_next_attach)
{
    struct driver_rig rig;
    pid_t pid;

    make_host();
    rig_open(&rig, &yk_driver_igmp, SLEEPER, &rig_consumer);
    rig_attach(&rig, MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    pid = evident_pid(&rig);
    run("ip link del eth1");
    ck_assert_int_eq(rig_poll(&rig), YK_REPORT_PENDING);
    expect_detail(&rig, "interface \"eth1\": is gone; ");
    add_eth1();
    ck_assert_int_eq(rig_poll(&rig), YK_REPORT_PENDING);
    expect_detail(&rig, "interface \"eth1\": was made anew");
    ck_assert(!kernel_lists("eth1", GROUP_5));
    rig_attach(&rig, MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_PENDING);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    ck_assert(kernel_lists("eth1", GROUP_5));
    ck_assert_int_ne(evident_pid(&rig), pid); /* its own membership went with the interface */
    ck_assert(!is_alive(pid));
    rig_close(&rig);
}
END_TEST

START_TEST(another_address_is_pending_and_taken_by_the_next_attach)
{
    struct driver_rig rig;
    pid_t pid;

    make_host();
    rig_open(&rig, &yk_driver_igmp, SLEEPER, &rig_consumer);
    rig_attach(&rig, MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    pid = evident_pid(&rig);
    run("ip address del 10.0.0.2/24 dev eth1 && ip address add 10.0.0.3/24 dev eth1");
    ck_assert_int_eq(rig_poll(&rig), YK_REPORT_PENDING);
    expect_detail(&rig, "10.0.0.2");
    rig_attach(&rig, MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_ACTIVE);
    expect_detail(&rig, "joined on eth1 (10.0.0.3)");
    ck_assert_int_eq(evident_pid(&rig), pid); /* it does not use the address */
    rig_close(&rig);
}
END_TEST

START_TEST(an_address_that_moves_to_another_interface_is_followed)
{
    struct driver_rig rig;

    make_host();
    run("ip link add eth2 type veth peer name far2 && ip link set far2 up && ip link set eth2 up");
    rig_open(&rig, &yk_driver_igmp, "{\"interface\": \"10.0.0.2\"}", &rig_consumer);
    rig_attach(&rig, MEDIA);
    expect_detail(&rig, "joined on eth1 (10.0.0.2)");
    run("ip address del 10.0.0.2/24 dev eth1 && ip address add 10.0.0.2/24 dev eth2");
    ck_assert_int_eq(rig_poll(&rig), YK_REPORT_PENDING);
    rig_attach(&rig, MEDIA);
    poll_until(&rig, YK_REPORT_ACTIVE);
    expect_detail(&rig, "joined on eth2 (10.0.0.2)");
    ck_assert(kernel_lists("eth2", GROUP_5));
    ck_assert(!kernel_lists("eth1", GROUP_5));
    rig_close(&rig);
}
END_TEST

START_TEST(a_process_that_uses_the_address_is_started_anew_with_another_one)
{
    struct driver_rig rig;
    pid_t pid;

    make_host();
    rig_open(&rig, &yk_driver_igmp,
             "{\"interface\": \"eth1\", \"command\": [\"sh\", \"-c\", \"exec sleep 1000\", "
             "\"{address}\"]}",
             &rig_consumer);
    rig_attach(&rig, MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    pid = evident_pid(&rig);
    run("ip address del 10.0.0.2/24 dev eth1 && ip address add 10.0.0.3/24 dev eth1");
    rig_attach(&rig, MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    ck_assert_int_ne(evident_pid(&rig), pid);
    rig_close(&rig);
}
END_TEST

START_TEST(no_carrier_is_pending_and_its_return_is_taken_by_a_poll)
{
    struct driver_rig rig;

    make_host();
    rig_open(&rig, &yk_driver_igmp, ON_ETH1, &rig_consumer);
    rig_attach(&rig, MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_ACTIVE);
    run("ip link set far down");
    poll_until(&rig, YK_REPORT_PENDING);
    expect_detail(&rig, "interface \"eth1\": no carrier; ");
    rig_attach(&rig, MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_PENDING);
    run("ip link set far up");
    poll_until(&rig, YK_REPORT_ACTIVE);
    rig_close(&rig);
}
END_TEST

START_TEST(a_short_loss_of_carrier_lets_a_consumer_join_anew_and_a_producer_go_on)
{
    const struct yk_driver_site *const sites[] = {&rig_consumer, &rig_producer};

    make_host();
    for (int i = 0; i < 2; i++) {
        struct driver_rig rig;
        pid_t pid;

        rig_open(&rig, &yk_driver_igmp, SLEEPER, sites[i]);
        rig_attach(&rig, MEDIA);
        rig_wait(&rig, YK_REPORT_ACTIVE);
        pid = evident_pid(&rig);
        run("ip link set far down && ip link set far up");
        wait_for_carrier();
        ck_assert_int_eq(rig_poll(&rig), i == 0 ? YK_REPORT_PENDING : YK_REPORT_ACTIVE);
        rig_wait(&rig, YK_REPORT_ACTIVE);
        ck_assert(i == 0 ? evident_pid(&rig) != pid : evident_pid(&rig) == pid);
        ck_assert_int_eq(rig_poll(&rig), YK_REPORT_ACTIVE); /* once is enough */
        rig_close(&rig);
    }
}
END_TEST

/* ---- the stream process */

START_TEST(a_process_is_part_of_the_evidence_once_it_outlived_its_start)
{
    struct driver_rig rig;
    char wanted[128];

    make_host();
    rig_open(&rig, &yk_driver_igmp, SLEEPER, &rig_consumer);
    rig_attach(&rig, MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_PENDING);
    ck_assert_int_eq(rig_poll(&rig), YK_REPORT_PENDING);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    snprintf(wanted, sizeof wanted,
             "239.10.0.5:5004 joined on eth1 (10.0.0.2), sleep pid %d running", evident_pid(&rig));
    ck_assert_str_eq(rig.detail, wanted);
    ck_assert(is_alive(evident_pid(&rig)));
    rig_close(&rig);
}
END_TEST

START_TEST(the_same_media_again_touch_nothing)
{
    struct driver_rig rig;
    unsigned before;
    pid_t pid;

    make_host();
    rig_open(&rig, &yk_driver_igmp, SLEEPER, &rig_consumer);
    rig_attach(&rig, MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    pid = evident_pid(&rig);
    before = rig.reports;
    rig_attach(&rig, "{\"group\":\"239.10.0.5\",\"note\":\"more\",\"port\":5004}");
    ck_assert_uint_eq(rig.reports, before + 1);
    ck_assert_int_eq(rig.status, YK_REPORT_ACTIVE);
    ck_assert_int_eq(evident_pid(&rig), pid);
    rig_close(&rig);
}
END_TEST

START_TEST(a_process_that_dies_is_an_error_and_started_by_the_next_attach)
{
    struct driver_rig rig;
    pid_t pid;

    make_host();
    rig_open(&rig, &yk_driver_igmp, SLEEPER, &rig_consumer);
    rig_attach(&rig, MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    pid = evident_pid(&rig);
    kill(pid, SIGKILL);
    rig_wait(&rig, YK_REPORT_ERROR);
    expect_detail(&rig, "sleep was ended by signal 9 (Killed) after ");
    ck_assert_int_eq(rig_poll(&rig), YK_REPORT_ERROR);
    ck_assert(kernel_lists("eth1", GROUP_5));
    rig_attach(&rig, MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_PENDING);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    ck_assert_int_ne(evident_pid(&rig), pid);
    rig_close(&rig);
}
END_TEST

START_TEST(a_process_that_dies_at_once_is_never_active)
{
    struct driver_rig rig;

    make_host();
    rig_open(&rig, &yk_driver_igmp, "{\"interface\": \"eth1\", \"command\": [\"false\"]}",
             &rig_consumer);
    for (int i = 0; i < 3; i++) {
        rig_attach(&rig, MEDIA);
        rig_wait(&rig, YK_REPORT_ERROR);
        expect_detail(&rig, "false ended with status 1 after 0.");
    }
    ck_assert(!rig.was_active);
    rig_close(&rig);
}
END_TEST

START_TEST(a_program_that_is_not_there_is_an_error_with_the_remedy)
{
    struct driver_rig rig;

    make_host();
    rig_open(&rig, &yk_driver_igmp, "{\"interface\": \"eth1\", \"command\": [\"no-such-player\"]}",
             &rig_consumer);
    rig_attach(&rig, MEDIA);
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

    make_host();
    rig_open(&rig, &yk_driver_igmp,
             "{\"interface\": \"eth1\", \"command\": [\"sh\", \"-c\", "
             "\"trap '' TERM; while :; do sleep 0.05; done\"]}",
             &rig_consumer);
    rig_attach(&rig, MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    pid = evident_pid(&rig);
    before = rig.reports;
    rig_detach(&rig, YK_DETACH_STOP);
    ck_assert_uint_eq(rig.reports, before); /* no claim yet */
    ck_assert_int_eq(rig_poll(&rig), YK_REPORT_PENDING);
    ck_assert(rig_wait_report(&rig, yk_driver_igmp.stop_limit_ms));
    ck_assert_int_eq(rig.status, YK_REPORT_IDLE);
    ck_assert(!is_alive(pid));
    rig_close(&rig);
}
END_TEST

START_TEST(an_attach_while_the_former_process_ends_waits_for_it)
{
    struct driver_rig rig;
    pid_t pid;

    make_host();
    rig_open(&rig, &yk_driver_igmp, SLEEPER, &rig_consumer);
    rig_attach(&rig, MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    pid = evident_pid(&rig);
    rig_detach(&rig, YK_DETACH_REPLACE);
    rig_attach(&rig, OTHER_MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_PENDING);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    expect_detail(&rig, "239.10.0.6:5004 joined");
    ck_assert_int_ne(evident_pid(&rig), pid);
    ck_assert(!is_alive(pid));
    rig_close(&rig);
}
END_TEST

START_TEST(close_ends_the_process_and_leaves_the_group)
{
    struct driver_rig rig;
    pid_t pid;

    make_host();
    rig_open(&rig, &yk_driver_igmp, SLEEPER, &rig_consumer);
    rig_attach(&rig, MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    pid = evident_pid(&rig);
    rig_close(&rig);
    ck_assert(!is_alive(pid));
    ck_assert(!kernel_lists("eth1", GROUP_5));
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
}
END_TEST

START_TEST(after_a_restart_nothing_of_a_former_life_is_held)
{
    struct driver_rig rig;

    make_host();
    rig_open(&rig, &yk_driver_igmp, SLEEPER, &rig_consumer);
    rig_detach(&rig, YK_DETACH_RESTART);
    ck_assert_int_eq(rig.status, YK_REPORT_IDLE);
    rig_close(&rig);
}
END_TEST

START_TEST(a_thousand_attachments_leave_no_descriptor_behind)
{
    struct driver_rig rig;
    unsigned before;

    make_host();
    rig_open(&rig, &yk_driver_igmp, SLEEPER, &rig_consumer);
    rig_attach(&rig, MEDIA);
    rig_detach(&rig, YK_DETACH_UNPAIR);
    rig_wait(&rig, YK_REPORT_IDLE);
    before = rig_descriptors();
    for (int i = 0; i < 1000; i++) {
        rig_attach(&rig, i % 2 == 0 ? MEDIA : OTHER_MEDIA);
        rig_detach(&rig, YK_DETACH_UNPAIR);
        rig_wait(&rig, YK_REPORT_IDLE);
    }
    ck_assert_uint_eq(rig_descriptors(), before);
    rig_close(&rig);
}
END_TEST

/* ---- producers */

START_TEST(a_producer_without_process_is_active_and_says_that_it_only_announces)
{
    struct driver_rig rig;

    enter_namespace(); /* no interface at all */
    rig_open(&rig, &yk_driver_igmp, "{\"type\": \"igmp\"}", &rig_producer);
    rig_attach(&rig, MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_ACTIVE);
    ck_assert_str_eq(rig.detail, "239.10.0.5:5004 announced, no stream process configured");
    rig_close(&rig);
}
END_TEST

START_TEST(a_producer_runs_its_process_and_joins_nothing)
{
    struct driver_rig rig;

    make_host();
    rig_open(&rig, &yk_driver_igmp, SLEEPER, &rig_producer);
    rig_attach(&rig, MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    expect_detail(&rig, "239.10.0.5:5004 announced on eth1 (10.0.0.2), sleep pid ");
    ck_assert(!kernel_lists("eth1", GROUP_5));
    rig_close(&rig);
}
END_TEST

START_TEST(placeholders_get_media_address_and_id)
{
    struct driver_rig rig;

    make_host();
    rig_open(&rig, &yk_driver_igmp,
             "{\"interface\": \"eth1\", \"command\": [\"sh\", \"-c\", \"test \\\"$1\\\" = "
             "'239.10.0.5 5004 10.0.0.2 enc-1' && exit 42\", \"x\", "
             "\"{group} {port} {address} {id}\"]}",
             &rig_producer);
    rig_attach(&rig, MEDIA);
    rig_wait(&rig, YK_REPORT_ERROR);
    expect_detail(&rig, "sh ended with status 42");
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
        a_missing_interface_is_an_error_until_it_comes,
        an_interface_made_anew_is_pending_and_joined_by_the_next_attach,
        another_address_is_pending_and_taken_by_the_next_attach,
        an_address_that_moves_to_another_interface_is_followed,
        a_process_that_uses_the_address_is_started_anew_with_another_one,
        no_carrier_is_pending_and_its_return_is_taken_by_a_poll,
        a_short_loss_of_carrier_lets_a_consumer_join_anew_and_a_producer_go_on,
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
