/* sequence.h - numbers for our frames, each below the durable bound (spec, Replay defense). */
#ifndef YK_CORE_SEQUENCE_H
#define YK_CORE_SEQUENCE_H

#include "core/types.h"

struct yk_sequence {
    uint64_t first; /* of this life */
    uint64_t next;  /* not used yet */
    uint64_t bound; /* durable: numbers below it may be used; 0 before the first save */
};

/* Starts above the saved bound and the wall clock (Unix nanoseconds, cut to whole seconds),
 * whichever is higher. Nothing may be used until a reservation is saved. */
void yk_sequence_start(struct yk_sequence *sequence, uint64_t saved_bound, int64_t wall_ns);
/* The bound to save next: the present one while half a block is left, else a block more. At the end
 * of the number range it grows no further. */
uint64_t yk_sequence_proposal(const struct yk_sequence *sequence);
/* True when the proposal is above the durable bound, so that a save is wanted. */
bool yk_sequence_wants_save(const struct yk_sequence *sequence);
/* A save with this bound is durable. */
void yk_sequence_saved(struct yk_sequence *sequence, uint64_t bound);
/* The next number; false when none is left below the bound. */
YK_MUST_USE bool yk_sequence_take(struct yk_sequence *sequence, uint64_t *number);
/* How many numbers are left below the bound. */
uint64_t yk_sequence_left(const struct yk_sequence *sequence);

#endif
