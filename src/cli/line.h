/* line.h - members of the JSON lines that programs read (completions section 6). The wire's own
 * writer is used, not a library: what a peer announced (integers of any size, media as it is) comes
 * out unchanged. */
#ifndef YK_CLI_LINE_H
#define YK_CLI_LINE_H

#include <stdio.h>

#include "core/json.h"
#include "core/peers.h"
#include "core/place.h"

/* Room for one line: a peer's texts fit a frame, and grow to six times that when all of it is
 * controls. */
#define YK_LINE_MAX (8 * YK_FRAME_MAX)

/* {"v":1,"type":TYPE in `capacity` bytes. */
void yk_line_open(struct yk_json_writer *line, uint8_t *bytes, size_t capacity, const char *type);
/* } and the line end. */
void yk_line_close(struct yk_json_writer *line, FILE *out);

/* A member that is a text, or null when it is not there. */
void yk_line_text(struct yk_json_writer *line, const char *name, bool there, struct yk_slice text);
/* The same for a word, where "" is not there. */
void yk_line_word(struct yk_json_writer *line, const char *name, const char *text);
void yk_line_null(struct yk_json_writer *line, const char *name);
void yk_line_bool(struct yk_json_writer *line, const char *name, bool value);
void yk_line_unsigned(struct yk_json_writer *line, const char *name, uint64_t value);
/* "version": [n, author] */
void yk_line_version(struct yk_json_writer *line, const struct yk_version *version);
/* All members of a node; `place` may be NULL. */
void yk_line_node(struct yk_json_writer *line, const struct yk_peers *peers,
                  const struct yk_peer *peer, const struct yk_place *place, yk_time now);

#endif
