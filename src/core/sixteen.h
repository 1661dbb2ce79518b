/* sixteen.h - eight bytes in a word, and sixteen bytes looked at together, written as for one: (c < ' ') | (c == '"'). The compiler
 * makes of it what the processor has. Bytes are signed here: those that are not ASCII are below 0. */
#ifndef YK_CORE_SIXTEEN_H
#define YK_CORE_SIXTEEN_H

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "core/types.h"

typedef signed char yk_sixteen __attribute__((vector_size(16)));

static inline yk_sixteen yk_sixteen_at(const uint8_t *at)
{
    yk_sixteen bytes;

    memcpy(&bytes, at, sizeof(bytes));
    return bytes;
}

/* A bit for each byte below 0, the first one lowest: where a comparison is true, or what is not ASCII. */
static inline unsigned yk_sixteen_bits(yk_sixteen truth)
{
#ifdef __SSE2__
    return (unsigned)_mm_movemask_epi8((__m128i)truth);
#else
    unsigned bits = 0;

    for (unsigned i = 0; i < 16; i++) {
        bits |= (unsigned)(truth[i] < 0) << i;
    }
    return bits;
#endif
}

/* The lesser of each two bytes, those that are not ASCII being above the others here. */
static inline yk_sixteen yk_sixteen_least(yk_sixteen a, yk_sixteen b)
{
#ifdef __SSE2__
    return (yk_sixteen)_mm_min_epu8((__m128i)a, (__m128i)b);
#else
    typedef unsigned char unsigned_sixteen __attribute__((vector_size(16)));
    yk_sixteen is_a = (yk_sixteen)((unsigned_sixteen)a < (unsigned_sixteen)b);

    return (a & is_a) | (b & ~is_a);
#endif
}

/* Eight bytes out of sixteen hex digits by their values, the first of two being the higher one. */
static inline void yk_sixteen_join(yk_sixteen digits, uint8_t out[8])
{
    typedef uint16_t pairs __attribute__((vector_size(16)));
    typedef uint8_t eight __attribute__((vector_size(8)));
    pairs both = (pairs)digits;
    eight joined;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    both = (both >> 4 | both) & 0xff;
#else
    both = (both << 4 | both >> 8) & 0xff;
#endif
    joined = __builtin_convertvector(both, eight);
    memcpy(out, &joined, sizeof joined);
}

/* The first byte lowest, whatever the processor. */
static inline uint64_t yk_load_eight(const uint8_t *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline uint32_t yk_load_four(const uint8_t *at)
{
    uint32_t word;

    memcpy(&word, at, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    return word;
}

#endif
