#include "core/json_string.h"

#include <string.h>

#include "core/sixteen.h"

static const char hex_digits[] = "0123456789abcdef";
/* What the letters behind a backslash mean, and the other way round; 0: nothing. */
static const uint8_t meanings[256] = {['"'] = '"',  ['\\'] = '\\', ['b'] = '\b', ['f'] = '\f',
                                      ['n'] = '\n', ['r'] = '\r',  ['t'] = '\t'};
static const uint8_t letters[256] = {['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
                                     ['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't'};

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

/* By the five high bits of the first byte, for characters of two bytes and more: the size, and what
 * some bits of the first four bytes, the first one lowest, must be. */
struct shape {
    uint32_t mask, value;
    uint8_t size;
};
static const struct shape shapes[32] = {
    [0x18] = {0x0000c0e0, 0x000080c0, 2}, [0x19] = {0x0000c0e0, 0x000080c0, 2},
    [0x1a] = {0x0000c0e0, 0x000080c0, 2}, [0x1b] = {0x0000c0e0, 0x000080c0, 2},
    [0x1c] = {0x00c0c0f0, 0x008080e0, 3}, [0x1d] = {0x00c0c0f0, 0x008080e0, 3},
    [0x1e] = {0xc0c0c0f8, 0x808080f0, 4},
};

/* First bytes that not all second ones may follow, as bits behind 0xc0: 0xc0, 0xc1, 0xe0, 0xed, 0xf0
 * and from 0xf4 on. */
#define CHOOSY UINT64_C(0xfff1200100000003)

/* Too long a spelling, a surrogate, or more than there are code points. */
static bool is_out_of_range(uint8_t first, uint8_t second)
{
    return first < 0xc2 || first > 0xf4 || (first == 0xe0 && second < 0xa0) ||
           (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
           (first == 0xf4 && second > 0x8f);
}

/* The size of the character whose first bytes are `text`; 0 for none, and for ASCII. */
static inline size_t shape_size(uint32_t text)
{
    const struct shape *shape = &shapes[(uint8_t)text >> 3];
    bool broken =
        (text & shape->mask) != shape->value ||
        ((CHOOSY >> (text & 63) & 1) != 0 && is_out_of_range((uint8_t)text, (uint8_t)(text >> 8)));

    return broken ? 0 : shape->size;
}

/* Four bytes, of which those at the end and behind are zeros, which no first byte allows behind it. */
static uint32_t load_rest(const uint8_t *at, const uint8_t *end)
{
    uint32_t text = 0;

    for (unsigned i = 0; at < end; i += 8) {
        text |= (uint32_t)*at++ << i;
    }
    return text;
}

size_t yk_utf8_size(const uint8_t *at, const uint8_t *end)
{
    if (*at < 0x80) {
        return 1;
    }
    return shape_size(end - at >= 4 ? yk_load_four(at) : load_rest(at, end));
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
    *unit = 0;
    if (end - at < 6 || at[0] != '\\' || at[1] != 'u') {
        return false;
    }
    for (int i = 2; i < 6; i++) {
        uint32_t value = hex_value(at[i]);

        if (value > 15) {
            return false;
        }
        *unit = *unit << 4 | value;
    }
    return true;
}

size_t yk_json_escape_size(const uint8_t *at, const uint8_t *end)
{
    uint32_t unit;
    uint32_t low;

    if (end - at < 2) {
        return 0;
    }
    if (at[1] == '/' || meanings[at[1]] != 0) {
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
    if (c >= 0x20 && c != '"' && c != '\\') {
        out[0] = c;
        return 1;
    }
    if (letters[c] != 0) {
        out[0] = '\\';
        out[1] = letters[c];
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

    if (size == 0 || (size == 2 && at[1] != '/')) { /* a letter has no other spelling */
        return size;
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

size_t yk_utf8_run(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *start = at;

    do {
        size_t size = shape_size(end - at >= 4 ? yk_load_four(at) : load_rest(at, end));

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
            size = yk_utf8_run(at, end);
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
        return c[1] == '/' ? '/' : meanings[c[1]];
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
