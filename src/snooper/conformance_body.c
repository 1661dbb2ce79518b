/* Rules on the body of one frame: first those of malformed bodies, then those that admission is no
 * judge of. */
#include "core/node.h"
#include "snooper/conformance_internal.h"

static bool is(const struct yk_view *view, size_t token, enum yk_json_type type)
{
    return token != 0 && yk_view_json(view)->tokens[token].type == type;
}

/* The inside of a string as spelled, if it is one. */
static struct yk_slice text_of(const struct yk_view *view, size_t token)
{
    return is(view, token, YK_JSON_STRING) ? yk_json_raw_string(yk_view_json(view), token)
                                           : (struct yk_slice){NULL, 0};
}

/* The version of an intent, an acknowledgment, or a consumer's pairing; 0: none. */
static size_t version_token(const struct yk_view *view)
{
    size_t pairing;

    if (view->heard->frame.type != YK_TYPE_ANN) {
        return yk_view_member(view, "version");
    }
    pairing = yk_view_member(view, "pairing");
    return is(view, pairing, YK_JSON_OBJECT)
               ? yk_json_member(yk_view_json(view), pairing, "version")
               : 0;
}

/* True, and `n` filled, when the token is [n, author]; [0, ""] too. */
static bool read_version(const struct yk_view *view, size_t array, uint64_t *n)
{
    const struct yk_json *json = yk_view_json(view);
    struct yk_slice author;
    struct yk_id id;

    if (!is(view, array, YK_JSON_ARRAY) || json->tokens[array].next != array + 3 ||
        !is(view, array + 2, YK_JSON_STRING) || !yk_json_count(json, array + 1, n)) {
        return false;
    }
    author = yk_json_raw_string(json, array + 2);
    return *n == 0 ? author.size == 0 : yk_id_parse(&id, author);
}

bool yk_rule_pairing_version(struct yk_view *view)
{
    size_t token = version_token(view);
    uint64_t n = 0;

    if (token == 0) {
        return false;
    }
    if (!read_version(view, token, &n)) {
        return yk_view_say(view, "a version of another form");
    }
    return n == 0 && view->heard->frame.type != YK_TYPE_ANN &&
           yk_view_say(view, "version [0,\"\"] of an operation");
}

bool yk_rule_zero_paired(struct yk_view *view)
{
    size_t pairing = yk_view_member(view, "pairing");
    uint64_t n = 0;

    return is(view, pairing, YK_JSON_OBJECT) && read_version(view, version_token(view), &n) &&
           n == 0 &&
           is(view, yk_json_member(yk_view_json(view), pairing, "producer"), YK_JSON_STRING) &&
           yk_view_say(view, "a producer under version [0,\"\"]");
}

static bool is_odd_word(struct yk_view *view, const char *name, int (*parse)(struct yk_slice))
{
    size_t token = yk_view_member(view, name);

    return is(view, token, YK_JSON_STRING) && parse(text_of(view, token)) == 0 &&
           yk_view_say(view, "%s is none of them", name);
}

static int parse_role(struct yk_slice word)
{
    return (int)yk_role_parse(word);
}

static int parse_kind(struct yk_slice word)
{
    return (int)yk_kind_parse(word);
}

static int parse_state(struct yk_slice word)
{
    return (int)yk_state_parse(word);
}

static int parse_op(struct yk_slice word)
{
    return (int)yk_op_parse(word);
}

static int parse_reason(struct yk_slice word)
{
    return (int)yk_reason_parse(word);
}

bool yk_rule_word(struct yk_view *view)
{
    switch (view->heard->frame.type) {
    case YK_TYPE_ANN:
        return is_odd_word(view, "role", parse_role) || is_odd_word(view, "kind", parse_kind) ||
               is_odd_word(view, "state", parse_state);
    case YK_TYPE_INT:
        return is_odd_word(view, "op", parse_op);
    case YK_TYPE_ACK:
        return is_odd_word(view, "reason", parse_reason);
    case YK_TYPE_EVT:
    case YK_TYPE_BYE:
    case YK_TYPE_NONE:
    case YK_TYPE_END:
        break;
    }
    return false;
}

bool yk_rule_name_length(struct yk_view *view)
{
    struct yk_slice raw = text_of(view, yk_view_member(view, "name"));
    uint8_t text[YK_FRAME_MAX];
    size_t points = 0;

    return raw.size <= sizeof text &&
           yk_utf8_valid((struct yk_slice){text, yk_json_unescape(raw, text)}, &points) &&
           points > YK_NAME_MAX && yk_view_say(view, "a name of %zu characters", points);
}

static enum yk_role role_of(const struct yk_view *view)
{
    return yk_role_parse(text_of(view, yk_view_member(view, "role")));
}

static bool is_there(const struct yk_view *view, const char *name)
{
    size_t token = yk_view_member(view, name);

    return token != 0 && !is(view, token, YK_JSON_NULL);
}

bool yk_rule_producer_pairing(struct yk_view *view)
{
    return role_of(view) == YK_ROLE_PRODUCER && is_there(view, "pairing") &&
           yk_view_say(view, "a producer with a pairing");
}

bool yk_rule_consumer_media(struct yk_view *view)
{
    return role_of(view) == YK_ROLE_CONSUMER && is_there(view, "media") &&
           yk_view_say(view, "a consumer with media");
}

bool yk_rule_slug_form(struct yk_view *view)
{
    size_t event = yk_view_member(view, "event");

    /* The rest of an event's body is its detail. */
    return is(view, event, YK_JSON_STRING) &&
           is(view, yk_view_member(view, "detail"), YK_JSON_OBJECT) &&
           yk_view_say(view, "an event of another form");
}

bool yk_rule_body(struct yk_view *view)
{
    return !view->body_explained && yk_view_say(view, "%s: a member is missing or of another type",
                                                yk_type_word(view->heard->frame.type));
}

/* ---- well-formed bodies */

bool yk_rule_event(struct yk_view *view)
{
    const struct yk_evt *evt = &view->heard->frame.as.evt;

    return evt->event == YK_EVENT_NONE &&
           yk_view_say(view, "event %.*s", (int)evt->slug.size, (const char *)evt->slug.data);
}

bool yk_rule_drops_form(struct yk_view *view)
{
    const struct yk_json *json = yk_view_json(view);
    size_t detail = yk_view_member(view, "detail");
    uint64_t count;

    if (view->heard->frame.as.evt.event != YK_EVENT_RX_DROP) {
        return false;
    }
    for (int drop = YK_DROP_NONE + 1; drop < YK_DROP_DUP; drop++) {
        const char *name = yk_drop_word((enum yk_drop)drop);

        if (!yk_json_count(json, yk_json_member(json, detail, name), &count)) {
            return yk_view_say(view, "no counter %s", name);
        }
    }
    return false;
}

bool yk_rule_ack_reason(struct yk_view *view)
{
    const struct yk_ack *ack = &view->heard->frame.as.ack;

    return ack->applied != (ack->reason == YK_REASON_APPLIED) &&
           yk_view_say(view, "applied is %s, the reason %s", ack->applied ? "true" : "false",
                       yk_reason_word(ack->reason));
}

bool yk_rule_evidence(struct yk_view *view)
{
    return yk_view_member(view, "driver_status") != 0 && !view->heard->frame.as.ann.has_evidence &&
           yk_view_say(view, "driver_status of another shape");
}

bool yk_rule_media_budget(struct yk_view *view)
{
    const struct yk_frame *frame = &view->heard->frame;
    const struct yk_ann *ann = &frame->as.ann;
    struct yk_node_options options = {.id = frame->origin,
                                      .name = ann->name,
                                      .role = ann->role,
                                      .kind = ann->kind,
                                      .media = ann->media,
                                      .auth = view->auth};
    size_t over;

    return ann->media.size > 0 && !yk_node_fits(&options, &over) &&
           yk_view_say(view, "media of %zu bytes, %zu too many", ann->media.size, over);
}

static const struct yk_ann *consumer(const struct yk_view *view)
{
    const struct yk_ann *ann = &view->heard->frame.as.ann;

    return ann->role == YK_ROLE_CONSUMER ? ann : NULL;
}

bool yk_rule_self_pair(struct yk_view *view)
{
    const struct yk_ann *ann = consumer(view);

    return ann != NULL && yk_id_equal(&ann->pairing.producer, &view->heard->frame.origin) &&
           yk_view_say(view, "it names itself");
}

bool yk_rule_active_unpaired(struct yk_view *view)
{
    const struct yk_ann *ann = consumer(view);

    return ann != NULL && ann->state == YK_STATE_ACTIVE && ann->pairing.producer.size == 0 &&
           yk_view_say(view, "active without a producer");
}

bool yk_rule_idle_paired(struct yk_view *view)
{
    const struct yk_ann *ann = consumer(view);

    return ann != NULL && ann->state == YK_STATE_IDLE && ann->pairing.producer.size > 0 &&
           yk_view_say(view, "idle with the producer %s", ann->pairing.producer.text);
}
