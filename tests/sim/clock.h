/* clock.h - a host's clocks: a monotonic one with a rate of its own, and a wall clock that is wrong
 * by whatever the history says. True time is nanoseconds since the simulation began. */
#ifndef YK_SIM_CLOCK_H
#define YK_SIM_CLOCK_H

#include <stdint.h>

#include "core/types.h"

#define CLOCK_EPOCH_NS INT64_C(1796018523000000000) /* Unix time when the simulation begins */
#define CLOCK_RATE_PPM_MAX 20000                    /* a very bad oscillator */

struct sim_clock {
    uint64_t boot; /* true time of the last boot */
    uint64_t uptime_at_boot;
    int64_t ppm;      /* gains so many millionths */
    int64_t wall_off; /* nanoseconds the wall clock is ahead of the truth */
};

/* Monotonic nanoseconds since boot. */
static inline yk_time clock_local(const struct sim_clock *clock, uint64_t now)
{
    int64_t passed = (int64_t)(now - clock->boot);
    int64_t gained = passed / 1000000 * clock->ppm + passed % 1000000 * clock->ppm / 1000000;

    return clock->uptime_at_boot + (uint64_t)(passed + gained);
}

/* The first true time at which the monotonic clock shows `local` or more. */
static inline uint64_t clock_true(const struct sim_clock *clock, yk_time local)
{
    uint64_t rate = (uint64_t)(1000000 + clock->ppm);
    uint64_t passed = local > clock->uptime_at_boot ? local - clock->uptime_at_boot : 0;
    uint64_t now = clock->boot + passed / rate * 1000000 + passed % rate * 1000000 / rate;

    while (clock_local(clock, now) < local) {
        now++;
    }
    return now;
}

static inline int64_t clock_wall(const struct sim_clock *clock, uint64_t now)
{
    return CLOCK_EPOCH_NS + (int64_t)now + clock->wall_off;
}

#endif
