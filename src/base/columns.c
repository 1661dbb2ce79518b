#include "base/columns.h"

#include "base/utf8.h"

struct range {
    uint32_t first, last;
};

/* By block rather than by character: a mistake costs one blank of alignment, and the C library's
 * wcwidth would need a locale to be loaded at every start. */
static const struct range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},
    {0x2614, 0x2615},   {0x2648, 0x2653},   {0x26aa, 0x26ab},   {0x2705, 0x2705},
    {0x270a, 0x270b},   {0x274c, 0x274c},   {0x274e, 0x274e},   {0x2753, 0x2755},
    {0x2795, 0x2797},   {0x2b50, 0x2b50},   {0x2e80, 0x303e},   {0x3041, 0x3098},
    {0x309b, 0x4dbf},   {0x4e00, 0xa4cf},   {0xa960, 0xa97f},   {0xac00, 0xd7a3},
    {0xf900, 0xfaff},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
    {0xffe0, 0xffe6},   {0x16fe0, 0x18cff}, {0x1aff0, 0x1b2ff}, {0x1f004, 0x1f004},
    {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f64f},
    {0x1f680, 0x1f6ff}, {0x1f7e0, 0x1f7f0}, {0x1f900, 0x1faff}, {0x20000, 0x3fffd},
};
static const struct range combining[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x05bf, 0x05c7},   {0x0610, 0x061a},
    {0x064b, 0x065f}, {0x0670, 0x0670}, {0x0e31, 0x0e31}, {0x0e34, 0x0e3a},   {0x0e47, 0x0e4e},
    {0x1160, 0x11ff}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x20d0, 0x20f0},   {0x302a, 0x302d},
    {0x3099, 0x309a}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef},
};

static int is_in(uint32_t point, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (point >= ranges[i].first && point <= ranges[i].last) {
            return 1;
        }
    }
    return 0;
}

static size_t width(uint32_t point)
{
    if (point < 0x300) {
        return 1;
    }
    if (is_in(point, combining, sizeof combining / sizeof combining[0])) {
        return 0;
    }
    return is_in(point, wide, sizeof wide / sizeof wide[0]) ? 2 : 1;
}

/* Walks whole characters while they fit `most` columns; gives where it stopped. */
static size_t walk(const char *text, size_t size, size_t most, size_t *columns)
{
    size_t at = 0;

    *columns = 0;
    while (at < size) {
        uint32_t point = 0;
        size_t length = yk_utf8_next(text + at, size - at, &point);
        size_t next = length == 0 ? 1 : width(point);

        if (next > most - *columns) {
            break;
        }
        *columns += next;
        at += length == 0 ? 1 : length;
    }
    return at;
}

size_t yk_columns(const char *text, size_t size)
{
    size_t columns;

    walk(text, size, SIZE_MAX, &columns);
    return columns;
}

size_t yk_columns_cut(const char *text, size_t size, size_t most)
{
    size_t columns;

    return walk(text, size, most, &columns);
}
