#include "cli/node_parse.h"

#include <arpa/inet.h>
#include <string.h>

#include "core/clocks.h"
#include "core/json.h"

static struct yk_slice text_of(const json_t *value)
{
    return (struct yk_slice){(const uint8_t *)json_string_value(value), json_string_length(value)};
}

static struct yk_slice member_text(const json_t *object, const char *name)
{
    return text_of(json_object_get(object, name));
}

static bool parse_version(struct yk_version *version, const json_t *array)
{
    const json_t *n = json_array_get(array, 0);
    const json_t *author = json_array_get(array, 1);

    if (json_array_size(array) != 2 || !json_is_integer(n) || json_integer_value(n) < 0 ||
        !json_is_string(author)) {
        return false;
    }
    version->n = (uint64_t)json_integer_value(n);
    return yk_id_parse(&version->author, text_of(author)) ? version->n > 0 : version->n == 0;
}

static bool parse_pairing(struct yk_pairing *pairing, const json_t *object)
{
    const json_t *producer = json_object_get(object, "producer");

    return parse_version(&pairing->version, json_object_get(object, "version")) &&
           (json_is_null(producer) || yk_id_parse(&pairing->producer, text_of(producer)));
}

static void parse_address(struct yk_address *address, const char *text)
{
    char ip[INET_ADDRSTRLEN];
    size_t size = text != NULL ? strcspn(text, ":") : 0;

    if (size > 0 && size < sizeof ip) {
        memcpy(ip, text, size);
        ip[size] = '\0';
        inet_pton(AF_INET, ip, address->ip);
    }
}

/* An agent of this host is believed, but its texts must have the bounds of a frame's. */
static bool parse_announcement(struct yk_ann *ann, const json_t *object)
{
    const json_t *err = json_object_get(object, "err");
    const json_t *detail = json_object_get(json_object_get(object, "driver_status"), "detail");
    size_t points;

    ann->role = yk_role_parse(member_text(object, "role"));
    ann->kind = yk_kind_parse(member_text(object, "kind"));
    ann->state = yk_state_parse(member_text(object, "state"));
    ann->name = member_text(object, "name");
    ann->has_err = json_is_string(err);
    ann->err = text_of(err);
    ann->has_evidence = json_is_string(detail);
    ann->evidence = text_of(detail);
    return ann->name.size + ann->err.size + ann->evidence.size <= YK_FRAME_MAX &&
           ann->role != YK_ROLE_NONE && ann->kind != YK_KIND_NONE && ann->state != YK_STATE_NONE &&
           yk_utf8_valid(ann->name, &points) && points <= YK_NAME_MAX &&
           (ann->role == YK_ROLE_PRODUCER ||
            parse_pairing(&ann->pairing, json_object_get(object, "pairing")));
}

/* The media as announced, to be freed; NULL for none. The text goes before the object, which it is
 * given for where that says less. */
static char *parse_media(const json_t *object)
{
    const json_t *media = json_object_get(object, "media");
    struct yk_slice text = member_text(object, "media_text");
    struct yk_json json;

    if (text.size > 0 && text.data[0] == '{' && yk_json_index_canonical(&json, text)) {
        return strndup((const char *)text.data, text.size);
    }
    return json_is_object(media) ? json_dumps(media, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
}

bool yk_node_parse(struct yk_node_parsed *node, const json_t *object)
{
    const json_t *age = json_object_get(object, "age_ms");
    struct yk_slice key = member_text(object, "key");

    memset(node, 0, sizeof *node);
    node->frame.type = YK_TYPE_ANN;
    if (!yk_id_parse(&node->frame.origin, member_text(object, "id")) ||
        !parse_announcement(&node->frame.as.ann, object)) {
        return false;
    }
    if (key.size < sizeof node->key) {
        memcpy(node->key, key.size > 0 ? (const char *)key.data : "", key.size);
    }
    parse_address(&node->address, json_string_value(json_object_get(object, "address")));
    parse_address(&node->also_at, json_string_value(json_object_get(object, "also_at")));
    node->has_clock = json_is_integer(json_object_get(object, "clock_ahead_ms"));
    node->clock_ahead_ms = yk_clock_ahead(
        json_integer_value(json_object_get(object, "clock_ahead_ms")), 0); /* bounded */
    node->live = json_is_true(json_object_get(object, "live"));
    node->age = json_is_integer(age) && json_integer_value(age) > 0
                    ? (yk_time)json_integer_value(age) * YK_MS
                    : 0;
    if (node->frame.as.ann.role == YK_ROLE_PRODUCER) {
        node->media = parse_media(object);
        node->frame.as.ann.media =
            node->media != NULL ? yk_slice_of(node->media) : (struct yk_slice){NULL, 0};
    }
    return true;
}

bool yk_intent_parse(struct yk_frame *frame, const json_t *object)
{
    struct yk_intent *intent = &frame->as.intent;

    memset(frame, 0, sizeof *frame);
    frame->type = YK_TYPE_INT;
    intent->op = yk_op_parse(member_text(object, "op"));
    return intent->op != YK_OP_NONE &&
           yk_id_parse(&intent->consumer, member_text(object, "consumer")) &&
           (intent->op == YK_OP_UNPAIR ||
            yk_id_parse(&intent->producer, member_text(object, "producer"))) &&
           parse_version(&intent->version, json_object_get(object, "version"));
}
