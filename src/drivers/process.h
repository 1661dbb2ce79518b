/* process.h - one process of a driver, supervised from start to last sign of its group. */
#ifndef YK_DRIVERS_PROCESS_H
#define YK_DRIVERS_PROCESS_H

#include <stdbool.h>
#include <uv.h>

#include "base/refusal.h"

/* A process counts as running when it has lived this long; one that dies at once was never up. Less
 * than the shortest retry, so that the start of a good one needs none. */
#define YK_PROCESS_SETTLE_MS 800
#define YK_PROCESS_TERM_MS 1000    /* from TERM to KILL */
#define YK_PROCESS_OVERDUE_MS 1400 /* from TERM until its end is no longer waited for */
#define YK_PROCESS_NAME_MAX 64     /* bytes of the program's name in messages */

struct yk_process;

enum yk_process_event {
    YK_PROCESS_SETTLED = 1, /* it runs, and did not die at once */
    YK_PROCESS_ENDED,       /* the whole group is gone, its handles are closed; the last event, the
                             * process is freed behind it */
    YK_PROCESS_OVERDUE      /* asked to stop, and not gone even after KILL; still watched */
};

enum yk_process_state {
    YK_PROCESS_STARTS = 1, /* not settled yet */
    YK_PROCESS_RUNS,
    YK_PROCESS_ENDS /* asked to, or by itself and something of its group is left */
};

/* `text` says how it ended, or why it could not start: ENDED only, else "". Never called before the
 * function of this header that caused it has returned. */
typedef void (*yk_process_tell)(void *owner, enum yk_process_event event, const char *text);

/* Starts `argv` (see spawn.h), which is copied as needed. NULL and `why` when there is no process. */
struct yk_process *yk_process_start(uv_loop_t *loop, const char *const argv[], void *owner,
                                    yk_process_tell tell, struct yk_refusal *why);
/* TERM to the group, then KILL; answered by ENDED or OVERDUE. While it is under way a further call
 * changes nothing; after OVERDUE it begins again. */
void yk_process_stop(struct yk_process *process);
/* KILL to the group and no further waiting: ENDED comes when the handles are closed. For the end of
 * the agent alone. */
void yk_process_abandon(struct yk_process *process);

enum yk_process_state yk_process_state(const struct yk_process *process);
pid_t yk_process_id(const struct yk_process *process);
/* The program's name without its folder. */
const char *yk_process_name(const struct yk_process *process);

#endif
