/* wall.h - the wall clock: read, and watched for being set while the agent runs. */
#ifndef YK_SHELL_WALL_H
#define YK_SHELL_WALL_H

#include <uv.h>

#include "core/types.h"

struct yk_wall_watch {
    uv_poll_t poll;
    int fd;
    void *owner;
    void (*stepped)(void *owner);
};

/* Unix nanoseconds. */
int64_t yk_wall_now(void);

/* 0, or a negative libuv error. `stepped` is called from the loop after somebody set the clock. */
int yk_wall_open(struct yk_wall_watch *watch, uv_loop_t *loop, void *owner,
                 void (*stepped)(void *owner));
/* The memory stays until the loop has run once more. */
void yk_wall_close(struct yk_wall_watch *watch);

#endif
