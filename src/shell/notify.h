/* notify.h - tells the service manager how we are (sd_notify(3): a datagram to $NOTIFY_SOCKET), and feeds
 * its watchdog from the loop. Without a service manager all of it does nothing. */
#ifndef YK_SHELL_NOTIFY_H
#define YK_SHELL_NOTIFY_H

#include <sys/socket.h>
#include <sys/un.h>
#include <uv.h>

#include "core/types.h"

#define YK_NOTIFY_MAX 512             /* bytes of a message */
#define YK_NOTIFY_PAUSE (250 * YK_MS) /* between two status lines, at least */
#define YK_WATCHDOG_PER_LIMIT 3       /* so often it is fed within its limit */

struct yk_notify {
    int fd; /* -1: nobody listens */
    struct sockaddr_un address;
    socklen_t address_size;
    uv_timer_t watchdog;
    yk_time said_at; /* the status line; 0: never */
    char status[YK_NOTIFY_MAX];
};

/* Looks at the environment, and takes out of it what children would mistake for theirs; the watchdog
 * is fed from now on. */
void yk_notify_open(struct yk_notify *notify, uv_loop_t *loop);
/* The memory stays until the loop has run once more. Nothing is told any more. */
void yk_notify_close(struct yk_notify *notify);

void yk_notify_ready(struct yk_notify *notify);
void yk_notify_reloading(struct yk_notify *notify, yk_time now);
void yk_notify_stopping(struct yk_notify *notify);
/* True when a status line would be told now: somebody listens, and the last one is a pause ago. */
bool yk_notify_wants_status(const struct yk_notify *notify, yk_time now);
/* How we are, in one line; told when it differs from the last one. */
void yk_notify_status(struct yk_notify *notify, const char *line, yk_time now);

#endif
