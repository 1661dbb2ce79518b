/* Convergence (spec, Anti-entropy): PLAN_SETTLE after all faults have ended, each consumer is at the
 * highest version that any live node caches, and its driver does what the pairing says.
 *
 * Not promised, and not asked for here: a crash empties caches, so an intent that no live node has
 * any more is gone; one that a higher, rejected one displaced is gone too; so is one that a full table
 * had to forget; and a node whose numbers are over an hour ahead of everybody's clock is not heard, and
 * does not get what it cannot ask for. */
#include "sim/heard.h"

struct record {
    struct yk_version at_calm;  /* highest that was cached when the faults ended */
    struct yk_version rejected; /* highest that this consumer ever rejected */
};

static void *make(const struct world *world)
{
    return check_records(world, sizeof(struct record));
}

static void step(void *self, struct world *world, struct agent *agent, const struct step *step)
{
    struct record *record = (struct record *)self + agent->number;

    (void)world;
    for (size_t i = 0; i < step->effects->count; i++) {
        const struct sent *sent = step->sent[i];

        if (sent != NULL && sent->frame.type == YK_TYPE_ACK && !sent->frame.as.ack.applied &&
            sent->frame.as.ack.reason != YK_REASON_SUPERSEDED &&
            version_order(&sent->frame.as.ack.version, &record->rejected) > 0) {
            record->rejected = sent->frame.as.ack.version;
        }
    }
}

/* The highest version for `consumer` that is cached by itself, or by a node which can be heard. */
static struct yk_version highest_cached(const struct world *world, const struct agent *consumer)
{
    struct yk_version highest = {0};

    for (uint32_t i = 0; i < world->agent_count; i++) {
        const struct agent *agent = &world->agents[i];
        const struct yk_version *cached =
            agent->up ? yk_intents_version(agent->view.intents, &consumer->id) : NULL;

        if (cached != NULL && (agent == consumer || agent_is_heard(world, agent)) &&
            version_order(cached, &highest) > 0) {
            highest = *cached;
        }
    }
    return highest;
}

static void calm(void *self, struct world *world)
{
    struct record *records = self;

    for (uint32_t i = 0; i < world->plan.consumers; i++) {
        records[i].at_calm = highest_cached(world, &world->agents[i]);
    }
}

static void version_converged(const struct record *record, struct world *world,
                              const struct agent *agent)
{
    const struct yk_version *version = &agent->view.pairing->version;
    struct yk_version highest = highest_cached(world, agent);

    check_that(world, version_order(version, &highest) >= 0, "converges", agent,
               "is at %s while %s is cached", version_text(version).text,
               version_text(&highest).text);
    check_that(world,
               version_order(version, &record->at_calm) >= 0 ||
                   version_order(&record->rejected, &record->at_calm) >= 0 ||
                   world->plan.tracked < world->plan.consumers,
               "converges", agent, "is at %s, and %s, which was cached, is gone",
               version_text(version).text, version_text(&record->at_calm).text);
}

static void unpaired_converged(struct world *world, const struct agent *agent)
{
    check_that(world, agent->view.state == YK_STATE_IDLE, "driver-converges", agent,
               "is unpaired and %s", yk_state_word(agent->view.state));
    check_that(world, !agent->backend.holds, "detach-never-lost", agent,
               "is unpaired and idle, and its driver holds a route");
}

static void driver_converged(struct world *world, const struct agent *agent)
{
    uint32_t number = world_find(world, &agent->view.pairing->producer);
    const struct agent *producer = number < world->agent_count ? &world->agents[number] : NULL;
    struct yk_slice media;

    if (agent->view.pairing->producer.size == 0) {
        unpaired_converged(world, agent);
        return;
    }
    if (producer != NULL && !agent_is_heard(world, producer)) {
        return; /* whoever is ahead of the clocks is heard by some and not by others */
    }
    if (producer != NULL && producer->role == YK_ROLE_PRODUCER && producer->kind != agent->kind) {
        check_that(world, agent->view.state == YK_STATE_ERROR, "driver-converges", agent,
                   "cannot show that kind and is %s", yk_state_word(agent->view.state));
        return;
    }
    if (producer == NULL || producer->role != YK_ROLE_PRODUCER || producer->media_size == 0) {
        check_that(world, agent->view.state == YK_STATE_PENDING, "driver-converges", agent,
                   "has nobody to show and is %s", yk_state_word(agent->view.state));
        return;
    }
    media = (struct yk_slice){producer->media, producer->media_size};
    check_that(world, agent->view.state == YK_STATE_ACTIVE, "driver-converges", agent,
               "could show %s and is %s", producer->id.text, yk_state_word(agent->view.state));
    check_that(world, backend_serves(&agent->backend, media), "driver-converges", agent,
               "is active, and its driver holds something else than %s", producer->id.text);
}

static void peers_converged(struct world *world, const struct agent *agent)
{
    for (uint32_t i = 0; i < world->agent_count; i++) {
        const struct agent *other = &world->agents[i];

        if (other == agent || !agent_is_heard(world, other) ||
            world->agent_count > world->plan.tracked) {
            continue;
        }
        check_that(world, yk_peers_is_live(agent->view.peers, &other->id), "peers-converge", agent,
                   "does not count %s as live", other->id.text);
    }
}

static void settled(void *self, struct world *world)
{
    const struct record *records = self;

    for (uint32_t i = 0; i < world->agent_count; i++) {
        const struct agent *agent = &world->agents[i];

        check_that(world, agent->up && agent->view.seq_left > 0, "converges", agent,
                   "does not run, or has no numbers");
        peers_converged(world, agent);
        if (agent->role == YK_ROLE_CONSUMER) {
            driver_converged(world, agent);
            if (agent_is_heard(world, agent)) {
                version_converged(&records[i], world, agent);
            }
        } else {
            check_that(world, agent->view.state == YK_STATE_ACTIVE, "driver-converges", agent,
                       "is a producer and %s", yk_state_word(agent->view.state));
        }
    }
}

static void end(void *self, struct world *world)
{
    (void)self;
    for (uint32_t i = 0; i < world->tool_count; i++) {
        const struct tool *tool = &world->tools[i];

        check_that(world, tool->answered || !tool->must_be_answered, "operation-is-answered", NULL,
                   "%s got no answer from %s in good weather", tool->id.text,
                   tool->intent.consumer.text);
    }
}

const struct checker check_converge = {
    .rule = "converge", .make = make, .step = step, .calm = calm, .settled = settled, .end = end};
