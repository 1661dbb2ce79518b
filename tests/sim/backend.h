/* backend.h - a driver and the truth behind it: what it really holds, how slow it is, how it fails
 * and lies. It answers each call once (driver.h); what changes by itself it says later. */
#ifndef YK_SIM_BACKEND_H
#define YK_SIM_BACKEND_H

#include "core/report.h"
#include "core/types.h"
#include "sim/dice.h"

struct world;
struct agent;

enum backend_call { BACKEND_NOTHING, BACKEND_ATTACH, BACKEND_DETACH, BACKEND_POLL };

struct backend {
    /* the truth */
    bool holds;
    size_t media_size;
    uint8_t media[YK_FRAME_MAX];
    bool sticky; /* what it holds outlives the process (an import, an appliance's channel) */
    bool lazy;   /* attaching is its release: only an unpair really lets go */
    bool let_go; /* it confirmed a release since it was last attached */

    enum backend_call call; /* under way */
    uint64_t token;         /* of the call under way */
    uint64_t generation;    /* given last */
    enum yk_detach_reason reason;
    size_t asked_size;
    uint8_t asked[YK_FRAME_MAX];
    bool said_pending; /* an early answer was given; the outcome comes by itself */

    /* faults in force */
    uint64_t slow_ms;
    bool fail_attach, fail_detach, lies, late;
    struct dice dice;
};

void backend_attach(struct world *world, struct agent *agent, uint64_t generation,
                    struct yk_slice media);
void backend_detach(struct world *world, struct agent *agent, uint64_t generation,
                    enum yk_detach_reason reason);
void backend_poll(struct world *world, struct agent *agent);
/* The call with that token ends. */
void backend_end(struct world *world, struct agent *agent, uint64_t token);
/* What it holds goes away by itself; `how` it says so: not at all, pending, or error. */
void backend_lose(struct world *world, struct agent *agent, unsigned how);
/* The process ended: orderly, or not. */
void backend_orphan(struct backend *backend, bool orderly, bool power_cut);
/* True when this is what it holds. */
bool backend_serves(const struct backend *backend, struct yk_slice media);

#endif
