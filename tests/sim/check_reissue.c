/* Re-issues (spec, Anti-entropy): one for an announcement of a consumer that is behind, after a
 * jitter, none when somebody was faster, never with members that were not understood; and few in all
 * however many nodes could. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/check.h"

/* In good weather, for one announcement of a consumer that is behind, by all nodes together: with
 * latencies up to a millisecond and 200 nodes within one second of jitter the first is heard before
 * more than a few others speak. */
#define REISSUES_MAX 4

struct wish { /* of one agent for one consumer */
    bool open;
    yk_time since;
    struct yk_version version; /* announced */
};

struct memory { /* of one agent about one consumer: what its cache must be */
    struct yk_version cached, rejected;
};

struct self {
    uint32_t count;
    struct wish *wishes;     /* a row for each agent */
    struct memory *memories; /* the same */
    struct said {
        bool calm;         /* in good weather */
        unsigned reissues; /* since */
    } * said;              /* the last announcement of each consumer */
};

static void *make(const struct world *world)
{
    size_t count = world->agent_count;
    struct self *self =
        calloc(1, sizeof *self + count * count * (sizeof(struct wish) + sizeof(struct memory)) +
                      count * sizeof(struct said));

    if (self == NULL) {
        abort();
    }
    self->count = world->agent_count;
    self->wishes = (struct wish *)(self + 1);
    self->memories = (struct memory *)(self->wishes + count * count);
    self->said = (struct said *)(self->memories + count * count);
    return self;
}

static struct wish *wish_of(struct self *self, const struct agent *agent, uint32_t consumer)
{
    return &self->wishes[(size_t)agent->number * self->count + consumer];
}

static struct memory *memory_of(struct self *self, const struct agent *agent, uint32_t consumer)
{
    return &self->memories[(size_t)agent->number * self->count + consumer];
}

static void boot(void *self_, struct world *world, struct agent *agent)
{
    struct self *self = self_;

    (void)world;
    for (uint32_t i = 0; i < self->count; i++) {
        wish_of(self, agent, i)->open = false;
        *memory_of(self, agent, i) = (struct memory){0};
    }
}

static void see_heard(struct self *self, struct world *world, const struct agent *agent,
                      const struct step *step)
{
    const struct sent *sent = step->datagram->sent;
    const struct yk_version *cached;
    struct wish *wish;

    if (sent->frame.type == YK_TYPE_ANN && sent->frame.as.ann.role == YK_ROLE_CONSUMER &&
        sent->origin < self->count) {
        wish = wish_of(self, agent, sent->origin);
        cached = yk_intents_version(agent->view.intents, &sent->frame.origin);
        wish->version = sent->frame.as.ann.pairing.version;
        if (cached == NULL || version_order(&wish->version, cached) >= 0) {
            wish->open = false;
        } else if (!wish->open) {
            wish->open = true;
            wish->since = step->input->now;
        }
    } else if (sent->frame.type == YK_TYPE_INT) {
        const struct yk_intent *intent = &sent->frame.as.intent;
        uint32_t consumer = world_find(world, &intent->consumer);
        const struct yk_version *version =
            yk_intents_version(agent->view.intents, &intent->consumer);

        if (consumer != UINT32_MAX && version != NULL &&
            version_order(&intent->version, version) >= 0) {
            wish_of(self, agent, consumer)->open = false;
        }
    }
}

/* What may be in a cache after an intent: the highest, and never what its consumer rejected. A small
 * table forgets, and so does a day. */
static void see_cache(struct self *self, struct world *world, const struct agent *agent,
                      const struct step *step)
{
    const struct sent *sent = step->datagram->sent;
    bool is_ack = sent->frame.type == YK_TYPE_ACK;
    const struct yk_id *id = is_ack ? &sent->frame.origin : &sent->frame.as.intent.consumer;
    uint32_t consumer = world_find(world, id);
    const struct yk_version *cached = yk_intents_version(agent->view.intents, id);
    struct memory *memory;

    if (consumer == UINT32_MAX || world->plan.tracked < world->agent_count) {
        return;
    }
    memory = memory_of(self, agent, consumer);
    if (is_ack && !sent->frame.as.ack.applied &&
        sent->frame.as.ack.reason != YK_REASON_SUPERSEDED) {
        if (version_order(&sent->frame.as.ack.version, &memory->cached) == 0) {
            memory->cached.n = 0;
        }
        if (version_order(&sent->frame.as.ack.version, &memory->rejected) > 0) {
            memory->rejected = sent->frame.as.ack.version;
        }
    }
    check_that(world,
               memory->cached.n == 0 || step->input->now >= YK_INTENT_CACHE_TTL ||
                   (cached != NULL && version_order(cached, &memory->cached) >= 0) ||
                   agent->number == consumer,
               "cache-keeps-the-highest", agent, "had %s of %s and has %s",
               version_text(&memory->cached).text, id->text,
               cached != NULL ? version_text(cached).text : "nothing");
    check_that(world, cached == NULL || version_order(cached, &memory->rejected) != 0,
               "rejected-is-not-cached", agent, "caches %s, which %s rejected",
               version_text(cached).text, id->text);
    memory->cached = cached != NULL ? *cached : (struct yk_version){0};
}

static void count_reissue(struct said *said, struct world *world, const struct agent *agent,
                          const struct yk_intent *intent)
{
    said->reissues++;
    if (!said->calm || !world->calm) {
        return;
    }
    if (said->reissues > world->trace->most_reissues) {
        world->trace->most_reissues = said->reissues;
    }
    check_that(world, said->reissues <= REISSUES_MAX, "reissues-few", agent,
               "re-issue %u since %s announced itself", said->reissues, intent->consumer.text);
}

static void see_sent(struct self *self, struct world *world, const struct agent *agent,
                     const struct step *step, const struct sent *sent)
{
    const struct yk_intent *intent = &sent->frame.as.intent;
    uint32_t consumer;
    struct wish *wish;

    if (sent->frame.type == YK_TYPE_ANN) {
        self->said[agent->number] = (struct said){.calm = world->calm};
    }
    if (sent->frame.type != YK_TYPE_INT) {
        return;
    }
    consumer = world_find(world, &intent->consumer);
    check_that(world, consumer != UINT32_MAX, "reissue-for-cause", agent, "for nobody we know");
    wish = wish_of(self, agent, consumer);
    check_that(world, wish->open, "reissue-for-cause", agent,
               "offers %s to %s, which nobody is waiting for", version_text(&intent->version).text,
               intent->consumer.text);
    check_that(world, version_order(&intent->version, &wish->version) > 0, "reissue-for-cause",
               agent, "offers %s to a consumer that has it", version_text(&intent->version).text);
    check_that(world, step->input->now >= wish->since + YK_REISSUE_MIN, "reissue-after-jitter",
               agent, "%" PRIu64 " ms after the announcement",
               (step->input->now - wish->since) / YK_MS);
    check_that(world,
               memmem(sent->bytes, sent->size, TOOL_EXTENSION, strlen(TOOL_EXTENSION)) == NULL,
               "reissue-normalised", agent, "repeats a member that it does not know");
    wish->open = false;
    count_reissue(&self->said[consumer], world, agent, intent);
}

static void step(void *self_, struct world *world, struct agent *agent, const struct step *step)
{
    struct self *self = self_;

    if (step->datagram != NULL && step->datagram->sent != NULL && step->verdict == YK_DROP_NONE &&
        step->datagram->sent->origin != agent->number) {
        see_heard(self, world, agent, step);
        if (step->datagram->sent->frame.type == YK_TYPE_INT ||
            step->datagram->sent->frame.type == YK_TYPE_ACK) {
            see_cache(self, world, agent, step);
        }
    }
    for (size_t i = 0; i < step->effects->count; i++) {
        if (step->sent[i] != NULL) {
            see_sent(self, world, agent, step, step->sent[i]);
        }
    }
}

const struct checker check_reissue = {.rule = "reissue", .make = make, .boot = boot, .step = step};
