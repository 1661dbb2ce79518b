/* columns.h - how wide a text is on a terminal, so that tables stay aligned in every script. */
#ifndef YK_BASE_COLUMNS_H
#define YK_BASE_COLUMNS_H

#include <stddef.h>

/* Columns that `size` bytes of escaped text (base/escape.h) take: two for a wide character (East
 * Asian, emoji), none for a combining mark, one for any other. */
size_t yk_columns(const char *text, size_t size);

/* The largest size at which `text` may be cut to take at most `most` columns. */
size_t yk_columns_cut(const char *text, size_t size, size_t most);

#endif
