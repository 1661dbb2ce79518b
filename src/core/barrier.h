/* barrier.h - the one place where durability is waited for (spec, Consumer state machine 3): at most
 * one save runs; a staged pairing governs only after the save that carries it. */
#ifndef YK_CORE_BARRIER_H
#define YK_CORE_BARRIER_H

#include "core/backoff.h"
#include "core/outbox.h"

struct yk_barrier {
    bool ready; /* the first save, at startup, has ended, well or badly */
    bool saving;
    bool carries_staged;     /* the save that runs holds the staged pairing */
    uint64_t request;        /* of the last save */
    struct yk_durable asked; /* what it saves */
    bool staged;
    struct yk_intent intent; /* staged */
    struct yk_backoff retry; /* of a reservation that failed */
};

void yk_barrier_init(struct yk_barrier *barrier);

/* True while everything else has to wait. */
bool yk_barrier_is_closed(const struct yk_barrier *barrier);

/* Takes an intent that is to govern; must not be closed. */
void yk_barrier_stage(struct yk_barrier *barrier, const struct yk_intent *intent);

/* True when a save with this request runs: all other feedback is to be ignored. */
bool yk_barrier_awaits(const struct yk_barrier *barrier, uint64_t request);

/* What the end of a save that was awaited means. */
enum yk_save_outcome {
    YK_SAVE_RESERVED = 1, /* numbers are reserved, no pairing was in it */
    YK_SAVE_COMMITTED,    /* and the staged intent governs now: `intent` */
    YK_SAVE_FAILED        /* nothing changed; what was staged in it is dropped */
};
enum yk_save_outcome yk_barrier_persisted(struct yk_barrier *barrier, bool ok,
                                          struct yk_outbox *outbox, struct yk_intent *intent);

/* Starts the save that is wanted, if one is and none runs: for what is staged, or for numbers. */
void yk_barrier_pump(struct yk_barrier *barrier, const struct yk_pairing *committed,
                     struct yk_outbox *outbox);

/* The pairing an intent makes. */
struct yk_pairing yk_pairing_of(const struct yk_intent *intent);

#endif
