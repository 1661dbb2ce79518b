#include "core/intents.h"

#include <string.h>

size_t yk_intents_memory(uint32_t tracked)
{
    return yk_table_memory(tracked, sizeof(struct yk_cached_intent));
}

void yk_intents_init(struct yk_intents *intents, void *memory, uint32_t tracked, uint64_t hash_seed)
{
    intents->reissue_count = 0;
    yk_table_init(&intents->table, memory, tracked, sizeof(struct yk_cached_intent), hash_seed);
}

static struct yk_reissue *find_reissue(struct yk_intents *intents, const struct yk_id *consumer)
{
    for (size_t i = 0; i < intents->reissue_count; i++) {
        if (yk_id_equal(&intents->reissues[i].consumer, consumer)) {
            return &intents->reissues[i];
        }
    }
    return NULL;
}

static void cancel_reissue(struct yk_intents *intents, const struct yk_id *consumer)
{
    struct yk_reissue *reissue = find_reissue(intents, consumer);

    if (reissue != NULL) {
        *reissue = intents->reissues[--intents->reissue_count];
    }
}

static void forget(struct yk_intents *intents, struct yk_cached_intent *cached)
{
    cancel_reissue(intents, &cached->entry.id);
    yk_table_remove(&intents->table, cached);
}

/* The record of a consumer; a full table forgets the one that is the least recent. */
static struct yk_cached_intent *record_of(struct yk_intents *intents, const struct yk_id *consumer)
{
    struct yk_cached_intent *cached = yk_table_find(&intents->table, consumer);

    if (cached == NULL) {
        if (intents->table.count == intents->table.capacity) {
            forget(intents, yk_table_oldest(&intents->table));
        }
        cached = yk_table_add(&intents->table, consumer);
    }
    return cached;
}

/* `heard` and the table's order go together: the least recent record expires first. */
static void renew(struct yk_intents *intents, struct yk_cached_intent *cached, yk_time now)
{
    cached->heard = now;
    yk_table_touch(&intents->table, cached);
}

static bool is_cachable(const struct yk_intent *intent)
{
    return intent->op == YK_OP_UNPAIR || intent->producer.size > 0;
}

/* Suppression: any intent for that consumer, cachable or not, which is not older. */
static void suppress(struct yk_intents *intents, const struct yk_cached_intent *cached,
                     const struct yk_intent *intent)
{
    if (cached->cached && yk_version_compare(&intent->version, &cached->version) >= 0) {
        cancel_reissue(intents, &intent->consumer);
    }
}

static bool is_needless(const struct yk_cached_intent *cached, const struct yk_intent *intent)
{
    return yk_version_compare(&intent->version, &cached->rejected) == 0 ||
           (cached->cached && yk_version_compare(&intent->version, &cached->version) <= 0);
}

void yk_intents_hear(struct yk_intents *intents, const struct yk_intent *intent, yk_time now)
{
    struct yk_cached_intent *cached = yk_table_find(&intents->table, &intent->consumer);

    if (cached != NULL) {
        suppress(intents, cached, intent);
    }
    if (!is_cachable(intent) || (cached != NULL && is_needless(cached, intent))) {
        return;
    }
    cached = record_of(intents, &intent->consumer);
    cached->cached = true;
    cached->op = intent->op;
    cached->producer = intent->producer;
    cached->version = intent->version;
    renew(intents, cached, now);
}

void yk_intents_reject(struct yk_intents *intents, const struct yk_id *consumer,
                       const struct yk_version *version, yk_time now)
{
    struct yk_cached_intent *cached = record_of(intents, consumer);

    if (cached->cached && yk_version_compare(version, &cached->version) == 0) {
        cached->cached = false;
        cancel_reissue(intents, consumer);
    }
    if (!cached->cached) {
        renew(intents, cached, now);
    }
    if (yk_version_compare(version, &cached->rejected) > 0) {
        cached->rejected = *version;
    }
}

void yk_intents_consumer_at(struct yk_intents *intents, const struct yk_id *consumer,
                            const struct yk_version *version, yk_time now, yk_time delay)
{
    const struct yk_version *newest = yk_intents_version(intents, consumer);

    if (newest == NULL || yk_version_compare(version, newest) >= 0) {
        cancel_reissue(intents, consumer);
    } else if (find_reissue(intents, consumer) == NULL &&
               intents->reissue_count < YK_REISSUES_MAX) {
        intents->reissues[intents->reissue_count++] =
            (struct yk_reissue){.consumer = *consumer, .due = now + delay};
    }
}

bool yk_intents_due(struct yk_intents *intents, yk_time now, struct yk_intent *intent)
{
    for (size_t i = 0; i < intents->reissue_count; i++) {
        if (now >= intents->reissues[i].due) {
            const struct yk_cached_intent *cached =
                yk_table_find(&intents->table, &intents->reissues[i].consumer);

            *intent = (struct yk_intent){.op = cached->op,
                                         .consumer = cached->entry.id,
                                         .producer = cached->producer,
                                         .version = cached->version};
            intents->reissues[i] = intents->reissues[--intents->reissue_count];
            return true;
        }
    }
    return false;
}

void yk_intents_expire(struct yk_intents *intents, yk_time now, unsigned most)
{
    struct yk_cached_intent *oldest = yk_table_oldest(&intents->table);

    for (; most > 0 && oldest != NULL && now >= oldest->heard + YK_INTENT_CACHE_TTL; most--) {
        forget(intents, oldest);
        oldest = yk_table_oldest(&intents->table);
    }
}

yk_time yk_intents_deadline(const struct yk_intents *intents)
{
    const struct yk_cached_intent *oldest = yk_table_oldest(&intents->table);
    yk_time due = oldest != NULL ? oldest->heard + YK_INTENT_CACHE_TTL : YK_TIME_NEVER;

    for (size_t i = 0; i < intents->reissue_count; i++) {
        if (intents->reissues[i].due < due) {
            due = intents->reissues[i].due;
        }
    }
    return due;
}

const struct yk_version *yk_intents_version(const struct yk_intents *intents,
                                            const struct yk_id *consumer)
{
    const struct yk_cached_intent *cached = yk_table_find(&intents->table, consumer);

    return cached != NULL && cached->cached ? &cached->version : NULL;
}

const struct yk_cached_intent *yk_intents_next(const struct yk_intents *intents,
                                               const struct yk_cached_intent *after)
{
    return after == NULL ? yk_table_oldest(&intents->table) : yk_table_next(&intents->table, after);
}
