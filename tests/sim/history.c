/* What the items of a plan do to the world. */
#include <stdio.h>
#include <string.h>

#include "sim/check.h"
#include "sim/world.h"

static void come_back(struct world *world, struct agent *agent, const struct item *item)
{
    agent->down_until = world->now + item->lasts;
    world_later(world, item->lasts, (struct happening){.kind = HAPPENS_BOOT, .who = agent->number});
}

static void kill_agent(struct world *world, struct agent *agent, const struct item *item,
                       bool power_cut)
{
    agent->power_cut = power_cut;
    if (agent->power_cut) {
        agent->clock.wall_off = item->kind == PLAN_CRASH ? item->y * (int64_t)YK_MS : 0;
    }
    agent_kill(world, agent, agent->power_cut);
    come_back(world, agent, item);
}

void history_crash(struct world *world, struct agent *agent, const struct item *item)
{
    kill_agent(world, agent, item, item->y != 0);
}

/* An orderly stop takes as long as its driver. */
static void stop_agent(struct world *world, struct agent *agent, const struct item *item)
{
    agent->power_cut = item->x != 0;
    if (agent->power_cut) {
        agent->clock.wall_off = item->y * (int64_t)YK_MS;
    }
    agent->stop_waits = true;
    come_back(world, agent, item);
    agent_pump(world, agent);
}

static void reconfigure(struct world *world, struct agent *agent, const struct item *item)
{
    agent->new_media = 1 + (unsigned)item->x;
    agent->new_kind = item->y != 0;
    agent->power_cut = false;
    agent->stop_waits = true;
    agent->down_until = world->now + YK_SECOND;
    world_later(world, YK_SECOND, (struct happening){.kind = HAPPENS_BOOT, .who = agent->number});
    agent_pump(world, agent);
}

static void change_media(struct world *world, struct agent *agent, const struct item *item)
{
    agent->new_media = 1 + (unsigned)item->x;
    agent->media_waits = agent->up;
    agent_pump(world, agent);
}

static void step_wall(struct world *world, struct agent *agent, int64_t off_ms, bool noticed)
{
    agent->clock.wall_off = off_ms * (int64_t)YK_MS;
    agent->wall_waits = agent->up && noticed;
    agent_pump(world, agent);
}

/* The modes of a driver and a disk, from the items in force. */
static void adjust_agents(struct world *world)
{
    for (uint32_t i = 0; i < world->agent_count; i++) {
        struct agent *agent = &world->agents[i];

        agent->disk.slow_ms = agent->backend.slow_ms = 0;
        agent->disk.failing = agent->backend.lies = agent->backend.late = false;
        agent->backend.fail_attach = agent->backend.fail_detach = false;
    }
    for (size_t i = 0; i < world->plan.count; i++) {
        const struct item *item = &world->plan.items[i];
        struct agent *agent;

        if (!item->active || item->who == PLAN_EVERYBODY) {
            continue;
        }
        agent = &world->agents[item->who];
        if (item->kind == PLAN_DISK_SLOW) {
            agent->disk.slow_ms = (uint64_t)item->x;
        } else if (item->kind == PLAN_DISK_FAIL) {
            agent->disk.failing = true;
            agent->disk.failure_leaves = (enum plan_left)item->x;
        } else if (item->kind == PLAN_DRIVER_SLOW) {
            agent->backend.slow_ms = (uint64_t)item->x;
        } else if (item->kind == PLAN_DRIVER_FAIL) {
            agent->backend.fail_attach = item->x != 1;
            agent->backend.fail_detach = item->x != 0;
        } else if (item->kind == PLAN_DRIVER_LIE) {
            agent->backend.lies = true;
        } else if (item->kind == PLAN_DRIVER_LATE) {
            agent->backend.late = true;
        }
    }
}

/* Two at once have one version between them, or two that differ by their authors only. */
static void operate(struct world *world, const struct item *item)
{
    struct item twin = *item;

    (void)tool_start(world, item);
    if ((item->y & (PLAN_LEGACY | PLAN_TWIN)) != 0) {
        twin.x = item->x == PLAN_UNPAIR ? (int64_t)world->plan.consumers : PLAN_UNPAIR;
        (void)tool_start(world, &twin);
    }
}

static void begin_once(struct world *world, struct item *item)
{
    struct agent *agent = item->who < world->agent_count ? &world->agents[item->who] : NULL;

    switch (item->kind) {
    case PLAN_FORGE:
        attacker_forge(world, item);
        break;
    case PLAN_REPLAY:
        attacker_replay(world, item);
        break;
    case PLAN_FLOOD:
        tool_flood(world, item);
        break;
    case PLAN_OPERATE:
        operate(world, item);
        break;
    case PLAN_CRASH:
        if (agent->up) {
            kill_agent(world, agent, item, item->x != 0);
        }
        break;
    case PLAN_CRASH_AT_SAVE:
        agent->crash_at_save = item;
        break;
    case PLAN_STOP:
        if (agent->up && !agent->stop_waits) {
            stop_agent(world, agent, item);
        }
        break;
    case PLAN_RECONFIGURE:
        if (agent->up && !agent->stop_waits) {
            reconfigure(world, agent, item);
        }
        break;
    case PLAN_MEDIA:
        change_media(world, agent, item);
        break;
    case PLAN_STALL:
        agent->stalled_until = world->now + item->lasts;
        world_later(world, item->lasts, (struct happening){.kind = HAPPENS_WAKE, .who = item->who});
        break;
    case PLAN_WALL_STEP:
        step_wall(world, agent, item->x, item->y != 0);
        break;
    case PLAN_ROTATE:
        keys_rotate(world, item);
        break;
    case PLAN_DRIVER_LOSE:
        backend_lose(world, agent, (unsigned)item->x);
        break;
    default:
        break;
    }
}

void history_begins(struct world *world, struct item *item)
{
    char text[200];

    plan_describe(item, text, sizeof text);
    trace_say(world, NULL, "begins: %s", text);
    item->active = true;
    world_later(
        world, item->lasts,
        (struct happening){.kind = HAPPENS_ITEM_ENDS, .who = (uint32_t)(item - world->plan.items)});
    network_adjust(world);
    adjust_agents(world);
    begin_once(world, item);
}

void history_ends(struct world *world, struct item *item)
{
    item->active = false;
    network_adjust(world);
    adjust_agents(world);
    if (item->kind == PLAN_UNPLUG && item->x != 0) {
        agent_returns(world, &world->agents[item->who]);
    }
}

/* What was slow ends now. */
static void hurry(struct world *world, struct agent *agent)
{
    if (agent->backend.call != BACKEND_NOTHING) {
        backend_end(world, agent, agent->backend.token);
    }
    if (agent->up && agent->disk.saving) {
        world_later(
            world, 0,
            (struct happening){.kind = HAPPENS_SAVED, .who = agent->number, .token = agent->life});
    }
}

void history_calm(struct world *world)
{
    trace_say(world, NULL, "all faults have ended");
    for (size_t i = 0; i < world->plan.count; i++) {
        world->plan.items[i].active = false;
    }
    network_adjust(world);
    adjust_agents(world);
    keys_settle(world);
    for (uint32_t i = 0; i < world->agent_count; i++) {
        struct agent *agent = &world->agents[i];

        agent->crash_at_save = NULL;
        agent->stalled_until = 0;
        agent->stop_waits = false;
        agent->down_until = world->now;
        step_wall(world, agent, 0, true);
        agent_boot(world, agent);
        hurry(world, agent);
    }
    world->calm = true;
    world->calm_since = world->now;
    checks_calm(world);
}
