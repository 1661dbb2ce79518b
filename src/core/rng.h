/* rng.h - jitter: a small seeded generator (splitmix64), so that a run is a function of its inputs.
 * Not for secrets. */
#ifndef YK_CORE_RNG_H
#define YK_CORE_RNG_H

#include "core/types.h"

struct yk_rng {
    uint64_t state;
};

static inline uint64_t yk_rng_next(struct yk_rng *rng)
{
    uint64_t z = (rng->state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A time in [least, most]. */
static inline yk_time yk_rng_between(struct yk_rng *rng, yk_time least, yk_time most)
{
    return least + yk_rng_next(rng) % (most - least + 1);
}

#endif
