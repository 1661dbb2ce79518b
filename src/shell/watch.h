/* watch.h - netlink: says when a link, an IPv4 address or a route of this host changed. */
#ifndef YK_SHELL_WATCH_H
#define YK_SHELL_WATCH_H

#include <uv.h>

#include "core/types.h"

#define YK_WATCH_ANY 0 /* an interface index: it may have been any of them */

struct yk_watch {
    uv_poll_t poll;
    int fd;
    void *owner;
    void (*carrier_lost)(void *owner, int ifindex);
    void (*changed)(void *owner);
};
/* 0, or a negative libuv error. From the loop, `carrier_lost` is called for each interface that was
 * without carrier, be it back by now; and then `changed` once: something did, look again. */
int yk_watch_open(struct yk_watch *watch, uv_loop_t *loop, void *owner,
                  void (*carrier_lost)(void *owner, int ifindex), void (*changed)(void *owner));
/* The memory stays until the loop has run once more. */
void yk_watch_close(struct yk_watch *watch);

#endif
