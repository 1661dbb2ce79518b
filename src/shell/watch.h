/* watch.h - netlink: says when a link or an IPv4 address of this host changed. */
#ifndef YK_SHELL_WATCH_H
#define YK_SHELL_WATCH_H

#include <uv.h>

#include "core/types.h"

struct yk_watch {
    uv_poll_t poll;
    int fd;
    void *owner;
    void (*changed)(void *owner); /* something changed: look again */
};
/* 0, or a negative libuv error. */
int yk_watch_open(struct yk_watch *watch, uv_loop_t *loop, void *owner,
                  void (*changed)(void *owner));
/* The memory stays until the loop has run once more. */
void yk_watch_close(struct yk_watch *watch);

#endif
