#include "shell/notify.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A name that begins with "@" is one without a file. */
static bool set_address(struct yk_notify *notify, const char *name)
{
    size_t size = strlen(name);

    if ((name[0] != '/' && name[0] != '@') || size >= sizeof notify->address.sun_path) {
        return false;
    }
    notify->address.sun_family = AF_UNIX;
    memcpy(notify->address.sun_path, name, size + 1);
    if (name[0] == '@') {
        notify->address.sun_path[0] = '\0';
    }
    notify->address_size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
    return true;
}

/* Never waits: a manager that does not read is told the next time. */
static void tell(const struct yk_notify *notify, const char *text)
{
    if (notify->fd >= 0) {
        sendto(notify->fd, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL,
               (const struct sockaddr *)&notify->address, notify->address_size);
    }
}

static void feed(uv_timer_t *watchdog)
{
    tell(watchdog->data, "WATCHDOG=1");
}

/* Milliseconds between two feedings; 0: nobody watches this process. */
static uint64_t watchdog_period(void)
{
    const char *limit = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
    uint64_t limit_us = limit != NULL ? strtoull(limit, NULL, 10) : 0;
    uint64_t period_ms = limit_us / 1000 / YK_WATCHDOG_PER_LIMIT;

    if (limit_us == 0 || (pid != NULL && strtoll(pid, NULL, 10) != getpid())) {
        return 0;
    }
    return period_ms > 0 ? period_ms : 1;
}

void yk_notify_open(struct yk_notify *notify, uv_loop_t *loop)
{
    const char *name = getenv("NOTIFY_SOCKET");
    uint64_t period_ms = watchdog_period();

    memset(notify, 0, sizeof *notify);
    notify->fd = -1;
    notify->watchdog.data = notify;
    uv_timer_init(loop, &notify->watchdog);
    if (name != NULL && set_address(notify, name)) {
        notify->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    }
    if (notify->fd >= 0 && period_ms > 0) {
        uv_timer_start(&notify->watchdog, feed, period_ms, period_ms);
        uv_unref((uv_handle_t *)&notify->watchdog);
        feed(&notify->watchdog);
    }
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
}

void yk_notify_close(struct yk_notify *notify)
{
    uv_close((uv_handle_t *)&notify->watchdog, NULL);
    if (notify->fd >= 0) {
        close(notify->fd);
        notify->fd = -1;
    }
}

void yk_notify_ready(struct yk_notify *notify)
{
    tell(notify, "READY=1");
}

void yk_notify_reloading(struct yk_notify *notify, yk_time now)
{
    char text[64];

    snprintf(text, sizeof text, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, now / 1000);
    tell(notify, text);
}

void yk_notify_stopping(struct yk_notify *notify)
{
    tell(notify, "STOPPING=1\nSTATUS=stopping");
}

bool yk_notify_wants_status(const struct yk_notify *notify, yk_time now)
{
    return notify->fd >= 0 && (notify->said_at == 0 || now - notify->said_at >= YK_NOTIFY_PAUSE);
}

void yk_notify_status(struct yk_notify *notify, const char *line, yk_time now)
{
    char text[YK_NOTIFY_MAX + sizeof "STATUS="];

    if (notify->fd < 0 || strncmp(notify->status, line, sizeof notify->status - 1) == 0) {
        return;
    }
    snprintf(notify->status, sizeof notify->status, "%s", line);
    snprintf(text, sizeof text, "STATUS=%s", notify->status);
    notify->said_at = now;
    tell(notify, text);
}
