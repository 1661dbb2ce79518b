/* heard.h - what each agent has accepted from each other in this life: what it may know, kept apart
 * from the core so that the checkers need not believe the core. */
#ifndef YK_SIM_HEARD_H
#define YK_SIM_HEARD_H

#include "sim/check.h"

struct heard {
    struct sent *ann;       /* the last announcement, or NULL */
    struct sent *media_ann; /* the last one with media */
    yk_time at;             /* of the last announcement, the hearer's clock */
    bool gone;              /* said bye after that */
};

struct heard_all;

struct heard_all *heard_make(const struct world *world);
void heard_free(struct heard_all *all);
void heard_boot(struct heard_all *all, const struct world *world, const struct agent *agent);
void heard_step(struct heard_all *all, const struct agent *agent, const struct step *step);

/* What `agent` heard of the node with that number. */
const struct heard *heard_of(const struct world *world, const struct agent *agent, uint32_t number);

#endif
