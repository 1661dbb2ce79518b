/* intake.h - when the control group's socket is read: at once while little comes. Where much comes, waking
 * up costs more than a datagram, so it is looked at every few milliseconds (ADR 21). */
#ifndef YK_SHELL_INTAKE_H
#define YK_SHELL_INTAKE_H

#include <uv.h>

#include "shell/socket.h"

#define YK_INTAKE_DENSE 300            /* datagrams a second from which it is not read at once */
#define YK_INTAKE_WINDOW (100 * YK_MS) /* over which they are counted */
#define YK_INTAKE_PAUSE_MS 8           /* between two looks then */
#define YK_INTAKE_SOME (YK_SOCKET_BATCH / 2) /* more in one look: the next one comes sooner */
#define YK_INTAKE_SHORT_MS 1

/* How dense the traffic is, by what was read when. Zeroed at first. */
struct yk_density {
    yk_time since; /* start of the window */
    uint64_t count;
    bool dense;
};

/* `count` datagrams were read now; how many milliseconds to the next look, or -1: when one comes. */
int yk_density_add(struct yk_density *density, size_t count, yk_time now);

struct yk_intake {
    uv_poll_t poll;
    uv_timer_t timer;
    struct yk_socket *socket; /* borrowed, open */
    void *owner;
    void (*ready)(void *owner); /* has to read, or to stop it */
    struct yk_density density;
    int pause_ms; /* to the next look; -1: when one comes */
    bool wanted;
};

/* A uv error when it cannot be; then the handles that were made are closed by yk_intake_close too. The
 * memory is zeroed and stays until the loop has closed the handles. */
int yk_intake_open(struct yk_intake *intake, uv_loop_t *loop, struct yk_socket *socket, void *owner,
                   void (*ready)(void *owner));
void yk_intake_close(struct yk_intake *intake);

/* Calls `ready` from now on whenever there may be datagrams, or not any more. */
void yk_intake_want(struct yk_intake *intake, bool want);

/* As yk_socket_read; the intake learns from it. */
size_t yk_intake_read(struct yk_intake *intake);

#endif
