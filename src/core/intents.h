/* intents.h - the newest intent per consumer, and when to offer it again (spec, Anti-entropy). */
#ifndef YK_CORE_INTENTS_H
#define YK_CORE_INTENTS_H

#include "core/frame.h"
#include "core/table.h"

/* Re-issues waiting at one time; a consumer beyond that is served after its next announcement. */
#define YK_REISSUES_MAX 64

/* What is kept of one consumer. */
struct yk_cached_intent {
    struct yk_entry entry; /* entry.id is the consumer */
    bool cached;           /* false: only `rejected` counts */
    enum yk_op op;
    struct yk_id producer;
    struct yk_version version;
    struct yk_version rejected; /* highest version its consumer rejected; zero: none */
    yk_time heard;              /* when the intent (or the rejection) came */
};

struct yk_reissue {
    struct yk_id consumer;
    yk_time due;
};

struct yk_intents {
    struct yk_table table;
    struct yk_reissue reissues[YK_REISSUES_MAX];
    size_t reissue_count;
};

size_t yk_intents_memory(uint32_t tracked);
void yk_intents_init(struct yk_intents *intents, void *memory, uint32_t tracked,
                     uint64_t hash_seed);

/* Offers an intent that was heard. Cached when its version is above the cached one and not the
 * rejected one. Cancels a waiting re-issue that it makes needless (suppression). */
void yk_intents_hear(struct yk_intents *intents, const struct yk_intent *intent, yk_time now);
/* A rejection by `consumer`: evicts a cached intent of exactly that version and marks it. */
void yk_intents_reject(struct yk_intents *intents, const struct yk_id *consumer,
                       const struct yk_version *version, yk_time now);
/* A consumer announced `version`: when a newer intent is cached and no re-issue waits, one is set
 * for now + `delay`; when the consumer has caught up, a waiting one is cancelled. */
void yk_intents_consumer_at(struct yk_intents *intents, const struct yk_id *consumer,
                            const struct yk_version *version, yk_time now, yk_time delay);
/* True, and `intent` filled, for a re-issue that is due; it is then not waiting any more. */
bool yk_intents_due(struct yk_intents *intents, yk_time now, struct yk_intent *intent);
/* Forgets at most `most` intents older than YK_INTENT_CACHE_TTL. */
void yk_intents_expire(struct yk_intents *intents, yk_time now, unsigned most);
yk_time yk_intents_deadline(const struct yk_intents *intents);

/* The highest version cached for a consumer, or NULL. */
const struct yk_version *yk_intents_version(const struct yk_intents *intents,
                                            const struct yk_id *consumer);
/* All consumers: start with NULL, ends with NULL. */
const struct yk_cached_intent *yk_intents_next(const struct yk_intents *intents,
                                               const struct yk_cached_intent *after);

#endif
