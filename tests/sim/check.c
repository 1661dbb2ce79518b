#include "sim/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/heard.h"

static const struct checker *const checkers[] = {
    &check_sequence, &check_durable, &check_barrier, &check_hostile,  &check_route,    &check_retry,
    &check_reissue,  &check_traffic, &check_bounds,  &check_converge, &check_observer,
};
#define CHECKERS (sizeof checkers / sizeof *checkers)

struct checks {
    struct heard_all *heard;
    void *selves[CHECKERS];
};

struct checks *checks_make(const struct world *world)
{
    struct checks *checks = calloc(1, sizeof *checks);

    if (checks == NULL) {
        abort();
    }
    checks->heard = heard_make(world);
    for (size_t i = 0; i < CHECKERS; i++) {
        checks->selves[i] = checkers[i]->make(world);
    }
    return checks;
}

void checks_free(struct checks *checks)
{
    for (size_t i = 0; i < CHECKERS; i++) {
        free(checks->selves[i]);
    }
    heard_free(checks->heard);
    free(checks);
}

struct heard_all *checks_heard(const struct world *world)
{
    return world->checks->heard;
}

void checks_boot(struct world *world, struct agent *agent)
{
    heard_boot(world->checks->heard, world, agent);
    for (size_t i = 0; i < CHECKERS; i++) {
        if (checkers[i]->boot != NULL) {
            checkers[i]->boot(world->checks->selves[i], world, agent);
        }
    }
}

void checks_step(struct world *world, struct agent *agent, const struct step *step)
{
    heard_step(world->checks->heard, agent, step);
    for (size_t i = 0; i < CHECKERS; i++) {
        if (checkers[i]->step != NULL) {
            checkers[i]->step(world->checks->selves[i], world, agent, step);
        }
    }
}

void checks_calm(struct world *world)
{
    for (size_t i = 0; i < CHECKERS; i++) {
        if (checkers[i]->calm != NULL) {
            checkers[i]->calm(world->checks->selves[i], world);
        }
    }
}

void checks_settled(struct world *world)
{
    for (size_t i = 0; i < CHECKERS; i++) {
        if (checkers[i]->settled != NULL) {
            checkers[i]->settled(world->checks->selves[i], world);
        }
    }
}

void checks_end(struct world *world)
{
    for (size_t i = 0; i < CHECKERS; i++) {
        if (checkers[i]->end != NULL) {
            checkers[i]->end(world->checks->selves[i], world);
        }
    }
}

void check_fail(struct world *world, const char *rule, const struct agent *agent,
                const char *format, ...)
{
    struct trace *trace = world->trace;
    va_list arguments;
    int used = snprintf(trace->text, sizeof trace->text,
                        "%s: ", agent != NULL ? agent->id.text : "everybody");

    va_start(arguments, format);
    vsnprintf(trace->text + used, sizeof trace->text - (size_t)used, format, arguments);
    va_end(arguments);
    snprintf(trace->rule, sizeof trace->rule, "%s", rule);
    trace->failed = true;
    trace->failed_at = world->now;
    trace_say(world, agent, "FAILS %s: %s", rule, trace->text);
    exit(1); /* of the process that runs this one history */
}

int version_order(const struct yk_version *a, const struct yk_version *b)
{
    if (a->n != b->n) {
        return a->n < b->n ? -1 : 1;
    }
    return strcmp(a->author.text, b->author.text);
}

struct version_text version_text(const struct yk_version *version)
{
    struct version_text text;

    snprintf(text.text, sizeof text.text, "%" PRIu64 "/%s", version->n, version->author.text);
    return text;
}

void *check_records(const struct world *world, size_t size)
{
    void *records = calloc(world->agent_count, size);

    if (records == NULL) {
        abort();
    }
    return records;
}
