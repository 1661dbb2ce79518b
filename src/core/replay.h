/* replay.h - the highest sequence number heard per origin (spec, Replay defense). */
#ifndef YK_CORE_REPLAY_H
#define YK_CORE_REPLAY_H

#include "core/auth.h"
#include "core/protocol.h"
#include "core/table.h"

struct yk_replay {
    struct yk_table table;
};

size_t yk_replay_memory(uint32_t tracked);
void yk_replay_init(struct yk_replay *replay, void *memory, uint32_t tracked, uint64_t hash_seed);

/* The origin that a full table must not forget; "none" spares nobody. */
void yk_replay_keep(struct yk_replay *replay, const struct yk_id *origin);

/* What is known of an origin: NULL when nothing is. It lives until the table changes. */
struct yk_seen;
struct yk_seen *yk_replay_find(const struct yk_replay *replay, const struct yk_id *origin);
/* Its number: below the capacity of the table, and its own while it is known. */
uint32_t yk_replay_number(const struct yk_replay *replay, const struct yk_seen *seen);

/* YK_DROP_NONE and the high-water moved; YK_DROP_DUP for the very frame last accepted;
 * YK_DROP_STALE for anything else not above it. A full table forgets the origin that was heard
 * least recently. `seen` is what yk_replay_find gave for the origin. */
YK_MUST_USE enum yk_drop yk_replay_check(struct yk_replay *replay, struct yk_seen *seen,
                                         const struct yk_id *origin, uint64_t seq,
                                         const struct yk_digest *digest, yk_time now);

/* Forgets origins not heard for YK_PEER_FORGET, at most `most` of them; gives when to come again. */
yk_time yk_replay_expire(struct yk_replay *replay, yk_time now, unsigned most);

#endif
