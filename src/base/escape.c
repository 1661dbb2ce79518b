#include "base/escape.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* The longest escape, and its terminator. */
#define ESCAPE_MAX 11

struct range {
    uint32_t first, last;
};

/* Above the C1 controls: Unicode's format characters (category Cf) and the line and paragraph
 * separators (Zl, Zp), as of Unicode 15, unassigned neighbours inside a run included. */
static const struct range hidden[] = {
    {0x00ad, 0x00ad},   {0x0600, 0x0605},   {0x061c, 0x061c},   {0x06dd, 0x06dd},
    {0x070f, 0x070f},   {0x0890, 0x0891},   {0x08e2, 0x08e2},   {0x180e, 0x180e},
    {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},   {0xfeff, 0xfeff},
    {0xfff9, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f},
    {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe007f},
};

static int is_hidden(uint32_t point)
{
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
        if (point <= hidden[i].last) {
            return point >= hidden[i].first;
        }
    }
    return 0;
}

/* Spells the character of `length` bytes at `text` (0: one byte that is not UTF-8); gives the size. */
static size_t spell(char out[ESCAPE_MAX], const char *text, size_t length, uint32_t point)
{
    if (length == 0) {
        return (size_t)snprintf(out, ESCAPE_MAX, "\\x%02x", (unsigned)(unsigned char)text[0]);
    }
    switch (point) {
    case '\n':
        return (size_t)snprintf(out, ESCAPE_MAX, "\\n");
    case '\r':
        return (size_t)snprintf(out, ESCAPE_MAX, "\\r");
    case '\t':
        return (size_t)snprintf(out, ESCAPE_MAX, "\\t");
    case '\\':
        return (size_t)snprintf(out, ESCAPE_MAX, "\\\\");
    default:
        break;
    }
    if (point < 0x20 || point == 0x7f) {
        return (size_t)snprintf(out, ESCAPE_MAX, "\\x%02x", (unsigned)point);
    }
    if ((point >= 0x80 && point <= 0x9f) || is_hidden(point)) {
        return (size_t)snprintf(out, ESCAPE_MAX, point > 0xffff ? "\\U%08x" : "\\u%04x",
                                (unsigned)point);
    }
    memcpy(out, text, length);
    return length;
}

size_t yk_escape(char *out, size_t capacity, const char *text, size_t size)
{
    size_t used = 0;

    for (size_t at = 0; at < size;) {
        char spelled[ESCAPE_MAX];
        uint32_t point = 0;
        size_t length = yk_utf8_next(text + at, size - at, &point);
        size_t spelled_size = spell(spelled, text + at, length, point);

        if (spelled_size >= capacity - used) {
            break;
        }
        memcpy(out + used, spelled, spelled_size);
        used += spelled_size;
        at += length == 0 ? 1 : length;
    }
    out[used] = '\0';
    return used;
}
