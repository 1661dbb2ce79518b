#include "shell/watch.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#define READS_MAX 64 /* messages taken at once; the rest wakes the loop again */

/* All that is parsed: for the rest the owner looks at what is there now. A notice is one message. */
static void take_notice(struct yk_watch *watch, const struct nlmsghdr *message, size_t size)
{
    const struct ifinfomsg *link = NLMSG_DATA(message);

    if (NLMSG_OK(message, size) && message->nlmsg_type == RTM_NEWLINK &&
        message->nlmsg_len >= NLMSG_LENGTH(sizeof *link) && (link->ifi_flags & IFF_RUNNING) == 0) {
        watch->carrier_lost(watch->owner, link->ifi_index);
    }
}

static void readable(uv_poll_t *poll, int status, int events)
{
    struct yk_watch *watch = poll->data;
    union {
        struct nlmsghdr head;
        char bytes[8192];
    } message;

    (void)status;
    (void)events;
    for (int i = 0; i < READS_MAX; i++) {
        ssize_t size = recv(watch->fd, &message, sizeof message, MSG_DONTWAIT);

        if (size >= 0) {
            take_notice(watch, &message.head, (size_t)size);
        } else if (errno == ENOBUFS) {
            watch->carrier_lost(watch->owner, YK_WATCH_ANY); /* whatever was lost said so */
        } else {
            break;
        }
    }
    watch->changed(watch->owner);
}

int yk_watch_open(struct yk_watch *watch, uv_loop_t *loop, void *owner,
                  void (*carrier_lost)(void *owner, int ifindex), void (*changed)(void *owner))
{
    /* Routes too: where the kernel chooses the interface, a route makes the choice. */
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE};
    int error;

    watch->owner = owner;
    watch->carrier_lost = carrier_lost;
    watch->changed = changed;
    watch->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (watch->fd < 0) {
        return -errno;
    }
    error = bind(watch->fd, (const struct sockaddr *)&address, sizeof address) == 0 ? 0 : -errno;
    if (error == 0) {
        error = uv_poll_init(loop, &watch->poll, watch->fd);
    }
    if (error != 0) {
        close(watch->fd);
        return error;
    }
    watch->poll.data = watch;
    return uv_poll_start(&watch->poll, UV_READABLE, readable);
}

void yk_watch_close(struct yk_watch *watch)
{
    uv_close((uv_handle_t *)&watch->poll, NULL);
    close(watch->fd);
}
