/* backoff.h - a retry scheduled once and never postponed (spec, RETRY_BACKOFF). */
#ifndef YK_CORE_BACKOFF_H
#define YK_CORE_BACKOFF_H

#include "core/types.h"

struct yk_backoff {
    yk_time due;  /* YK_TIME_NEVER: nothing scheduled */
    yk_time wait; /* of the next scheduling */
};

/* After a success, or when circumstances changed: nothing scheduled, the next wait is the shortest. */
static inline void yk_backoff_reset(struct yk_backoff *backoff)
{
    *backoff = (struct yk_backoff){.due = YK_TIME_NEVER, .wait = YK_RETRY_MIN};
}

/* Schedules a retry unless one is scheduled; each scheduling doubles the next wait. */
static inline void yk_backoff_schedule(struct yk_backoff *backoff, yk_time now)
{
    if (backoff->due == YK_TIME_NEVER) {
        backoff->due = now + backoff->wait;
        backoff->wait = backoff->wait * 2 < YK_RETRY_MAX ? backoff->wait * 2 : YK_RETRY_MAX;
    }
}

/* True when the retry is due; it is then not scheduled any more. */
static inline bool yk_backoff_take(struct yk_backoff *backoff, yk_time now)
{
    if (now < backoff->due) {
        return false;
    }
    backoff->due = YK_TIME_NEVER;
    return true;
}

#endif
