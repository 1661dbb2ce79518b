/* The group's network: everybody hears everybody, the sender too, unless a fault says otherwise. */
#include <stdlib.h>

#include "sim/world.h"

#define LATENCY_MAX_NS (1 * YK_MS) /* of a network without faults */

static void *get(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (memory == NULL) {
        abort();
    }
    return memory;
}

void network_init(struct world *world)
{
    struct network *net = &world->net;

    net->loss = get(world->agent_count, sizeof *net->loss);
    net->deaf = get(world->agent_count, sizeof *net->deaf);
    net->mute = get(world->agent_count, sizeof *net->mute);
    net->dice = get(world->agent_count, sizeof *net->dice);
    net->last = get((size_t)world->agent_count * world->agent_count, sizeof *net->last);
    for (uint32_t i = 0; i < world->agent_count; i++) {
        net->dice[i] = dice_of(world->plan.seed, 1000 + i);
    }
}

void network_free(struct world *world)
{
    free(world->net.loss);
    free(world->net.deaf);
    free(world->net.mute);
    free(world->net.dice);
    free(world->net.last);
}

void network_adjust(struct world *world)
{
    struct network *net = &world->net;

    net->loss_all = net->duplicate = net->delay_ms = net->corrupt = 0;
    net->split_seed = 0;
    for (uint32_t i = 0; i < world->agent_count; i++) {
        net->loss[i] = 0;
        net->deaf[i] = net->mute[i] = false;
    }
    for (size_t i = 0; i < world->plan.count; i++) {
        const struct item *item = &world->plan.items[i];

        if (!item->active) {
            continue;
        }
        if (item->kind == PLAN_LOSS && item->who == PLAN_EVERYBODY) {
            net->loss_all = (unsigned)item->x;
        } else if (item->kind == PLAN_LOSS) {
            net->loss[item->who] = (uint8_t)item->x;
        } else if (item->kind == PLAN_DUPLICATE) {
            net->duplicate = (unsigned)item->x;
        } else if (item->kind == PLAN_DELAY) {
            net->delay_ms = (unsigned)item->x;
        } else if (item->kind == PLAN_CORRUPT) {
            net->corrupt = (unsigned)item->x;
        } else if (item->kind == PLAN_PARTITION) {
            net->split_seed = item->at | 1;
            net->split_one_way = item->x == 1;
        } else if (item->kind == PLAN_DEAF) {
            net->deaf[item->who] = true;
        } else if (item->kind == PLAN_MUTE) {
            net->mute[item->who] = true;
        } else if (item->kind == PLAN_UNPLUG) {
            net->deaf[item->who] = net->mute[item->who] = true;
        }
    }
}

static unsigned side(uint64_t split_seed, uint32_t place)
{
    struct dice dice = dice_of(split_seed, place);

    return dice_roll(&dice) >> 40 & 1;
}

static bool is_cut(const struct network *net, uint32_t from, uint32_t to)
{
    unsigned from_side;
    unsigned to_side;

    if (from == to) {
        return false; /* the host's own loopback */
    }
    if (net->mute[from] || net->deaf[to]) {
        return true;
    }
    if (net->split_seed == 0) {
        return false;
    }
    from_side = side(net->split_seed, from);
    to_side = side(net->split_seed, to);
    return from_side != to_side && (!net->split_one_way || from_side == 1);
}

/* When a datagram comes that leaves now. Only a fault makes one overtake another. */
static uint64_t arrival_delay(struct world *world, struct dice *dice, uint32_t from, uint32_t to)
{
    uint64_t *last = &world->net.last[(size_t)from * world->agent_count + to];
    uint64_t at = world->now + dice_between(dice, LATENCY_MAX_NS / 10, LATENCY_MAX_NS);

    if (world->net.delay_ms > 0 && from != to && dice_chance(dice, 300)) {
        return at - world->now + dice_below(dice, world->net.delay_ms * YK_MS);
    }
    *last = at > *last ? at : *last + 1;
    return *last - world->now;
}

static uint32_t place_of(const struct world *world, uint32_t endpoint)
{
    return endpoint < world->agent_count ? endpoint
                                         : world->tools[endpoint - world->agent_count].host;
}

static void deliver(struct world *world, struct dice *dice, uint32_t from, uint32_t endpoint,
                    struct datagram *datagram)
{
    uint64_t delay = arrival_delay(world, dice, from, place_of(world, endpoint));

    world_later(world, delay,
                (struct happening){.kind = HAPPENS_ARRIVAL, .who = endpoint, .carries = datagram});
}

/* One copy, perhaps with wrong bytes or in another spelling. */
static void send_copy(struct world *world, struct dice *dice, uint32_t from, uint32_t endpoint,
                      struct sent *sent, struct datagram *shared)
{
    if (dice_chance(dice, world->net.corrupt)) {
        deliver(world, dice, from, endpoint,
                dice_chance(dice, 900) ? datagram_corrupt(sent, dice) : datagram_respell(sent));
        return;
    }
    shared->references++;
    deliver(world, dice, from, endpoint, shared);
}

static void send_to(struct world *world, struct dice *dice, uint32_t from, uint32_t endpoint,
                    struct sent *sent, struct datagram *shared)
{
    const struct network *net = &world->net;
    uint32_t to = place_of(world, endpoint);
    unsigned loss = net->loss_all > net->loss[to] ? net->loss_all : net->loss[to];

    if (is_cut(net, from, to) || (from != to && dice_chance(dice, loss * 10))) {
        return;
    }
    send_copy(world, dice, from, endpoint, sent, shared);
    if (from != to && dice_chance(dice, net->duplicate * 10)) {
        send_copy(world, dice, from, endpoint, sent, shared);
    }
}

void network_send(struct world *world, struct sent *sent)
{
    uint32_t from = place_of(world, sent->origin);
    struct dice *dice = &world->net.dice[from];
    struct datagram *shared = datagram_of(sent, false);

    for (uint32_t i = 0; i < world->agent_count; i++) {
        if (world->agents[i].up) {
            send_to(world, dice, from, i, sent, shared);
        }
    }
    for (uint32_t i = world->first_active_tool; i < world->tool_count; i++) {
        if (world->tools[i].phase != TOOL_DONE) {
            send_to(world, dice, from, world->tools[i].number, sent, shared);
        }
    }
    datagram_release(shared);
}
