#include "base/nearest.h"

#include <string.h>

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;

    return least < c ? least : c;
}

/* Levenshtein distance, one row at a time. */
static size_t distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t row[YK_NEAREST_MAX + 1];

    for (size_t j = 0; j <= b_size; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a_size; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            size_t above = row[j];

            row[j] = smallest(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[b_size];
}

const char *yk_nearest(const char *word, const char *const *known, size_t count)
{
    size_t size = strlen(word);
    size_t least = size / 3 > 1 ? size / 3 + 1 : 2; /* one more than is near enough */
    const char *nearest = NULL;

    if (size > YK_NEAREST_MAX) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        size_t known_size = strlen(known[i]);

        if (known_size <= YK_NEAREST_MAX) {
            size_t edits = distance(word, size, known[i], known_size);

            if (edits < least) {
                least = edits;
                nearest = known[i];
            }
        }
    }
    return nearest;
}
