#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/check.h"
#include "sim/digest.h"
#include "sim/world.h"

#define STOP_LIMIT (2 * YK_SECOND)
#define DIGEST_NODES 16
#define FEEDBACK_STRAY 100    /* per mille of the saves */
#define TICKS_AT_ONCE_MAX 200 /* the work of one moment is spread over a few */

static struct yk_effects effects; /* of the step that runs */

static bool is_stalled(const struct world *world, const struct agent *agent)
{
    return world->now < agent->stalled_until;
}

/* ---- after a step */

static void begin_save(struct world *world, struct agent *agent, const struct yk_effect *effect)
{
    uint64_t takes = disk_save(&agent->disk, effect->as.persist.request, &effect->as.persist.state);

    if (agent->crash_at_save != NULL) {
        takes = dice_below(&agent->dice, takes);
    }
    world_later(
        world, takes,
        (struct happening){.kind = HAPPENS_SAVED, .who = agent->number, .token = agent->life});
}

static void end_orderly(struct world *world, struct agent *agent)
{
    backend_orphan(&agent->backend, true, false);
    agent_kill(world, agent, agent->power_cut);
    if (agent->down_until <= world->now) {
        agent->down_until = world->now + 1;
    }
    world_later(world, agent->down_until - world->now,
                (struct happening){.kind = HAPPENS_BOOT, .who = agent->number});
}

static void perform(struct world *world, struct agent *agent, const struct step *step)
{
    for (size_t i = 0; i < step->effects->count && agent->up; i++) {
        const struct yk_effect *effect = &step->effects->list[i];

        switch (effect->kind) {
        case YK_EFFECT_SEND:
            network_send(world, step->sent[i]);
            break;
        case YK_EFFECT_PERSIST:
            begin_save(world, agent, effect);
            break;
        case YK_EFFECT_ATTACH:
            host_attach(world, agent, effect->as.attach.generation, effect->as.attach.media);
            break;
        case YK_EFFECT_DETACH:
            host_detach(world, agent, effect->as.detach.generation, effect->as.detach.reason);
            break;
        case YK_EFFECT_POLL:
            host_poll(world, agent);
            break;
        case YK_EFFECT_EVENT:
            break;
        case YK_EFFECT_STOPPED:
            end_orderly(world, agent);
            break;
        }
    }
}

static void set_tick(struct world *world, struct agent *agent)
{
    uint64_t due;

    if (agent->deadline >= agent->tick_for) { /* a tick that comes too early does no harm */
        return;
    }
    due = clock_true(&agent->clock, agent->deadline);
    agent->tick_for = agent->deadline;
    world_later(world, due < world->now ? 0 : due - world->now,
                (struct happening){
                    .kind = HAPPENS_TICK, .who = agent->number, .token = ++agent->tick_token});
}

/* ---- a step */

static void note_sends(struct world *world, struct agent *agent, struct step *step)
{
    for (size_t i = 0; i < effects.count; i++) {
        step->sent[i] = NULL;
        if (effects.list[i].kind == YK_EFFECT_SEND) {
            step->sent[i] = sent_make(&agent->keys, agent->number, ++world->sent_count,
                                      effects.list[i].as.send.bytes);
            check_that(world, step->sent[i] != NULL, "encodes", agent,
                       "a frame went out that is not canonical, signed and well-formed");
            if (step->sent[i] != NULL && step->sent[i]->frame.ts_ms > agent->stamped_ms) {
                agent->stamped_ms = step->sent[i]->frame.ts_ms;
            }
        }
    }
}

static void forget_sends(struct world *world, const struct step *step)
{
    for (size_t i = 0; i < step->effects->count; i++) {
        if (step->sent[i] != NULL) {
            archive_add(&world->archive, step->sent[i]);
            sent_release(step->sent[i]);
        }
    }
}

static enum yk_drop find_verdict(const uint64_t *before, const uint64_t *after)
{
    for (int drop = 0; drop < YK_DROP_END; drop++) {
        if (before[drop] != after[drop]) {
            return (enum yk_drop)drop;
        }
    }
    return YK_DROP_END;
}

/* Is the whole node compared before and after? With many nodes that takes long: then not always. */
static bool is_looked_at(const struct world *world, const struct agent *agent,
                         const struct datagram *datagram)
{
    return datagram != NULL &&
           (datagram->sent == NULL || datagram->replayed ||
            !keys_accept(&agent->keys, datagram->sent->key)) &&
           world->step_count % (1 + world->agent_count / DIGEST_NODES) == 0;
}

static void step(struct world *world, struct agent *agent, struct yk_input *input,
                 const struct datagram *datagram)
{
    struct yk_node_view before = agent->view;
    uint64_t drops[YK_DROP_END] = {0};
    bool first = input->kind == YK_INPUT_START;
    struct step step = {.input = input,
                        .effects = &effects,
                        .datagram = datagram,
                        .before = first ? NULL : &before,
                        .after = &agent->view,
                        .digested = agent->stray_feedback || is_looked_at(world, agent, datagram)};

    input->now = clock_local(&agent->clock, world->now);
    step.was_blocked = yk_node_is_blocked(agent->node);
    if (!first) {
        memcpy(drops, before.drops, sizeof drops);
        step.pairing_before = *before.pairing;
    }
    if (step.digested) {
        step.digest_before = digest_of(agent);
    }
    world->step_count++;
    yk_node_step(agent->node, input, &effects);
    yk_node_view(agent->node, &agent->view);
    agent->deadline = yk_node_deadline(agent->node);
    step.is_blocked = yk_node_is_blocked(agent->node);
    if (datagram != NULL) {
        step.verdict = find_verdict(drops, agent->view.drops);
    }
    if (step.digested) {
        step.digest_after = digest_of(agent);
    }
    note_sends(world, agent, &step);
    trace_step(world, agent, &step);
    checks_step(world, agent, &step);
    perform(world, agent, &step);
    forget_sends(world, &step);
    if (agent->up) {
        set_tick(world, agent);
    }
}

/* ---- who it is */

static void describe(struct world *world, struct agent *agent, struct yk_node_options *options)
{
    size_t over;

    *options = (struct yk_node_options){
        .id = agent->id,
        .name = {agent->name, agent->name_size},
        .role = agent->role,
        .kind = agent->kind,
        .media = {agent->media, agent->media_size},
        .auth = &agent->keys.auth,
        .tracked = world->plan.tracked,
        .start_spread = YK_START_SPREAD,
        .stop_limit = STOP_LIMIT,
    };
    if (!yk_node_fits(options, &over)) {
        /* The largest media that fits: a string is cut by what is too much. */
        agent->media_size -= over;
        memcpy(agent->media + agent->media_size - 2, "\"}", 2);
        options->media.size = agent->media_size;
        check_that(world, yk_node_fits(options, &over), "encodes", agent,
                   "options %zu bytes shorter do not fit either", over);
    }
}

/* Other media than before; the fourth choice is none at all, the third as long as a frame allows. */
static void set_media(struct agent *agent, unsigned choice)
{
    int size = snprintf((char *)agent->media, MEDIA_MAX,
                        "{\"group\":\"239.10.%u.%u\",\"port\":5004", choice, agent->number);

    if (choice == 3) {
        agent->media_size = 0;
        return;
    }
    if (choice == 2) {
        size += snprintf((char *)agent->media + size, MEDIA_MAX - (size_t)size, ",\"zz\":\"");
        memset(agent->media + size, 'm', MEDIA_MAX - (size_t)size - 2);
        size = MEDIA_MAX - 2;
        agent->media[size++] = '"';
    }
    agent->media[size++] = '}';
    agent->media_size = (size_t)size;
}

/* ---- inputs that wait */

static void give_save(struct world *world, struct agent *agent)
{
    struct yk_input input = {.kind = YK_INPUT_PERSISTED};

    agent->save_ended = false;
    input.as.persisted.request = agent->save_request;
    input.as.persisted.ok = agent->save_ok;
    step(world, agent, &input, NULL);
    agent_stray_feedback(world, agent);
}

void agent_stray_feedback(struct world *world, struct agent *agent)
{
    struct yk_input input = {.kind = YK_INPUT_PERSISTED};
    uint64_t luck = dice_below(&agent->dice, 2);

    if (!agent->up || is_stalled(world, agent) || !dice_chance(&agent->dice, FEEDBACK_STRAY)) {
        return;
    }
    /* One too low or too high while a save is open; else the last one, or the one before. */
    input.as.persisted.request =
        agent->disk.saving ? agent->disk.request + 2 * luck - 1 : agent->disk.request - luck;
    input.as.persisted.ok = dice_chance(&agent->dice, 500);
    agent->stray_feedback = true;
    step(world, agent, &input, NULL);
    agent->stray_feedback = false;
}

static void give_report(struct world *world, struct agent *agent)
{
    struct yk_input input = {.kind = YK_INPUT_REPORT};
    struct host_report report;

    if (!host_take(agent, &report)) {
        return;
    }
    input.as.report.generation = report.generation;
    input.as.report.status = report.status;
    input.as.report.detail = (struct yk_slice){report.detail, report.detail_size};
    step(world, agent, &input, NULL);
    if (agent->up) {
        host_go_on(world, agent);
    }
}

static bool is_due(const struct world *world, const struct agent *agent)
{
    return agent->deadline <= clock_local(&agent->clock, world->now);
}

static void give_tick(struct world *world, struct agent *agent)
{
    struct yk_input input = {.kind = YK_INPUT_TICK};

    agent->ticks_now = agent->ticked_at == world->now ? agent->ticks_now + 1 : 0;
    agent->ticked_at = world->now;
    check_that(world, agent->ticks_now < TICKS_AT_ONCE_MAX, "no-spin", agent,
               "ticks do not move the deadline on");
    step(world, agent, &input, NULL);
}

static void give_datagram(struct world *world, struct agent *agent)
{
    struct yk_input input = {.kind = YK_INPUT_DATAGRAM};
    struct datagram *datagram = agent->inbox[agent->inbox_first];

    agent->inbox_first = (agent->inbox_first + 1) % INBOX_MAX;
    agent->inbox_count--;
    input.as.datagram.bytes = datagram_bytes(datagram);
    input.as.datagram.from = (struct yk_address){{198, 51, 100, 66}, 9753}; /* the attacker's */
    if (datagram->sent != NULL && !datagram->replayed) {
        input.as.datagram.from.ip[3] = (uint8_t)(100 + datagram->sent->origin % 150);
    }
    step(world, agent, &input, datagram);
    datagram_release(datagram);
}

static void give_wall(struct world *world, struct agent *agent)
{
    struct yk_input input = {.kind = YK_INPUT_WALL};

    agent->wall_waits = false;
    agent->wall_noticed_off = agent->clock.wall_off;
    input.as.wall.wall_ns = clock_wall(&agent->clock, world->now);
    step(world, agent, &input, NULL);
}

static void give_return(struct world *world, struct agent *agent)
{
    struct yk_input input = {.kind = YK_INPUT_RETURN};

    agent->return_waits = false;
    step(world, agent, &input, NULL);
}

static void give_media(struct world *world, struct agent *agent)
{
    struct yk_input input = {.kind = YK_INPUT_MEDIA};
    struct yk_node_options options;

    agent->media_waits = false;
    set_media(agent, agent->new_media - 1);
    agent->new_media = 0;
    describe(world, agent, &options);
    input.as.media.bytes = options.media;
    step(world, agent, &input, NULL);
}

static void give_stop(struct world *world, struct agent *agent)
{
    struct yk_input input = {.kind = YK_INPUT_STOP};

    agent->stop_waits = false;
    step(world, agent, &input, NULL);
}

/* One of what waits, whichever the loop comes to first; false when nothing does. A datagram that may
 * be hostile finds nothing else due, so that whatever follows is its doing. */
static bool give_one(struct world *world, struct agent *agent)
{
    unsigned waiting = 0;
    unsigned luck;
    bool due = is_due(world, agent);
    void (*give[7])(struct world *, struct agent *);

    if (agent->inbox_count > 0 && !due) {
        give[waiting++] = give_datagram;
    }
    if (agent->host.has_report) {
        give[waiting++] = give_report;
    }
    if (agent->wall_waits) {
        give[waiting++] = give_wall;
    }
    if (agent->return_waits) {
        give[waiting++] = give_return;
    }
    if (agent->media_waits) {
        give[waiting++] = give_media;
    }
    if (agent->stop_waits) {
        give[waiting++] = give_stop;
    }
    if (due) {
        give[waiting++] = give_tick;
    }
    if (waiting == 0) {
        return false;
    }
    luck = waiting == 1 ? 0 : (unsigned)dice_below(&agent->dice, waiting);
    give[luck](world, agent);
    return true;
}

void agent_pump(struct world *world, struct agent *agent)
{
    static bool pumping; /* a driver that answers inside a call is heard after the step */

    if (pumping) {
        return;
    }
    pumping = true;
    while (agent->up && !is_stalled(world, agent)) {
        keys_read(world, agent);
        if (agent->save_ended) {
            give_save(world, agent);
        } else if (yk_node_is_blocked(agent->node) || !give_one(world, agent)) {
            break;
        }
    }
    pumping = false;
}

void agent_arrival(struct world *world, struct agent *agent, struct datagram *datagram)
{
    if (!agent->up || agent->inbox_count == INBOX_MAX) {
        datagram_release(datagram);
        return;
    }
    agent->inbox[(agent->inbox_first + agent->inbox_count++) % INBOX_MAX] = datagram;
    agent_pump(world, agent);
}

void agent_returns(struct world *world, struct agent *agent)
{
    agent->return_waits = agent->up;
    agent_pump(world, agent);
}

void agent_tick(struct world *world, struct agent *agent, uint64_t token)
{
    if (token != agent->tick_token || !agent->up) {
        return;
    }
    agent->tick_for = YK_TIME_NEVER;
    agent_pump(world, agent);
    if (agent->up && !is_stalled(world, agent)) {
        set_tick(world, agent);
    }
}

void agent_stray_report(struct world *world, struct agent *agent, const struct host_report *report)
{
    struct yk_input input = {.kind = YK_INPUT_REPORT};

    if (!agent->up || is_stalled(world, agent) || yk_node_is_blocked(agent->node)) {
        return;
    }
    input.as.report.generation = report->generation;
    input.as.report.status = report->status;
    input.as.report.detail = (struct yk_slice){report->detail, report->detail_size};
    step(world, agent, &input, NULL);
}

/* ---- a life */

/* What was changed in its configuration meanwhile. */
static void read_configuration(struct agent *agent)
{
    if (agent->new_media != 0) {
        set_media(agent, agent->new_media - 1);
    }
    if (agent->new_kind) {
        agent->kind = agent->kind == YK_KIND_HDMI ? YK_KIND_USB : YK_KIND_HDMI;
    }
    agent->new_media = 0;
    agent->new_kind = false;
}

void agent_boot(struct world *world, struct agent *agent)
{
    struct yk_node_options options;
    struct yk_input input = {.kind = YK_INPUT_START};

    if (agent->up || world->now < agent->down_until) {
        return;
    }
    if (agent->power_cut) {
        agent->power_cut = false;
        agent->clock.boot = world->now;
        agent->clock.uptime_at_boot = dice_between(&agent->dice, 3, 30) * YK_SECOND;
    }
    read_configuration(agent);
    keys_read(world, agent);
    describe(world, agent, &options);
    options.seed = dice_roll(&agent->dice);
    agent->up = true;
    agent->life++;
    agent->tick_for = YK_TIME_NEVER;
    agent->memory_size = yk_node_memory(options.tracked);
    agent->memory = calloc(1, agent->memory_size);
    if (agent->memory == NULL) {
        abort();
    }
    agent->node = yk_node_init(agent->memory, &options);
    agent->host = (struct host){0};
    agent->wall_noticed_off = agent->clock.wall_off;
    input.as.start.wall_ns = clock_wall(&agent->clock, world->now);
    agent->past_ahead = agent->stamped_ms > input.as.start.wall_ns / (int64_t)YK_MS;
    input.as.start.state = agent->disk.seen;
    trace_say(world, agent, "starts, wall clock %+.0f s",
              (double)agent->clock.wall_off / (double)YK_SECOND);
    checks_boot(world, agent);
    step(world, agent, &input, NULL);
    agent_pump(world, agent);
}

void agent_kill(struct world *world, struct agent *agent, bool power_cut)
{
    if (!agent->up) {
        return;
    }
    trace_say(world, agent, power_cut ? "loses power" : "is gone");
    agent->up = false;
    while (agent->inbox_count > 0) {
        datagram_release(agent->inbox[agent->inbox_first]);
        agent->inbox_first = (agent->inbox_first + 1) % INBOX_MAX;
        agent->inbox_count--;
    }
    disk_interrupt(&agent->disk, power_cut,
                   (enum plan_left)dice_below(&agent->dice, PLAN_LEFT_END));
    backend_orphan(&agent->backend, false, power_cut);
    agent->stop_waits = agent->wall_waits = agent->media_waits = false;
    agent->return_waits = agent->save_ended = false;
    agent->stalled_until = 0;
    free(agent->memory);
    agent->memory = NULL;
    agent->node = NULL;
}

uint64_t agent_next_seq(const struct agent *agent)
{
    return agent->up ? agent->view.seq_bound - agent->view.seq_left : 0;
}

bool agent_is_heard(const struct world *world, const struct agent *agent)
{
    uint64_t wall = (uint64_t)CLOCK_EPOCH_NS + world->now;

    return agent->up && agent->view.seq_left > 0 &&
           agent_next_seq(agent) <= wall + YK_SEQ_FUTURE / 2;
}
