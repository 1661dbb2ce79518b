/* Admission (spec, Authentication and Replay defense), against a model of its own: each datagram gets
 * the verdict it must get. What is forged, signed with a key that is not accepted here and now, or
 * replayed to somebody who has heard later frames of its origin, changes nothing. */
#include <inttypes.h>
#include <stdlib.h>

#include "sim/check.h"

/* What one receiver has of one origin in this life. */
struct high {
    uint64_t seq; /* 0: nothing */
    uint64_t frame;
    uint64_t order; /* of acceptance at this receiver */
    yk_time at;
};

struct record {
    int64_t wall_ns; /* noticed last, and when */
    yk_time wall_at;
    uint64_t floor;
    uint64_t order;
    uint32_t origins; /* heard in this life */
};

struct self {
    uint32_t origins;
    struct record *records;
    struct high *highs; /* a row of `origins` for each agent */
};

static void *make(const struct world *world)
{
    uint32_t origins = world->agent_count + world->tool_capacity;
    size_t rows = (size_t)world->agent_count * origins * sizeof(struct high);
    size_t heads = world->agent_count * sizeof(struct record);
    struct self *self = calloc(1, sizeof *self + heads + rows);

    if (self == NULL) {
        abort();
    }
    self->origins = origins;
    self->records = (struct record *)(self + 1);
    self->highs = (struct high *)(self->records + world->agent_count);
    return self;
}

static void boot(void *self_, struct world *world, struct agent *agent)
{
    struct self *self = self_;
    struct high *row = &self->highs[(size_t)agent->number * self->origins];

    (void)world;
    self->records[agent->number] = (struct record){0};
    for (uint32_t i = 0; i < self->origins; i++) {
        row[i] = (struct high){0};
    }
}

static bool is_far_ahead(const struct record *record, uint64_t seq, yk_time now)
{
    uint64_t wall = record->wall_ns > 0 ? (uint64_t)record->wall_ns : 0;

    wall += now - record->wall_at;
    if (wall < record->floor) {
        wall = record->floor;
    }
    return seq > wall + YK_SEQ_FUTURE;
}

/* A full table forgets who was heard least recently, and every table who was not heard for a day:
 * then anything goes (a stated limit of the specification). */
static bool may_be_forgotten(const struct self *self, const struct world *world,
                             const struct agent *agent, const struct high *high, yk_time now)
{
    const struct record *record = &self->records[agent->number];
    const struct high *row = &self->highs[(size_t)agent->number * self->origins];
    uint32_t later = 0;

    if (now - high->at >= YK_PEER_FORGET) {
        return true;
    }
    if (record->origins < world->plan.tracked) {
        return false;
    }
    for (uint32_t i = 0; i < self->origins; i++) {
        later += row[i].order > high->order;
    }
    return later + 2 >= world->plan.tracked; /* one place is kept for the paired producer */
}

static enum yk_drop expected(const struct agent *agent, const struct record *record,
                             const struct high *high, const struct sent *sent, yk_time now)
{
    if (!keys_accept(&agent->keys, sent->key)) {
        return YK_DROP_AUTH;
    }
    if (is_far_ahead(record, sent->frame.seq, now)) {
        return YK_DROP_STALE;
    }
    if (sent->frame.seq > high->seq) {
        return YK_DROP_NONE;
    }
    return sent->number == high->frame ? YK_DROP_DUP : YK_DROP_STALE;
}

static void accept(struct record *record, struct high *high, const struct sent *sent, yk_time now)
{
    record->origins += high->seq == 0;
    *high = (struct high){sent->frame.seq, sent->number, ++record->order, now};
}

/* Nothing else was due when it came, so all that happened is its doing. */
static void changes_nothing(struct world *world, const struct agent *agent, const struct step *step,
                            const char *rule)
{
    check_that(world, step->digest_before == step->digest_after, rule, agent,
               "it changed what the node knows or is");
    for (size_t i = 0; i < step->effects->count; i++) {
        const struct yk_effect *effect = &step->effects->list[i];
        bool drops =
            (effect->kind == YK_EFFECT_EVENT && effect->as.event.event == YK_EVENT_RX_DROP) ||
            (step->sent[i] != NULL && step->sent[i]->frame.type == YK_TYPE_EVT &&
             step->sent[i]->frame.as.evt.event == YK_EVENT_RX_DROP);

        drops |= agent->past_ahead && effect->kind == YK_EFFECT_EVENT &&
                 effect->as.event.event == YK_NOTE_ID_CONFLICT;
        /* Saying so may use up numbers, and renewing them is a save. */
        check_that(world, drops || effect->kind == YK_EFFECT_PERSIST, rule, agent,
                   "effect %d followed", (int)effect->kind);
    }
}

static void see_ours(struct self *self, struct world *world, const struct agent *agent,
                     const struct step *step)
{
    const struct sent *sent = step->datagram->sent;
    struct record *record = &self->records[agent->number];
    struct high *high = &self->highs[(size_t)agent->number * self->origins + sent->origin];
    yk_time now = step->input->now;
    enum yk_drop right = expected(agent, record, high, sent, now);
    bool may_be = step->verdict == right || (step->verdict == YK_DROP_NONE && high->seq != 0 &&
                                             may_be_forgotten(self, world, agent, high, now));

    check_that(world, may_be, "admission", agent, "#%" PRIu64 " of %s is %s and must be %s",
               sent->number, sent->frame.origin.text,
               step->verdict == YK_DROP_NONE ? "accepted" : yk_drop_word(step->verdict),
               right == YK_DROP_NONE ? "accepted" : yk_drop_word(right));
    if (step->verdict == YK_DROP_NONE) {
        accept(record, high, sent, now);
    } else if (step->verdict == YK_DROP_AUTH) {
        changes_nothing(world, agent, step, "unaccepted-key-changes-nothing");
    } else if (step->datagram->replayed) {
        changes_nothing(world, agent, step, "replay-changes-nothing");
    }
}

static void see_clock(struct record *record, const struct step *step)
{
    const struct yk_input *input = step->input;

    if (input->kind == YK_INPUT_START) {
        record->wall_ns = input->as.start.wall_ns;
        record->wall_at = input->now;
        record->floor = input->as.start.state.seq;
    } else if (input->kind == YK_INPUT_WALL) {
        record->wall_ns = input->as.wall.wall_ns;
        record->wall_at = input->now;
    }
    if (step->after->seq_bound > record->floor) { /* a save has succeeded */
        record->floor = step->after->seq_bound;
    }
}

static void step(void *self_, struct world *world, struct agent *agent, const struct step *step)
{
    struct self *self = self_;

    see_clock(&self->records[agent->number], step);
    if (step->datagram == NULL || step->verdict == YK_DROP_END) {
        return; /* or it is stopping and hears nobody */
    }
    if (step->datagram->sent != NULL) {
        see_ours(self, world, agent, step);
        return;
    }
    check_that(world,
               step->verdict != YK_DROP_NONE && step->verdict != YK_DROP_STALE &&
                   step->verdict != YK_DROP_DUP,
               "forged-changes-nothing", agent, "a forged frame is %s",
               step->verdict == YK_DROP_NONE ? "accepted" : yk_drop_word(step->verdict));
    changes_nothing(world, agent, step, "forged-changes-nothing");
}

const struct checker check_hostile = {.rule = "hostile", .make = make, .boot = boot, .step = step};
