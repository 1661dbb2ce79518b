#include "core/replay.h"

#include <string.h>

struct yk_seen {
    struct yk_entry entry; /* entry.id is the origin */
    uint64_t seq;
    struct yk_digest digest; /* of the frame with that seq */
    yk_time heard;
};

size_t yk_replay_memory(uint32_t tracked)
{
    return yk_table_memory(tracked, sizeof(struct yk_seen));
}

void yk_replay_init(struct yk_replay *replay, void *memory, uint32_t tracked, uint64_t hash_seed)
{
    yk_table_init(&replay->table, memory, tracked, sizeof(struct yk_seen), hash_seed);
}

void yk_replay_keep(struct yk_replay *replay, const struct yk_id *origin)
{
    yk_table_keep(&replay->table, origin);
}

static struct yk_seen *add(struct yk_replay *replay, const struct yk_id *origin)
{
    if (replay->table.count == replay->table.capacity) {
        yk_table_remove(&replay->table, yk_table_dispensable(&replay->table));
    }
    return yk_table_add(&replay->table, origin);
}

struct yk_seen *yk_replay_find(const struct yk_replay *replay, const struct yk_id *origin)
{
    return yk_table_find(&replay->table, origin);
}

uint32_t yk_replay_number(const struct yk_replay *replay, const struct yk_seen *seen)
{
    return yk_table_number(&replay->table, seen);
}

enum yk_drop yk_replay_check(struct yk_replay *replay, struct yk_seen *seen,
                             const struct yk_id *origin, uint64_t seq,
                             const struct yk_digest *digest, yk_time now)
{
    if (seen == NULL) {
        seen = add(replay, origin);
    } else if (seq > seen->seq) {
        yk_table_touch(&replay->table, seen);
    } else {
        /* What anybody can send again keeps nothing alive in the table. */
        bool same = seq == seen->seq &&
                    memcmp(digest->bytes, seen->digest.bytes, sizeof(digest->bytes)) == 0;

        return same ? YK_DROP_DUP : YK_DROP_STALE;
    }
    seen->seq = seq;
    seen->digest = *digest;
    seen->heard = now;
    return YK_DROP_NONE;
}

yk_time yk_replay_expire(struct yk_replay *replay, yk_time now, unsigned most)
{
    struct yk_seen *seen = yk_table_oldest(&replay->table);

    for (; seen != NULL && now >= seen->heard + YK_PEER_FORGET && most > 0; most--) {
        yk_table_remove(&replay->table, seen);
        seen = yk_table_oldest(&replay->table);
    }
    return seen == NULL ? YK_TIME_NEVER : seen->heard + YK_PEER_FORGET;
}
