#include "sim/shrink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIES_MAX 2000

static bool breaks_same(const struct plan *plan, struct trace *trace, const char *rule)
{
    return !run_plan(plan, trace, RUN_NO_LINES) && strcmp(trace->rule, rule) == 0;
}

/* The plan without `count` items from `first` on; true when it still breaks the rule. */
static bool try_without(struct plan *plan, size_t first, size_t count, struct trace *trace,
                        const char *rule)
{
    struct plan smaller = *plan;

    smaller.items = calloc(plan->count + 1, sizeof *smaller.items);
    if (smaller.items == NULL) {
        abort();
    }
    smaller.count = plan->count - count;
    memcpy(smaller.items, plan->items, first * sizeof *plan->items);
    memcpy(smaller.items + first, plan->items + first + count,
           (plan->count - first - count) * sizeof *plan->items);
    if (!breaks_same(&smaller, trace, rule)) {
        free(smaller.items);
        return false;
    }
    free(plan->items);
    *plan = smaller;
    return true;
}

/* What comes after the failure cannot have mattered. */
static void cut_end(struct plan *plan, uint64_t failed_at)
{
    while (plan->count > 0 && plan->items[plan->count - 1].at > failed_at) {
        plan->count--;
    }
}

static void cut_rounds(struct plan *plan, struct trace *trace, const char *rule)
{
    while (plan->rounds > 1) {
        plan->rounds--;
        if (!breaks_same(plan, trace, rule)) {
            plan->rounds++;
            return;
        }
    }
}

static bool is_named(const struct plan *plan, uint32_t node)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct item *item = &plan->items[i];

        if (item->who == node || (item->kind == PLAN_OPERATE && item->x == (int64_t)node)) {
            return true;
        }
    }
    return false;
}

/* The last producers, as long as nothing happens to them: fewer are there to be read about. */
static void cut_nodes(struct plan *plan, struct trace *trace, const char *rule)
{
    while (plan->nodes > plan->consumers + 1 && !is_named(plan, plan->nodes - 1)) {
        plan->nodes--;
        if (!breaks_same(plan, trace, rule)) {
            plan->nodes++;
            return;
        }
    }
}

static void soften(struct plan *plan, struct trace *trace, const char *rule)
{
    for (size_t i = 0; i < plan->count; i++) {
        struct item saved = plan->items[i];

        plan->items[i].lasts = saved.lasts / 4 + 1;
        if (!breaks_same(plan, trace, rule)) {
            plan->items[i] = saved;
        }
    }
}

void shrink(struct plan *plan, struct trace *trace)
{
    char rule[sizeof trace->rule];
    unsigned tries = 0;

    memcpy(rule, trace->rule, sizeof rule);
    cut_end(plan, trace->failed_at);
    cut_rounds(plan, trace, rule);
    for (size_t part = plan->count / 2; part > 0 && tries < TRIES_MAX;) {
        bool took = false;

        for (size_t first = 0; first + part <= plan->count && tries < TRIES_MAX; tries++) {
            if (try_without(plan, first, part, trace, rule)) {
                took = true;
                printf("sim: %zu items left\n", plan->count);
            } else {
                first += part;
            }
        }
        part = took && part == 1 ? 1 : part / 2;
    }
    cut_nodes(plan, trace, rule);
    soften(plan, trace, rule);
}
