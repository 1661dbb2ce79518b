/* node - the whole node, fed with what the bytes of the input say: frames of peers (signed, forged,
 * damaged, repeated), time, clock steps, ends of saves, the driver's answers, stop, power cuts. A
 * byte chooses what happens, the next ones how. What the contract of core/node.h forbids does not
 * happen: a blocked node hears nothing, a stopped one neither. */
#include <stdio.h>

#include "fuzz/sign.h"
#include "fuzz/world.h"

#define EVENTS_MAX 400
#define KEY "fuzz-key"
#define NEXT_KEY "next-key"
#define WRONG_KEY "wrong-key"

struct script {
    const uint8_t *at, *end;
};

static struct world world;

/* The next byte, or 0 at the end. */
static uint8_t next(struct script *script)
{
    return script->at < script->end ? *script->at++ : 0;
}

static struct yk_slice next_bytes(struct script *script, size_t most)
{
    size_t size = next(script);
    struct yk_slice bytes = {script->at, 0};

    size = size > most ? most : size;
    bytes.size =
        size > (size_t)(script->end - script->at) ? (size_t)(script->end - script->at) : size;
    script->at += bytes.size;
    return bytes;
}

#define CHOOSE(list, byte) ((list)[(byte) % (sizeof(list) / sizeof *(list))])

static struct yk_id id_of(const char *text)
{
    struct yk_id id;

    FUZZ_CHECK(yk_id_parse(&id, yk_slice_of(text)), "it is an id");
    return id;
}

/* A few that matter, the first one most, and enough others to fill the tables. */
static struct yk_id choose_id(uint8_t byte)
{
    static const char *const few[] = {
        "enc-1", "enc-2", "dec-2",
        "tool",  "dec-3", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    char many[] = "n-aa";

    if (byte == 0) {
        return world.options.id;
    }
    if (byte < 128) {
        return id_of(byte < 64 ? few[0] : CHOOSE(few, byte));
    }
    many[2] = (char)('a' + byte % 8);
    many[3] = (char)('a' + byte / 8 % 8);
    return id_of(many);
}

static struct yk_version choose_version(struct script *script)
{
    static const char *const authors[] = {"op-a", "op-b", "A", "op-ffffffffffffffff"};
    uint8_t byte = next(script);
    uint64_t n = byte >> 2;
    struct yk_version version = {.author = id_of(CHOOSE(authors, byte))};

    if (n > 60) {
        n = YK_COUNT_MAX - (n - 61);
    } else if (n > 56) {
        n = world.told.pairing.version.n + n - 57; /* the same, and above */
    }
    version.n = n == 0 ? 1 : n > YK_COUNT_MAX ? YK_COUNT_MAX : n;
    return version;
}

static struct yk_slice choose_media(uint8_t byte)
{
    static uint8_t large[900];
    static const char *const few[] = {"", "{\"group\":\"239.10.0.5\",\"port\":5004}",
                                      "{\"group\":\"239.10.0.6\",\"port\":5004}", "{}"};

    if (byte < 224) {
        return yk_slice_of(CHOOSE(few, byte));
    }
    memset(large, 'x', sizeof large);
    memcpy(large, "{\"x\":\"", 6);
    memcpy(large + sizeof large - 2, "\"}", 2);
    return (struct yk_slice){large, sizeof large};
}

/* Also a long one: spelled in JSON it is twice as long, and its bounds fall inside of characters. */
static struct yk_slice choose_text(uint8_t byte)
{
    static const char *const few[] = {"", "a", "\x01\x1b[2J", "\xf0\x9f\x98\x80\xf0\x9f\x98\x80",
                                      "no carrier on eth1"};
    static const char piece[] = "\xe2\x80\xa8\x01\"\x02\xc3\xa9";
    static uint8_t large[3 + 32 * (sizeof piece - 1)];

    if (byte < 192) {
        return yk_slice_of(CHOOSE(few, byte));
    }
    memset(large, 'e', sizeof large);
    for (size_t i = 3; i < sizeof large && byte < 224; i++) {
        large[i] = (uint8_t)piece[(i - 3) % (sizeof piece - 1)];
    }
    return (struct yk_slice){large, sizeof large};
}

static struct yk_slice choose_name(uint8_t byte)
{
    static char emoji[YK_NAME_BYTES_MAX], controls[YK_NAME_MAX];

    if (byte % 4 == 0) {
        for (size_t i = 0; i < sizeof emoji; i += 4) {
            memcpy(emoji + i, "\xf0\x9f\x98\x80", 4);
        }
        return (struct yk_slice){(const uint8_t *)emoji, sizeof emoji};
    }
    memset(controls, 1, sizeof controls);
    return byte % 4 == 1 ? (struct yk_slice){(const uint8_t *)controls, sizeof controls}
                         : yk_slice_of("Room 3");
}

/* ---- frames */

static uint64_t choose_seq(uint8_t byte)
{
    uint64_t *last = &world.peer_seq;
    uint64_t wall = (uint64_t)(world.wall_off + (int64_t)world.now);

    switch (byte % 16) {
    case 0:
        return *last > 0 ? *last : 1;
    case 1:
        return *last > 1000 ? *last - 1000 : 1;
    case 2:
        return wall + YK_SEQ_FUTURE;
    case 3:
        return wall + YK_SEQ_FUTURE + 2;
    case 4:
        return YK_COUNT_MAX;
    case 5:
        return 1;
    case 6:
        return world.memory.seq_last + 1 + byte / 16;
    default:
        *last = (wall > *last ? wall : *last) + 1;
        return *last;
    }
}

static void fill_ann(struct script *script, struct yk_ann *ann)
{
    uint8_t facts = next(script);

    ann->role = facts & 1 ? YK_ROLE_CONSUMER : YK_ROLE_PRODUCER;
    ann->kind = facts & 2 && facts & 4 ? YK_KIND_USB : YK_KIND_HDMI;
    ann->state = (enum yk_state)(YK_STATE_NONE + 1 + (facts >> 3) % 4);
    ann->name = yk_slice_of("peer");
    ann->has_err = facts & 32;
    ann->has_evidence = facts & 64;
    ann->err = ann->has_err ? choose_text(next(script)) : ann->err;
    ann->evidence = ann->has_evidence ? choose_text(next(script)) : ann->evidence;
    if (ann->role == YK_ROLE_PRODUCER) {
        ann->media = choose_media(next(script));
    } else if (facts & 128) {
        ann->pairing.version = choose_version(script);
        ann->pairing.producer = choose_id(next(script));
    }
}

static void fill_body(struct script *script, struct yk_frame *frame, uint8_t what)
{
    frame->type = (enum yk_type)(YK_TYPE_NONE + 1 + what % 5);
    switch (frame->type) {
    case YK_TYPE_ANN:
        fill_ann(script, &frame->as.ann);
        break;
    case YK_TYPE_INT:
        frame->as.intent.op = what & 64 ? YK_OP_UNPAIR : YK_OP_PAIR;
        frame->as.intent.consumer = what & 128 ? choose_id(next(script)) : world.options.id;
        frame->as.intent.version = choose_version(script);
        if (frame->as.intent.op == YK_OP_PAIR && (what & 32) == 0) {
            frame->as.intent.producer = choose_id(next(script));
        } /* else a pair with no id */
        break;
    case YK_TYPE_ACK:
        frame->as.ack.version = choose_version(script);
        frame->as.ack.applied = what & 128;
        frame->as.ack.reason = (enum yk_reason)(YK_REASON_NONE + 1 + (what >> 3) % 6);
        break;
    case YK_TYPE_EVT:
        frame->as.evt.event = (enum yk_event)(YK_EVENT_NONE + 1 + what % 11);
        frame->as.evt.detail = yk_slice_of("{}");
        break;
    default:
        break;
    }
}

/* Signed as the node signs now, or with another key, which it may have had or not. */
static const struct yk_auth *choose_auth(uint8_t byte)
{
    static const char *const texts[] = {KEY, NEXT_KEY, WRONG_KEY};
    static struct yk_auth others[3];
    size_t which = byte < 240 ? 0 : byte < 248 ? 1 : 2;

    if (byte < 232) {
        return &world.auth;
    }
    if (!others[which].key.set) {
        yk_auth_init(&others[which], yk_slice_of(texts[which]), (struct yk_slice){NULL, 0});
    }
    return &others[which];
}

static void keep_and_hear(struct yk_slice bytes)
{
    struct kept_frame *kept = &world.kept[world.kept_count++ % WORLD_KEPT];

    kept->size = bytes.size;
    memcpy(kept->bytes, bytes.data, bytes.size);
    (void)world_hear(&world, bytes);
}

static void hear_frame(struct script *script)
{
    struct yk_frame frame = {.type = YK_TYPE_NONE};
    uint8_t bytes[YK_FRAME_MAX];
    uint8_t what = next(script), origin = next(script), how = next(script);
    size_t size;

    frame.origin = choose_id(origin);
    frame.seq = choose_seq(how);
    frame.ts_ms = how & 128 ? 0 : (world.wall_off + (int64_t)world.now) / (int64_t)YK_MS;
    fill_body(script, &frame, what);
    size = yk_frame_encode(&frame, choose_auth(origin), bytes);
    if (size > 0) {
        keep_and_hear((struct yk_slice){bytes, size});
    }
}

/* Many consumers announce themselves, or are given intents, or both. */
static void hear_crowd(struct script *script)
{
    uint8_t how = next(script);
    struct yk_frame frame = {.type = YK_TYPE_NONE};

    for (uint8_t i = 0; i < how % 32; i++) {
        uint8_t bytes[YK_FRAME_MAX];
        size_t size;

        frame.origin = choose_id(128 + i);
        frame.seq = choose_seq(UINT8_MAX);
        fill_body(&(struct script){bytes, bytes}, &frame, 0);
        if (how & 64 || (how & 32 && i % 2)) {
            frame.type = YK_TYPE_INT;
            frame.as.intent = (struct yk_intent){
                .op = YK_OP_UNPAIR, .consumer = frame.origin, .version = {how, id_of("op-crowd")}};
            frame.origin = id_of("tool");
        } else {
            frame.as.ann.role = YK_ROLE_CONSUMER;
        }
        size = yk_frame_encode(&frame, &world.auth, bytes);
        (void)world_hear(&world, (struct yk_slice){bytes, size});
    }
}

/* Bytes of the input as the body of a frame that is signed. */
static void hear_body(struct script *script)
{
    static struct yk_decoder decoder;
    static const char *const types[] = {"ann", "int", "ack", "evt", "bye"};
    struct yk_frame frame;
    char text[YK_FRAME_MAX];
    uint8_t bytes[FUZZ_SIGNED_MAX];
    uint8_t how = next(script);
    struct yk_slice body = next_bytes(script, 255);
    struct yk_id origin = choose_id(next(script));
    size_t sig_at, size;

    size =
        (size_t)snprintf(text, sizeof text,
                         "{\"v\":1,\"sig\":\"\",\"type\":\"%s\",\"origin\":\"%s\",\"seq\":%llu,"
                         "\"ts\":1.5,\"body\":%.*s}",
                         CHOOSE(types, how), origin.text, (unsigned long long)choose_seq(how / 16),
                         (int)body.size, (const char *)body.data);
    if (yk_frame_read_envelope(&decoder, (struct yk_slice){(const uint8_t *)text, size},
                               YK_PATH_AUTO, &frame) == YK_DROP_NONE) {
        size = fuzz_sign(&decoder, &world.auth, bytes, &sig_at);
        if (size <= YK_FRAME_MAX) {
            keep_and_hear((struct yk_slice){bytes, size});
        }
    }
}

/* A frame that was on the wire: once more, or with a byte changed. */
static void hear_again(struct script *script)
{
    uint8_t which = next(script), damage = next(script);
    size_t there = world.kept_count < WORLD_KEPT ? world.kept_count : WORLD_KEPT;
    struct kept_frame copy;

    if (there == 0) {
        return;
    }
    copy = world.kept[which % there];
    if (damage >= 128) {
        copy.bytes[(size_t)damage * 7 % copy.size] ^= (uint8_t)(1 << which % 8);
    }
    if (world_hear(&world, (struct yk_slice){copy.bytes, copy.size}) && !world_is_blocked(&world)) {
        FUZZ_CHECK(!world_hear(&world, (struct yk_slice){copy.bytes, copy.size}),
                   "what was accepted is not accepted again");
    }
}

/* ---- everything else */

static void pass_time(struct script *script)
{
    static const yk_time steps[] = {0,         YK_MS,         50 * YK_MS,    300 * YK_MS,
                                    YK_SECOND, 2 * YK_SECOND, 7 * YK_SECOND, 31 * YK_SECOND};

    world_pass(&world, CHOOSE(steps, next(script)));
}

static void leap(struct script *script)
{
    static const yk_time leaps[] = {10 * YK_SECOND, 60 * YK_SECOND, YK_HOUR, 25 * YK_HOUR};

    world_leap(&world, CHOOSE(leaps, next(script)));
}

static void step_wall(struct script *script)
{
    static const int64_t steps_s[] = {1, -1, 3500, -3500, 7200, -7200, 1000000000, -1000000000};
    int64_t step_s = CHOOSE(steps_s, next(script));
    int64_t unix_s = (world.wall_off + (int64_t)world.now) / (int64_t)YK_SECOND;

    if (unix_s + step_s >= -2000000000 && unix_s + step_s <= 4000000000) {
        world_step_wall(&world, step_s * (int64_t)YK_SECOND);
    }
}

static void end_save(struct script *script)
{
    uint8_t how = next(script);

    if (how % 8 == 7) {
        world_end_strange_save(&world, world.request + how / 8 - 16);
    } else if (how % 8 == 6) {
        world.instant_saves = !world.instant_saves;
    } else {
        world_end_save(&world, how % 8 < 3   ? SAVE_DONE
                               : how % 8 < 5 ? SAVE_FAILED
                                             : SAVE_FAILED_BUT_WRITTEN);
    }
}

/* One, the other, both either way, none. */
static void turn_keys(struct script *script)
{
    static const char *const pairs[][2] = {{KEY, NEXT_KEY}, {NEXT_KEY, KEY},  {NEXT_KEY, ""},
                                           {KEY, ""},       {WRONG_KEY, KEY}, {"", ""}};
    const char *const *chosen = CHOOSE(pairs, next(script));

    world_keys(&world, yk_slice_of(chosen[0]), yk_slice_of(chosen[1]));
}

static void report(struct script *script)
{
    uint8_t how = next(script);
    uint64_t generation = world.memory.generation;
    enum yk_report status = (enum yk_report)(YK_REPORT_IDLE + how % 4);

    if (how >= 224) {
        generation += how % 3 == 0 ? 1 : UINT64_MAX;
    }
    if (how & 16) {
        world_report(&world, generation, status, next_bytes(script, YK_REPORT_DETAIL_MAX + 15));
    } else {
        world_report(&world, generation, status, choose_text(next(script)));
    }
}

static void happen(struct script *script)
{
    uint8_t what = next(script);

    world.sender = 1 + what % 3;
    if (what >= 248 || world.stopped) {
        world_crash(&world, what & 1);
    } else if (what < 24) {
        end_save(script);
    } else if (world_is_blocked(&world)) {
        world_end_save(&world, what & 1 ? SAVE_DONE : SAVE_FAILED);
    } else if (what < 104) {
        hear_frame(script);
    } else if (what < 120) {
        hear_body(script);
    } else if (what < 136) {
        hear_again(script);
    } else if (what < 138) {
        hear_crowd(script);
    } else if (what < 140) {
        (void)world_hear(&world, next_bytes(script, 255));
    } else if (what < 180) {
        pass_time(script);
    } else if (what < 188) {
        leap(script);
    } else if (what < 196) {
        step_wall(script);
    } else if (what < 236) {
        report(script);
    } else if (what < 238) {
        turn_keys(script);
    } else if (what < 240) {
        world_return(&world);
    } else if (what < 244) {
        world_media(&world, choose_media(next(script)));
    } else {
        world_stop(&world);
    }
}

/* Who the node is, and what it finds on its disk. */
static void set_up(struct script *script)
{
    uint8_t who = next(script), disk = next(script);
    bool consumer = (who & 1) == 0;
    void *memory = world.node_memory;
    size_t over;

    memset(&world, 0, sizeof world);
    world.node_memory = memory;
    world.now = 5 * YK_SECOND;
    world.wall_off = who & 16 ? 0 : FUZZ_WALL_NS;
    world.instant_saves = (who & 32) == 0;
    world_keys(&world, yk_slice_of(who & 2 ? KEY : ""), yk_slice_of(who & 2 ? NEXT_KEY : ""));
    world.options = (struct yk_node_options){.id = id_of(consumer ? "dec-1" : "enc-0"),
                                             .name = choose_name(who >> 2),
                                             .role = consumer ? YK_ROLE_CONSUMER : YK_ROLE_PRODUCER,
                                             .kind = YK_KIND_HDMI,
                                             .auth = &world.auth,
                                             .tracked = WORLD_TRACKED,
                                             .seed = disk,
                                             .stop_limit = 2 * YK_SECOND};
    if (!consumer) {
        world.options.media = choose_media(next(script));
    }
    if (!yk_node_fits(&world.options, &over)) {
        world.options.name = yk_slice_of("small");
    }
    world.disk.seq = disk & 1    ? (uint64_t)FUZZ_WALL_NS
                     : disk & 2  ? YK_COUNT_MAX - (uint64_t)(disk >> 4) * 1000
                     : disk & 64 ? (uint64_t)FUZZ_WALL_NS + 2 * YK_HOUR
                                 : 0;
    if (consumer && disk & 4) {
        world.disk.pairing.version = choose_version(script);
        if (disk & 8) {
            world.disk.pairing.producer = choose_id(next(script) | 1);
        }
    }
    world.memory.shown = world.disk.pairing;
}

static uint64_t run(const uint8_t *data, size_t size)
{
    struct script script = {data, data + size};

    set_up(&script);
    world_start(&world);
    for (unsigned i = 0; i < EVENTS_MAX && script.at < script.end; i++) {
        happen(&script);
    }
    return world.hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t hash = run(data, size);

    if (size % 8 == 0) {
        FUZZ_CHECK(run(data, size) == hash, "the same inputs give the same effects");
    }
    return 0;
}
