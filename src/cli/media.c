#include "cli/media.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "cli/say.h"
#include "core/json.h"

#define MEMBERS_MAX 3

/* Members of one shape, in order, and of which type they are. */
struct shape {
    size_t count;
    const char *names[MEMBERS_MAX];
    enum yk_json_type types[MEMBERS_MAX];
    void (*write)(char *out, const struct yk_json *json, const size_t *values);
};

static int size_of(struct yk_slice text)
{
    return (int)text.size;
}

static const char *start_of(struct yk_slice text)
{
    return (const char *)text.data;
}

static void write_igmp(char *out, const struct yk_json *json, const size_t *values)
{
    struct yk_slice group = yk_json_raw_string(json, values[0]);
    struct yk_slice port = yk_json_spelling(json, values[1]);

    snprintf(out, YK_MEDIA_TEXT_MAX, "%.*s:%.*s", size_of(group), start_of(group), size_of(port),
             start_of(port));
}

static void write_jap(char *out, const struct yk_json *json, const size_t *values)
{
    struct yk_slice channel = yk_json_spelling(json, values[0]);
    struct yk_slice group = yk_json_raw_string(json, values[1]);

    snprintf(out, YK_MEDIA_TEXT_MAX, "channel %.*s (%.*s)", size_of(channel), start_of(channel),
             size_of(group), start_of(group));
}

/* The port is the usual one, or stands in --json. */
static void write_usbip(char *out, const struct yk_json *json, const size_t *values)
{
    struct yk_slice host = yk_json_raw_string(json, values[1]);
    int used = snprintf(out, YK_MEDIA_TEXT_MAX, "%.*s:", size_of(host), start_of(host));

    for (size_t at = values[0] + 1; at < json->tokens[values[0]].next; at = json->tokens[at].next) {
        struct yk_slice busid = yk_json_spelling(json, at);

        if (json->tokens[at].type == YK_JSON_STRING) {
            busid = yk_json_raw_string(json, at);
        }
        used += snprintf(out + used, (size_t)(YK_MEDIA_TEXT_MAX - used), " %.*s", size_of(busid),
                         start_of(busid));
    }
}

enum { IGMP }; /* the shape of a stream that can be listened to */

static const struct shape shapes[] = {
    [IGMP] = {2, {"group", "port"}, {YK_JSON_STRING, YK_JSON_INTEGER}, write_igmp},
    {2, {"channel", "group"}, {YK_JSON_INTEGER, YK_JSON_STRING}, write_jap},
    {3, {"busids", "host", "port"}, {YK_JSON_ARRAY, YK_JSON_STRING, YK_JSON_INTEGER}, write_usbip},
};

static size_t count_members(const struct yk_json *json)
{
    size_t count = 0;

    for (size_t at = 1; at < json->tokens[0].next; at = json->tokens[at + 1].next) {
        count++;
    }
    return count;
}

static bool has_shape(const struct yk_json *json, const struct shape *shape, size_t *values)
{
    if (count_members(json) != shape->count) {
        return false;
    }
    yk_json_members(json, 0, shape->names, shape->count, values);
    for (size_t i = 0; i < shape->count; i++) {
        if (values[i] == 0 || json->tokens[values[i]].type != shape->types[i]) {
            return false;
        }
    }
    return true;
}

void yk_media_brief(char out[YK_MEDIA_TEXT_MAX], struct yk_slice media)
{
    struct yk_json json;
    size_t values[MEMBERS_MAX];
    bool known = yk_json_index_canonical(&json, media) && json.tokens[0].type == YK_JSON_OBJECT;

    for (size_t i = 0; known && i < sizeof shapes / sizeof shapes[0]; i++) {
        if (has_shape(&json, &shapes[i], values)) {
            shapes[i].write(out, &json, values);
            return;
        }
    }
    yk_plain(out, YK_MEDIA_TEXT_MAX, media);
}

bool yk_media_group(struct yk_slice media, uint8_t group[4], uint16_t *port)
{
    struct yk_json json;
    size_t values[MEMBERS_MAX];
    char text[INET_ADDRSTRLEN];
    unsigned number = 0;

    if (!yk_json_index_canonical(&json, media) || json.tokens[0].type != YK_JSON_OBJECT ||
        !has_shape(&json, &shapes[IGMP], values)) {
        return false;
    }
    yk_plain(text, sizeof text, yk_json_raw_string(&json, values[0]));
    if (inet_pton(AF_INET, text, group) != 1 || group[0] >> 4 != 14) {
        return false;
    }
    yk_plain(text, sizeof text, yk_json_spelling(&json, values[1]));
    if (strlen(text) > 5 || sscanf(text, "%u", &number) != 1 || number < 1 || number > 65535) {
        return false;
    }
    *port = (uint16_t)number;
    return true;
}
