#include "core/frame_plain.h"

#include "core/json_string.h"
#include "core/sixteen.h"

/* Keys in rising order, each there once, no white space: text that is matched literally is canonical
 * as it stands. What stands between is checked by the functions of the general path. */
struct reader {
    const uint8_t *at, *end;
    struct yk_decoder *decoder;
};

#define LEAST_HEAD 96 /* bytes: the body of an announcement and what is around it need more */
#define LEAST_TAIL 32
#define COUNT_DIGITS 19                   /* of YK_COUNT_MAX */
#define SECONDS_MAX UINT64_C(99999999999) /* with three figures behind the point still exact */

static inline bool skip_bytes(struct reader *reader, const char *text, size_t size)
{
    if ((size_t)(reader->end - reader->at) < size || memcmp(reader->at, text, size) != 0) {
        return false;
    }
    reader->at += size;
    return true;
}
#define SKIP(reader, text) skip_bytes(reader, text, sizeof(text) - 1)

/* The inside of a string as spelled, and its closing quote. */
static bool read_raw(struct reader *reader, struct yk_slice *raw, bool *escaped)
{
    const uint8_t *quote = yk_json_string_end(reader->at, reader->end, true, escaped);

    if (quote == NULL) {
        return false;
    }
    *raw = (struct yk_slice){reader->at, (size_t)(quote - reader->at)};
    reader->at = quote + 1;
    return true;
}

/* The rest of a string that is a node id. */
static bool read_id(struct reader *reader, struct yk_id *id)
{
    reader->at += yk_id_read(id, (struct yk_slice){reader->at, (size_t)(reader->end - reader->at)});
    return id->size > 0 && SKIP(reader, "\"");
}

static bool read_text(struct reader *reader, struct yk_slice *text)
{
    struct yk_decoder *decoder = reader->decoder;
    uint8_t *out = decoder->text + decoder->text_used;
    bool escaped = false;

    if (!read_raw(reader, text, &escaped)) {
        return false;
    }
    if (escaped) {
        *text = (struct yk_slice){out, yk_json_unescape(*text, out)};
        decoder->text_used += text->size;
    }
    return true;
}

/* The rest of a string that is one of the words of protocol.def. */
static enum yk_kind read_kind(struct reader *reader)
{
#define YK_KIND(id, word, meaning) \
    if (SKIP(reader, word "\"")) { \
        return YK_KIND_##id;       \
    }
#include "core/protocol.def"
#undef YK_KIND
    return YK_KIND_NONE;
}

static enum yk_role read_role(struct reader *reader)
{
#define YK_ROLE(id, word, meaning) \
    if (SKIP(reader, word "\"")) { \
        return YK_ROLE_##id;       \
    }
#include "core/protocol.def"
#undef YK_ROLE
    return YK_ROLE_NONE;
}

static enum yk_state read_state(struct reader *reader)
{
#define YK_STATE(id, word, meaning) \
    if (SKIP(reader, word "\"")) {  \
        return YK_STATE_##id;       \
    }
#include "core/protocol.def"
#undef YK_STATE
    return YK_STATE_NONE;
}

/* The value of eight digits; false when one of the bytes is none. Neighbours are joined to numbers of
 * two digits, those to numbers of four, and those to one. */
static bool read_eight(const uint8_t *at, uint64_t *value)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t digits = yk_load_little_endian(at) ^ ones * '0';

    if (((digits + ones * (0x7f - 9)) & ones * 0x80) != 0 || (digits & ones * 0x80) != 0) {
        return false;
    }
    digits = (digits * 10 + (digits >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    digits = (digits * 100 + (digits >> 16)) & UINT64_C(0x0000ffff0000ffff);
    *value = (digits * 10000 + (digits >> 32)) & UINT32_MAX;
    return true;
}

/* The value of the digits that come, at most COUNT_DIGITS of them. */
static uint64_t read_digits(struct reader *reader)
{
    const uint8_t *at = reader->at;
    const uint8_t *end = reader->end - at > COUNT_DIGITS ? at + COUNT_DIGITS : reader->end;
    uint64_t value = 0, eight;

    while (end - at >= 8 && read_eight(at, &eight)) {
        value = value * 100000000 + eight;
        at += 8;
    }
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        value = value * 10 + (uint64_t)(*at - '0');
    }
    reader->at = at;
    return value;
}

/* An integer of 0 ... YK_COUNT_MAX. */
static bool read_count(struct reader *reader, uint64_t *count)
{
    const uint8_t *start = reader->at;

    *count = read_digits(reader);
    return reader->at > start && (*start != '0' || reader->at - start == 1) &&
           *count <= YK_COUNT_MAX;
}

/* Seconds as agents write them: figures, a point, one to three figures. The rest is rare. */
static bool read_seconds(struct reader *reader, int64_t *ms)
{
    uint64_t whole, part;
    const uint8_t *start;
    size_t figures;

    if (!read_count(reader, &whole) || whole > SECONDS_MAX || !SKIP(reader, ".")) {
        return false;
    }
    start = reader->at;
    part = read_digits(reader);
    figures = (size_t)(reader->at - start);
    if (figures < 1 || figures > 3 || (figures > 1 && start[figures - 1] == '0')) {
        return false;
    }
    *ms = (int64_t)(whole * 1000 + part * (figures == 1 ? 100 : figures == 2 ? 10 : 1));
    return true;
}

static bool read_version(struct reader *reader, struct yk_version *version)
{
    if (!SKIP(reader, "[") || !read_count(reader, &version->n) || !SKIP(reader, ",\"")) {
        return false;
    }
    return (version->n == 0 ? SKIP(reader, "\"") : read_id(reader, &version->author)) &&
           SKIP(reader, "]");
}

static bool read_pairing(struct reader *reader, struct yk_pairing *pairing)
{
    bool paired = SKIP(reader, "{\"producer\":\"");

    if (paired ? !read_id(reader, &pairing->producer) : !SKIP(reader, "{\"producer\":null")) {
        return false;
    }
    return SKIP(reader, ",\"version\":") && read_version(reader, &pairing->version) &&
           SKIP(reader, "}") && (!paired || pairing->version.n > 0);
}

/* `pairing` and `media` before the role is known: exactly one of them may be there. */
static bool read_media(struct reader *reader, struct yk_ann *ann)
{
    struct yk_slice rest = {reader->at, (size_t)(reader->end - reader->at)};

    if (SKIP(reader, "null")) {
        return true;
    }
    /* Inside of the frame and of its body. */
    ann->media = yk_json_index_object(&reader->decoder->json, rest, YK_DEPTH_MAX - 2);
    reader->at += ann->media.size;
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
static const uint8_t *back_to(const uint8_t *at, const uint8_t *start, char stop)
{
    for (; at - start >= 16; at -= 16) {
        unsigned found = yk_sixteen_bits(yk_sixteen_at(at - 16) == stop);

        if (found != 0) {
            return at - 16 + (32 - __builtin_clz(found));
        }
    }
    return NULL;
}

/* Where the origin's id begins, looked for from the end, or NULL. It is a guess: reading on from there
 * shows whether it is right. */
static const uint8_t *find_origin(struct yk_slice raw)
{
    const uint8_t *start = raw.data + LEAST_HEAD, *at;

    if (raw.size < LEAST_HEAD + LEAST_TAIL || raw.size > YK_FRAME_MAX) {
        return NULL;
    }
    at = raw.data + raw.size - strlen(",\"type\":\"ann\",\"v\":1}");
    at = back_to(at, start, ':');
    if (at == NULL) {
        return NULL;
    }
    /* No further back than the least head is long. */
    at -= strlen("\",\"ts\":");
    at -= at[-1] == '"' ? 0 : YK_SIG_SIZE; /* nothing in open mode */
    at = back_to(at - strlen(",\"sig\":\""), start, ':');
    return at == NULL ? NULL : back_to(at - strlen("\",\"seq\":"), start, '"');
}

bool yk_frame_read_tail(struct yk_decoder *decoder, struct yk_slice raw, struct yk_frame *frame)
{
    struct reader reader = {find_origin(raw), raw.data + raw.size, decoder};
    bool escaped = false;

    if (reader.at == NULL || !read_id(&reader, &frame->origin) || !SKIP(&reader, ",\"seq\":")) {
        return false;
    }
    decoder->head = (struct yk_slice){raw.data, (size_t)(reader.at - raw.data)};
    decoder->spelled = raw;
    decoder->text_used = 0;
    frame->type = YK_TYPE_ANN;
    return read_count(&reader, &frame->seq) && frame->seq > 0 && SKIP(&reader, ",\"sig\":\"") &&
           read_raw(&reader, &decoder->sig, &escaped) && SKIP(&reader, ",\"ts\":") &&
           read_seconds(&reader, &frame->ts_ms) && SKIP(&reader, ",\"type\":\"ann\",\"v\":1}") &&
           reader.at == reader.end;
}

bool yk_frame_read_head(struct yk_decoder *decoder, struct yk_frame *frame)
{
    size_t origin = decoder->head.size - strlen("\",\"seq\":") - frame->origin.size;
    struct reader reader = {decoder->head.data, decoder->head.data + origin, decoder};

    memset(&frame->as.ann, 0, sizeof(frame->as.ann));
    return SKIP(&reader, "{\"body\":{") && read_ann(&reader, &frame->as.ann) &&
           SKIP(&reader, ",\"origin\":\"") && reader.at == reader.end;
}
