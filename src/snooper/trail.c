#include "snooper/trail.h"

struct record {
    struct yk_entry entry; /* entry.id is the consumer */
    yk_time heard;
    struct yk_trail list[YK_TRAILS_KEPT]; /* in no order; one without a version is free */
};

const char *yk_outcome_seen_word(enum yk_outcome_seen outcome)
{
    static const char *const words[YK_SEEN_END] = {
        [YK_SEEN_WAITING] = "waiting",       [YK_SEEN_APPLIED] = "applied",
        [YK_SEEN_ACTIVE] = "active",         [YK_SEEN_IDLE] = "idle",
        [YK_SEEN_REFUSED] = "refused",       [YK_SEEN_SUPERSEDED] = "superseded",
        [YK_SEEN_UNANSWERED] = "unanswered", [YK_SEEN_AMBIGUOUS] = "ambiguous",
    };

    return outcome > 0 && outcome < YK_SEEN_END ? words[outcome] : "";
}

size_t yk_trails_memory(uint32_t tracked)
{
    return yk_table_memory(tracked, sizeof(struct record));
}

void yk_trails_init(struct yk_trails *trails, void *memory, uint32_t tracked, uint64_t hash_seed)
{
    memset(trails, 0, sizeof *trails);
    yk_table_init(&trails->table, memory, tracked, sizeof(struct record), hash_seed);
}

/* ---- those that wait, in the order they were asked: whose time is up first comes first */

static struct record *records(const struct yk_trails *trails)
{
    return (struct record *)(void *)trails->table.records;
}

static struct yk_trail *trail_at(const struct yk_trails *trails, uint32_t number)
{
    if (number == 0) {
        return NULL;
    }
    return &records(trails)[(number - 1) / YK_TRAILS_KEPT].list[(number - 1) % YK_TRAILS_KEPT];
}

static uint32_t number_of(const struct yk_trails *trails, const struct record *record,
                          const struct yk_trail *trail)
{
    return (uint32_t)((record - records(trails)) * YK_TRAILS_KEPT + (trail - record->list)) + 1;
}

static void start_waiting(struct yk_trails *trails, const struct record *record,
                          struct yk_trail *trail)
{
    struct yk_trail *last = trail_at(trails, trails->waiting_last);
    uint32_t number = number_of(trails, record, trail);

    trail->outcome = YK_SEEN_WAITING;
    trail->earlier = trails->waiting_last;
    trail->later = 0;
    *(last != NULL ? &last->later : &trails->waiting_first) = number;
    trails->waiting_last = number;
}

static void stop_waiting(struct yk_trails *trails, struct yk_trail *trail)
{
    struct yk_trail *later = trail_at(trails, trail->later);
    struct yk_trail *earlier = trail_at(trails, trail->earlier);

    if (trail->outcome == YK_SEEN_WAITING) {
        *(later != NULL ? &later->earlier : &trails->waiting_last) = trail->earlier;
        *(earlier != NULL ? &earlier->later : &trails->waiting_first) = trail->later;
        trail->later = trail->earlier = 0;
    }
}

/* ---- records */

static void forget(struct yk_trails *trails, struct record *record)
{
    for (size_t i = 0; i < YK_TRAILS_KEPT; i++) {
        stop_waiting(trails, &record->list[i]);
    }
    yk_table_remove(&trails->table, record);
}

static bool is_free(const struct yk_trail *trail)
{
    return trail->version.n == 0;
}

static struct record *record_of(struct yk_trails *trails, const struct yk_id *consumer, yk_time now)
{
    struct record *record = yk_table_find(&trails->table, consumer);

    if (record == NULL) {
        if (trails->table.count == trails->table.capacity) {
            struct record *oldest = yk_table_oldest(&trails->table);

            for (size_t i = 0; i < YK_TRAILS_KEPT; i++) {
                trails->not_kept += is_free(&oldest->list[i]) ? 0 : 1;
            }
            forget(trails, oldest);
        }
        record = yk_table_add(&trails->table, consumer);
    }
    record->heard = now;
    yk_table_touch(&trails->table, record);
    return record;
}

/* Where a version is kept, or is to be: free, or pushed out as the lowest. NULL when it is below all
 * that are kept. */
static struct yk_trail *place_for(struct yk_trails *trails, struct record *record,
                                  const struct yk_version *version)
{
    struct yk_trail *lowest = &record->list[0];

    for (size_t i = 0; i < YK_TRAILS_KEPT; i++) {
        struct yk_trail *trail = &record->list[i];

        if (yk_version_compare(&trail->version, version) == 0) {
            return trail;
        }
        if (yk_version_compare(&trail->version, &lowest->version) < 0) {
            lowest = trail; /* a free one is below all */
        }
    }
    if (yk_version_compare(&lowest->version, version) > 0) {
        trails->not_kept++;
        return NULL;
    }
    trails->not_kept += is_free(lowest) ? 0 : 1;
    stop_waiting(trails, lowest);
    memset(lowest, 0, sizeof *lowest);
    lowest->version = *version;
    lowest->consumer = record->entry.id;
    return lowest;
}

/* ---- outcomes */

#define BIT(outcome) (1U << (outcome))

/* From which outcomes another one may follow. What was applied stays so until something newer
 * governs, and what two bodies share is never told apart again. 0 is "nothing heard yet". */
static const unsigned follows[YK_SEEN_END] = {
    [YK_SEEN_APPLIED] =
        BIT(0) | BIT(YK_SEEN_WAITING) | BIT(YK_SEEN_UNANSWERED) | BIT(YK_SEEN_REFUSED),
    [YK_SEEN_ACTIVE] = BIT(YK_SEEN_WAITING) | BIT(YK_SEEN_UNANSWERED) | BIT(YK_SEEN_REFUSED) |
                       BIT(YK_SEEN_APPLIED),
    [YK_SEEN_IDLE] = BIT(YK_SEEN_WAITING) | BIT(YK_SEEN_UNANSWERED) | BIT(YK_SEEN_REFUSED) |
                     BIT(YK_SEEN_APPLIED),
    [YK_SEEN_REFUSED] = BIT(0) | BIT(YK_SEEN_WAITING) | BIT(YK_SEEN_UNANSWERED),
    [YK_SEEN_SUPERSEDED] =
        BIT(0) | BIT(YK_SEEN_WAITING) | BIT(YK_SEEN_UNANSWERED) | BIT(YK_SEEN_APPLIED),
    [YK_SEEN_UNANSWERED] = BIT(YK_SEEN_WAITING),
    [YK_SEEN_AMBIGUOUS] = ~BIT(YK_SEEN_AMBIGUOUS),
};

static bool settle(struct yk_trails *trails, struct yk_trail *trail, enum yk_outcome_seen outcome,
                   yk_time now)
{
    if ((follows[outcome] & BIT(trail->outcome)) == 0) {
        return false;
    }
    stop_waiting(trails, trail);
    trail->outcome = outcome;
    trail->settled = now;
    return true;
}

/* What the pairing that governs says about an operation. */
static bool judge(struct yk_trails *trails, struct yk_trail *trail,
                  const struct yk_pairing *governing, enum yk_state state, yk_time now)
{
    int order = yk_version_compare(&governing->version, &trail->version);
    bool is_pair = trail->op == YK_OP_PAIR;
    enum yk_outcome_seen outcome = YK_SEEN_APPLIED;

    if (trail->op == YK_OP_NONE || order < 0) {
        return false;
    }
    if (order > 0) {
        return settle(trails, trail, YK_SEEN_SUPERSEDED, now);
    }
    if (!yk_id_equal(&governing->producer, &trail->producer) ||
        is_pair != (governing->producer.size > 0)) {
        return settle(trails, trail, YK_SEEN_AMBIGUOUS, now); /* another body of this version */
    }
    if (state == (is_pair ? YK_STATE_ACTIVE : YK_STATE_IDLE)) {
        outcome = is_pair ? YK_SEEN_ACTIVE : YK_SEEN_IDLE;
    }
    if (trail->outcome == YK_SEEN_SUPERSEDED) {
        trail->outcome = YK_SEEN_UNANSWERED; /* the ack was about another body */
    }
    return settle(trails, trail, outcome, now);
}

/* ---- what is heard */

bool yk_trails_intent(struct yk_trails *trails, const struct yk_frame *frame,
                      struct yk_address from, const struct yk_pairing *governing, yk_time now,
                      const struct yk_trail **changed)
{
    const struct yk_intent *intent = &frame->as.intent;
    struct record *record = record_of(trails, &intent->consumer, now);
    struct yk_trail *trail = place_for(trails, record, &intent->version);

    *changed = trail;
    if (trail == NULL) {
        return false;
    }
    trail->intents += trail->intents < UINT32_MAX ? 1 : 0;
    if (trail->op != YK_OP_NONE) {
        return (trail->op != intent->op || !yk_id_equal(&trail->producer, &intent->producer)) &&
               settle(trails, trail, YK_SEEN_AMBIGUOUS, now);
    }
    trail->op = intent->op;
    trail->producer = intent->producer;
    trail->sender = frame->origin;
    trail->from = from;
    trail->asked = now;
    if (trail->answered == 0) {
        start_waiting(trails, record, trail);
        trail->settled = now;
    }
    if (governing != NULL) {
        judge(trails, trail, governing, YK_STATE_NONE, now);
    }
    return true;
}

bool yk_trails_ack(struct yk_trails *trails, const struct yk_frame *frame, yk_time now,
                   const struct yk_trail **changed)
{
    const struct yk_ack *ack = &frame->as.ack;
    struct yk_trail *trail =
        place_for(trails, record_of(trails, &frame->origin, now), &ack->version);
    enum yk_outcome_seen outcome = ack->applied                          ? YK_SEEN_APPLIED
                                   : ack->reason == YK_REASON_SUPERSEDED ? YK_SEEN_SUPERSEDED
                                                                         : YK_SEEN_REFUSED;

    *changed = trail;
    if (trail == NULL) {
        return false;
    }
    trail->reason = ack->reason;
    if (trail->answered == 0) {
        trail->answered = now;
    }
    /* Whose intent has not come yet is told of with the intent. */
    return settle(trails, trail, outcome, now) && trail->op != YK_OP_NONE;
}

size_t yk_trails_announcement(struct yk_trails *trails, const struct yk_frame *frame, yk_time now,
                              const struct yk_trail *changed[YK_TRAILS_KEPT])
{
    struct record *record = yk_table_find(&trails->table, &frame->origin);
    const struct yk_ann *ann = &frame->as.ann;
    size_t count = 0;

    for (size_t i = 0; record != NULL && i < YK_TRAILS_KEPT; i++) {
        struct yk_trail *trail = &record->list[i];

        if (!is_free(trail) && judge(trails, trail, &ann->pairing, ann->state, now)) {
            changed[count++] = trail;
        }
    }
    return count;
}

const struct yk_trail *yk_trails_unanswered(struct yk_trails *trails, yk_time now)
{
    struct yk_trail *first = trail_at(trails, trails->waiting_first);

    if (first == NULL || now < first->asked + YK_TRAIL_PATIENCE) {
        return NULL;
    }
    settle(trails, first, YK_SEEN_UNANSWERED, now);
    return first;
}

void yk_trails_expire(struct yk_trails *trails, yk_time now, unsigned most)
{
    struct record *oldest = yk_table_oldest(&trails->table);

    for (; most > 0 && oldest != NULL && now >= oldest->heard + YK_INTENT_CACHE_TTL; most--) {
        forget(trails, oldest);
        oldest = yk_table_oldest(&trails->table);
    }
}

yk_time yk_trails_deadline(const struct yk_trails *trails)
{
    const struct yk_trail *first = trail_at(trails, trails->waiting_first);
    const struct record *oldest = yk_table_oldest(&trails->table);
    yk_time answer = first != NULL ? first->asked + YK_TRAIL_PATIENCE : YK_TIME_NEVER;
    yk_time expiry = oldest != NULL ? oldest->heard + YK_INTENT_CACHE_TTL : YK_TIME_NEVER;

    return answer < expiry ? answer : expiry;
}

/* ---- what is known */

size_t yk_trails_of(const struct yk_trails *trails, const struct yk_id *consumer,
                    const struct yk_trail *list[YK_TRAILS_KEPT])
{
    const struct record *record = yk_table_find(&trails->table, consumer);
    size_t count = 0;

    for (size_t i = 0; record != NULL && i < YK_TRAILS_KEPT; i++) {
        const struct yk_trail *trail = &record->list[i];
        size_t place = count;

        if (is_free(trail)) {
            continue;
        }
        while (place > 0 && yk_version_compare(&list[place - 1]->version, &trail->version) < 0) {
            list[place] = list[place - 1];
            place--;
        }
        list[place] = trail;
        count++;
    }
    return count;
}

const struct yk_id *yk_trails_next(const struct yk_trails *trails, const struct yk_id *after)
{
    const struct record *record =
        after == NULL ? yk_table_oldest(&trails->table)
                      : yk_table_next(&trails->table, yk_table_find(&trails->table, after));

    return record != NULL ? &record->entry.id : NULL;
}
