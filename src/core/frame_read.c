#include <string.h>

#include "core/frame.h"
#include "core/number.h"

/* The members of the envelope, in the order of the canonical form. */
enum member { BODY, ORIGIN, SEQ, SIG, TS, TYPE, V, MEMBERS };
static const char *const member_names[MEMBERS] = {"body", "origin", "seq", "sig",
                                                  "ts",   "type",   "v"};

static enum yk_json_type type_of(const struct yk_decoder *decoder, size_t token)
{
    return (enum yk_json_type)decoder->json.tokens[token].type;
}

/* The member of that name and type, or 0. */
static size_t find(const struct yk_decoder *decoder, size_t object, const char *name,
                   enum yk_json_type type)
{
    size_t token = yk_json_member(&decoder->json, object, name);

    return token != 0 && type_of(decoder, token) == type ? token : 0;
}

/* The inside of a string member as spelled; nothing when there is none. Words, ids and slugs are
 * never spelled with escapes. */
static struct yk_slice find_word(const struct yk_decoder *decoder, size_t object, const char *name)
{
    size_t token = find(decoder, object, name, YK_JSON_STRING);

    return token != 0 ? yk_json_raw_string(&decoder->json, token) : (struct yk_slice){NULL, 0};
}

/* A string without its escapes. All strings of a frame together fit `decoder->text`: no spelling
 * of one is shorter than its text. */
static struct yk_slice read_text(struct yk_decoder *decoder, size_t token)
{
    struct yk_slice raw = yk_json_raw_string(&decoder->json, token);
    uint8_t *out = decoder->text + decoder->text_used;
    size_t size;

    if (!decoder->json.tokens[token].escaped) {
        return raw;
    }
    size = yk_json_unescape(raw, out);
    decoder->text_used += size;
    return (struct yk_slice){out, size};
}

/* ---- envelope */

/* Indexes the canonical spelling of `raw`, which is `raw` itself most of the time. */
static bool index_frame(struct yk_decoder *decoder, struct yk_slice raw, enum yk_path path)
{
    size_t size;

    decoder->spelled = raw;
    if (path != YK_PATH_GENERAL && yk_json_index_canonical(&decoder->json, raw)) {
        return true;
    }
    if (!yk_json_index(&decoder->json, raw)) {
        return false;
    }
    size = yk_json_canonicalise(&decoder->json, decoder->canonical, sizeof(decoder->canonical));
    decoder->spelled = (struct yk_slice){decoder->canonical, size};
    return size != 0 && yk_json_index_canonical(&decoder->json, decoder->spelled);
}

/* True, and `values` filled, when the root has exactly the seven members. */
static bool find_members(const struct yk_json *json, size_t values[MEMBERS])
{
    size_t key = 1;

    for (int i = 0; i < MEMBERS; i++) {
        if (key >= json->count ||
            !yk_slice_equal(yk_json_raw_string(json, key), yk_slice_of(member_names[i]))) {
            return false;
        }
        values[i] = key + 1;
        key = json->tokens[key + 1].next;
    }
    return key == json->count;
}

static bool read_members(struct yk_decoder *decoder, struct yk_frame *frame)
{
    const struct yk_json *json = &decoder->json;
    size_t values[MEMBERS];

    if (!find_members(json, values)) {
        return false;
    }
    if (type_of(decoder, values[TYPE]) != YK_JSON_STRING ||
        type_of(decoder, values[ORIGIN]) != YK_JSON_STRING ||
        type_of(decoder, values[SIG]) != YK_JSON_STRING ||
        type_of(decoder, values[BODY]) != YK_JSON_OBJECT ||
        (type_of(decoder, values[TS]) != YK_JSON_INTEGER &&
         type_of(decoder, values[TS]) != YK_JSON_REAL)) {
        return false;
    }
    frame->type = yk_type_parse(yk_json_raw_string(json, values[TYPE]));
    frame->ts_ms = yk_seconds_to_ms(yk_json_spelling(json, values[TS]));
    decoder->sig = yk_json_raw_string(json, values[SIG]);
    decoder->body_token = values[BODY];
    return frame->type != YK_TYPE_NONE &&
           yk_id_parse(&frame->origin, yk_json_raw_string(json, values[ORIGIN])) &&
           yk_json_count(json, values[SEQ], &frame->seq) && frame->seq >= 1;
}

enum yk_drop yk_frame_read_envelope(struct yk_decoder *decoder, struct yk_slice raw,
                                    enum yk_path path, struct yk_frame *frame)
{
    size_t version;

    if (raw.size > YK_FRAME_MAX) {
        return YK_DROP_OVERSIZE;
    }
    decoder->text_used = 0;
    if (!index_frame(decoder, raw, path) || type_of(decoder, 0) != YK_JSON_OBJECT) {
        return YK_DROP_MALFORMED;
    }
    version = find(decoder, 0, "v", YK_JSON_INTEGER);
    if (version == 0) {
        return YK_DROP_MALFORMED;
    }
    if (!yk_slice_equal(yk_json_spelling(&decoder->json, version), yk_slice_of("1"))) {
        return YK_DROP_VERSION;
    }
    return read_members(decoder, frame) ? YK_DROP_NONE : YK_DROP_MALFORMED;
}

void yk_frame_signed_parts(const struct yk_decoder *decoder, struct yk_slice parts[2])
{
    /* sig is neither the first member nor the last: its comma goes with it. */
    const uint8_t *start = decoder->sig.data - strlen(",\"sig\":\"");
    const uint8_t *end = decoder->sig.data + decoder->sig.size + strlen("\"");
    struct yk_slice spelled = decoder->spelled;

    parts[0] = (struct yk_slice){spelled.data, (size_t)(start - spelled.data)};
    parts[1] = (struct yk_slice){end, (size_t)(spelled.data + spelled.size - end)};
}

/* ---- bodies */

/* [n, author]; the zero version only where `zero` allows it. */
static bool read_version(const struct yk_decoder *decoder, size_t object, bool zero,
                         struct yk_version *version)
{
    const struct yk_json *json = &decoder->json;
    size_t array = find(decoder, object, "version", YK_JSON_ARRAY);
    size_t n = array + 1;
    size_t author;
    struct yk_slice text;

    if (array == 0 || n == json->tokens[array].next) {
        return false;
    }
    author = json->tokens[n].next;
    if (author == json->tokens[array].next || type_of(decoder, author) != YK_JSON_STRING ||
        json->tokens[author].next != json->tokens[array].next ||
        !yk_json_count(json, n, &version->n)) {
        return false;
    }
    text = yk_json_raw_string(json, author);
    if (version->n == 0) {
        return zero && text.size == 0;
    }
    return yk_id_parse(&version->author, text);
}

static bool read_pairing(const struct yk_decoder *decoder, size_t body, struct yk_pairing *pairing)
{
    size_t object = find(decoder, body, "pairing", YK_JSON_OBJECT);
    size_t producer;

    if (object == 0 || !read_version(decoder, object, true, &pairing->version)) {
        return false;
    }
    producer = yk_json_member(&decoder->json, object, "producer");
    if (producer != 0 && type_of(decoder, producer) == YK_JSON_NULL) {
        return true;
    }
    return pairing->version.n != 0 &&
           yk_id_parse(&pairing->producer, find_word(decoder, object, "producer"));
}

/* Optional evidence: of another shape it is as if it were not there. */
static void read_evidence(struct yk_decoder *decoder, size_t body, struct yk_ann *ann)
{
    size_t status = find(decoder, body, "driver_status", YK_JSON_OBJECT);
    size_t detail = status != 0 ? find(decoder, status, "detail", YK_JSON_STRING) : 0;

    if (detail != 0) {
        ann->has_evidence = true;
        ann->evidence = read_text(decoder, detail);
    }
}

/* What depends on the role: a consumer has a pairing, a producer may have media. */
static bool read_role_part(struct yk_decoder *decoder, size_t body, struct yk_ann *ann)
{
    bool no_pairing = find(decoder, body, "pairing", YK_JSON_NULL) != 0;
    bool no_media = find(decoder, body, "media", YK_JSON_NULL) != 0;
    size_t media = find(decoder, body, "media", YK_JSON_OBJECT);

    if (ann->role == YK_ROLE_CONSUMER) {
        return no_media && read_pairing(decoder, body, &ann->pairing);
    }
    if (media != 0) {
        ann->media = yk_json_spelling(&decoder->json, media);
    }
    return no_pairing && (no_media || media != 0);
}

static bool read_ann(struct yk_decoder *decoder, size_t body, struct yk_ann *ann)
{
    size_t name = find(decoder, body, "name", YK_JSON_STRING);
    size_t err = yk_json_member(&decoder->json, body, "err");
    size_t points;

    ann->role = yk_role_parse(find_word(decoder, body, "role"));
    ann->kind = yk_kind_parse(find_word(decoder, body, "kind"));
    ann->state = yk_state_parse(find_word(decoder, body, "state"));
    if (ann->role == YK_ROLE_NONE || ann->kind == YK_KIND_NONE || ann->state == YK_STATE_NONE ||
        name == 0 || err == 0) {
        return false;
    }
    ann->name = read_text(decoder, name);
    if (!yk_utf8_valid(ann->name, &points) || points > YK_NAME_MAX) {
        return false;
    }
    if (type_of(decoder, err) == YK_JSON_STRING) {
        ann->has_err = true;
        ann->err = read_text(decoder, err);
    } else if (type_of(decoder, err) != YK_JSON_NULL) {
        return false;
    }
    read_evidence(decoder, body, ann);
    return read_role_part(decoder, body, ann);
}

static bool read_int(const struct yk_decoder *decoder, size_t body, struct yk_intent *intent)
{
    intent->op = yk_op_parse(find_word(decoder, body, "op"));
    if (intent->op == YK_OP_NONE ||
        !yk_id_parse(&intent->consumer, find_word(decoder, body, "consumer")) ||
        !read_version(decoder, body, false, &intent->version)) {
        return false;
    }
    if (intent->op == YK_OP_PAIR) {
        if (find(decoder, body, "producer", YK_JSON_STRING) == 0) {
            return false;
        }
        /* No node id leaves "none": delivered all the same. */
        (void)yk_id_parse(&intent->producer, find_word(decoder, body, "producer"));
    }
    return true;
}

static bool read_ack(const struct yk_decoder *decoder, size_t body, struct yk_ack *ack)
{
    ack->applied = find(decoder, body, "applied", YK_JSON_TRUE) != 0;
    ack->reason = yk_reason_parse(find_word(decoder, body, "reason"));
    return (ack->applied || find(decoder, body, "applied", YK_JSON_FALSE) != 0) &&
           ack->reason != YK_REASON_NONE && read_version(decoder, body, false, &ack->version);
}

#define SLUG_MAX 64 /* bytes */

static bool is_slug(struct yk_slice text)
{
    for (size_t i = 0; i < text.size; i++) {
        uint8_t c = text.data[i];
        bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

        if (!alphanumeric && (c != '-' || i == 0)) {
            return false;
        }
    }
    return text.size >= 1 && text.size <= SLUG_MAX;
}

static bool read_evt(const struct yk_decoder *decoder, size_t body, struct yk_evt *evt)
{
    size_t detail = find(decoder, body, "detail", YK_JSON_OBJECT);

    evt->slug = find_word(decoder, body, "event");
    evt->event = yk_event_parse(evt->slug);
    if (detail == 0 || !is_slug(evt->slug)) {
        return false;
    }
    evt->detail = yk_json_spelling(&decoder->json, detail);
    return true;
}

bool yk_frame_read_body(struct yk_decoder *decoder, struct yk_frame *frame)
{
    size_t body = decoder->body_token;

    memset(&frame->as, 0, sizeof(frame->as));
    switch (frame->type) {
    case YK_TYPE_ANN:
        return read_ann(decoder, body, &frame->as.ann);
    case YK_TYPE_INT:
        return read_int(decoder, body, &frame->as.intent);
    case YK_TYPE_ACK:
        return read_ack(decoder, body, &frame->as.ack);
    case YK_TYPE_EVT:
        return read_evt(decoder, body, &frame->as.evt);
    case YK_TYPE_BYE:
        return true;
    case YK_TYPE_NONE:
    case YK_TYPE_END:
        break;
    }
    return false;
}
