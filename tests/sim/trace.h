/* trace.h - what happened: always a hash of all of it, and when asked for, lines for people, the last
 * of which survive the process that made them. */
#ifndef YK_SIM_TRACE_H
#define YK_SIM_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_LINES 120
#define TRACE_LINE_MAX 320

/* In memory shared with the process that watches. */
struct trace {
    uint64_t hash;
    bool wanted; /* lines too */
    bool all;    /* each printed at once */
    uint64_t line_count;
    char lines[TRACE_LINES][TRACE_LINE_MAX];

    /* the verdict */
    bool failed;
    char rule[64];
    char text[512];
    uint64_t failed_at;
    /* what was done */
    uint64_t virtual_ns, steps, arrivals, frames;
    unsigned nodes;
    size_t items;
    uint64_t busiest_minute, most_reissues; /* what the bounds are measured against */
};

void trace_mix(struct trace *trace, uint64_t value);
void trace_mix_bytes(struct trace *trace, const void *bytes, size_t size);

struct world;
struct agent;
struct step;
/* A line of its own; `agent` may be NULL. */
__attribute__((format(printf, 3, 4))) void trace_say(struct world *world, const struct agent *agent,
                                                     const char *format, ...);
/* Hash, and lines where wanted, of one step of a core. */
void trace_step(struct world *world, const struct agent *agent, const struct step *step);
/* The kept lines, oldest first. */
void trace_print(const struct trace *trace);

#endif
