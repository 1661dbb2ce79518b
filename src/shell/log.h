/* log.h - the local log: a line an entry to standard error, for the journal or for a terminal. Never
 * waits for its reader: a line that cannot be written now is counted and said later. */
#ifndef YK_SHELL_LOG_H
#define YK_SHELL_LOG_H

#include "core/protocol.h"
#include "core/types.h"
#include "drivers/driver.h"

#define YK_LOG_LEVEL_WORDS "\"error\", \"warning\", \"info\" or \"debug\""
#define YK_LOG_LINE_MAX 2048 /* bytes of a line; a pipe takes that much in one piece */

/* The level for a word, or 0. */
enum yk_log_level yk_log_level_parse(struct yk_slice word);

/* Entries above `level` are not printed. Looks whether standard error is the journal. */
void yk_log_init(enum yk_log_level level);

void yk_log_set_level(enum yk_log_level level);

/* One entry; the text is escaped for terminals here. Of what one place of the program says, as of one kind
 * of event, the log takes no more than log_limit.h allows. */
__attribute__((format(printf, 2, 3))) void yk_log(enum yk_log_level level, const char *format, ...);
/* The same for who passes on what others say: `kind` is the place that says it. */
__attribute__((format(printf, 3, 4))) void yk_log_kind(enum yk_log_level level, const char *kind,
                                                       const char *format, ...);

/* The entry of an event or note: its slug and its detail (JSON). `now` is monotonic. */
void yk_log_event(enum yk_event event, struct yk_slice detail, yk_time now);
/* Says how many were left out of what has become quiet. */
void yk_log_flush(yk_time now);

#endif
