/* marks.h - where the strings of a JSON text end, found for all of them in one pass without a branch a
 * string; and whether what is in them is well formed. For frame_plain.c only. */
#ifndef YK_CORE_MARKS_H
#define YK_CORE_MARKS_H

#include "core/types.h"

/* A bit a byte, the first one lowest; behind the last word of a text all bits are set. */
#define YK_MARKS_WORDS ((YK_FRAME_MAX + 63) / 64 + 2)

struct yk_marks {
    uint64_t quotes[YK_MARKS_WORDS]; /* those that no backslash escapes */
    uint64_t high[YK_MARKS_WORDS];   /* bytes that are not ASCII */
    bool escaped;                    /* there is a backslash */
};

/* Marks `text`, of 1 ... YK_FRAME_MAX bytes, which is valid ASCII from `size` on. False when a control
 * character, a broken one or an escape that is not canonical is in front of there. */
YK_MUST_USE bool yk_marks_set(struct yk_marks *marks, struct yk_slice text, size_t size);

/* The first mark at or behind `from`, which is not behind the end of the text. */
static inline size_t yk_marks_next(const uint64_t bits[YK_MARKS_WORDS], size_t from)
{
    size_t shift = from % 64;
    uint64_t ahead = bits[from / 64] >> shift | bits[from / 64 + 1] << 1 << (63 - shift);

    while (ahead == 0) {
        from += 64;
        ahead = bits[from / 64] >> shift | bits[from / 64 + 1] << 1 << (63 - shift);
    }
    return from + (size_t)__builtin_ctzll(ahead);
}

#endif
