/* log_limit.h - how much of one kind the log takes: a few entries at once, then one each pace, and how
 * many were left out. No clock: times are given, monotonic. */
#ifndef YK_SHELL_LOG_LIMIT_H
#define YK_SHELL_LOG_LIMIT_H

#include "core/types.h"

#define YK_LOG_BURST 10             /* entries of one kind at once */
#define YK_LOG_PACE (6 * YK_SECOND) /* behind these, one each: ten a minute */
#define YK_LOG_KINDS_MAX 96         /* remembered; then the one that was quiet for longest goes */
#define YK_LOG_NAME_MAX 48          /* bytes of a kind's name, cut */

struct yk_log_kind {
    uint64_t key;    /* 0: free */
    yk_time full_at; /* when a whole burst is allowed again */
    yk_time left_out_at;
    unsigned left_out;
    int level; /* of the last one left out, for whoever says it */
    char name[YK_LOG_NAME_MAX];
};

struct yk_log_limit {
    struct yk_log_kind kinds[YK_LOG_KINDS_MAX];
};

/* May an entry of that kind (`key`, not 0) be printed now? If so, `left_out` is how many before it were
 * not. `name` is for saying later that this one was left out. */
bool yk_log_limit_take(struct yk_log_limit *limit, uint64_t key, const char *name, int level,
                       yk_time now, unsigned *left_out);
/* A kind of which some were left out and none has come for a pace, taken off the account of its next
 * burst; the caller says so and sets its `left_out` to 0. NULL: none. */
struct yk_log_kind *yk_log_limit_quiet(struct yk_log_limit *limit, yk_time now);

#endif
