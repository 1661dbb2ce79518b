/* tool.h - one call of usbip: started without a shell, in a process group of its own, ended when it
 * takes too long, its output bounded. */
#ifndef YK_DRIVERS_USBIP_TOOL_H
#define YK_DRIVERS_USBIP_TOOL_H

#include <uv.h>

#include "base/refusal.h"
#include "core/types.h"

#define YK_USBIP_OUTPUT_MAX (64 * 1024) /* bytes kept of one call; the rest is read and dropped */
#define YK_USBIP_TERM_MS 1000           /* from TERM to KILL, and from KILL to giving up */
/* A tool whose agent was killed goes on, so that what it began is recorded, and ends by itself that
 * long after its limit. */
#define YK_USBIP_ORPHAN_S 5

struct yk_usbip_tool;

enum yk_usbip_way {
    YK_USBIP_EXITED = 1,
    YK_USBIP_SIGNALLED, /* by us, when `late` or stopped */
    YK_USBIP_UNSTARTED, /* there was no process, or exec failed */
    YK_USBIP_STUCK      /* not gone even after KILL; what it does is not known */
};

struct yk_usbip_end {
    enum yk_usbip_way way;
    int number;             /* exit status, signal or errno */
    bool late;              /* it was over its limit */
    struct yk_slice output; /* both outputs, in the order of their writing; for the call only */
};

/* Starts `argv` (searched in PATH). `lock` stays open in it (see lock.h); -1: none. `ended` is called
 * from the loop, once; the tool is freed behind it. NULL and `why` when nothing was started. */
struct yk_usbip_tool *
yk_usbip_tool_start(uv_loop_t *loop, const char *const argv[], unsigned limit_ms, int lock,
                    void *owner, void (*ended)(void *owner, const struct yk_usbip_end *end),
                    struct yk_refusal *why);
/* TERM to its group, then KILL; answered by `ended`. Again: no effect. */
void yk_usbip_tool_stop(struct yk_usbip_tool *tool);

#endif
