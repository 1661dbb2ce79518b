#include "shell/log_limit.h"

#include <stdio.h>
#include <string.h>

#define ROOM ((YK_LOG_BURST - 1) * YK_LOG_PACE)

/* Its record, or the one to use for it: the one that will be full soonest has been quiet for longest. */
static struct yk_log_kind *find(struct yk_log_limit *limit, uint64_t key)
{
    struct yk_log_kind *oldest = &limit->kinds[0];

    for (size_t i = 0; i < YK_LOG_KINDS_MAX; i++) {
        struct yk_log_kind *kind = &limit->kinds[i];

        if (kind->key == key) {
            return kind;
        }
        if (kind->full_at < oldest->full_at) {
            oldest = kind;
        }
    }
    memset(oldest, 0, sizeof *oldest);
    oldest->key = key;
    return oldest;
}

static bool has_room(struct yk_log_kind *kind, yk_time now)
{
    if (kind->full_at < now) {
        kind->full_at = now;
    }
    return kind->full_at - now <= ROOM;
}

bool yk_log_limit_take(struct yk_log_limit *limit, uint64_t key, const char *name, int level,
                       yk_time now, unsigned *left_out)
{
    struct yk_log_kind *kind = find(limit, key);

    if (has_room(kind, now)) {
        kind->full_at += YK_LOG_PACE;
        *left_out = kind->left_out;
        kind->left_out = 0;
        return true;
    }
    kind->left_out++;
    kind->left_out_at = now;
    kind->level = level;
    snprintf(kind->name, sizeof kind->name, "%s", name);
    return false;
}

struct yk_log_kind *yk_log_limit_quiet(struct yk_log_limit *limit, yk_time now)
{
    for (size_t i = 0; i < YK_LOG_KINDS_MAX; i++) {
        struct yk_log_kind *kind = &limit->kinds[i];

        if (kind->left_out > 0 && now - kind->left_out_at >= YK_LOG_PACE && has_room(kind, now)) {
            kind->full_at += YK_LOG_PACE;
            return kind;
        }
    }
    return NULL;
}
