/* Somebody in the network without the key: makes frames up, and sends again what was heard. */
#include <string.h>

#include "sim/world.h"

static void arrive(struct world *world, uint32_t to, struct datagram *datagram, uint64_t delay)
{
    world_later(world, delay,
                (struct happening){.kind = HAPPENS_ARRIVAL, .who = to, .carries = datagram});
}

static void arrive_everywhere(struct world *world, struct datagram *datagram, uint64_t delay)
{
    for (uint32_t i = 0; i < world->agent_count; i++) {
        datagram->references++;
        arrive(world, i, datagram, delay);
    }
    datagram_release(datagram);
}

/* A frame that would do most if it were believed. */
static void make_up(struct world *world, struct yk_frame *frame)
{
    struct dice *dice = &world->attacker;
    struct agent *victim = &world->agents[dice_below(dice, world->agent_count)];
    struct yk_pairing pairing = {world->agents[world->agent_count - 1].id,
                                 {YK_COUNT_MAX, world_id("mallory")}};

    *frame = (struct yk_frame){.type = (enum yk_type)dice_between(dice, 1, YK_TYPE_END - 1),
                               .origin = victim->id,
                               .seq = (uint64_t)CLOCK_EPOCH_NS + world->now + 10 * YK_SECOND};
    switch (frame->type) {
    case YK_TYPE_ANN:
        frame->as.ann.role = victim->role;
        frame->as.ann.kind = victim->kind;
        frame->as.ann.state = YK_STATE_ACTIVE;
        frame->as.ann.pairing = pairing;
        frame->as.ann.media = yk_slice_of("{\"group\":\"239.66.6.6\"}");
        break;
    case YK_TYPE_INT:
        frame->as.intent.op = YK_OP_PAIR;
        frame->as.intent.consumer = victim->id;
        frame->as.intent.producer = pairing.producer;
        frame->as.intent.version = pairing.version;
        break;
    case YK_TYPE_ACK:
        frame->as.ack.version = victim->up ? victim->view.pairing->version : pairing.version;
        frame->as.ack.version.n += frame->as.ack.version.n == 0;
        frame->as.ack.reason = YK_REASON_SELF_PAIR;
        break;
    case YK_TYPE_EVT:
        frame->as.evt.event = YK_EVENT_STARTED;
        frame->as.evt.detail = yk_slice_of("{}");
        break;
    default:
        break;
    }
}

static size_t forge_frame(struct world *world, uint8_t bytes[YK_FRAME_MAX])
{
    static const struct yk_auth no_key;
    struct yk_auth old;
    struct yk_frame frame;

    make_up(world, &frame);
    if (frame.type == YK_TYPE_ACK && frame.as.ack.version.author.size == 0) {
        frame.as.ack.version.author = world_id("mallory");
    }
    if (world->retired != 0 && dice_chance(&world->attacker, 300)) {
        keys_one(&old, (unsigned)dice_between(&world->attacker, 1, world->retired));
        return yk_frame_encode(&frame, &old, bytes);
    }
    return yk_frame_encode(
        &frame, dice_chance(&world->attacker, 500) ? &world->other_auth : &no_key, bytes);
}

static void flip_signature(struct world *world, uint8_t *bytes, size_t size)
{
    static const char name[] = "\"sig\":\"";
    uint8_t *sig = memmem(bytes, size, name, strlen(name));

    if (sig != NULL && (size_t)(bytes + size - sig) > strlen(name) + YK_SIG_SIZE) {
        sig[strlen(name) + dice_below(&world->attacker, YK_SIG_SIZE)] ^= 1;
    }
}

static struct datagram *forge(struct world *world)
{
    struct dice *dice = &world->attacker;
    uint8_t bytes[YK_FRAME_MAX + 64] = {0};
    size_t size = 0;

    switch (dice_below(dice, 6)) {
    case 0: /* noise */
        size = dice_below(dice, sizeof bytes);
        for (size_t i = 0; i < size; i++) {
            bytes[i] = (uint8_t)dice_roll(dice);
        }
        break;
    case 1: /* too long, beginning well */
        size = forge_frame(world, bytes);
        size = sizeof bytes;
        break;
    case 2: /* a true frame with another signature */
        if (world->archive.count > 0) {
            const struct sent *sent = world->archive.list[dice_below(dice, world->archive.count)];

            size = sent->size;
            memcpy(bytes, sent->bytes, size);
            flip_signature(world, bytes, size);
        }
        break;
    default:
        size = forge_frame(world, bytes);
    }
    return datagram_raw((struct yk_slice){bytes, size});
}

void attacker_forge(struct world *world, const struct item *item)
{
    for (int64_t i = 0; i < item->x; i++) {
        arrive_everywhere(world, forge(world), (uint64_t)i * YK_MS);
    }
}

void attacker_replay(struct world *world, const struct item *item)
{
    struct dice *dice = &world->attacker;

    for (int64_t i = 0; i < item->x && world->archive.count > 0; i++) {
        uint64_t place = dice_below(dice, world->archive.count);
        struct datagram *datagram = datagram_of(world->archive.list[place], true);
        uint64_t delay = dice_below(dice, item->lasts);

        if (item->who == PLAN_EVERYBODY) {
            arrive_everywhere(world, datagram, delay);
        } else {
            arrive(world, item->who, datagram, delay);
        }
    }
}
