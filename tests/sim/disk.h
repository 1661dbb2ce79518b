/* disk.h - where one agent's state lies: what is seen by whoever reads it now, and what is still there
 * when the power fails. One save at a time. */
#ifndef YK_SIM_DISK_H
#define YK_SIM_DISK_H

#include "core/types.h"
#include "sim/dice.h"
#include "sim/plan.h"

struct disk {
    struct yk_durable durable; /* survives a power cut */
    struct yk_durable seen;    /* survives the process */
    bool saving;
    struct yk_durable asked;
    uint64_t request;
    uint64_t slow_ms; /* longest save; 0: as fast as it can be */
    bool failing;
    enum plan_left failure_leaves;
    struct dice dice;
};

/* Begins a save; gives how long it takes. */
uint64_t disk_save(struct disk *disk, uint64_t request, const struct yk_durable *state);
/* The save ends; true when all of it is durable. */
bool disk_end(struct disk *disk);
/* The process or the power goes while a save may run; `left` says what of it is there. */
void disk_interrupt(struct disk *disk, bool power_cut, enum plan_left left);

#endif
