/* utf8.h - one character at a time out of bytes that need not be text. */
#ifndef YK_BASE_UTF8_H
#define YK_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The character at the start of `size` bytes (at least 1): its size, and `point` filled; 0 when the
 * bytes there are not valid UTF-8 (overlong, surrogate, above U+10FFFF, cut off). */
size_t yk_utf8_next(const char *text, size_t size, uint32_t *point);

#endif
