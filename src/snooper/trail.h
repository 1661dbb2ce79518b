/* trail.h - operations, followed from the intent through the acknowledgment to its effect. It is the
 * observer's intent cache and its early-ack cache in one: of each consumer the newest versions that
 * anybody spoke of. Pure: no I/O, no clock, no heap. */
#ifndef YK_SNOOPER_TRAIL_H
#define YK_SNOOPER_TRAIL_H

#include "core/frame.h"
#include "core/table.h"

#define YK_TRAILS_KEPT 4 /* of one consumer, the highest versions */
/* Without an answer for so long after its first intent, an operation counts as unanswered; tools give
 * up after that time unless told otherwise. A later answer still counts. */
#define YK_TRAIL_PATIENCE (5 * YK_SECOND)

enum yk_outcome_seen {
    YK_SEEN_WAITING = 1, /* asked for, not answered yet */
    YK_SEEN_APPLIED,     /* acknowledged, or announced as governing */
    YK_SEEN_ACTIVE,      /* a pair: announced as governing, and active */
    YK_SEEN_IDLE,        /* an unpair: announced as governing, and idle */
    YK_SEEN_REFUSED,     /* `reason` says why */
    YK_SEEN_SUPERSEDED,  /* a newer version governs */
    YK_SEEN_UNANSWERED,  /* nothing was heard within YK_TRAIL_PATIENCE */
    YK_SEEN_AMBIGUOUS,   /* two bodies share this version: no ack says which one it is about */
    YK_SEEN_END
};
/* "waiting", "applied", ...; "" for what is none of them. */
const char *yk_outcome_seen_word(enum yk_outcome_seen outcome);

/* One operation. */
struct yk_trail {
    struct yk_id consumer;
    struct yk_version version;
    enum yk_op op;          /* YK_OP_NONE: only its acknowledgment was heard so far */
    struct yk_id producer;  /* "none" for an unpair, and where it was no node id */
    struct yk_id sender;    /* envelope origin of the first intent heard */
    struct yk_address from; /* where that came from */
    uint32_t intents;       /* how often it was asked for: retries and re-issues too */
    enum yk_outcome_seen outcome;
    enum yk_reason reason; /* of the last acknowledgment; YK_REASON_NONE: none heard */
    yk_time asked;         /* when the first intent was heard; 0: none was */
    yk_time answered;      /* when the first acknowledgment was heard; 0: none was */
    yk_time settled;       /* when the outcome became what it is */
    /* The trails' own: its neighbours among those that wait, as number + 1. */
    uint32_t later, earlier;
};

struct yk_trails {
    struct yk_table table;
    uint32_t waiting_first, waiting_last; /* in the order they were asked, as number + 1 */
    uint64_t not_kept; /* operations that were pushed out, or came too old to be kept */
};

size_t yk_trails_memory(uint32_t tracked);
/* `memory` is zeroed, aligned for max_align_t and outlives the trails; `tracked` consumers. */
void yk_trails_init(struct yk_trails *trails, void *memory, uint32_t tracked, uint64_t hash_seed);

/* Each takes what was accepted; true and `changed` pointing to the operation (until the next call)
 * when its outcome is not what it was. `governing` is the pairing the consumer announced last, or
 * NULL. */
bool yk_trails_intent(struct yk_trails *trails, const struct yk_frame *frame,
                      struct yk_address from, const struct yk_pairing *governing, yk_time now,
                      const struct yk_trail **changed);
bool yk_trails_ack(struct yk_trails *trails, const struct yk_frame *frame, yk_time now,
                   const struct yk_trail **changed);
/* An announcement may settle several: how many are in `changed`. */
size_t yk_trails_announcement(struct yk_trails *trails, const struct yk_frame *frame, yk_time now,
                              const struct yk_trail *changed[YK_TRAILS_KEPT]);
/* The next one that has waited for too long, now unanswered; NULL when there is none. */
const struct yk_trail *yk_trails_unanswered(struct yk_trails *trails, yk_time now);
/* Forgets at most `most` consumers of whose operations nothing was heard for YK_INTENT_CACHE_TTL. */
void yk_trails_expire(struct yk_trails *trails, yk_time now, unsigned most);
yk_time yk_trails_deadline(const struct yk_trails *trails);

/* The operations of a consumer, the newest version first; how many. `list` lives until the next
 * change. */
size_t yk_trails_of(const struct yk_trails *trails, const struct yk_id *consumer,
                    const struct yk_trail *list[YK_TRAILS_KEPT]);
/* The consumers of whom operations are kept: start with NULL, ends with NULL. */
const struct yk_id *yk_trails_next(const struct yk_trails *trails, const struct yk_id *after);

#endif
