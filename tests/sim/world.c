#include "sim/world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/check.h"

#define CALM_TOOL_TIME (PLAN_AFTERGLOW - YK_MS)

struct yk_id world_id(const char *text)
{
    struct yk_id id;

    (void)yk_id_parse(&id, yk_slice_of(text)); /* "" is none */
    return id;
}

/* ---- agents by their ids */

static uint32_t bucket_of(const struct yk_id *id)
{
    uint32_t hash = 2166136261u;

    for (unsigned i = 0; i < id->size; i++) {
        hash = (hash ^ (uint8_t)id->text[i]) * 16777619u;
    }
    return hash % WORLD_BUCKETS;
}

static void index_agent(struct world *world, struct agent *agent)
{
    uint32_t *bucket = &world->by_id[bucket_of(&agent->id)];

    agent->next_in_bucket = *bucket;
    *bucket = agent->number + 1;
}

uint32_t world_find(const struct world *world, const struct yk_id *id)
{
    uint32_t at = world->by_id[bucket_of(id)];

    while (at != 0 && !yk_id_equal(&world->agents[at - 1].id, id)) {
        at = world->agents[at - 1].next_in_bucket;
    }
    return at - 1; /* of 0: UINT32_MAX */
}

void world_later(struct world *world, uint64_t delay, struct happening happening)
{
    happening.at = world->now + delay;
    heap_put(&world->queue, happening);
}

/* ---- who takes part */

/* Labels at the limits of what is allowed: characters of four bytes, or of six when spelled. */
static void set_name(struct agent *agent, struct dice *dice)
{
    const char *piece = dice_chance(dice, 500) ? "\xf0\x9f\x93\xba" : "\x01";

    if (dice_chance(dice, 900)) {
        agent->name_size =
            (size_t)snprintf((char *)agent->name, sizeof agent->name, "Room %u", agent->number);
        return;
    }
    for (int i = 0; i < YK_NAME_MAX; i++) {
        memcpy(agent->name + agent->name_size, piece, strlen(piece));
        agent->name_size += strlen(piece);
    }
}

static void set_id(struct agent *agent, struct dice *dice)
{
    char id[YK_ID_MAX + 1];
    int size = snprintf(id, sizeof id, "%s-%02u", agent->role == YK_ROLE_CONSUMER ? "dec" : "enc",
                        agent->number);

    if (dice_chance(dice, 100)) { /* as long as may be */
        memset(id + size, 'x', YK_ID_MAX - (size_t)size);
        id[YK_ID_MAX] = '\0';
    }
    agent->id = world_id(id);
}

static void cast(struct world *world, struct agent *agent, uint32_t number)
{
    struct dice dice = dice_of(world->plan.seed, 2000 + number);

    agent->number = number;
    agent->role = number < world->plan.consumers ? YK_ROLE_CONSUMER : YK_ROLE_PRODUCER;
    agent->kind = dice_chance(&dice, 850) ? YK_KIND_HDMI : YK_KIND_USB;
    set_id(agent, &dice);
    set_name(agent, &dice);
    if (agent->role == YK_ROLE_PRODUCER) {
        agent->media_size = (size_t)snprintf((char *)agent->media, MEDIA_MAX,
                                             "{\"group\":\"239.10.9.%u\",\"port\":5004}", number);
    } else {
        agent->backend.sticky = dice_chance(&dice, 400);
        agent->backend.lazy = dice_chance(&dice, 200);
    }
    keys_init(&agent->keys, world->plan.keyed);
    agent->clock.uptime_at_boot = dice_between(&dice, 3, 90) * YK_SECOND;
    agent->clock.ppm = (int64_t)dice_between(&dice, 0, 2 * CLOCK_RATE_PPM_MAX) - CLOCK_RATE_PPM_MAX;
    agent->clock.ppm = dice_chance(&dice, 200) ? agent->clock.ppm : agent->clock.ppm / 400;
    agent->dice = dice_of(world->plan.seed, 3000 + number);
    agent->disk.dice = dice_of(world->plan.seed, 4000 + number);
    agent->backend.dice = dice_of(world->plan.seed, 5000 + number);
    agent->tick_for = YK_TIME_NEVER;
}

static void *get(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (memory == NULL) {
        abort();
    }
    return memory;
}

static void schedule(struct world *world)
{
    const struct plan *plan = &world->plan;

    for (uint32_t i = 0; i < world->agent_count; i++) {
        heap_put(&world->queue, (struct happening){.kind = HAPPENS_BOOT, .who = i});
    }
    for (size_t i = 0; i < plan->count; i++) {
        heap_put(&world->queue, (struct happening){.kind = HAPPENS_ITEM_BEGINS,
                                                   .at = plan->items[i].at,
                                                   .who = (uint32_t)i});
    }
    for (unsigned round = 0; round < plan->rounds; round++) {
        uint64_t calm = round * plan_round(plan) + plan->weather;

        heap_put(&world->queue, (struct happening){.kind = HAPPENS_CALM, .at = calm});
        heap_put(&world->queue,
                 (struct happening){.kind = HAPPENS_SETTLED, .at = calm + PLAN_SETTLE});
    }
}

/* Tools of the plan, twins counted, and one for each calm. */
static uint32_t tools_wanted(const struct plan *plan)
{
    uint32_t wanted = plan->rounds;

    for (size_t i = 0; i < plan->count; i++) {
        wanted += plan->items[i].kind == PLAN_OPERATE ? 2 : plan->items[i].kind == PLAN_FLOOD;
    }
    return wanted;
}

struct world *world_new(const struct plan *plan, struct trace *trace)
{
    struct world *world = get(1, sizeof *world);

    world->plan = *plan;
    world->trace = trace;
    world->end = plan->rounds * plan_round(plan);
    world->key = plan->keyed;
    yk_auth_init(&world->other_auth, yk_slice_of(SIM_OTHER_KEY), (struct yk_slice){NULL, 0});
    world->agent_count = plan->nodes;
    world->agents = get(world->agent_count, sizeof *world->agents);
    for (uint32_t i = 0; i < world->agent_count; i++) {
        cast(world, &world->agents[i], i);
        index_agent(world, &world->agents[i]);
    }
    world->tool_capacity = tools_wanted(plan);
    world->tools = get(world->tool_capacity, sizeof *world->tools);
    world->archive.dice = dice_of(plan->seed, 1);
    world->attacker = dice_of(plan->seed, 2);
    network_init(world);
    world->checks = checks_make(world);
    schedule(world);
    return world;
}

/* ---- time */

static void saved(struct world *world, struct agent *agent, uint64_t life)
{
    const struct item *item = agent->crash_at_save;

    if (!agent->up || agent->life != life || !agent->disk.saving) {
        return;
    }
    if (item != NULL) {
        agent->crash_at_save = NULL;
        disk_interrupt(&agent->disk, item->y != 0, (enum plan_left)item->x);
        history_crash(world, agent, item);
        return;
    }
    agent_stray_feedback(world, agent);
    agent->save_ok = disk_end(&agent->disk);
    agent->save_request = agent->disk.request;
    agent->save_ended = true;
    agent_pump(world, agent);
}

/* In good weather one more operation, which must be answered. */
static void operate_in_calm(struct world *world)
{
    struct dice *dice = &world->attacker;
    struct item item = {.kind = PLAN_OPERATE, .lasts = CALM_TOOL_TIME};
    struct tool *tool;

    item.who = (uint32_t)dice_below(dice, world->plan.consumers);
    item.x = (int64_t)dice_between(dice, world->plan.consumers, world->agent_count - 1);
    tool = tool_start(world, &item);
    if (tool != NULL) {
        tool->must_be_answered = agent_is_heard(world, &world->agents[item.who]);
    }
}

static void arrives(struct world *world, const struct happening *happening)
{
    uint32_t to = happening->who;
    struct datagram *datagram = happening->carries;

    world->arrival_count++;
    if (to < world->agent_count) {
        agent_arrival(world, &world->agents[to], datagram);
        return;
    }
    tool_arrival(world, &world->tools[to - world->agent_count], datagram);
    datagram_release(datagram);
}

static struct agent *agent_of(const struct world *world, const struct happening *happening)
{
    return world->agents + happening->who;
}

static void happen(struct world *world, const struct happening *happening)
{
    switch ((enum happening_kind)happening->kind) {
    case HAPPENS_ARRIVAL:
        arrives(world, happening);
        break;
    case HAPPENS_TICK:
        agent_tick(world, agent_of(world, happening), happening->token);
        break;
    case HAPPENS_SAVED:
        saved(world, agent_of(world, happening), happening->token);
        break;
    case HAPPENS_DRIVER:
        backend_end(world, agent_of(world, happening), happening->token);
        break;
    case HAPPENS_TOOL:
        tool_go_on(world, &world->tools[happening->who]);
        break;
    case HAPPENS_BOOT:
        agent_boot(world, agent_of(world, happening));
        break;
    case HAPPENS_WAKE:
        agent_pump(world, agent_of(world, happening));
        break;
    case HAPPENS_KEYS:
        keys_turn(world, agent_of(world, happening), happening->token);
        break;
    case HAPPENS_ITEM_BEGINS:
        world->calm = world->calm && plan_is_no_fault(&world->plan.items[happening->who]);
        history_begins(world, &world->plan.items[happening->who]);
        break;
    case HAPPENS_ITEM_ENDS:
        history_ends(world, &world->plan.items[happening->who]);
        break;
    case HAPPENS_CALM:
        history_calm(world);
        break;
    case HAPPENS_SETTLED:
        checks_settled(world);
        operate_in_calm(world);
        break;
    }
}

void world_run(struct world *world)
{
    struct trace *trace = world->trace;

    while (world->queue.count > 0 && world->queue.list[0].at < world->end) {
        struct happening happening = heap_take(&world->queue);

        world->now = happening.at;
        happen(world, &happening);
    }
    world->now = world->end;
    checks_end(world);
    trace->virtual_ns = world->end;
    trace->steps = world->step_count;
    trace->arrivals = world->arrival_count;
    trace->frames = world->sent_count;
    trace->nodes = world->agent_count;
    trace->items = world->plan.count;
}

void world_free(struct world *world)
{
    for (uint32_t i = 0; i < world->agent_count; i++) {
        agent_kill(world, &world->agents[i], true);
    }
    while (world->queue.count > 0) {
        struct happening happening = heap_take(&world->queue);

        if (happening.carries != NULL) {
            datagram_release(happening.carries);
        }
    }
    heap_free(&world->queue);
    archive_free(&world->archive);
    network_free(world);
    checks_free(world->checks);
    free(world->agents);
    free(world->tools);
    free(world);
}
