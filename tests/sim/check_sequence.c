/* Numbers (spec, Replay defense): none is ever used twice, over all lives, and none at or above the
 * bound that a power cut would leave. Every frame of an agent is its own: a re-issue is no copy. */
#include <inttypes.h>

#include "sim/check.h"

struct record {
    uint64_t highest; /* ever used */
};

static void *make(const struct world *world)
{
    return check_records(world, sizeof(struct record));
}

static void see_frame(struct record *record, struct world *world, const struct agent *agent,
                      const struct sent *sent)
{
    uint64_t seq = sent->frame.seq;

    check_that(world, yk_id_equal(&sent->frame.origin, &agent->id), "own-origin", agent,
               "a frame under another origin, %s", sent->frame.origin.text);
    check_that(world, seq > record->highest, "seq-never-twice", agent,
               "number %" PRIu64 " after %" PRIu64, seq, record->highest);
    check_that(world, seq < agent->disk.durable.seq, "seq-below-durable-bound", agent,
               "number %" PRIu64 " with a durable bound of %" PRIu64, seq, agent->disk.durable.seq);
    record->highest = seq;
}

static void step(void *self, struct world *world, struct agent *agent, const struct step *step)
{
    struct record *record = (struct record *)self + agent->number;

    for (size_t i = 0; i < step->effects->count; i++) {
        const struct yk_effect *effect = &step->effects->list[i];

        if (step->sent[i] != NULL) {
            see_frame(record, world, agent, step->sent[i]);
        } else if (effect->kind == YK_EFFECT_PERSIST) {
            check_that(world, effect->as.persist.state.seq > record->highest,
                       "seq-below-durable-bound", agent,
                       "a save would lower the bound below a number that was used");
        }
    }
}

const struct checker check_sequence = {.rule = "seq", .make = make, .step = step};
