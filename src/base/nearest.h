/* nearest.h - "did you mean": the known word closest to one that is not known. */
#ifndef YK_BASE_NEAREST_H
#define YK_BASE_NEAREST_H

#include <stddef.h>

#define YK_NEAREST_MAX 256 /* bytes of a word that is compared; longer ones are near nothing */

/* The one of `count` words that is the fewest edits from `word`, if that is near enough to be a slip
 * of the keyboard (a third of its length, at least 1); else NULL. */
const char *yk_nearest(const char *word, const char *const *known, size_t count);

#endif
