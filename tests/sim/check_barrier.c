/* The barrier (spec, Consumer state machine 3): one save at a time, everything waits while one is
 * awaited that must be, and only its success changes what governs. */
#include "sim/check.h"

static void *make(const struct world *world)
{
    return check_records(world, 1);
}

static bool starts_save(const struct step *step)
{
    for (size_t i = 0; i < step->effects->count; i++) {
        if (step->effects->list[i].kind == YK_EFFECT_PERSIST) {
            return true;
        }
    }
    return false;
}

static void step(void *self, struct world *world, struct agent *agent, const struct step *step)
{
    bool starts = starts_save(step);
    bool saving = agent->disk.saving;
    bool saved = step->input->kind == YK_INPUT_PERSISTED && step->input->as.persisted.ok &&
                 !agent->stray_feedback;

    (void)self;
    check_that(world, !(starts && saving), "one-save-at-a-time", agent,
               "a save is wanted while another runs");
    check_that(world, !step->is_blocked || starts || saving || agent->save_ended, "barrier-opens",
               agent, "waits for a save that nobody makes");
    check_that(world, !agent->stray_feedback || step->digest_before == step->digest_after,
               "unknown-feedback-ignored", agent, "the end of no save that is open changed it");
    if (step->before != NULL && !saved) {
        check_that(world,
                   version_order(&step->pairing_before.version, &step->after->pairing->version) ==
                       0,
                   "staged-persistence", agent, "a pairing governs without a successful save");
    }
}

const struct checker check_barrier = {.rule = "barrier", .make = make, .step = step};
