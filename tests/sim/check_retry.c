/* Retries (spec, Driver transitions): one that is scheduled comes no later for any number of polls or
 * errors, and no wait is shorter than a second or longer than thirty. */
#include <inttypes.h>

#include "sim/check.h"

struct record {
    uint64_t failed; /* the question whose first failure was seen */
};

static void *make(const struct world *world)
{
    return check_records(world, sizeof(struct record));
}

static void boot(void *self, struct world *world, struct agent *agent)
{
    (void)world;
    ((struct record *)self)[agent->number] = (struct record){0};
}

/* The end of an attempt: its answer, or a new question. */
static bool ends_attempt(struct record *record, const struct step *step)
{
    const struct yk_input *input = step->input;

    if (step->before->generation != step->after->generation) {
        return true;
    }
    if (input->kind != YK_INPUT_REPORT || input->as.report.generation != step->before->generation) {
        return false;
    }
    if (input->as.report.status == YK_REPORT_ERROR) {
        bool first = record->failed != step->before->generation;

        record->failed = step->before->generation;
        return first;
    }
    return input->as.report.status == YK_REPORT_ACTIVE || input->as.report.status == YK_REPORT_IDLE;
}

static void step(void *self, struct world *world, struct agent *agent, const struct step *step)
{
    struct record *record = (struct record *)self + agent->number;
    yk_time now = step->input->now;
    yk_time after = step->after->retry_at;
    yk_time before = step->before != NULL ? step->before->retry_at : YK_TIME_NEVER;
    bool ends = step->before == NULL || ends_attempt(record, step);

    if (before != YK_TIME_NEVER && now < before && !ends) {
        check_that(world, after <= before, "retry-not-postponed", agent,
                   "a retry due in %" PRIu64 " ms is put off", (before - now) / YK_MS);
    }
    if (after != YK_TIME_NEVER && after != before) {
        check_that(world, after >= now + YK_RETRY_MIN && after <= now + YK_RETRY_MAX,
                   "retry-1-to-30-s", agent, "a retry is scheduled in %" PRIu64 " ms",
                   after > now ? (after - now) / YK_MS : 0);
    }
}

const struct checker check_retry = {.rule = "retry", .make = make, .boot = boot, .step = step};
