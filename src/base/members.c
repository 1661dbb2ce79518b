#include "base/members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

#define SHOWN_DIGITS 15    /* of a real: 29.97 is shown as it was written */
#define KNOWN_TEXT_MAX 256 /* bytes of the list of known names in a refusal */

void yk_place(char out[YK_PLACE_MAX], const char *place, const char *name)
{
    snprintf(out, YK_PLACE_MAX, "%s%s%s", place, place[0] != 0 ? "." : "", name);
}

size_t yk_place_enter(char place[YK_PLACE_MAX], const char *name, size_t size, size_t index)
{
    size_t before = strlen(place), room = YK_PLACE_MAX - before;

    if (name != NULL) {
        snprintf(place + before, room, "%s%.*s", before > 0 ? "." : "",
                 (int)(size < room ? size : room), name);
    } else {
        snprintf(place + before, room, "[%zu]", index);
    }
    return before;
}

void yk_shown(char out[YK_SHOWN_MAX], const json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII |
                                       JSON_REAL_PRECISION(SHOWN_DIGITS));

    if (text == NULL) {
        snprintf(out, YK_SHOWN_MAX, "value");
    } else if (strlen(text) < YK_SHOWN_MAX) {
        memcpy(out, text, strlen(text) + 1);
    } else {
        snprintf(out, YK_SHOWN_MAX, "%.*s...", YK_SHOWN_MAX - 4, text);
    }
    free(text);
}

/* What stands there instead, for "expected" refusals. */
static const char *type_name(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
        return "an integer";
    case JSON_REAL:
        return "a number with a fraction or exponent";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a boolean";
    case JSON_NULL:
        break;
    }
    return "null";
}

static _Bool refuse_type(const json_t *value, const char *place, const char *wanted,
                         struct yk_refusal *why)
{
    char shown[YK_SHOWN_MAX];

    if (json_is_null(value)) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "%s: null is no value here; write %s, or leave it out", place, wanted);
    }
    yk_shown(shown, value);
    return yk_refuse(why, YK_EXIT_CONFIG, "%s: %s is %s; write %s", place, shown, type_name(value),
                     wanted);
}

static _Bool is_known(const char *name, const char *const *known, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, known[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

static _Bool refuse_unknown(const char *place, const char *name, const char *const *known,
                            size_t count, struct yk_refusal *why)
{
    const char *nearest = yk_nearest(name, known, count);
    char full[YK_PLACE_MAX];
    char list[KNOWN_TEXT_MAX] = "";
    size_t used = 0;

    yk_place(full, place, name);
    if (nearest != NULL) {
        return yk_refuse(why, YK_EXIT_CONFIG, "%s: unknown member; did you mean \"%s\"?", full,
                         nearest);
    }
    for (size_t i = 0; i < count && used < sizeof list; i++) {
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", known[i]);
    }
    return yk_refuse(why, YK_EXIT_CONFIG, "%s: unknown member; known here: %s", full, list);
}

_Bool yk_members_check(const json_t *object, const char *place, const char *const *known,
                       size_t count, struct yk_refusal *why)
{
    const char *name;
    json_t *value;

    if (!json_is_object(object)) {
        return refuse_type(object, place[0] != 0 ? place : "the whole file", "an object", why);
    }
    json_object_foreach((json_t *)object, name, value)
    {
        if (!is_known(name, known, count)) {
            return refuse_unknown(place, name, known, count, why);
        }
    }
    return 1;
}

_Bool yk_member_object(const json_t *object, const char *place, const char *name, json_t **out,
                       struct yk_refusal *why)
{
    json_t *value = json_object_get(object, name);
    char full[YK_PLACE_MAX];

    if (value == NULL) {
        return 1;
    }
    if (!json_is_object(value)) {
        yk_place(full, place, name);
        return refuse_type(value, full, "an object", why);
    }
    *out = value;
    return 1;
}

_Bool yk_member_string(const json_t *object, const char *place, const char *name, size_t most,
                       const char **out, struct yk_refusal *why)
{
    json_t *value = json_object_get(object, name);
    char full[YK_PLACE_MAX];

    if (value == NULL) {
        return 1;
    }
    yk_place(full, place, name);
    if (!json_is_string(value)) {
        return refuse_type(value, full, "a string", why);
    }
    if (json_string_length(value) == 0) {
        return yk_refuse(why, YK_EXIT_CONFIG, "%s: \"\" is empty; write a value, or leave it out",
                         full);
    }
    if (json_string_length(value) > most) {
        char shown[YK_SHOWN_MAX];

        yk_shown(shown, value);
        return yk_refuse(why, YK_EXIT_CONFIG, "%s: %s has %zu bytes; at most %zu are possible",
                         full, shown, json_string_length(value), most);
    }
    *out = json_string_value(value);
    return 1;
}

_Bool yk_member_integer(const json_t *object, const char *place, const char *name, json_int_t least,
                        json_int_t most, json_int_t *out, struct yk_refusal *why)
{
    json_t *value = json_object_get(object, name);
    char full[YK_PLACE_MAX];

    if (value == NULL) {
        return 1;
    }
    yk_place(full, place, name);
    if (!json_is_integer(value)) {
        return refuse_type(value, full, "an integer", why);
    }
    if (json_integer_value(value) < least || json_integer_value(value) > most) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "%s: %" JSON_INTEGER_FORMAT
                         " is out of range; write an integer from %" JSON_INTEGER_FORMAT
                         " to %" JSON_INTEGER_FORMAT,
                         full, json_integer_value(value), least, most);
    }
    *out = json_integer_value(value);
    return 1;
}

_Bool yk_member_missing(const char *place, const char *name, const char *remedy,
                        struct yk_refusal *why)
{
    char full[YK_PLACE_MAX];

    yk_place(full, place, name);
    return yk_refuse(why, YK_EXIT_CONFIG, "%s: missing; add %s", full, remedy);
}
