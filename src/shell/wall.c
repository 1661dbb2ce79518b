#include "shell/wall.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

int64_t yk_wall_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * (int64_t)YK_SECOND + now.tv_nsec;
}

/* A timer that never comes, but is cancelled by the kernel when the clock is set. */
static int arm(int fd)
{
    struct itimerspec never = {.it_value.tv_sec = INT32_MAX};

    never.it_value.tv_sec += time(NULL);
    return timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}

static void readable(uv_poll_t *poll, int status, int events)
{
    struct yk_wall_watch *watch = poll->data;
    uint64_t expirations;

    (void)status;
    (void)events;
    if (read(watch->fd, &expirations, sizeof expirations) < 0 && errno != ECANCELED) {
        return;
    }
    arm(watch->fd);
    watch->stepped(watch->owner);
}

int yk_wall_open(struct yk_wall_watch *watch, uv_loop_t *loop, void *owner,
                 void (*stepped)(void *owner))
{
    int error;

    watch->owner = owner;
    watch->stepped = stepped;
    watch->fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    if (watch->fd < 0) {
        return -errno;
    }
    error = arm(watch->fd) == 0 ? 0 : -errno;
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

void yk_wall_close(struct yk_wall_watch *watch)
{
    uv_close((uv_handle_t *)&watch->poll, NULL);
    close(watch->fd);
}
