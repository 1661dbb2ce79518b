/* agent_internal.h - the agent's parts, shared by agent.c (the pump) and agent_life.c (start, stop). */
#ifndef YK_SHELL_AGENT_INTERNAL_H
#define YK_SHELL_AGENT_INTERNAL_H

#include "shell/agent.h"
#include "shell/driver_host.h"
#include "shell/hook.h"
#include "shell/intake.h"
#include "shell/join.h"
#include "shell/notify.h"
#include "shell/querier.h"
#include "shell/reload.h"
#include "shell/status.h"
#include "shell/store.h"
#include "shell/telemetry.h"
#include "shell/wall.h"

enum yk_agent_phase {
    YK_AGENT_RUNNING = 1,
    YK_AGENT_CLOSING /* the core has said its last effect, or is not asked any more */
};

struct yk_agent {
    const struct yk_agent_site *site;
    uv_loop_t loop;
    enum yk_agent_phase phase;
    yk_time started;

    struct yk_node *node;
    struct yk_effects effects;

    /* Inputs that wait while the core is blocked; each at most once. */
    struct {
        bool start, stop, wall, back;
        bool persisted, persisted_ok;
        uint64_t persisted_request;
    } waiting;
    size_t batch_count, batch_next; /* of socket.batch: what was read and not given yet */

    struct yk_socket socket;
    struct yk_intake intake;
    int send_error;  /* said already; 0 while sending works */
    bool deaf_said;  /* why nobody is heard */
    bool alone_said; /* that nothing at all comes in */
    bool clock_said; /* that the wall clock cannot be right */
    uint64_t kernel_drops_said;
    yk_time kernel_drops_said_at;
    struct yk_join join;
    uv_timer_t timer; /* for the core's deadline */
    struct yk_store store;
    char save_failure[YK_CAUSE_MAX]; /* of the last save; "" when it succeeded */
    struct yk_driver_host host;
    struct yk_status *status; /* NULL: not served */
    struct yk_telemetry telemetry;
    struct yk_wall_watch wall;
    struct yk_querier querier;
    struct yk_notify notify;
    struct yk_reload reload;
    struct yk_hook hook;
    uv_signal_t signals[3];
    uv_timer_t limit; /* of a stop */
};

/* Gives the core what waits, performs its effects, and sets socket and timer to what it wants next. */
void yk_agent_pump(struct yk_agent *agent);

/* The loop's callbacks that end in the pump. */
void yk_agent_readable(void *owner);
void yk_agent_due(uv_timer_t *timer);
void yk_agent_saved(void *owner, uint64_t request, bool ok, const char *cause);
void yk_agent_reported(void *owner);
void yk_agent_clock_stepped(void *owner);

/* Says that the wall clock cannot be right, or can be again: once each. */
void yk_agent_say_clock(struct yk_agent *agent);

/* The core has stopped: closes everything, the driver first. */
void yk_agent_close(struct yk_agent *agent);

#endif
