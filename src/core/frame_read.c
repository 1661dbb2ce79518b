#include <string.h>

#include "core/frame_plain.h"
#include "core/number.h"

/* The members of an object that are known, in the order of their names. */
enum envelope { BODY, ORIGIN, SEQ, SIG, TS, TYPE, V, ENVELOPE_COUNT };
static const char *const envelope_names[] = {"body", "origin", "seq", "sig", "ts", "type", "v"};

enum ann {
    ANN_STATUS,
    ANN_ERR,
    ANN_KIND,
    ANN_MEDIA,
    ANN_NAME,
    ANN_PAIRING,
    ANN_ROLE,
    ANN_STATE,
    ANN_COUNT
};
static const char *const ann_names[] = {"driver_status", "err",     "kind", "media",
                                        "name",          "pairing", "role", "state"};

enum pairing { PAIRING_PRODUCER, PAIRING_VERSION, PAIRING_COUNT };
static const char *const pairing_names[] = {"producer", "version"};

enum intent { INT_CONSUMER, INT_OP, INT_PRODUCER, INT_VERSION, INT_COUNT };
static const char *const int_names[] = {"consumer", "op", "producer", "version"};

enum ack { ACK_APPLIED, ACK_REASON, ACK_VERSION, ACK_COUNT };
static const char *const ack_names[] = {"applied", "reason", "version"};

enum evt { EVT_DETAIL, EVT_EVENT, EVT_COUNT };
static const char *const evt_names[] = {"detail", "event"};

/* Below, a member that is not there is token 0. */

static bool is(const struct yk_decoder *decoder, size_t token, enum yk_json_type type)
{
    return token != 0 && decoder->json.tokens[token].type == type;
}

/* The inside of a string as spelled; nothing when it is none. Words, ids and slugs have no
 * character that could be escaped. */
static struct yk_slice word(const struct yk_decoder *decoder, size_t token)
{
    return is(decoder, token, YK_JSON_STRING) ? yk_json_raw_string(&decoder->json, token)
                                              : (struct yk_slice){NULL, 0};
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
    decoder->spelled.size = 0;
    if (!yk_json_index(&decoder->json, raw)) {
        return false;
    }
    size = yk_json_canonicalise(&decoder->json, decoder->canonical, sizeof(decoder->canonical));
    decoder->spelled = (struct yk_slice){decoder->canonical, size};
    return size != 0 && yk_json_index_canonical(&decoder->json, decoder->spelled);
}

/* True when the seven members are there and are all. */
static bool is_complete(const struct yk_json *json, const size_t members[ENVELOPE_COUNT])
{
    size_t end = 1;

    for (int i = 0; i < ENVELOPE_COUNT; i++) {
        if (members[i] != end + 1) { /* the value behind the key that comes next */
            return false;
        }
        end = json->tokens[members[i]].next;
    }
    return end == json->count;
}

static bool read_members(struct yk_decoder *decoder, const size_t members[ENVELOPE_COUNT],
                         struct yk_frame *frame)
{
    const struct yk_json *json = &decoder->json;

    if (!is_complete(json, members) || !is(decoder, members[BODY], YK_JSON_OBJECT) ||
        !is(decoder, members[SIG], YK_JSON_STRING) ||
        (!is(decoder, members[TS], YK_JSON_INTEGER) && !is(decoder, members[TS], YK_JSON_REAL))) {
        return false;
    }
    frame->type = yk_type_parse(word(decoder, members[TYPE]));
    frame->ts_ms = yk_seconds_to_ms(yk_json_spelling(json, members[TS]));
    decoder->sig = yk_json_raw_string(json, members[SIG]);
    decoder->body_token = members[BODY];
    return frame->type != YK_TYPE_NONE &&
           yk_id_parse(&frame->origin, word(decoder, members[ORIGIN])) &&
           yk_json_count(json, members[SEQ], &frame->seq) && frame->seq >= 1;
}

enum yk_drop yk_frame_read_envelope(struct yk_decoder *decoder, struct yk_slice raw,
                                    enum yk_path path, struct yk_frame *frame)
{
    size_t members[ENVELOPE_COUNT];

    if (raw.size > YK_FRAME_MAX) {
        return YK_DROP_OVERSIZE;
    }
    decoder->is_plain = path == YK_PATH_AUTO && yk_frame_read_tail(decoder, raw, frame) &&
                        yk_frame_read_head(decoder, frame);
    if (decoder->is_plain) {
        return YK_DROP_NONE;
    }
    decoder->text_used = 0;
    if (!index_frame(decoder, raw, path) || decoder->json.tokens[0].type != YK_JSON_OBJECT) {
        return YK_DROP_MALFORMED;
    }
    yk_json_members(&decoder->json, 0, envelope_names, ENVELOPE_COUNT, members);
    if (!is(decoder, members[V], YK_JSON_INTEGER)) {
        return YK_DROP_MALFORMED;
    }
    if (!yk_slice_equal(yk_json_spelling(&decoder->json, members[V]), yk_slice_of("1"))) {
        return YK_DROP_VERSION;
    }
    return read_members(decoder, members, frame) ? YK_DROP_NONE : YK_DROP_MALFORMED;
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
static bool read_version(const struct yk_decoder *decoder, size_t array, bool zero,
                         struct yk_version *version)
{
    const struct yk_json_token *tokens = decoder->json.tokens;
    size_t n = array + 1;
    struct yk_slice text;

    /* Exactly two values without anything inside. */
    if (!is(decoder, array, YK_JSON_ARRAY) || tokens[array].next != n + 2 ||
        tokens[n].next != n + 1 || !is(decoder, n + 1, YK_JSON_STRING) ||
        !yk_json_count(&decoder->json, n, &version->n)) {
        return false;
    }
    text = yk_json_raw_string(&decoder->json, n + 1);
    if (version->n == 0) {
        return zero && text.size == 0;
    }
    return yk_id_parse(&version->author, text);
}

static bool read_pairing(const struct yk_decoder *decoder, size_t object,
                         struct yk_pairing *pairing)
{
    size_t members[PAIRING_COUNT];

    if (!is(decoder, object, YK_JSON_OBJECT)) {
        return false;
    }
    yk_json_members(&decoder->json, object, pairing_names, PAIRING_COUNT, members);
    if (!read_version(decoder, members[PAIRING_VERSION], true, &pairing->version)) {
        return false;
    }
    if (is(decoder, members[PAIRING_PRODUCER], YK_JSON_NULL)) {
        return true;
    }
    return pairing->version.n != 0 &&
           yk_id_parse(&pairing->producer, word(decoder, members[PAIRING_PRODUCER]));
}

/* Optional evidence: of another shape it is as if it were not there. */
static void read_evidence(struct yk_decoder *decoder, size_t status, struct yk_ann *ann)
{
    size_t detail;

    if (!is(decoder, status, YK_JSON_OBJECT)) {
        return;
    }
    detail = yk_json_member(&decoder->json, status, "detail");
    if (is(decoder, detail, YK_JSON_STRING)) {
        ann->has_evidence = true;
        ann->evidence = read_text(decoder, detail);
    }
}

bool yk_name_fits(struct yk_slice name)
{
    size_t points;

    return name.size <= YK_NAME_MAX || (yk_utf8_valid(name, &points) && points <= YK_NAME_MAX);
}

static bool read_name(struct yk_decoder *decoder, size_t name, struct yk_ann *ann)
{
    if (!is(decoder, name, YK_JSON_STRING)) {
        return false;
    }
    ann->name = read_text(decoder, name);
    return yk_name_fits(ann->name);
}

static bool read_err(struct yk_decoder *decoder, size_t err, struct yk_ann *ann)
{
    ann->has_err = is(decoder, err, YK_JSON_STRING);
    if (ann->has_err) {
        ann->err = read_text(decoder, err);
    }
    return ann->has_err || is(decoder, err, YK_JSON_NULL);
}

/* What depends on the role: a consumer has a pairing, a producer may have media. */
static bool read_role_part(struct yk_decoder *decoder, const size_t members[ANN_COUNT],
                           struct yk_ann *ann)
{
    size_t media = members[ANN_MEDIA];

    if (ann->role == YK_ROLE_CONSUMER) {
        return is(decoder, media, YK_JSON_NULL) &&
               read_pairing(decoder, members[ANN_PAIRING], &ann->pairing);
    }
    if (is(decoder, media, YK_JSON_OBJECT)) {
        ann->media = yk_json_spelling(&decoder->json, media);
    } else if (!is(decoder, media, YK_JSON_NULL)) {
        return false;
    }
    return is(decoder, members[ANN_PAIRING], YK_JSON_NULL);
}

static bool read_ann(struct yk_decoder *decoder, struct yk_ann *ann)
{
    size_t members[ANN_COUNT];

    yk_json_members(&decoder->json, decoder->body_token, ann_names, ANN_COUNT, members);
    ann->role = yk_role_parse(word(decoder, members[ANN_ROLE]));
    ann->kind = yk_kind_parse(word(decoder, members[ANN_KIND]));
    ann->state = yk_state_parse(word(decoder, members[ANN_STATE]));
    if (ann->role == YK_ROLE_NONE || ann->kind == YK_KIND_NONE || ann->state == YK_STATE_NONE) {
        return false;
    }
    read_evidence(decoder, members[ANN_STATUS], ann);
    return read_name(decoder, members[ANN_NAME], ann) && read_err(decoder, members[ANN_ERR], ann) &&
           read_role_part(decoder, members, ann);
}

static bool read_int(const struct yk_decoder *decoder, struct yk_intent *intent)
{
    size_t members[INT_COUNT];

    yk_json_members(&decoder->json, decoder->body_token, int_names, INT_COUNT, members);
    intent->op = yk_op_parse(word(decoder, members[INT_OP]));
    if (intent->op == YK_OP_NONE ||
        !yk_id_parse(&intent->consumer, word(decoder, members[INT_CONSUMER])) ||
        !read_version(decoder, members[INT_VERSION], false, &intent->version)) {
        return false;
    }
    if (intent->op == YK_OP_UNPAIR) {
        return true;
    }
    /* A string that is no node id leaves "none" and is delivered all the same. */
    (void)yk_id_parse(&intent->producer, word(decoder, members[INT_PRODUCER]));
    return is(decoder, members[INT_PRODUCER], YK_JSON_STRING);
}

static bool read_ack(const struct yk_decoder *decoder, struct yk_ack *ack)
{
    size_t members[ACK_COUNT];

    yk_json_members(&decoder->json, decoder->body_token, ack_names, ACK_COUNT, members);
    ack->applied = is(decoder, members[ACK_APPLIED], YK_JSON_TRUE);
    ack->reason = yk_reason_parse(word(decoder, members[ACK_REASON]));
    return (ack->applied || is(decoder, members[ACK_APPLIED], YK_JSON_FALSE)) &&
           ack->reason != YK_REASON_NONE &&
           read_version(decoder, members[ACK_VERSION], false, &ack->version);
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

static bool read_evt(const struct yk_decoder *decoder, struct yk_evt *evt)
{
    size_t members[EVT_COUNT];

    yk_json_members(&decoder->json, decoder->body_token, evt_names, EVT_COUNT, members);
    evt->slug = word(decoder, members[EVT_EVENT]);
    evt->event = yk_event_parse(evt->slug);
    if (!is_slug(evt->slug) || !is(decoder, members[EVT_DETAIL], YK_JSON_OBJECT)) {
        return false;
    }
    evt->detail = yk_json_spelling(&decoder->json, members[EVT_DETAIL]);
    return true;
}

bool yk_frame_read_body(struct yk_decoder *decoder, struct yk_frame *frame)
{
    if (decoder->is_plain) {
        return true;
    }
    memset(&frame->as, 0, sizeof(frame->as));
    switch (frame->type) {
    case YK_TYPE_ANN:
        return read_ann(decoder, &frame->as.ann);
    case YK_TYPE_INT:
        return read_int(decoder, &frame->as.intent);
    case YK_TYPE_ACK:
        return read_ack(decoder, &frame->as.ack);
    case YK_TYPE_EVT:
        return read_evt(decoder, &frame->as.evt);
    case YK_TYPE_BYE:
        return true;
    case YK_TYPE_NONE:
    case YK_TYPE_END:
        break;
    }
    return false;
}
