#include "base/nearest.h"

#include <string.h>

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;

    return least < c ? least : c;
}

/* Edits between two words: a letter too much, missing or wrong, or two neighbours swapped (the
 * optimal string alignment distance). Three rows of the table are enough. */
static size_t distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t rows[3][YK_NEAREST_MAX + 1];

    for (size_t j = 0; j <= b_size; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= a_size; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i - 1) % 3];

        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            row[j] = smallest(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = smallest(row[j], rows[(i - 2) % 3][j - 2] + 1, row[j]);
            }
        }
    }
    return rows[a_size % 3][b_size];
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
