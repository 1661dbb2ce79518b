/* escape.h - other people's text for terminals and logs: nothing in it can end the line, move the
 * cursor, change colours or hide and reorder what is read. */
#ifndef YK_BASE_ESCAPE_H
#define YK_BASE_ESCAPE_H

#include <stddef.h>

/* Room for `size` bytes however bad they are, the terminator included. */
#define YK_ESCAPED_MAX(size) (4 * (size) + 1)

/* Writes `text` with these escaped: ASCII controls and bytes that are not UTF-8 as \xHH (\n, \r and
 * \t by name), C1 controls, Unicode format characters and line and paragraph separators as \uHHHH
 * or \UHHHHHHHH, the backslash as two. All else stays. Always terminated (`capacity` at least 1);
 * what does not fit is cut between characters. Gives the size without the terminator. */
size_t yk_escape(char *out, size_t capacity, const char *text, size_t size);

#endif
