/* Retries (spec, Driver transitions): one that is scheduled comes no later for any number of polls or
 * errors, no wait is shorter than a second or longer than thirty, and each is twice the one before. */
#include <inttypes.h>

#include "sim/check.h"

struct record {
    uint64_t failed; /* the question whose first failure was seen */
    yk_time wait;    /* after the last failure, of failures in a row; 0: none */
    bool detaching;  /* the present question is to let go */
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

/* The present question has got the answer that was hoped for. */
static bool is_success(const struct record *record, const struct step *step)
{
    const struct yk_input *input = step->input;

    return input->kind == YK_INPUT_REPORT &&
           input->as.report.generation == step->before->generation &&
           input->as.report.status == (record->detaching ? YK_REPORT_IDLE : YK_REPORT_ACTIVE);
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
    return is_success(record, step);
}

/* A success, or a question asked for another reason than that a retry was due, starts afresh. */
static bool starts_afresh(const struct record *record, const struct step *step)
{
    return is_success(record, step) || (step->input->kind != YK_INPUT_TICK &&
                                        step->before->generation != step->after->generation);
}

static void see_failure(struct record *record, struct world *world, const struct agent *agent,
                        const struct step *step)
{
    yk_time wait = step->after->retry_at - step->input->now;
    yk_time least = 2 * record->wait < YK_RETRY_MAX ? 2 * record->wait : YK_RETRY_MAX;

    check_that(world, wait >= least, "backoff-doubles", agent,
               "waits %" PRIu64 " ms after a failure and waited %" PRIu64 " ms before",
               wait / YK_MS, record->wait / YK_MS);
    record->wait = wait;
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
    if (step->before != NULL && starts_afresh(record, step)) {
        record->wait = 0;
    } else if (ends && after != before && step->input->kind == YK_INPUT_REPORT) {
        see_failure(record, world, agent, step);
    }
    if (after != YK_TIME_NEVER && after != before) {
        check_that(world, after >= now + YK_RETRY_MIN && after <= now + YK_RETRY_MAX,
                   "retry-1-to-30-s", agent, "a retry is scheduled in %" PRIu64 " ms",
                   after > now ? (after - now) / YK_MS : 0);
    }
    for (size_t i = 0; i < step->effects->count; i++) {
        if (step->effects->list[i].kind == YK_EFFECT_DETACH ||
            step->effects->list[i].kind == YK_EFFECT_ATTACH) {
            record->detaching = step->effects->list[i].kind == YK_EFFECT_DETACH;
        }
    }
}

const struct checker check_retry = {.rule = "retry", .make = make, .boot = boot, .step = step};
