#include "sim/keys.h"

#include <stdio.h>

#include "sim/check.h"
#include "sim/world.h"

/* What a host does about a new key, one after the other. */
enum stage { STAGE_ACCEPT, STAGE_SIGN, STAGE_REFUSE, STAGE_END };

#define TEXT_MAX 32

static struct yk_slice text_of(unsigned key, char text[TEXT_MAX])
{
    if (key == 0) {
        return (struct yk_slice){NULL, 0};
    }
    snprintf(text, TEXT_MAX, "the site's key %u", key);
    return yk_slice_of(text);
}

void keys_one(struct yk_auth *auth, unsigned key)
{
    char text[TEXT_MAX];

    yk_auth_init(auth, text_of(key, text), (struct yk_slice){NULL, 0});
}

static void load(struct keys *keys)
{
    char sign[TEXT_MAX];
    char accept[TEXT_MAX];

    keys->read = keys->files;
    yk_auth_init(&keys->auth, text_of(keys->read.sign, sign), text_of(keys->read.accept, accept));
}

void keys_init(struct keys *keys, bool keyed)
{
    keys->files = (struct keyring){.sign = keyed};
    load(keys);
}

void keys_read(struct world *world, struct agent *agent)
{
    struct keys *keys = &agent->keys;

    if (keys->read.sign == keys->files.sign && keys->read.accept == keys->files.accept) {
        return;
    }
    load(keys);
    trace_say(world, agent, "signs with key %u, accepts %u too", keys->read.sign,
              keys->read.accept);
}

static struct keyring at_stage(enum stage stage, unsigned key)
{
    switch (stage) {
    case STAGE_ACCEPT:
        return (struct keyring){key - 1, key};
    case STAGE_SIGN:
        return (struct keyring){key, key - 1};
    default:
        return (struct keyring){key, 0};
    }
}

/* Does a host do that? Not each is told of everything. */
static bool takes_part(const struct item *item, uint32_t host, enum stage stage)
{
    switch ((enum plan_rotation)item->x) {
    case PLAN_ROTATES_WITHOUT_ONE:
        return host != item->who;
    case PLAN_ROTATES_BUT_HALF_IN_ONE:
        return host != item->who || stage == STAGE_ACCEPT;
    case PLAN_ROTATES_AT_ONCE:
        return stage == STAGE_REFUSE;
    default:
        return true;
    }
}

void keys_rotate(struct world *world, const struct item *item)
{
    uint64_t third = item->lasts / STAGE_END;

    if (world->now < world->rotates_until) {
        return; /* one at a time */
    }
    world->rotates_until = world->now + item->lasts;
    world->key++;
    for (uint32_t i = 0; i < world->agent_count; i++) {
        struct dice dice = dice_of(world->plan.seed ^ item->at, UINT64_C(7) << 32 | i);

        for (enum stage stage = STAGE_ACCEPT; stage < STAGE_END; stage++) {
            uint64_t delay = stage * third + dice_below(&dice, third);

            if (takes_part(item, i, stage)) {
                world_later(world, delay,
                            (struct happening){.kind = HAPPENS_KEYS,
                                               .who = i,
                                               .token = (uint64_t)world->key * STAGE_END + stage});
            }
        }
    }
}

void keys_turn(struct world *world, struct agent *agent, uint64_t token)
{
    agent->keys.files = at_stage((enum stage)(token % STAGE_END), (unsigned)(token / STAGE_END));
    agent_pump(world, agent);
}

void keys_settle(struct world *world)
{
    for (uint32_t i = 0; i < world->agent_count; i++) {
        world->agents[i].keys.files = (struct keyring){.sign = world->key};
        agent_pump(world, &world->agents[i]);
    }
    world->retired = world->key > 0 ? world->key - 1 : 0;
}
