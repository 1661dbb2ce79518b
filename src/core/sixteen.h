/* sixteen.h - eight bytes in a word, and sixteen bytes looked at together, written as for one: (c < ' ') | (c == '"'). The compiler
 * makes of it what the processor has. Bytes are signed here: those that are not ASCII are below 0. */
#ifndef YK_CORE_SIXTEEN_H
#define YK_CORE_SIXTEEN_H

#include "core/types.h"

typedef signed char yk_sixteen __attribute__((vector_size(16)));

static inline yk_sixteen yk_sixteen_at(const uint8_t *at)
{
    yk_sixteen bytes;

    memcpy(&bytes, at, sizeof(bytes));
    return bytes;
}

/* A bit for each byte of a comparison's result, the first one lowest. */
static inline unsigned yk_sixteen_bits(yk_sixteen truth)
{
#ifdef __SSE2__
    return (unsigned)__builtin_ia32_pmovmskb128((char __attribute__((vector_size(16))))truth);
#else
    unsigned bits = 0;

    for (unsigned i = 0; i < 16; i++) {
        bits |= (truth[i] & 1u) << i;
    }
    return bits;
#endif
}

/* The first byte lowest, whatever the processor. */
static inline uint64_t yk_load_little_endian(const uint8_t *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline void yk_store_little_endian(uint8_t *at, uint32_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    memcpy(at, &word, sizeof(word));
}

#endif
