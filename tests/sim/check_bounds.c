/* Bounds of what is kept, and what must not be believed of oneself. */
#include "sim/check.h"

/* Steps of an agent between two counts of what its tables hold: each looks at all nodes. */
#define COUNT_EVERY(nodes) (64 + 8 * (nodes))

struct record {
    unsigned steps;
};

static void *make(const struct world *world)
{
    return check_records(world, sizeof(struct record));
}

static void bounds(struct world *world, const struct agent *agent)
{
    const struct yk_peers *peers = agent->view.peers;
    const struct yk_intents *intents = agent->view.intents;
    uint32_t tracked = world->plan.tracked;

    check_that(world, peers->table.count <= tracked && intents->table.count <= tracked,
               "tables-bounded", agent, "%u peers and %u intents in tables for %u",
               peers->table.count, intents->table.count, tracked);
    check_that(world, intents->reissue_count <= YK_REISSUES_MAX, "tables-bounded", agent,
               "%zu re-issues wait", intents->reissue_count);
}

static void contents(struct world *world, const struct agent *agent)
{
    const struct yk_peers *peers = agent->view.peers;
    const struct yk_intents *intents = agent->view.intents;
    const struct yk_peer *peer = NULL;
    const struct yk_cached_intent *cached = NULL;
    uint32_t live = 0;
    uint32_t count = 0;

    while ((peer = yk_peers_next(peers, peer)) != NULL) {
        count++;
        live += peer->presence == YK_PRESENCE_LIVE;
    }
    check_that(world, count == peers->table.count && live == peers->live_count, "tables-bounded",
               agent, "%u peers, %u live in the table; %u and %u counted", peers->table.count,
               peers->live_count, count, live);
    for (count = 0; (cached = yk_intents_next(intents, cached)) != NULL; count++) {}
    check_that(world, count == intents->table.count, "tables-bounded", agent,
               "%u intents in the table, %u counted", intents->table.count, count);
}

static void step(void *self, struct world *world, struct agent *agent, const struct step *step)
{
    struct record *record = (struct record *)self + agent->number;

    bounds(world, agent);
    if (++record->steps % COUNT_EVERY(world->agent_count) == 0) {
        contents(world, agent);
    }
    /* Nobody else has our id here, whatever is replayed (of lives whose clock was not ahead). */
    check_that(world, !step->after->id_conflict || agent->past_ahead, "no-false-conflict", agent,
               "believes that another node has its id");
}

const struct checker check_bounds = {.rule = "bounds", .make = make, .step = step};
