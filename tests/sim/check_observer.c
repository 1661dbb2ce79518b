/* The snooper's observer, on the host of the first agent: it hears what that one hears, on its clock,
 * with every loss and replay; what it then says must be true of the world.
 *
 * Not promised, and not asked for here: it knows nothing it did not hear, it starts anew with its host,
 * and a replay of what it never heard before is news to it, as it is to every node. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/check.h"
#include "snooper/observer.h"

#define COMMITS_KEPT 64 /* of each consumer; an operation older than those is not judged */

/* What governed at an agent, and what the observer last heard from it. */
struct record {
    struct yk_pairing commits[COMMITS_KEPT];
    size_t commit_count; /* ever */
    bool announced, gone;
    yk_time announced_at; /* the observer's clock */
    enum yk_state state;
    struct yk_version version;
};

struct self {
    bool started;
    struct yk_observer observer;
    struct record *records; /* of each agent */
    size_t memory_size;
    _Alignas(max_align_t) uint8_t memory[]; /* the observer's, then the records */
};

static void *make(const struct world *world)
{
    size_t size = yk_observer_memory(world->plan.tracked);
    size_t records = world->agent_count * sizeof(struct record);
    struct self *self;

    size = (size + _Alignof(max_align_t) - 1) / _Alignof(max_align_t) * _Alignof(max_align_t);
    self = calloc(1, sizeof *self + size + records);
    if (self == NULL) {
        abort();
    }
    self->memory_size = size;
    self->records = (struct record *)(void *)(self->memory + size);
    return self;
}

static bool is_its_host(const struct agent *agent)
{
    return agent->number == 0;
}

static void boot(void *owner, struct world *world, struct agent *agent)
{
    struct self *self = owner;
    struct yk_observer_options options = {.auth = &agent->keys.auth,
                                          .tracked = world->plan.tracked,
                                          .wall = {.unix_ns = clock_wall(&agent->clock, world->now),
                                                   .at = clock_local(&agent->clock, world->now)},
                                          .hash_seed = world->plan.seed};

    if (!is_its_host(agent)) {
        return;
    }
    memset(self->memory, 0, self->memory_size);
    yk_observer_init(&self->observer, self->memory, &options);
    self->started = true;
    for (uint32_t i = 0; i < world->agent_count; i++) {
        self->records[i].announced = false;
    }
}

/* ---- what really is */

static void see_commit(struct record *record, const struct yk_pairing *pairing)
{
    const struct yk_pairing *last =
        &record->commits[(record->commit_count + COMMITS_KEPT - 1) % COMMITS_KEPT];

    if (record->commit_count == 0 || version_order(&last->version, &pairing->version) != 0) {
        record->commits[record->commit_count++ % COMMITS_KEPT] = *pairing;
    }
}

static size_t kept_commits(const struct record *record)
{
    return record->commit_count < COMMITS_KEPT ? record->commit_count : COMMITS_KEPT;
}

/* The pairing of exactly that version, or NULL. */
static const struct yk_pairing *find_commit(const struct record *record,
                                            const struct yk_version *version)
{
    for (size_t i = 0; i < kept_commits(record); i++) {
        if (version_order(&record->commits[i].version, version) == 0) {
            return &record->commits[i];
        }
    }
    return NULL;
}

/* An ack names a version only: what it says of another body of that version, which the observer did
 * not hear of, it cannot but take for the one it heard. */

/* That governed at some time. */
static bool did_govern(const struct record *record, const struct yk_trail *trail)
{
    const struct yk_pairing *commit = find_commit(record, &trail->version);

    if (commit == NULL) {
        return record->commit_count > COMMITS_KEPT; /* too long ago to tell */
    }
    return yk_id_equal(&commit->producer, &trail->producer) ||
           (trail->outcome == YK_SEEN_APPLIED && trail->reason == YK_REASON_APPLIED);
}

/* Something newer did. */
static bool is_passed(const struct record *record, const struct yk_trail *trail)
{
    int least = trail->reason == YK_REASON_SUPERSEDED ? 0 : 1;

    for (size_t i = 0; i < kept_commits(record); i++) {
        if (version_order(&record->commits[i].version, &trail->version) >= least) {
            return true;
        }
    }
    return false;
}

/* ---- what is said about it */

static void trail_is_true(const struct self *self, struct world *world, const struct agent *host,
                          const struct yk_trail *trail)
{
    uint32_t number = world_find(world, &trail->consumer);
    const struct record *record;

    if (number >= world->agent_count) {
        check_that(world, trail->outcome == YK_SEEN_WAITING || trail->outcome == YK_SEEN_UNANSWERED,
                   "observer-true", host, "says %s of %s, whom there is not",
                   yk_outcome_seen_word(trail->outcome), trail->consumer.text);
        return;
    }
    record = &self->records[number];
    if (trail->outcome == YK_SEEN_SUPERSEDED) {
        check_that(world, is_passed(record, trail), "observer-true", host,
                   "says that %s of %s is superseded, and nothing newer ever governed",
                   version_text(&trail->version).text, trail->consumer.text);
    }
    if (trail->outcome != YK_SEEN_APPLIED && trail->outcome != YK_SEEN_ACTIVE &&
        trail->outcome != YK_SEEN_IDLE) {
        return;
    }
    check_that(world, did_govern(record, trail), "observer-true", host,
               "says that %s of %s, %s, is %s, and it never governed",
               version_text(&trail->version).text, trail->consumer.text, trail->producer.text,
               yk_outcome_seen_word(trail->outcome));
}

static void peer_is_true(const struct self *self, struct world *world, const struct agent *host,
                         uint32_t number)
{
    const struct record *record = &self->records[number];
    const struct agent *agent = &world->agents[number];
    const struct yk_peer *peer = yk_peers_find(&self->observer.peers, &agent->id);
    bool is_live = peer != NULL && peer->presence == YK_PRESENCE_LIVE;
    bool should = record->announced && !record->gone &&
                  self->observer.now < record->announced_at + YK_PEER_TIMEOUT;

    if (peer == NULL && world->agent_count > world->plan.tracked) {
        return;
    }
    check_that(world, is_live == should, "observer-true", host, "counts %s as %s", agent->id.text,
               is_live ? "live" : "silent");
    check_that(world,
               peer == NULL || (peer->state == record->state &&
                                (agent->role != YK_ROLE_CONSUMER ||
                                 version_order(&peer->pairing.version, &record->version) == 0)),
               "observer-true", host, "shows %s otherwise than it announced", agent->id.text);
}

static void changes_are_true(const struct self *self, struct world *world, const struct agent *host)
{
    for (size_t i = 0; i < self->observer.change_count; i++) {
        const struct yk_change *change = &self->observer.changes[i];
        uint32_t number = world_find(world, &change->id);

        if (change->kind == YK_CHANGE_OPERATION) {
            trail_is_true(self, world, host, &change->trail);
        } else if (number < world->agent_count) {
            peer_is_true(self, world, host, number);
        }
    }
}

/* ---- the observer's turns */

/* These depend on nothing that was heard before. */
static bool is_of_the_bytes(enum yk_drop verdict)
{
    return verdict == YK_DROP_MALFORMED || verdict == YK_DROP_VERSION || verdict == YK_DROP_AUTH ||
           verdict == YK_DROP_OVERSIZE;
}

static void note_heard(struct self *self, const struct world *world, const struct step *step,
                       const struct yk_heard_frame *heard)
{
    const struct sent *sent = step->datagram->sent;
    struct record *record;

    if (heard->verdict != YK_DROP_NONE || sent == NULL || sent->origin >= world->agent_count) {
        return;
    }
    record = &self->records[sent->origin];
    if (sent->frame.type == YK_TYPE_ANN) {
        record->announced = true;
        record->gone = false;
        record->announced_at = heard->now;
        record->state = sent->frame.as.ann.state;
        record->version = sent->frame.as.ann.pairing.version;
    } else if (sent->frame.type == YK_TYPE_BYE) {
        record->gone = true;
    }
}

static void hear(struct self *self, struct world *world, const struct agent *host,
                 const struct step *step)
{
    struct yk_address from = {.ip = {10, 0, 0, 1}, .port = 1};
    struct yk_heard_frame heard;

    yk_observer_hear(&self->observer, datagram_bytes(step->datagram), from, step->input->now,
                     &heard);
    check_that(world,
               step->verdict == YK_DROP_END || /* a node that stops hears nobody */
                   heard.verdict == step->verdict ||
                   !(is_of_the_bytes(heard.verdict) || is_of_the_bytes(step->verdict)),
               "observer-true", host, "judges as %s what the node judges as %s",
               yk_drop_word(heard.verdict), yk_drop_word(step->verdict));
    note_heard(self, world, step, &heard);
    check_that(world, heard.verdict == YK_DROP_NONE || self->observer.change_count == 0,
               "observer-true", host, "was changed by a frame it dropped as %s",
               yk_drop_word(heard.verdict));
    changes_are_true(self, world, host);
}

static void pass(struct self *self, struct world *world, const struct agent *host, yk_time now)
{
    for (unsigned i = 0; yk_observer_deadline(&self->observer) <= now; i++) {
        yk_observer_tick(&self->observer, now);
        changes_are_true(self, world, host);
        check_that(world, i < 10000, "observer-bounded", host, "has no end of work");
    }
}

static void step(void *owner, struct world *world, struct agent *agent, const struct step *step)
{
    struct self *self = owner;

    see_commit(&self->records[agent->number], step->after->pairing);
    if (!is_its_host(agent) || !self->started) {
        return;
    }
    if (step->input->kind == YK_INPUT_WALL) {
        yk_observer_wall(&self->observer,
                         (struct yk_wall){step->input->as.wall.wall_ns, step->input->now});
    }
    pass(self, world, agent, step->input->now);
    if (step->datagram != NULL) {
        hear(self, world, agent, step);
    }
    peer_is_true(self, world, agent, (uint32_t)(world->step_count % world->agent_count));
}

/* In good weather it has the whole picture. */
static void settled(void *owner, struct world *world)
{
    const struct self *self = owner;
    const struct agent *host = &world->agents[0];

    for (uint32_t i = 0; i < world->agent_count; i++) {
        const struct agent *agent = &world->agents[i];
        const struct yk_peer *peer = yk_peers_find(&self->observer.peers, &agent->id);

        if (!agent_is_heard(world, agent) || world->agent_count > world->plan.tracked) {
            continue;
        }
        check_that(world, peer != NULL && peer->presence == YK_PRESENCE_LIVE, "observer-complete",
                   host, "does not see %s, who runs", agent->id.text);
        check_that(world,
                   agent->role != YK_ROLE_CONSUMER ||
                       version_order(&peer->pairing.version, &agent->view.pairing->version) == 0,
                   "observer-complete", host, "sees %s at %s", agent->id.text,
                   version_text(&peer->pairing.version).text);
    }
}

const struct checker check_observer = {
    .rule = "observer", .make = make, .boot = boot, .step = step, .settled = settled};
