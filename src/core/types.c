#include "core/types.h"

#include <string.h>

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

bool yk_id_parse(struct yk_id *id, struct yk_slice text)
{
    memset(id, 0, sizeof(*id));
    if (text.size == 0 || text.size > YK_ID_MAX || memchr("._-", text.data[0], 3) != NULL) {
        return false;
    }
    for (size_t i = 0; i < text.size; i++) {
        if (!is_id_character(text.data[i])) {
            return false;
        }
    }
    memcpy(id->text, text.data, text.size);
    id->size = (uint8_t)text.size;
    return true;
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
