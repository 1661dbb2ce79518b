/* say.h - lines for people: nothing in them can do more to a terminal than be read. */
#ifndef YK_CLI_SAY_H
#define YK_CLI_SAY_H

#include <stdio.h>

#include "base/duration.h"
#include "core/peers.h"

#define YK_SAY_MAX 4096 /* bytes of a line; more is cut */
/* An id, and its name between quotes. */
#define YK_LABEL_MAX (YK_ID_MAX + YK_NAME_BYTES_MAX + 4)

/* A line, escaped as a whole: what is put into it may be raw. */
__attribute__((format(printf, 2, 3))) void yk_print(FILE *out, const char *format, ...);

/* "yoke: " and a line on standard error. */
__attribute__((format(printf, 1, 2))) void yk_say(const char *format, ...);

/* The same, only when standard error is a terminal: somebody watches. */
__attribute__((format(printf, 1, 2))) void yk_progress(const char *format, ...);

/* A peer's text as a string, which it need not be: a zero character is shown by its symbol. What does
 * not fit `capacity` bytes is cut between characters. Gives `out`. */
const char *yk_plain(char *out, size_t capacity, struct yk_slice text);

/* How a person knows a node: dec-1 "Room 3 left", or the id alone. `out` has YK_LABEL_MAX bytes and
 * is given back. */
const char *yk_label(char *out, const struct yk_peers *peers, const struct yk_id *id);

#endif
