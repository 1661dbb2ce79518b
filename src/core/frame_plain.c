#include "core/frame_plain.h"

#include "core/json_string.h"
#include "core/sixteen.h"

/* Keys in rising order, each there once, no white space: text that is matched literally is canonical
 * as it stands. What stands between is string, and was looked at when it was marked, or is checked by
 * the functions of the general path. */
struct reader {
    const uint8_t *at, *end; /* of the head; more of the datagram is behind it */
    struct yk_decoder *decoder;
};

#define LEAST_HEAD 96 /* bytes: the body of an announcement and what is around it need more */
#define LEAST_TAIL 40
#define COUNT_DIGITS 19                   /* of YK_COUNT_MAX */
#define SECONDS_MAX UINT64_C(99999999999) /* with three figures behind the point still exact */

/* True when the bytes at `at` are `text`, whose size the compiler knows: gcc would call memcmp for most
 * of them. What is looked at twice costs nothing. */
static inline __attribute__((always_inline)) bool is_text(const uint8_t *at, const char *text,
                                                          size_t size)
{
    const uint8_t *other = (const uint8_t *)text;

    if (size > 32 || size < 4) {
        return memcmp(at, text, size) == 0;
    }
    if (size > 16) {
        yk_sixteen first = yk_sixteen_at(at) == yk_sixteen_at(other);
        yk_sixteen last = yk_sixteen_at(at + size - 16) == yk_sixteen_at(other + size - 16);

        return yk_sixteen_bits(first & last) == 0xffff;
    }
    if (size >= 8) {
        return ((yk_load_eight(at) ^ yk_load_eight(other)) |
                (yk_load_eight(at + size - 8) ^ yk_load_eight(other + size - 8))) == 0;
    }
    return ((yk_load_four(at) ^ yk_load_four(other)) |
            (yk_load_four(at + size - 4) ^ yk_load_four(other + size - 4))) == 0;
}

static inline __attribute__((always_inline)) bool skip_bytes(struct reader *reader,
                                                             const char *text, size_t size)
{
    if ((size_t)(reader->end - reader->at) < size || !is_text(reader->at, text, size)) {
        return false;
    }
    reader->at += size;
    return true;
}
#define SKIP(reader, text) skip_bytes(reader, text, sizeof(text) - 1)

/* The inside of a string as spelled, and its closing quote. */
static inline bool read_raw(struct reader *reader, struct yk_slice *raw)
{
    const uint8_t *start = reader->decoder->head.data;
    const uint8_t *quote =
        start + yk_marks_next(reader->decoder->marks.quotes, (size_t)(reader->at - start));

    *raw = (struct yk_slice){reader->at, (size_t)(quote - reader->at)};
    reader->at = quote + 1;
    return quote < reader->end;
}

/* The rest of a string that is a node id. */
static inline bool read_id(struct reader *reader, struct yk_id *id)
{
    /* Whatever is behind it, so that it need not be cut out. */
    const uint8_t *limit = reader->decoder->spelled.data + reader->decoder->spelled.size;

    reader->at += yk_id_read(id, (struct yk_slice){reader->at, (size_t)(limit - reader->at)});
    return id->size > 0 && SKIP(reader, "\"");
}

static inline bool read_text(struct reader *reader, struct yk_slice *text)
{
    struct yk_decoder *decoder = reader->decoder;
    uint8_t *out = decoder->text + decoder->text_used;

    if (!read_raw(reader, text)) {
        return false;
    }
    if (decoder->marks.escaped && memchr(text->data, '\\', text->size) != NULL) {
        *text = (struct yk_slice){out, yk_json_unescape(*text, out)};
        decoder->text_used += text->size;
    }
    return true;
}

/* The rest of a string that is one of the words of protocol.def. */
static inline enum yk_kind read_kind(struct reader *reader)
{
#define YK_KIND(id, word, meaning) \
    if (SKIP(reader, word "\"")) { \
        return YK_KIND_##id;       \
    }
#include "core/protocol.def"
#undef YK_KIND
    return YK_KIND_NONE;
}

static inline enum yk_role read_role(struct reader *reader)
{
#define YK_ROLE(id, word, meaning) \
    if (SKIP(reader, word "\"")) { \
        return YK_ROLE_##id;       \
    }
#include "core/protocol.def"
#undef YK_ROLE
    return YK_ROLE_NONE;
}

static inline enum yk_state read_state(struct reader *reader)
{
#define YK_STATE(id, word, meaning) \
    if (SKIP(reader, word "\"")) {  \
        return YK_STATE_##id;       \
    }
#include "core/protocol.def"
#undef YK_STATE
    return YK_STATE_NONE;
}

/* The value of eight digits, the first one lowest; `bad` gets bits where a byte is none. Neighbours are
 * joined to numbers of two digits, those to numbers of four, and those to one. */
static inline uint64_t read_eight(uint64_t text, uint64_t *bad)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t digits = text ^ ones * '0';

    *bad |= ((digits + ones * (0x7f - 9)) | digits) & ones * 0x80;
    digits = (digits * 10 + (digits >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    digits = (digits * 100 + (digits >> 16)) & UINT64_C(0x0000ffff0000ffff);
    return (digits * 10000 + (digits >> 32)) & UINT32_MAX;
}

/* The same for the last one to eight bytes in front of `end`, where eight bytes can be read. */
static inline uint64_t read_last(const uint8_t *end, size_t count, uint64_t *bad)
{
    unsigned others = 64 - 8 * (unsigned)count;
    uint64_t zeros = UINT64_C(0x3030303030303030) >> 1 >> (63 - others);

    return read_eight(yk_load_eight(end - 8) >> others << others | zeros, bad);
}

/* All of `text` as digits, at most COUNT_DIGITS of them; eight bytes in front of it can be read. */
static inline bool read_digits(struct yk_slice text, uint64_t *value)
{
    static const uint32_t tens[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    uint64_t bad = 0, sum = 0;
    size_t last = text.size;

    if (text.size < 1 || text.size > COUNT_DIGITS) {
        return false;
    }
    if (text.size > 8) {
        sum = read_eight(yk_load_eight(text.data), &bad);
        last -= 8;
    }
    if (text.size > 16) {
        sum = sum * 100000000 + read_eight(yk_load_eight(text.data + 8), &bad);
        last -= 8;
    }
    *value = sum * tens[last] + read_last(text.data + text.size, last, &bad);
    return bad == 0;
}

/* An integer of 0 ... YK_COUNT_MAX, all of `text`. */
static inline bool read_count(struct yk_slice text, uint64_t *count)
{
    return read_digits(text, count) && (text.data[0] != '0' || text.size == 1) &&
           *count <= YK_COUNT_MAX;
}

/* Seconds as agents write them: figures, a point, one to three figures. The rest is rare. */
static inline bool read_seconds(struct yk_slice text, int64_t *ms)
{
    static const uint64_t scale[] = {0, 100, 10, 1};
    const uint8_t *end = text.data + text.size;
    uint64_t whole, part;
    size_t figures = 1;

    while (figures <= 3 && figures + 1 < text.size && end[-1 - (int)figures] != '.') {
        figures++;
    }
    if (figures > 3 || figures + 1 >= text.size || (figures > 1 && end[-1] == '0') ||
        !read_count((struct yk_slice){text.data, text.size - figures - 1}, &whole) ||
        whole > SECONDS_MAX || !read_digits((struct yk_slice){end - figures, figures}, &part)) {
        return false;
    }
    *ms = (int64_t)(whole * 1000 + part * scale[figures]);
    return true;
}

static inline bool read_version(struct reader *reader, struct yk_version *version)
{
    struct yk_slice count;

    /* The number ends in front of the quote that is next. */
    if (!SKIP(reader, "[") || !read_raw(reader, &count) || count.size < 2 ||
        count.data[count.size - 1] != ',') {
        return false;
    }
    count.size--;
    return read_count(count, &version->n) &&
           (version->n == 0 ? SKIP(reader, "\"") : read_id(reader, &version->author)) &&
           SKIP(reader, "]");
}

static inline bool read_pairing(struct reader *reader, struct yk_pairing *pairing)
{
    bool paired = SKIP(reader, "{\"producer\":\"");

    if (paired ? !read_id(reader, &pairing->producer) : !SKIP(reader, "{\"producer\":null")) {
        return false;
    }
    return SKIP(reader, ",\"version\":") && read_version(reader, &pairing->version) &&
           SKIP(reader, "}") && (!paired || pairing->version.n > 0);
}

/* The value of a member of media, or an element of its lists, as most of them are. */
static inline bool skip_simple(struct reader *reader)
{
    const uint8_t *start = reader->at;
    struct yk_slice raw;

    if (SKIP(reader, "\"")) {
        return read_raw(reader, &raw);
    }
    while (*reader->at >= '0' && *reader->at <= '9' && reader->at < reader->end) {
        reader->at++;
    }
    return reader->at > start && (*start != '0' || reader->at - start == 1);
}

static inline bool skip_list(struct reader *reader)
{
    do {
        if (!skip_simple(reader)) {
            return false;
        }
    } while (SKIP(reader, ","));
    return SKIP(reader, "]");
}

/* An object of strings, whole numbers and lists of them, without escapes: what drivers announce.
 * False where it is anything else. */
static bool skip_simple_object(struct reader *reader)
{
    struct yk_slice key, before = {NULL, 0};

    if (reader->decoder->marks.escaped || !SKIP(reader, "{")) {
        return false;
    }
    do {
        size_t common;
        int order;

        if (!SKIP(reader, "\"") || !read_raw(reader, &key) || !SKIP(reader, ":")) {
            return false;
        }
        common = before.size < key.size ? before.size : key.size;
        order = before.data == NULL ? -1 : memcmp(before.data, key.data, common);
        if (order > 0 || (order == 0 && before.size >= key.size) ||
            !(SKIP(reader, "[") ? skip_list(reader) : skip_simple(reader))) {
            return false;
        }
        before = key;
    } while (SKIP(reader, ","));
    return SKIP(reader, "}");
}

/* `pairing` and `media` before the role is known: exactly one of them may be there. */
static inline bool read_media(struct reader *reader, struct yk_ann *ann)
{
    struct yk_slice rest = {reader->at, (size_t)(reader->end - reader->at)};

    if (SKIP(reader, "null")) {
        return true;
    }
    if (skip_simple_object(reader)) {
        ann->media = (struct yk_slice){rest.data, (size_t)(reader->at - rest.data)};
        return true;
    }
    /* Inside of the frame and of its body. */
    ann->media = yk_json_index_object(&reader->decoder->json, rest, YK_DEPTH_MAX - 2);
    reader->at = rest.data + ann->media.size;
    return ann->media.size > 0;
}

static bool read_ann(struct reader *reader, struct yk_ann *ann)
{
    bool has_pairing = false;

    if (SKIP(reader, "\"driver_status\":{\"detail\":\"")) {
        ann->has_evidence = true;
        if (!read_text(reader, &ann->evidence) || !SKIP(reader, "},")) {
            return false;
        }
    }
    if (!SKIP(reader, "\"err\":null")) {
        ann->has_err = true;
        if (!SKIP(reader, "\"err\":\"") || !read_text(reader, &ann->err)) {
            return false;
        }
    }
    if (!SKIP(reader, ",\"kind\":\"")) {
        return false;
    }
    ann->kind = read_kind(reader);
    if (!SKIP(reader, ",\"media\":") || !read_media(reader, ann) || !SKIP(reader, ",\"name\":\"") ||
        !read_text(reader, &ann->name) || !SKIP(reader, ",\"pairing\":")) {
        return false;
    }
    if (!SKIP(reader, "null")) {
        has_pairing = true;
        if (!read_pairing(reader, &ann->pairing)) {
            return false;
        }
    }
    if (!SKIP(reader, ",\"role\":\"")) {
        return false;
    }
    ann->role = read_role(reader);
    if (!SKIP(reader, ",\"state\":\"")) {
        return false;
    }
    ann->state = read_state(reader);
    return SKIP(reader, "}") && ann->kind != YK_KIND_NONE && ann->state != YK_STATE_NONE &&
           ann->role == (has_pairing ? YK_ROLE_CONSUMER : YK_ROLE_PRODUCER) &&
           (!has_pairing || ann->media.size == 0) && yk_name_fits(ann->name);
}

/* ---- the two halves */

/* Behind the last `stop` in front of `at`, looked for as far as `start`, by whole sixteens; or NULL. */
static inline const uint8_t *back_to(const uint8_t *at, const uint8_t *start, char stop)
{
    for (; at - start >= 16; at -= 16) {
        unsigned found = yk_sixteen_bits(yk_sixteen_at(at - 16) == stop);

        if (found != 0) {
            return at - 16 + (32 - __builtin_clz(found));
        }
    }
    return NULL;
}

/* Steps back over `text` where it is in front of `*at`. */
static inline __attribute__((always_inline)) bool step_back(const uint8_t **at, const char *text,
                                                            size_t size)
{
    *at -= size;
    return is_text(*at, text, size);
}
#define STEP_BACK(at, text) step_back(at, text, sizeof(text) - 1)

/* From the end, where nothing varies but in size. No further back than the least head is long. */
bool yk_frame_read_tail(struct yk_decoder *decoder, struct yk_slice raw, struct yk_frame *frame)
{
    const uint8_t *start = raw.data + LEAST_HEAD - LEAST_TAIL, *at, *end, *behind;

    if (raw.size < LEAST_HEAD + YK_SIG_SIZE || raw.size > YK_FRAME_MAX) {
        return false;
    }
    at = raw.data + raw.size;
    if (!STEP_BACK(&at, ",\"type\":\"ann\",\"v\":1}")) {
        return false;
    }
    end = at;
    at = back_to(end, start + YK_SIG_SIZE, ':');
    if (at == NULL || !read_seconds((struct yk_slice){at, (size_t)(end - at)}, &frame->ts_ms) ||
        !STEP_BACK(&at, "\",\"ts\":")) {
        return false;
    }
    end = at;
    if (at[-1] != '"') { /* in open mode there is nothing */
        at -= YK_SIG_SIZE;
        if (!yk_sig_read((struct yk_slice){at, YK_SIG_SIZE}, &decoder->claimed)) {
            return false;
        }
    }
    decoder->sig = (struct yk_slice){at, (size_t)(end - at)};
    if (!STEP_BACK(&at, ",\"sig\":\"")) {
        return false;
    }
    end = at;
    at = back_to(end, start, ':');
    if (at == NULL || !read_count((struct yk_slice){at, (size_t)(end - at)}, &frame->seq) ||
        frame->seq == 0) {
        return false;
    }
    decoder->head = (struct yk_slice){raw.data, (size_t)(at - raw.data)};
    decoder->spelled = raw;
    decoder->text_used = 0;
    if (!STEP_BACK(&at, "\",\"seq\":")) {
        return false;
    }
    behind = at;
    at = back_to(behind, start, '"');
    frame->type = YK_TYPE_ANN;
    return at != NULL && at < behind &&
           yk_id_read(&frame->origin, (struct yk_slice){at, (size_t)(raw.data + raw.size - at)}) ==
               (size_t)(behind - at);
}

bool yk_frame_read_head(struct yk_decoder *decoder, struct yk_frame *frame)
{
    size_t origin = decoder->head.size - strlen("\",\"seq\":") - frame->origin.size;
    struct reader reader = {decoder->head.data, decoder->head.data + origin, decoder};

    memset(&frame->as.ann, 0, sizeof(frame->as.ann));
    return yk_marks_set(&decoder->marks, decoder->spelled, origin) &&
           SKIP(&reader, "{\"body\":{") && read_ann(&reader, &frame->as.ann) &&
           SKIP(&reader, ",\"origin\":\"") && reader.at == reader.end;
}
