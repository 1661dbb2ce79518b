/* paths - the short way, the fast pass and the general path give the same verdict, the same canonical bytes and the
 * same frame; the canonical form is a fixed point; another spelling of a value has the same one. */
#include "fuzz/promises.h"

static struct yk_json general, fast, other;
static uint8_t canonical[YK_CANONICAL_MAX], canonical_again[YK_CANONICAL_MAX];

/* A text under construction; what does not fit is remembered. */
struct text {
    uint8_t bytes[YK_CANONICAL_MAX];
    size_t size;
    bool full;
};

static void put(struct text *text, const void *bytes, size_t size)
{
    if (size > sizeof text->bytes - text->size) {
        text->full = true;
        return;
    }
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
}

/* A plain ASCII character by its code, in either case of hex; all else as it is. */
static void put_string(struct text *text, struct yk_slice raw)
{
    static const char digits[] = "0123456789ABCdef";

    put(text, "\"", 1);
    for (size_t i = 0; i < raw.size; i++) {
        uint8_t c = raw.data[i];
        const char code[6] = {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]};

        if (c == '\\') {
            size_t size = raw.data[i + 1] == 'u' ? 6 : 2;

            put(text, raw.data + i, size);
            i += size - 1;
        } else if (c < 0x80 && i % 3 == 0) {
            put(text, code, sizeof code);
        } else {
            put(text, raw.data + i, 1);
        }
    }
    put(text, "\"", 1);
}

static void put_value(struct text *text, const struct yk_json *json, size_t token);

/* Members from last to first. */
static void put_members(struct text *text, const struct yk_json *json, size_t object, size_t key)
{
    size_t next = json->tokens[key + 1].next;

    if (next < json->tokens[object].next) {
        put_members(text, json, object, next);
        put(text, "\t, ", 3);
    }
    put_string(text, yk_json_raw_string(json, key));
    put(text, " :\r\n", 4);
    put_value(text, json, key + 1);
}

static void put_elements(struct text *text, const struct yk_json *json, size_t array)
{
    for (size_t i = array + 1; i < json->tokens[array].next; i = json->tokens[i].next) {
        if (i > array + 1) {
            put(text, " ,", 2);
        }
        put_value(text, json, i);
    }
}

/* Recursion is bounded by the depth and by the number of members of a frame. */
static void put_value(struct text *text, const struct yk_json *json, size_t token)
{
    struct yk_slice spelling = yk_json_spelling(json, token);
    bool empty = json->tokens[token].next == token + 1;

    switch (json->tokens[token].type) {
    case YK_JSON_OBJECT:
        put(text, "{ ", 2);
        if (!empty) {
            put_members(text, json, token, token + 1);
        }
        put(text, "}", 1);
        break;
    case YK_JSON_ARRAY:
        put(text, "[", 1);
        put_elements(text, json, token);
        put(text, "\n]", 2);
        break;
    case YK_JSON_STRING:
        put_string(text, yk_json_raw_string(json, token));
        break;
    default:
        put(text, spelling.data, spelling.size);
        break;
    }
}

/* `json` is indexed, canonical text. */
static void check_other_spelling(const struct yk_json *json)
{
    static struct text text;
    size_t size;

    text.size = 0;
    text.full = false;
    put_value(&text, json, 0);
    if (text.full) {
        return;
    }
    FUZZ_CHECK(yk_json_index(&other, (struct yk_slice){text.bytes, text.size}),
               "another spelling is JSON too");
    size = yk_json_canonicalise(&other, canonical_again, sizeof canonical_again);
    FUZZ_CHECK(yk_slice_equal((struct yk_slice){canonical_again, size}, json->text),
               "another spelling has the same canonical form");
}

static void check_json(struct yk_slice raw)
{
    bool is_fast = yk_json_index_canonical(&fast, raw);
    size_t size = 0;
    struct yk_slice spelled;

    if (yk_json_index(&general, raw)) {
        size = yk_json_canonicalise(&general, canonical, sizeof canonical);
    }
    spelled = (struct yk_slice){canonical, size};
    FUZZ_CHECK(is_fast == (size > 0 && yk_slice_equal(spelled, raw)),
               "the fast pass takes exactly what the general path would not change");
    if (size == 0) {
        return;
    }
    FUZZ_CHECK(yk_json_index_canonical(&fast, spelled), "the canonical form is canonical");
    FUZZ_CHECK(fast.count == general.count, "and has as many tokens");
    check_other_spelling(&fast);
}

struct reading {
    struct yk_decoder decoder;
    struct yk_frame frame;
    enum yk_drop drop;
    bool body;
};

static void read_frame(struct reading *reading, struct yk_slice raw, enum yk_path path)
{
    reading->drop = yk_frame_read_envelope(&reading->decoder, raw, path, &reading->frame);
    reading->body =
        reading->drop == YK_DROP_NONE && yk_frame_read_body(&reading->decoder, &reading->frame);
}

static void check_equal(const struct reading *a, const struct reading *b)
{
    FUZZ_CHECK(a->drop == b->drop, "all paths give the same verdict");
    if (a->drop != YK_DROP_NONE) {
        return;
    }
    FUZZ_CHECK(yk_slice_equal(a->decoder.spelled, b->decoder.spelled),
               "all paths find the same canonical bytes");
    FUZZ_CHECK(yk_slice_equal(a->decoder.sig, b->decoder.sig), "and the same signature");
    FUZZ_CHECK(a->body == b->body, "all paths judge the body alike");
    if (a->body) {
        FUZZ_CHECK(fuzz_frames_equal(&a->frame, &b->frame), "all paths read the same frame");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct reading by_short, by_fast, by_general;
    struct yk_slice raw = {data, size};

    check_json(raw);
    read_frame(&by_short, raw, YK_PATH_AUTO);
    read_frame(&by_fast, raw, YK_PATH_FAST);
    read_frame(&by_general, raw, YK_PATH_GENERAL);
    check_equal(&by_short, &by_general);
    check_equal(&by_fast, &by_general);
    return 0;
}
