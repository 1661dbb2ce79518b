#include "core/marks.h"

#include "core/json_string.h"
#include "core/sixteen.h"

#define WORD 64 /* bytes that a word of marks stands for */

/* What was seen in all words so far. */
struct sight {
    yk_sixteen least, slashes;
    uint64_t high;
};

/* A quarter of a word. */
static inline void mark(const uint8_t *at, unsigned shift, uint64_t *quotes, uint64_t *high,
                        struct sight *sight)
{
    yk_sixteen c = yk_sixteen_at(at);

    *quotes |= (uint64_t)yk_sixteen_bits(c == '"') << shift;
    *high |= (uint64_t)yk_sixteen_bits(c) << shift;
    sight->slashes |= c == '\\';
    sight->least = yk_sixteen_least(sight->least, c);
}

static inline void mark_word(struct yk_marks *marks, size_t word, const uint8_t *at,
                             struct sight *sight)
{
    uint64_t quotes = 0, high = 0;

    mark(at, 0, &quotes, &high, sight);
    mark(at + 16, 16, &quotes, &high, sight);
    mark(at + 32, 32, &quotes, &high, sight);
    mark(at + 48, 48, &quotes, &high, sight);
    marks->quotes[word] = quotes;
    marks->high[word] = high;
    sight->high |= high;
}

/* The escapes; a quote behind a backslash ends no string. */
static bool take_escapes(struct yk_marks *marks, struct yk_slice text)
{
    const uint8_t *at = text.data, *end = text.data + text.size;

    while ((at = memchr(at, '\\', (size_t)(end - at))) != NULL) {
        size_t size = yk_json_escape_size_canonical(at, end);
        size_t second = (size_t)(at - text.data) + 1;

        if (size == 0) {
            return false;
        }
        if (at[1] == '"') {
            marks->quotes[second / WORD] &= ~(UINT64_C(1) << second % WORD);
        }
        at += size;
    }
    return true;
}

static bool has_only_characters(const struct yk_marks *marks, struct yk_slice text)
{
    const uint8_t *end = text.data + text.size;
    size_t at = 0;

    while ((at = yk_marks_next(marks->high, at)) < text.size) {
        size_t run = yk_utf8_run(text.data + at, end);

        if (run == 0) {
            return false;
        }
        at += run;
    }
    return true;
}

bool yk_marks_set(struct yk_marks *marks, struct yk_slice text, size_t size)
{
    struct sight sight = {.least = (yk_sixteen){0} + ' '};
    size_t word = 0;

    for (; word * WORD < size && text.size - word * WORD >= WORD; word++) {
        mark_word(marks, word, text.data + word * WORD, &sight);
    }
    if (word * WORD < size) {
        uint8_t rest[WORD];

        memset(rest, ' ', sizeof rest);
        memcpy(rest, text.data + word * WORD, text.size - word * WORD);
        mark_word(marks, word, rest, &sight);
        word++;
    }
    for (size_t i = 0; i < 2; i++) {
        marks->quotes[word + i] = marks->high[word + i] = UINT64_MAX;
    }
    text.size = size;
    marks->escaped = yk_sixteen_bits(sight.slashes) != 0;
    return yk_sixteen_bits((sight.least < ' ') & (sight.least >= 0)) == 0 &&
           (!marks->escaped || take_escapes(marks, text)) &&
           (sight.high == 0 || has_only_characters(marks, text));
}
