/* admission.h - the one door for datagrams: accept, or the name of a drop counter, in the order of
 * completions section 1. */
#ifndef YK_CORE_ADMISSION_H
#define YK_CORE_ADMISSION_H

#include "core/frame.h"
#include "core/recent.h"
#include "core/replay.h"

/* The receiver's idea of the wall clock: a reading and when it was taken. */
struct yk_wall {
    int64_t unix_ns;
    yk_time at;
};
/* Unix nanoseconds at `now`; never negative. */
uint64_t yk_wall_at(const struct yk_wall *wall, yk_time now);

struct yk_receiver {
    const struct yk_auth *auth; /* borrowed */
    struct yk_wall wall;
    uint64_t seq_floor; /* the future bound is never measured from below this; 0 for tools */
    enum yk_path path;
    struct yk_replay replay;
    struct yk_recent *recents; /* of the first origins in the replay table */
    uint32_t recent_count;
    uint64_t editions;           /* given out so far; see struct yk_ann */
    uint64_t drops[YK_DROP_END]; /* since init, by enum yk_drop; [YK_DROP_NONE] counts accepts */
    const struct yk_key *signer; /* of the last accepted frame; NULL in open mode */
    struct yk_decoder decoder;
};

/* Bytes `memory` of yk_receiver_init must have for `tracked` origins. */
size_t yk_receiver_memory(uint32_t tracked);
/* `memory` is zeroed, aligned for max_align_t and outlives the receiver. */
void yk_receiver_init(struct yk_receiver *rx, void *memory, uint32_t tracked,
                      const struct yk_auth *auth, struct yk_wall wall, uint64_t hash_seed);

/* YK_DROP_NONE and `frame` filled, or why the datagram is dropped (counted in `drops`). Only an
 * accepted frame moves the replay high-water. `frame` lives until the next call. */
YK_MUST_USE enum yk_drop yk_receiver_admit(struct yk_receiver *rx, struct yk_slice raw, yk_time now,
                                           struct yk_frame *frame);

#endif
