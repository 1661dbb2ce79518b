#include "core/types.h"

#include <string.h>

#include "core/sixteen.h"

struct yk_slice yk_slice_of(const char *text)
{
    return (struct yk_slice){(const uint8_t *)text, strlen(text)};
}

/* A bit for each ASCII character that an id may have: "-." and digits, then letters and "_". */
static const uint64_t id_characters[2] = {UINT64_C(0x03ff600000000000),
                                          UINT64_C(0x07fffffe87fffffe)};

static bool is_id_character(uint8_t c)
{
    return c < 0x80 && (id_characters[c >> 6] >> (c & 63) & 1) != 0;
}

/* How many characters of an id begin the text; not much more than an id has. */
static size_t id_span(struct yk_slice text)
{
    size_t at = 0;

    while (at < text.size && at <= YK_ID_MAX && is_id_character(text.data[at])) {
        at++;
    }
    return at;
}

static inline unsigned id_bits(yk_sixteen c)
{
    yk_sixteen lower = c | 0x20;

    return yk_sixteen_bits(((lower >= 'a') & (lower <= 'z')) | (c == '_') |
                           ((c >= '-') & (c <= '9') & (c != '/')));
}

/* The same where sixteen bytes more than an id can be read; `id` gets the text, and zeros behind it. */
static inline size_t copy_span(struct yk_id *id, const uint8_t *text)
{
    static const signed char masks[32] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                          -1, -1, -1, -1, -1, -1, -1, -1};

    for (size_t at = 0; at < YK_ID_MAX; at += 16) {
        yk_sixteen c = yk_sixteen_at(text + at);
        unsigned good = id_bits(c);

        if (good != 0xffff) {
            size_t size = (size_t)__builtin_ctz(~good);

            c &= yk_sixteen_at((const uint8_t *)masks + 16 - size);
            memcpy(id->text + at, &c, sizeof c);
            return at + size;
        }
        memcpy(id->text + at, &c, sizeof c);
    }
    return YK_ID_MAX + is_id_character(text[YK_ID_MAX]);
}

size_t yk_id_read(struct yk_id *id, struct yk_slice text)
{
    size_t size;

    memset(id, 0, sizeof(*id));
    if (text.size >= YK_ID_MAX + 16) {
        size = copy_span(id, text.data);
    } else {
        size = id_span(text);
        memcpy(id->text, text.data, size < YK_ID_MAX ? size : YK_ID_MAX);
    }
    if (size == 0 || size > YK_ID_MAX || text.data[0] == '.' || text.data[0] == '_' ||
        text.data[0] == '-') {
        memset(id, 0, sizeof(*id));
        return 0;
    }
    id->size = (uint8_t)size;
    return size;
}

bool yk_id_parse(struct yk_id *id, struct yk_slice text)
{
    if (text.size > 0 && yk_id_read(id, text) == text.size) {
        return true;
    }
    memset(id, 0, sizeof(*id));
    return false;
}

bool yk_id_equal(const struct yk_id *a, const struct yk_id *b)
{
    const uint8_t *left = (const uint8_t *)a->text, *right = (const uint8_t *)b->text;

    for (size_t at = 0; at < a->size; at += 16) {
        if (yk_sixteen_bits(yk_sixteen_at(left + at) == yk_sixteen_at(right + at)) != 0xffff) {
            return false;
        }
    }
    return a->size == b->size;
}

int yk_id_compare(const struct yk_id *a, const struct yk_id *b)
{
    /* The zero bytes behind a shorter id sort it first, as byte order wants. */
    return memcmp(a->text, b->text, sizeof(a->text));
}

int yk_version_compare(const struct yk_version *a, const struct yk_version *b)
{
    if (a->n != b->n) {
        return a->n < b->n ? -1 : 1;
    }
    return yk_id_compare(&a->author, &b->author);
}
