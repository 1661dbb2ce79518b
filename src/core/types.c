#include "core/types.h"

#include <string.h>

struct yk_slice yk_slice_of(const char *text)
{
    return (struct yk_slice){(const uint8_t *)text, strlen(text)};
}

bool yk_slice_equal(struct yk_slice a, struct yk_slice b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static bool is_alphanumeric(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool yk_id_parse(struct yk_id *id, struct yk_slice text)
{
    memset(id, 0, sizeof(*id));
    if (text.size == 0 || text.size > YK_ID_MAX || !is_alphanumeric(text.data[0])) {
        return false;
    }
    for (size_t i = 1; i < text.size; i++) {
        uint8_t c = text.data[i];

        if (!is_alphanumeric(c) && c != '.' && c != '_' && c != '-') {
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
