#include "core/json_string.h"

#include <string.h>

#include "core/sixteen.h"

static const char hex_digits[] = "0123456789abcdef";
/* Letters behind the backslash, and what they mean. */
static const char short_escapes[] = "\"\\bfnrt";
static const char short_meanings[] = "\"\\\b\f\n\r\t";

static bool is_high_surrogate(uint32_t unit)
{
    return unit >= 0xd800 && unit <= 0xdbff;
}

static bool is_low_surrogate(uint32_t unit)
{
    return unit >= 0xdc00 && unit <= 0xdfff;
}

static bool is_continuation(uint8_t c)
{
    return (c & 0xc0) == 0x80;
}

size_t yk_utf8_size(const uint8_t *at, const uint8_t *end)
{
    size_t left = (size_t)(end - at);
    uint8_t lead = at[0];

    if (lead < 0x80) {
        return 1;
    }
    if (lead < 0xc2 || lead > 0xf4 || left < 2 || !is_continuation(at[1])) {
        return 0;
    }
    if (lead < 0xe0) {
        return 2;
    }
    if (left < 3 || !is_continuation(at[2])) {
        return 0;
    }
    if (lead < 0xf0) {
        bool overlong = lead == 0xe0 && at[1] < 0xa0;
        bool surrogate = lead == 0xed && at[1] > 0x9f;

        return overlong || surrogate ? 0 : 3;
    }
    if (left < 4 || !is_continuation(at[3]) || (lead == 0xf0 && at[1] < 0x90) ||
        (lead == 0xf4 && at[1] > 0x8f)) {
        return 0;
    }
    return 4;
}

size_t yk_utf8_write(uint32_t point, uint8_t out[YK_UTF8_MAX])
{
    if (point < 0x80) {
        out[0] = (uint8_t)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (uint8_t)(0xc0 | point >> 6);
        out[1] = (uint8_t)(0x80 | (point & 0x3f));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (uint8_t)(0xe0 | point >> 12);
        out[1] = (uint8_t)(0x80 | (point >> 6 & 0x3f));
        out[2] = (uint8_t)(0x80 | (point & 0x3f));
        return 3;
    }
    out[0] = (uint8_t)(0xf0 | point >> 18);
    out[1] = (uint8_t)(0x80 | (point >> 12 & 0x3f));
    out[2] = (uint8_t)(0x80 | (point >> 6 & 0x3f));
    out[3] = (uint8_t)(0x80 | (point & 0x3f));
    return 4;
}

static uint32_t read_utf8(const uint8_t **at)
{
    const uint8_t *c = *at;

    if (c[0] < 0x80) {
        *at += 1;
        return c[0];
    }
    if (c[0] < 0xe0) {
        *at += 2;
        return (c[0] & 0x1fu) << 6 | (c[1] & 0x3fu);
    }
    if (c[0] < 0xf0) {
        *at += 3;
        return (c[0] & 0x0fu) << 12 | (c[1] & 0x3fu) << 6 | (c[2] & 0x3fu);
    }
    *at += 4;
    return (c[0] & 0x07u) << 18 | (c[1] & 0x3fu) << 12 | (c[2] & 0x3fu) << 6 | (c[3] & 0x3fu);
}

/* The value of a hex digit; 16 when it is none. */
static uint32_t hex_value(uint8_t c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* True, and `unit` filled, when "\uXXXX" is at `at`. */
static bool read_unit(const uint8_t *at, const uint8_t *end, uint32_t *unit)
{
    if (end - at < 6 || at[0] != '\\' || at[1] != 'u') {
        return false;
    }
    *unit = 0;
    for (int i = 2; i < 6; i++) {
        uint32_t value = hex_value(at[i]);

        if (value > 15) {
            return false;
        }
        *unit = *unit << 4 | value;
    }
    return true;
}

/* The character that a one-letter escape stands for; 0 when it is none. */
static uint8_t short_meaning(uint8_t letter)
{
    const char *place = letter == 0 ? NULL : strchr(short_escapes, letter);

    return place == NULL ? 0 : (uint8_t)short_meanings[place - short_escapes];
}

size_t yk_json_escape_size(const uint8_t *at, const uint8_t *end)
{
    uint32_t unit;
    uint32_t low;

    if (end - at < 2) {
        return 0;
    }
    if (at[1] == '/' || short_meaning(at[1]) != 0) {
        return 2;
    }
    if (!read_unit(at, end, &unit) || is_low_surrogate(unit)) {
        return 0;
    }
    if (!is_high_surrogate(unit)) {
        return 6;
    }
    return read_unit(at + 6, end, &low) && is_low_surrogate(low) ? 12 : 0;
}

size_t yk_json_escape_write(uint8_t c, uint8_t out[YK_JSON_ESCAPE_MAX])
{
    const char *place;

    if (c >= 0x20 && c != '"' && c != '\\') {
        out[0] = c;
        return 1;
    }
    place = c == 0 ? NULL : strchr(short_meanings, c);
    if (place != NULL) {
        out[0] = '\\';
        out[1] = (uint8_t)short_escapes[place - short_meanings];
        return 2;
    }
    memcpy(out, "\\u00", 4);
    out[4] = (uint8_t)hex_digits[c >> 4];
    out[5] = (uint8_t)hex_digits[c & 15];
    return 6;
}

size_t yk_json_escape_size_canonical(const uint8_t *at, const uint8_t *end)
{
    size_t size = yk_json_escape_size(at, end);
    uint8_t canonical[YK_JSON_ESCAPE_MAX];
    const uint8_t *cursor = at;
    uint32_t point;

    if (size == 0) {
        return 0;
    }
    point = yk_json_point(&cursor);
    if (point >= 0x80 || yk_json_escape_write((uint8_t)point, canonical) != size ||
        memcmp(canonical, at, size) != 0) {
        return 0;
    }
    return size;
}

static bool is_plain(uint8_t c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

const uint8_t *yk_json_plain_end(const uint8_t *at, const uint8_t *end)
{
    for (; end - at >= 16; at += 16) {
        yk_sixteen c = yk_sixteen_at(at);
        unsigned ends = yk_sixteen_bits((c < 0x20) | (c == '"') | (c == '\\'));

        if (ends != 0) {
            return at + __builtin_ctz(ends);
        }
    }
    while (at < end && is_plain(*at)) {
        at++;
    }
    return at;
}

/* The size of the run of characters that are not ASCII; 0 when one is broken. */
static size_t utf8_run(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *start = at;

    do {
        size_t size = yk_utf8_size(at, end);

        if (size == 0) {
            return 0;
        }
        at += size;
    } while (at < end && *at >= 0x80);
    return (size_t)(at - start);
}

const uint8_t *yk_json_string_end(const uint8_t *at, const uint8_t *end, bool canonical,
                                  bool *escaped)
{
    for (;;) {
        size_t size = 0;

        at = yk_json_plain_end(at, end);
        if (at == end) {
            return NULL;
        }
        if (*at == '"') {
            return at;
        }
        if (*at == '\\') {
            *escaped = true;
            size =
                canonical ? yk_json_escape_size_canonical(at, end) : yk_json_escape_size(at, end);
        } else if (*at >= 0x80) {
            size = utf8_run(at, end);
        }
        if (size == 0) {
            return NULL;
        }
        at += size;
    }
}

uint32_t yk_json_point(const uint8_t **at)
{
    const uint8_t *c = *at;
    uint32_t unit;
    uint32_t low;

    if (c[0] != '\\') {
        return read_utf8(at);
    }
    *at += 2;
    if (c[1] != 'u') {
        return c[1] == '/' ? '/' : short_meaning(c[1]);
    }
    *at += 4;
    if (!read_unit(c, *at, &unit) || !is_high_surrogate(unit)) {
        return unit;
    }
    *at += 6;
    return read_unit(c + 6, *at, &low) ? 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff) : 0;
}

/* Without escapes the order of bytes is that of code points. */
static int compare_bytes(struct yk_slice a, struct yk_slice b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = memcmp(a.data, b.data, size);

    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare_points(struct yk_slice a, struct yk_slice b)
{
    const uint8_t *a_end = a.data + a.size;
    const uint8_t *b_end = b.data + b.size;

    while (a.data < a_end && b.data < b_end) {
        uint32_t a_point = yk_json_point(&a.data);
        uint32_t b_point = yk_json_point(&b.data);

        if (a_point != b_point) {
            return a_point < b_point ? -1 : 1;
        }
    }
    return (a.data < a_end) - (b.data < b_end);
}

int yk_json_string_compare(const struct yk_json *json, size_t a, size_t b)
{
    bool escaped = json->tokens[a].escaped || json->tokens[b].escaped;

    return (escaped ? compare_points : compare_bytes)(yk_json_raw_string(json, a),
                                                      yk_json_raw_string(json, b));
}

size_t yk_json_unescape(struct yk_slice raw, uint8_t *out)
{
    const uint8_t *at = raw.data;
    const uint8_t *end = raw.data + raw.size;
    size_t size = 0;

    while (at < end) {
        const uint8_t *backslash = memchr(at, '\\', (size_t)(end - at));
        size_t plain = (size_t)((backslash != NULL ? backslash : end) - at);

        memcpy(out + size, at, plain);
        size += plain;
        at += plain;
        if (backslash != NULL) {
            size += yk_utf8_write(yk_json_point(&at), out + size);
        }
    }
    return size;
}

size_t yk_json_string_size(struct yk_slice text)
{
    uint8_t escape[YK_JSON_ESCAPE_MAX];
    size_t size = 2;

    for (size_t i = 0; i < text.size; i++) {
        size += yk_json_escape_write(text.data[i], escape);
    }
    return size;
}

bool yk_utf8_valid(struct yk_slice text, size_t *points)
{
    size_t count = 0;

    for (size_t at = 0; at < text.size; count++) {
        size_t size = yk_utf8_size(text.data + at, text.data + text.size);

        if (size == 0) {
            return false;
        }
        at += size;
    }
    if (points != NULL) {
        *points = count;
    }
    return true;
}

size_t yk_utf8_cut(struct yk_slice text, size_t most)
{
    if (text.size <= most) {
        return text.size;
    }
    while (most > 0 && is_continuation(text.data[most])) {
        most--;
    }
    return most;
}
