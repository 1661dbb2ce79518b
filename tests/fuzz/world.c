#include "fuzz/world.h"

#include <stdlib.h>

/* All tables of WORLD_TRACKED entries, and every re-issue, are worked off within so many ticks. */
#define TICKS_AT_ONCE_MAX 64

static void mix(struct world *world, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;

    for (size_t i = 0; i < size; i++) {
        world->hash = (world->hash ^ at[i]) * UINT64_C(0x100000001b3); /* FNV-1a */
    }
}

static void mix_slice(struct world *world, struct yk_slice slice)
{
    mix(world, slice.data, slice.size);
}

static void keep(struct world *world, struct yk_slice bytes)
{
    struct kept_frame *kept = &world->kept[world->kept_count++ % WORLD_KEPT];

    kept->size = bytes.size;
    memcpy(kept->bytes, bytes.data, bytes.size);
}

static void perform(struct world *world, const struct yk_effect *effect)
{
    mix(world, &effect->kind, sizeof effect->kind);
    switch (effect->kind) {
    case YK_EFFECT_SEND:
        mix_slice(world, effect->as.send.bytes);
        keep(world, effect->as.send.bytes);
        break;
    case YK_EFFECT_PERSIST:
        world->saving = true;
        world->request = effect->as.persist.request;
        world->asked = effect->as.persist.state;
        mix(world, &world->asked.seq, sizeof world->asked.seq);
        break;
    case YK_EFFECT_ATTACH:
        mix_slice(world, effect->as.attach.media);
        break;
    case YK_EFFECT_EVENT:
        mix_slice(world, effect->as.event.detail);
        break;
    case YK_EFFECT_STOPPED:
        world->stopped = true;
        break;
    case YK_EFFECT_DETACH:
    case YK_EFFECT_POLL:
        break;
    }
}

static void give(struct world *world, struct yk_input *input)
{
    FUZZ_CHECK(!world->stopped, "a stopped node is given nothing");
    input->now = world->now;
    laws_before(world, input);
    yk_node_step(world->node, input, &world->effects);
    FUZZ_CHECK(world->effects.count <= YK_EFFECTS_MAX && world->effects.used <= YK_EFFECTS_BYTES,
               "the effects of a step have room");
    for (size_t i = 0; i < world->effects.count; i++) {
        laws_effect(world, input, i);
        perform(world, &world->effects.list[i]);
    }
    laws_after(world, input);
    if (world->instant_saves && !world->stopped) {
        world_end_save(world, SAVE_DONE);
    }
}

void world_start(struct world *world)
{
    struct yk_input input = {.kind = YK_INPUT_START};
    size_t size = yk_node_memory(WORLD_TRACKED);

    if (world->node_memory == NULL) {
        world->node_memory = malloc(size);
        FUZZ_CHECK(world->node_memory != NULL, "there is memory");
    }
    memset(world->node_memory, 0, size);
    world->node = yk_node_init(world->node_memory, &world->options);
    world->told = world->disk;
    world->saving = world->stopping = world->stopped = false;
    laws_boot(world);
    input.as.start.wall_ns = world->wall_off + (int64_t)world->now;
    input.as.start.state = world->disk;
    give(world, &input);
}

void world_free(struct world *world)
{
    free(world->node_memory);
    world->node_memory = NULL;
}

bool world_is_blocked(const struct world *world)
{
    return yk_node_is_blocked(world->node);
}

bool world_hear(struct world *world, struct yk_slice bytes)
{
    struct yk_input input = {.kind = YK_INPUT_DATAGRAM};
    struct yk_address from = {{192, 0, 2, world->sender}, 9753};
    struct yk_node_view view;

    input.as.datagram.bytes = bytes;
    input.as.datagram.from = from;
    give(world, &input);
    yk_node_view(world->node, &view);
    return view.drops[YK_DROP_NONE] > world->before.accepted;
}

static void tick_while_due(struct world *world)
{
    struct yk_input input = {.kind = YK_INPUT_TICK};

    for (unsigned i = 0; !world->stopped && yk_node_deadline(world->node) <= world->now; i++) {
        FUZZ_CHECK(i < TICKS_AT_ONCE_MAX, "what is due at one time is done in a bounded time");
        give(world, &input);
    }
    laws_at_rest(world);
}

void world_pass(struct world *world, yk_time duration)
{
    yk_time end = world->now + duration;

    while (!world->stopped && yk_node_deadline(world->node) <= end) {
        yk_time due = yk_node_deadline(world->node);

        world->now = due > world->now ? due : world->now;
        tick_while_due(world);
    }
    world->now = end;
}

void world_leap(struct world *world, yk_time duration)
{
    world->now += duration;
    tick_while_due(world);
}

void world_return(struct world *world)
{
    struct yk_input input = {.kind = YK_INPUT_RETURN};

    give(world, &input);
}

void world_step_wall(struct world *world, int64_t by_ns)
{
    struct yk_input input = {.kind = YK_INPUT_WALL};

    world->wall_off += by_ns;
    input.as.wall.wall_ns = world->wall_off + (int64_t)world->now;
    give(world, &input);
}

void world_end_save(struct world *world, enum save_end end)
{
    struct yk_input input = {.kind = YK_INPUT_PERSISTED};

    if (!world->saving) {
        return;
    }
    world->saving = false;
    if (end != SAVE_FAILED) {
        world->disk = world->asked;
    }
    if (end == SAVE_DONE) {
        world->told = world->asked;
    }
    input.as.persisted.request = world->request;
    input.as.persisted.ok = end == SAVE_DONE;
    give(world, &input);
}

void world_end_strange_save(struct world *world, uint64_t request)
{
    struct yk_input input = {.kind = YK_INPUT_PERSISTED};

    if (world->saving && request == world->request) {
        return;
    }
    input.as.persisted.request = request;
    input.as.persisted.ok = true;
    give(world, &input);
}

void world_report(struct world *world, uint64_t generation, enum yk_report status,
                  struct yk_slice detail)
{
    struct yk_input input = {.kind = YK_INPUT_REPORT};

    input.as.report.generation = generation;
    input.as.report.status = status;
    input.as.report.detail = detail;
    give(world, &input);
}

void world_keys(struct world *world, struct yk_slice key, struct yk_slice next)
{
    struct yk_slice none = {NULL, 0};

    yk_auth_init(&world->auth, key, next);
    yk_auth_init(&world->each[0], key, none);
    yk_auth_init(&world->each[1], next, none);
    world->key_count = key.size > 0 && next.size > 0 ? 2 : 1;
}

void world_media(struct world *world, struct yk_slice media)
{
    struct yk_input input = {.kind = YK_INPUT_MEDIA};
    struct yk_node_options options = world->options;
    size_t over;

    options.media = media;
    if (options.role == YK_ROLE_PRODUCER && !yk_slice_equal(media, world->options.media)) {
        world->memory.media_unsaid = true;
        world->options.media = yk_node_fits(&options, &over) ? media : (struct yk_slice){NULL, 0};
    }
    input.as.media.bytes = media;
    give(world, &input);
}

void world_stop(struct world *world)
{
    struct yk_input input = {.kind = YK_INPUT_STOP};

    if (!world->stopping) {
        world->stopping = true;
        world->stop_at = world->now;
    }
    give(world, &input);
}

void world_crash(struct world *world, bool written)
{
    if (world->saving && written) {
        world->disk = world->asked;
    }
    world_start(world);
}
