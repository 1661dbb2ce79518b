#include "drivers/igmp/carrier.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ANSWER_MAX 16384 /* bytes; a link's description has about 1500 */

/* The kernel has queued its answer when this returns. */
static bool ask(int fd, unsigned ifindex)
{
    struct {
        struct nlmsghdr head;
        struct ifinfomsg link;
    } question = {
        .head = {.nlmsg_len = sizeof question,
                 .nlmsg_type = RTM_GETLINK,
                 .nlmsg_flags = NLM_F_REQUEST},
        .link = {.ifi_family = AF_UNSPEC, .ifi_index = (int)ifindex},
    };

    return send(fd, &question, sizeof question, 0) == (ssize_t)sizeof question;
}

static void take(struct yk_carrier *carrier, const struct nlmsghdr *head)
{
    const struct ifinfomsg *link = NLMSG_DATA(head);
    const struct rtattr *attribute = IFLA_RTA(link);
    unsigned left = (unsigned)IFLA_PAYLOAD(head);

    carrier->up = (link->ifi_flags & IFF_RUNNING) != 0;
    for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
        if (attribute->rta_type == IFLA_CARRIER_CHANGES &&
            RTA_PAYLOAD(attribute) == sizeof carrier->changes) {
            memcpy(&carrier->changes, RTA_DATA(attribute), sizeof carrier->changes);
        }
    }
}

bool yk_carrier_read(struct yk_carrier *carrier, unsigned ifindex)
{
    union {
        struct nlmsghdr head;
        char bytes[ANSWER_MAX];
    } answer;
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    ssize_t size = -1;

    memset(carrier, 0, sizeof *carrier);
    if (fd < 0) {
        return false;
    }
    if (ask(fd, ifindex)) {
        size = recv(fd, &answer, sizeof answer, MSG_DONTWAIT);
    }
    close(fd);
    if (size <= 0 || !NLMSG_OK(&answer.head, (size_t)size) ||
        answer.head.nlmsg_type != RTM_NEWLINK) {
        return false;
    }
    take(carrier, &answer.head);
    return true;
}
