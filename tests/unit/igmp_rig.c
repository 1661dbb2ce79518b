#include "igmp_rig.h"

#include <check.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

void igmp_enter_namespace(void)
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

void igmp_run(const char *command)
{
    ck_assert_msg(system(command) == 0, "%s", command);
}

void igmp_wait_for_carrier(void)
{
    igmp_run(
        "for i in $(seq 500); do ip link show eth1 | grep -q 'state UP' && exit 0; sleep 0.01; "
        "done; exit 1");
}

void igmp_add_eth1(void)
{
    igmp_run("ip link add eth1 type veth peer name far");
    igmp_run("ip link set far up");
    igmp_run("ip address add 10.0.0.2/24 dev eth1");
    igmp_run("ip link set eth1 up");
    igmp_wait_for_carrier();
}

void igmp_make_host(void)
{
    igmp_enter_namespace();
    igmp_run("ip link set lo up");
    igmp_add_eth1();
}

bool igmp_kernel_lists(const char *interface, const char *group)
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

pid_t igmp_evident_pid(const struct driver_rig *rig)
{
    const char *at = strstr(rig->detail, " pid ");

    return at == NULL ? 0 : atoi(at + 5);
}

void igmp_expect_detail(const struct driver_rig *rig, const char *part)
{
    ck_assert_msg(strstr(rig->detail, part) != NULL, "%s", rig->detail);
}

void igmp_poll_until(struct driver_rig *rig, enum yk_report status)
{
    for (unsigned ms = 0; rig_poll(rig) != status; ms += 10) {
        ck_assert_uint_lt(ms, RIG_WAIT_MS);
        usleep(10000);
    }
}

bool igmp_is_alive(pid_t pid)
{
    return kill(pid, 0) == 0;
}
