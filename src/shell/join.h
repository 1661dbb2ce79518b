/* join.h - keeps the control group joined: waits for an interface that is missing, down, without
 * address or carrier, joins again when it is back, changed or made anew, and says each change once. */
#ifndef YK_SHELL_JOIN_H
#define YK_SHELL_JOIN_H

#include "shell/socket.h"
#include "shell/watch.h"

#define YK_JOIN_RETRY_MS 5000 /* between looks while waiting, beside what netlink says */
/* After the carrier's return a switch may pass nothing on for a while (30 s while it learns its
 * spanning tree), and the kernel tells it of us for one second only: so often it is told again, a
 * retry apart. */
#define YK_JOIN_REPEATS 7

struct yk_join {
    struct yk_watch watch;
    uv_timer_t retry;
    struct yk_socket *socket;
    const char *interface;
    void *owner;
    void (*changed)(void *owner);
    bool carrier_lost;            /* since the group was joined */
    bool returned;                /* the network was gone and is back; for the owner to clear */
    unsigned repeats;             /* left to do */
    char said[YK_REFUSAL_MAX];    /* the last line logged */
    char problem[YK_REFUSAL_MAX]; /* why it is not joined or not heard; "" when all is well */
};

/* Starts looking, at once the first time. `socket` and `interface` are borrowed. `changed` is called
 * from the loop after a link or an address of this host, whichever, changed, and when the group
 * is joined again. False when the kernel
 * gives no netlink socket; an interface that is not there is no failure. */
bool yk_join_open(struct yk_join *join, uv_loop_t *loop, struct yk_socket *socket,
                  const char *interface, void *owner, void (*changed)(void *owner),
                  struct yk_refusal *why);
/* Stops looking and leaves the group. The memory stays until the loop has run once more. */
void yk_join_close(struct yk_join *join);

#endif
