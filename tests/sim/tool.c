/* `yoke pair` and `yoke unpair` as the network sees them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "sim/check.h"
#include "sim/world.h"

#define RETRY_MIN (10 * YK_MS)
#define RETRY_MAX (250 * YK_MS)
#define LISTENS (2600 * YK_MS)
#define GIVES_UP (5 * YK_SECOND)

static struct yk_id producer_of(struct world *world, const struct tool *tool, uint32_t producer)
{
    switch (producer) {
    case PLAN_UNPAIR:
        return world_id("");
    case PLAN_SELF:
        return world->agents[tool->consumer].id;
    case PLAN_NO_ID:
        return world_id("");
    case PLAN_STRANGER:
        return world_id("nobody-has-this-id");
    default:
        return world->agents[producer].id;
    }
}

static void wake(struct world *world, struct tool *tool, uint64_t delay)
{
    world_later(world, delay,
                (struct happening){.kind = HAPPENS_TOOL, .who = tool->number - world->agent_count});
}

static struct tool *add_tool(struct world *world)
{
    struct tool *tool = &world->tools[world->tool_count];
    char id[YK_ID_MAX];

    memset(tool, 0, sizeof *tool);
    tool->number = world->agent_count + world->tool_count++;
    tool->dice = dice_of(world->plan.seed, UINT64_C(1) << 32 | tool->number);
    snprintf(id, sizeof id, "cli-%08" PRIx64 "-%u", dice_roll(&tool->dice) >> 32, tool->number);
    tool->id = world_id(id);
    return tool;
}

static bool is_busy(const struct tool *tool)
{
    return tool->phase != TOOL_DONE;
}

struct tool *tool_start(struct world *world, const struct item *item)
{
    struct tool *tool;
    char author[YK_ID_MAX];

    if (world->tool_count == world->tool_capacity) {
        return NULL;
    }
    tool = add_tool(world);
    while (world->first_active_tool + 1 < world->tool_count &&
           !is_busy(&world->tools[world->first_active_tool])) {
        world->first_active_tool++;
    }
    tool->host = (uint32_t)dice_below(&tool->dice, world->agent_count);
    tool->consumer = item->who;
    tool->care = (unsigned)item->y;
    tool->intent.op = item->x == PLAN_UNPAIR ? YK_OP_UNPAIR : YK_OP_PAIR;
    tool->intent.consumer = world->agents[item->who].id;
    tool->intent.producer = producer_of(world, tool, (uint32_t)item->x);
    snprintf(author, sizeof author, "op-%016" PRIx64, dice_roll(&tool->dice));
    tool->intent.version.author =
        world_id((tool->care & PLAN_LEGACY) != 0 ? "legacy-author" : author);
    tool->phase = TOOL_LISTENS;
    tool->act_at = world->now + ((tool->care & PLAN_BLIND) != 0 ? 0 : LISTENS);
    wake(world, tool, tool->act_at - world->now);
    return tool;
}

void tool_flood(struct world *world, const struct item *item)
{
    struct item operation = {.kind = PLAN_OPERATE, .who = item->who, .x = PLAN_UNPAIR};
    struct tool *tool = tool_start(world, &operation);

    if (tool != NULL) {
        tool->floods = (unsigned)item->x;
    }
}

/* ---- sending */

/* Signs a frame again whose bytes were changed by hand. */
static void sign_again(const struct yk_auth *auth, uint8_t *bytes, size_t size)
{
    static const char name[] = ",\"sig\":\"";
    uint8_t *member = memmem(bytes, size, name, strlen(name));
    uint8_t *sig = member + strlen(name);
    uint8_t *after = (uint8_t *)memchr(sig, '"', (size_t)(bytes + size - sig)) + 1;
    struct yk_slice parts[2] = {{bytes, (size_t)(member - bytes)},
                                {after, (size_t)(bytes + size - after)}};
    char hex[YK_SIG_SIZE];

    if (yk_auth_sign(auth, parts, hex) > 0) {
        memcpy(sig, hex, sizeof hex);
    }
}

/* With members that nobody knows, up to the frame's limit. */
static size_t encode_extended(const struct yk_auth *auth, const struct yk_frame *frame,
                              uint8_t out[YK_FRAME_MAX])
{
    static const char before[] = "\"" TOOL_EXTENSION "\":{\"share\":0.5,\"text\":\"";
    static const char after[] = "\"},";
    const size_t body = strlen("{\"body\":{");
    uint8_t plain[YK_FRAME_MAX];
    size_t size = yk_frame_encode(frame, auth, plain);
    size_t pad = YK_FRAME_MAX - size - strlen(before) - strlen(after);
    uint8_t *at = out;

    memcpy(at, plain, body);
    at += body;
    memcpy(at, before, strlen(before));
    at += strlen(before);
    memset(at, 'p', pad);
    at += pad;
    memcpy(at, after, strlen(after));
    at += strlen(after);
    memcpy(at, plain + body, size - body);
    sign_again(auth, out, YK_FRAME_MAX);
    return YK_FRAME_MAX;
}

/* A pair with something that is no node id: the core's own encoder does not write such a thing. */
static size_t encode_no_id(const struct yk_auth *auth, struct yk_frame *frame,
                           uint8_t out[YK_FRAME_MAX])
{
    static const char good[] = "no-such-node-id";
    size_t size;

    frame->as.intent.producer = world_id(good);
    size = yk_frame_encode(frame, auth, out);
    *(uint8_t *)memmem(out, size, good, strlen(good)) = '?';
    sign_again(auth, out, size);
    return size;
}

static size_t encode(const struct yk_auth *auth, struct tool *tool, struct yk_frame *frame,
                     uint8_t bytes[YK_FRAME_MAX])
{
    if (frame->as.intent.op == YK_OP_PAIR && frame->as.intent.producer.size == 0) {
        return encode_no_id(auth, frame, bytes);
    }
    if ((tool->care & PLAN_EXTENDED) != 0) {
        return encode_extended(auth, frame, bytes);
    }
    return yk_frame_encode(frame, auth, bytes);
}

static void send_intent(struct world *world, struct tool *tool)
{
    const struct keys *keys = &world->agents[tool->host].keys;
    struct yk_frame frame = {.type = YK_TYPE_INT, .origin = tool->id, .seq = ++tool->seq};
    uint8_t bytes[YK_FRAME_MAX];
    struct sent *sent;
    size_t size;

    frame.ts_ms = clock_wall(&world->agents[tool->host].clock, world->now) / (int64_t)YK_MS;
    frame.as.intent = tool->intent;
    size = encode(&keys->auth, tool, &frame, bytes);
    sent = sent_make(keys, tool->number, ++world->sent_count, (struct yk_slice){bytes, size});
    check_that(world, sent != NULL, "simulator", NULL, "a tool's frame does not decode");
    trace_say(world, NULL, "%s sends %s %s %s %s", tool->id.text, yk_op_word(tool->intent.op),
              tool->intent.consumer.text, tool->intent.producer.text,
              version_text(&tool->intent.version).text);
    network_send(world, sent);
    archive_add(&world->archive, sent);
    sent_release(sent);
    tool->tries++;
}

static void author(struct world *world, struct tool *tool)
{
    int64_t wall = clock_wall(&world->agents[tool->host].clock, world->now);

    tool->intent.version.n = tool->known_n < YK_COUNT_MAX ? tool->known_n + 1 : YK_COUNT_MAX;
    tool->seq = wall > 0 ? (uint64_t)wall : 1;
    tool->phase = TOOL_SENDS;
    tool->wait = RETRY_MIN;
    tool->give_up_at = world->now + GIVES_UP;
}

/* Having learnt what there is to learn: acts soon, or thinks about it for long. */
static void decide(struct world *world, struct tool *tool)
{
    bool dithers = (tool->care & PLAN_DITHERS) != 0;
    uint64_t delay = dithers ? dice_between(&tool->dice, 3, 25) * YK_SECOND
                             : dice_below(&tool->dice, PLAN_CAREFUL_MS) * YK_MS;

    tool->phase = TOOL_THINKS;
    tool->act_at = world->now + delay;
    wake(world, tool, delay);
}

void tool_go_on(struct world *world, struct tool *tool)
{
    if (tool->phase == TOOL_DONE || world->now < tool->act_at) {
        return;
    }
    if (tool->phase == TOOL_LISTENS) {
        decide(world, tool);
        return;
    }
    if (tool->phase == TOOL_THINKS) {
        author(world, tool);
    }
    if (tool->floods > 0 ? tool->tries >= tool->floods : world->now >= tool->give_up_at) {
        tool->phase = TOOL_DONE;
        return;
    }
    send_intent(world, tool);
    tool->wait = tool->floods > 0 ? YK_MS : tool->wait;
    tool->act_at = world->now + tool->wait;
    wake(world, tool, tool->wait);
    tool->wait = tool->wait * 2 < RETRY_MAX ? tool->wait * 2 : RETRY_MAX;
}

static void learn(struct tool *tool, uint64_t n)
{
    if (tool->phase == TOOL_LISTENS && n > tool->known_n && (tool->care & PLAN_BLIND) == 0) {
        tool->known_n = n;
    }
}

void tool_arrival(struct world *world, struct tool *tool, const struct datagram *datagram)
{
    const struct yk_frame *frame;

    if (tool->phase == TOOL_DONE || datagram->sent == NULL ||
        !keys_accept(&world->agents[tool->host].keys, datagram->sent->key)) {
        return;
    }
    frame = &datagram->sent->frame;
    if (frame->type == YK_TYPE_INT &&
        yk_id_equal(&frame->as.intent.consumer, &tool->intent.consumer)) {
        learn(tool, frame->as.intent.version.n);
    }
    if (!yk_id_equal(&frame->origin, &tool->intent.consumer)) {
        return;
    }
    if (frame->type == YK_TYPE_ANN && frame->as.ann.role == YK_ROLE_CONSUMER) {
        learn(tool, frame->as.ann.pairing.version.n);
        if (tool->phase == TOOL_LISTENS) {
            decide(world, tool);
        }
    } else if (frame->type == YK_TYPE_ACK && tool->phase == TOOL_SENDS &&
               yk_version_compare(&frame->as.ack.version, &tool->intent.version) == 0) {
        tool->answered = true;
        tool->applied = frame->as.ack.applied;
        tool->phase = tool->floods > 0 ? tool->phase : TOOL_DONE;
    }
}
