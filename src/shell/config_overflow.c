/* jansson, which reads configurations, knows only line and column of a number that it cannot hold;
 * the scanner of the wire has no such bound and keeps every digit. */
#include "shell/config_overflow.h"

#include <string.h>

#include "base/members.h"
#include "core/json.h"

#define DIGITS_MAX 19   /* of 2^63 */
#define DIGITS_SHOWN 40 /* of a number in a refusal */

static bool is_beyond(struct yk_slice number)
{
    size_t sign = number.data[0] == '-' ? 1 : 0;
    const char *most = sign == 1 ? "9223372036854775808" : "9223372036854775807";
    size_t digits = number.size - sign;

    return digits > DIGITS_MAX ||
           (digits == DIGITS_MAX && memcmp(number.data + sign, most, DIGITS_MAX) > 0);
}

/* Goes down from the root: each step enters the member or element that has `token` in it. */
static void find_place(const struct yk_json *json, size_t token, char place[YK_PLACE_MAX])
{
    size_t at = 0;

    place[0] = 0;
    while (at != token) {
        size_t is_member = json->tokens[at].type == YK_JSON_OBJECT ? 1 : 0, index = 0;
        struct yk_slice key;

        at += 1 + is_member; /* the first value, behind its key */
        while (token >= json->tokens[at].next) {
            at = json->tokens[at].next + is_member;
            index++;
        }
        key = is_member ? yk_json_raw_string(json, at - 1) : (struct yk_slice){NULL, 0};
        yk_place_enter(place, (const char *)key.data, key.size, index);
    }
}

bool yk_config_refuse_overflow(struct yk_slice text, struct yk_refusal *why)
{
    struct yk_json json;
    char place[YK_PLACE_MAX];

    if (!yk_json_index(&json, text)) {
        return false;
    }
    for (size_t token = 0; token < json.count; token++) {
        struct yk_slice number = yk_json_spelling(&json, token);

        if (json.tokens[token].type == YK_JSON_INTEGER && is_beyond(number)) {
            find_place(&json, token, place);
            yk_refuse(why, YK_EXIT_CONFIG,
                      "%s: %.*s%s is beyond 64 bits; write an integer from -2^63 to 2^63-1",
                      place[0] != 0 ? place : "the whole file",
                      (int)(number.size < DIGITS_SHOWN ? number.size : DIGITS_SHOWN),
                      (const char *)number.data, number.size > DIGITS_SHOWN ? "..." : "");
            return true;
        }
    }
    return false;
}
