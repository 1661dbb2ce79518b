#include "drivers/igmp/membership.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define KERNEL_LIST "/proc/net/igmp" /* of our network namespace */
#define LINE_MAX_BYTES 256           /* the kernel's lines have under 80 */

void yk_igmp_membership_init(struct yk_igmp_membership *membership)
{
    memset(membership, 0, sizeof *membership);
    membership->fd = -1;
}

void yk_igmp_leave(struct yk_igmp_membership *membership)
{
    if (membership->fd >= 0) {
        close(membership->fd);
    }
    yk_igmp_membership_init(membership);
}

bool yk_igmp_join(struct yk_igmp_membership *membership, struct in_addr group,
                  const struct yk_igmp_interface *interface, struct yk_refusal *why)
{
    struct ip_mreqn request = {.imr_multiaddr = group, .imr_ifindex = (int)interface->index};
    int off = 0;
    int fd;

    yk_igmp_leave(membership);
    fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || setsockopt(fd, IPPROTO_IP, IP_MULTICAST_ALL, &off, sizeof off) != 0 ||
        setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof request) != 0) {
        yk_refuse(why, YK_EXIT_CONFIG, "group %s: cannot be joined on %s: %s; it is tried again",
                  inet_ntoa(group), interface->name, strerror(errno));
        if (fd >= 0) {
            close(fd);
        }
        return false;
    }
    membership->fd = fd;
    membership->group = group;
    membership->index = interface->index;
    return true;
}

/* The list has a line "INDEX<tab>NAME ..." an interface, and below it one a group, which starts with
 * a tab and has the address as one number in the host's byte order. */
static bool is_listed(FILE *list, const struct yk_igmp_membership *membership)
{
    char line[LINE_MAX_BYTES];
    unsigned index = 0;

    while (fgets(line, sizeof line, list) != NULL) {
        unsigned group;

        if (line[0] != '\t') {
            if (sscanf(line, "%u", &index) != 1) {
                index = 0; /* the heading */
            }
        } else if (index == membership->index && sscanf(line, "%x", &group) == 1 &&
                   group == membership->group.s_addr) {
            return true;
        }
    }
    return false;
}

bool yk_igmp_is_joined(const struct yk_igmp_membership *membership, struct yk_refusal *why)
{
    FILE *list;
    bool found;

    if (membership->fd < 0) {
        return yk_refuse(why, YK_EXIT_CONFIG, "group: not joined; it is tried again");
    }
    list = fopen(KERNEL_LIST, "re");
    if (list == NULL) {
        return yk_refuse(why, YK_EXIT_CONFIG, KERNEL_LIST ": %s; mount /proc for the agent",
                         strerror(errno));
    }
    found = is_listed(list, membership);
    fclose(list);
    return found || yk_refuse(why, YK_EXIT_CONFIG,
                              "group %s: the kernel does not list it as joined; it is joined again",
                              inet_ntoa(membership->group));
}
