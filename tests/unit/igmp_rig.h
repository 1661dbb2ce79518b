/* igmp_rig.h - the igmp driver on a host of its own: a network namespace with an interface eth1, of
 * the address 10.0.0.2, plugged into "far". */
#ifndef YK_TESTS_IGMP_RIG_H
#define YK_TESTS_IGMP_RIG_H

#include <sys/types.h>

#include "driver_rig.h"

#define IGMP_MEDIA "{\"group\":\"239.10.0.5\",\"port\":5004}"
#define IGMP_OTHER_MEDIA "{\"group\":\"239.10.0.6\",\"port\":5004}"
#define IGMP_ON_ETH1 "{\"type\": \"igmp\", \"interface\": \"eth1\"}"
#define IGMP_SLEEPER \
    "{\"type\": \"igmp\", \"interface\": \"eth1\", \"command\": [\"sleep\", \"1000\"]}"

/* Both groups as the kernel prints them. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define IGMP_GROUP_5 "05000AEF"
#define IGMP_GROUP_6 "06000AEF"
#else
#define IGMP_GROUP_5 "EF0A0005"
#define IGMP_GROUP_6 "EF0A0006"
#endif

/* A namespace with nothing in it; then with loopback and eth1. */
void igmp_enter_namespace(void);
void igmp_make_host(void);
void igmp_add_eth1(void);
/* A shell command that must succeed. */
void igmp_run(const char *command);
/* The kernel tells of a carrier with some delay. */
void igmp_wait_for_carrier(void);

/* Does the kernel say that the group is joined on the interface? */
bool igmp_kernel_lists(const char *interface, const char *group);
/* The process id in the last evidence, or 0. */
pid_t igmp_evident_pid(const struct driver_rig *rig);
bool igmp_is_alive(pid_t pid);
void igmp_expect_detail(const struct driver_rig *rig, const char *part);
/* Polls until that is the answer; asserts that it comes. */
void igmp_poll_until(struct driver_rig *rig, enum yk_report status);

#endif
