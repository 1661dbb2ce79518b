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

    for (; at + 16 <= text.size && at <= YK_ID_MAX; at += 16) {
        yk_sixteen c = yk_sixteen_at(text.data + at);
        yk_sixteen lower = c | 0x20;
        unsigned good = yk_sixteen_bits(((lower >= 'a') & (lower <= 'z')) | (c == '_') |
                                        ((c >= '-') & (c <= '9') & (c != '/')));

        if (good != 0xffff) {
            return at + (size_t)__builtin_ctz(~good);
        }
    }
    while (at < text.size && at <= YK_ID_MAX && is_id_character(text.data[at])) {
        at++;
    }
    return at;
}

size_t yk_id_read(struct yk_id *id, struct yk_slice text)
{
    size_t size = id_span(text);

    memset(id, 0, sizeof(*id));
    if (size == 0 || size > YK_ID_MAX || text.data[0] == '.' || text.data[0] == '_' ||
        text.data[0] == '-') {
        return 0;
    }
    memcpy(id->text, text.data, size);
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
    return a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
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
