#include "snooper/observer.h"

#define FORGET_MAX 16 /* records of each table that one tick forgets */

/* One block of memory for all tables; each part begins aligned. */
static size_t aligned(size_t size)
{
    size_t unit = _Alignof(max_align_t);

    return (size + unit - 1) / unit * unit;
}

size_t yk_observer_memory(uint32_t tracked)
{
    return aligned(yk_receiver_memory(tracked)) + aligned(yk_peers_memory(tracked)) +
           aligned(yk_trails_memory(tracked)) +
           aligned(yk_table_memory(tracked, sizeof(struct yk_observed)));
}

void yk_observer_init(struct yk_observer *observer, void *memory,
                      const struct yk_observer_options *options)
{
    uint32_t tracked = options->tracked;
    uint64_t seed = options->hash_seed;
    uint8_t *at = memory;

    memset(observer, 0, sizeof *observer);
    yk_receiver_init(&observer->receiver, at, tracked, options->auth, options->wall, seed);
    observer->receiver.path = YK_PATH_FAST; /* the rules look at the index */
    at += aligned(yk_receiver_memory(tracked));
    yk_peers_init(&observer->peers, at, tracked, seed);
    at += aligned(yk_peers_memory(tracked));
    yk_trails_init(&observer->trails, at, tracked, seed);
    at += aligned(yk_trails_memory(tracked));
    yk_table_init(&observer->observed, at, tracked, sizeof(struct yk_observed), seed);
}

static void begin(struct yk_observer *observer, yk_time now)
{
    observer->change_count = 0;
    if (now > observer->now) {
        observer->now = now;
    }
}

/* A frame makes six changes at most: a node that is new or back, a state, and what its announcement
 * says about the operations kept. A tick stops when the list is full. */
_Static_assert(YK_CHANGES_MAX >= 2 + YK_TRAILS_KEPT, "a frame's changes fit");

static struct yk_change *add_change(struct yk_observer *observer, enum yk_change_kind kind,
                                    const struct yk_id *id)
{
    struct yk_change *change = &observer->changes[observer->change_count++];

    memset(change, 0, sizeof *change);
    change->kind = kind;
    change->id = *id;
    return change;
}

static void add_trail(struct yk_observer *observer, const struct yk_trail *trail)
{
    add_change(observer, YK_CHANGE_OPERATION, &trail->consumer)->trail = *trail;
}

static struct yk_observed *observe(struct yk_observer *observer, const struct yk_id *id)
{
    struct yk_observed *observed = yk_table_find(&observer->observed, id);

    if (observed == NULL) {
        if (observer->observed.count == observer->observed.capacity) {
            yk_table_remove(&observer->observed, yk_table_oldest(&observer->observed));
            observer->forgotten++;
        }
        observed = yk_table_add(&observer->observed, id);
    }
    yk_table_touch(&observer->observed, observed);
    observed->heard = observer->now;
    return observed;
}

/* ---- accepted frames */

/* The event that goes with a state, for when none was heard. */
static enum yk_event event_of(enum yk_state state)
{
    switch (state) {
    case YK_STATE_ACTIVE:
        return YK_EVENT_MEDIA_UP;
    case YK_STATE_PENDING:
        return YK_EVENT_MEDIA_PENDING;
    case YK_STATE_IDLE:
        return YK_EVENT_MEDIA_DOWN;
    case YK_STATE_ERROR:
        return YK_EVENT_DRIVER_ERROR;
    case YK_STATE_NONE:
    case YK_STATE_END:
        break;
    }
    return YK_EVENT_NONE;
}

static void hear_announcement(struct yk_observer *observer, struct yk_observed *observed,
                              const struct yk_heard_frame *heard)
{
    const struct yk_frame *frame = &heard->frame;
    const struct yk_peer *known = yk_peers_find(&observer->peers, &frame->origin);
    enum yk_state former = known != NULL ? known->state : YK_STATE_NONE;
    enum yk_state state = frame->as.ann.state;
    char key[YK_FINGERPRINT_SIZE] = {0};
    const struct yk_trail *trails[YK_TRAILS_KEPT];
    struct yk_peers_change change;
    size_t count;

    memcpy(key, heard->key, strlen(heard->key));
    yk_peers_announce(&observer->peers, &frame->origin, &frame->as.ann, heard->from, key,
                      observer->now, &change);
    if (change.is_new) {
        add_change(observer, YK_CHANGE_NODE_NEW, &frame->origin)->state = state;
    } else if (change.returned) {
        add_change(observer, YK_CHANGE_RETURNED, &frame->origin)->event = YK_EVENT_PEER_RETURNED;
    }
    if (former != YK_STATE_NONE && former != state && observed->told != state) {
        struct yk_change *told = add_change(observer, YK_CHANGE_STATE, &frame->origin);

        told->event = event_of(state);
        told->former = former;
        told->state = state;
    }
    observed->told = YK_STATE_NONE;
    if (frame->as.ann.role == YK_ROLE_CONSUMER) {
        count = yk_trails_announcement(&observer->trails, frame, observer->now, trails);
        for (size_t i = 0; i < count; i++) {
            add_trail(observer, trails[i]);
        }
    }
}

static void hear_intent(struct yk_observer *observer, const struct yk_heard_frame *heard)
{
    const struct yk_peer *consumer =
        yk_peers_find(&observer->peers, &heard->frame.as.intent.consumer);
    const struct yk_pairing *governing =
        consumer != NULL && consumer->role == YK_ROLE_CONSUMER ? &consumer->pairing : NULL;
    const struct yk_trail *trail;

    if (yk_trails_intent(&observer->trails, &heard->frame, heard->from, governing, observer->now,
                         &trail)) {
        add_trail(observer, trail);
    }
}

static void hear_event(struct yk_observer *observer, struct yk_observed *observed,
                       const struct yk_frame *frame)
{
    struct yk_change *change = add_change(observer, YK_CHANGE_EVENT, &frame->origin);

    change->event = frame->as.evt.event;
    change->slug = frame->as.evt.slug;
    change->detail = frame->as.evt.detail;
    for (int state = YK_STATE_NONE + 1; state < YK_STATE_END; state++) {
        if (event_of((enum yk_state)state) == change->event) {
            observed->told = (enum yk_state)state;
        }
    }
}

static void take(struct yk_observer *observer, const struct yk_heard_frame *heard)
{
    struct yk_observed *observed = observe(observer, &heard->frame.origin);
    const struct yk_trail *trail;

    yk_place_note(&observed->place, heard->from, observer->now);
    switch (heard->frame.type) {
    case YK_TYPE_ANN:
        hear_announcement(observer, observed, heard);
        break;
    case YK_TYPE_INT:
        hear_intent(observer, heard);
        break;
    case YK_TYPE_ACK:
        if (yk_trails_ack(&observer->trails, &heard->frame, observer->now, &trail)) {
            add_trail(observer, trail);
        }
        break;
    case YK_TYPE_EVT:
        hear_event(observer, observed, &heard->frame);
        break;
    case YK_TYPE_BYE:
        if (yk_peers_bye(&observer->peers, &heard->frame.origin) != NULL) {
            add_change(observer, YK_CHANGE_NODE_GONE, &heard->frame.origin);
        }
        break;
    case YK_TYPE_NONE:
    case YK_TYPE_END:
        break;
    }
}

/* ---- the door */

/* What can be shown of a datagram, also of one that was dropped. */
static void describe(struct yk_observer *observer, struct yk_heard_frame *heard)
{
    struct yk_receiver *rx = &observer->receiver;
    struct yk_frame *frame = &heard->frame;

    heard->canonical = rx->decoder.spelled;
    heard->is_canonical = heard->canonical.size > 0 && heard->canonical.data == heard->raw.data;
    /* The envelope fills them in this order and stops at the first that is wrong. */
    heard->has_envelope = frame->type != YK_TYPE_NONE && frame->origin.size > 0 && frame->seq > 0;
    heard->has_body = heard->trusted ||
                      (heard->verdict == YK_DROP_AUTH && yk_frame_read_body(&rx->decoder, frame));
    if (heard->verdict == YK_DROP_NONE && rx->signer != NULL) {
        heard->key = rx->signer->fingerprint;
    }
}

void yk_observer_hear(struct yk_observer *observer, struct yk_slice raw, struct yk_address from,
                      yk_time now, struct yk_heard_frame *heard)
{
    struct yk_receiver *rx = &observer->receiver;

    begin(observer, now);
    memset(heard, 0, sizeof *heard);
    heard->now = observer->now;
    heard->from = from;
    heard->raw = raw;
    heard->key = "";
    rx->decoder.spelled = (struct yk_slice){NULL, 0};
    heard->verdict = yk_receiver_admit(rx, raw, observer->now, &heard->frame);
    heard->trusted = heard->verdict == YK_DROP_NONE || heard->verdict == YK_DROP_STALE ||
                     heard->verdict == YK_DROP_DUP;
    describe(observer, heard);
    if (heard->verdict == YK_DROP_NONE) {
        take(observer, heard);
    }
}

static void forget_old(struct yk_observer *observer)
{
    yk_time now = observer->now;
    struct yk_observed *oldest = yk_table_oldest(&observer->observed);

    yk_peers_forget(&observer->peers, now, FORGET_MAX);
    yk_trails_expire(&observer->trails, now, FORGET_MAX);
    for (int i = 0; i < FORGET_MAX && oldest != NULL && now >= oldest->heard + YK_PEER_FORGET;
         i++) {
        yk_table_remove(&observer->observed, oldest);
        oldest = yk_table_oldest(&observer->observed);
    }
    if (now >= observer->replay_due) {
        yk_time next = yk_replay_expire(&observer->receiver.replay, now, FORGET_MAX);

        observer->replay_due = next < now + YK_HOUR ? next : now + YK_HOUR;
    }
}

void yk_observer_tick(struct yk_observer *observer, yk_time now)
{
    begin(observer, now);
    while (observer->change_count < YK_CHANGES_MAX) {
        const struct yk_peer *lost = yk_peers_expire(&observer->peers, observer->now);

        if (lost == NULL) {
            break;
        }
        add_change(observer, YK_CHANGE_LOST, &lost->entry.id)->event = YK_EVENT_PEER_LOST;
    }
    while (observer->change_count < YK_CHANGES_MAX) {
        const struct yk_trail *trail = yk_trails_unanswered(&observer->trails, observer->now);

        if (trail == NULL) {
            break;
        }
        add_trail(observer, trail);
    }
    forget_old(observer);
}

yk_time yk_observer_deadline(const struct yk_observer *observer)
{
    const struct yk_observed *oldest = yk_table_oldest(&observer->observed);
    const yk_time dues[] = {yk_peers_deadline(&observer->peers),
                            yk_trails_deadline(&observer->trails), observer->replay_due,
                            oldest != NULL ? oldest->heard + YK_PEER_FORGET : YK_TIME_NEVER};
    yk_time due = YK_TIME_NEVER;

    for (size_t i = 0; i < sizeof dues / sizeof dues[0]; i++) {
        due = dues[i] < due ? dues[i] : due;
    }
    return due;
}

void yk_observer_wall(struct yk_observer *observer, struct yk_wall wall)
{
    observer->receiver.wall = wall;
}

struct yk_slice yk_change_word(const struct yk_change *change)
{
    switch (change->kind) {
    case YK_CHANGE_NODE_NEW:
        return yk_slice_of("node-new");
    case YK_CHANGE_NODE_GONE:
        return yk_slice_of("node-gone");
    case YK_CHANGE_OPERATION:
        return yk_slice_of("operation");
    case YK_CHANGE_EVENT:
        return change->slug;
    case YK_CHANGE_LOST:
    case YK_CHANGE_RETURNED:
    case YK_CHANGE_STATE:
        break;
    }
    return yk_slice_of(yk_event_word(change->event));
}

const struct yk_observed *yk_observer_of(const struct yk_observer *observer, const struct yk_id *id)
{
    return yk_table_find(&observer->observed, id);
}

uint64_t yk_observer_failing(const struct yk_observer *observer)
{
    const uint64_t *drops = observer->receiver.drops;
    uint64_t verified = drops[YK_DROP_NONE] + drops[YK_DROP_STALE] + drops[YK_DROP_DUP];

    return verified == 0 ? drops[YK_DROP_AUTH] : 0;
}

uint64_t yk_observer_not_kept(const struct yk_observer *observer)
{
    return observer->forgotten + observer->trails.not_kept;
}
