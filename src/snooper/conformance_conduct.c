/* Rules on what a sender does from frame to frame, and what is remembered of it. Frames come late,
 * and an observer may be held up and read many at once: what is about time counts only when our
 * clock and the sender's own ts agree. */
#include "snooper/conformance_internal.h"

#define REPEAT_LEAST YK_SECOND      /* duplicates of multicast come within milliseconds */
#define REORDERED_MS INT64_C(2000)  /* frames that overtake each other are less far apart */
#define SILENT_LEAST (3500 * YK_MS) /* an interval with its jitter, and a second of grace */
#define HASTY_MOST (1300 * YK_MS)   /* the shortest interval, and what the way may take off it */
#define HASTY_ROW 3                 /* so often in a row: a restart announces once more than due */
#define STIR_MEMORY YK_SECOND
#define DROPS_MOST (1800 * YK_MS)
#define BYE_LIFE 8 /* numbers behind a bye's that are of the same life: a restart skips its block */

static bool is_stale(const struct yk_view *view)
{
    return view->heard->verdict == YK_DROP_STALE && view->sender != NULL &&
           view->heard->frame.seq <= view->sender->seq;
}

bool yk_rule_seq_back(struct yk_view *view)
{
    const struct yk_frame *frame = &view->heard->frame;

    return is_stale(view) && frame->seq < view->sender->seq &&
           frame->ts_ms >= view->sender->ts_ms &&
           yk_view_say(view, "seq %llu after %llu", (unsigned long long)frame->seq,
                       (unsigned long long)view->sender->seq);
}

bool yk_rule_seq_reused(struct yk_view *view)
{
    return is_stale(view) && view->heard->frame.seq == view->sender->seq &&
           yk_view_say(view, "two frames with seq %llu", (unsigned long long)view->sender->seq);
}

/* A frame that was said before, and not just doubled or overtaken on its way. */
static bool is_old_frame(const struct yk_view *view)
{
    const struct yk_sender *sender = view->sender;
    const struct yk_heard_frame *heard = view->heard;

    if (is_stale(view)) {
        return heard->frame.seq < sender->seq && heard->frame.ts_ms < sender->ts_ms - REORDERED_MS;
    }
    return heard->verdict == YK_DROP_DUP && sender != NULL &&
           heard->now - sender->heard > REPEAT_LEAST;
}

static bool is_elsewhere(const struct yk_view *view)
{
    return memcmp(view->heard->from.ip, view->sender->from.ip, sizeof view->sender->from.ip) != 0;
}

bool yk_rule_repeated(struct yk_view *view)
{
    return is_old_frame(view) && !is_elsewhere(view) &&
           yk_view_say(view, "%s with seq %llu again", yk_type_word(view->heard->frame.type),
                       (unsigned long long)view->heard->frame.seq);
}

bool yk_rule_foreign(struct yk_view *view)
{
    const uint8_t *ip = view->sender != NULL ? view->sender->from.ip : NULL;
    bool is_copy = ip != NULL && (view->heard->verdict == YK_DROP_DUP || is_old_frame(view));

    return is_copy && is_elsewhere(view) &&
           yk_view_say(view, "%s with seq %llu, as %u.%u.%u.%u sent it",
                       yk_type_word(view->heard->frame.type),
                       (unsigned long long)view->heard->frame.seq, ip[0], ip[1], ip[2], ip[3]);
}

bool yk_rule_two_senders(struct yk_view *view)
{
    const struct yk_observed *observed = yk_observer_of(view->observer, &view->heard->frame.origin);
    const uint8_t *ip;

    if (observed == NULL || !observed->place.is_two ||
        (view->sender != NULL && view->sender->two_said)) {
        return false;
    }
    ip = observed->place.former.ip;
    return yk_view_say(view, "the other is %u.%u.%u.%u:%u", ip[0], ip[1], ip[2], ip[3],
                       observed->place.former.port);
}

/* ---- time */

/* Time since then by our clock and by the sender's. */
struct gap {
    yk_time ours, its;
};

static struct gap gap_since(const struct yk_heard_frame *heard, yk_time then, int64_t ts_ms)
{
    int64_t its = heard->frame.ts_ms > ts_ms ? heard->frame.ts_ms - ts_ms : 0;
    /* No gap that matters is longer than a day; its clock may be anything. */
    const int64_t most = YK_HOUR * 24 / YK_MS;

    return (struct gap){heard->now - then, (uint64_t)(its < most ? its : most) * YK_MS};
}

bool yk_rule_silent(struct yk_view *view)
{
    const struct yk_sender *sender = view->sender;
    struct gap gap;

    if (sender == NULL || !sender->announced || !sender->gapless || sender->bye_seq != 0 ||
        view->heard->frame.seq != sender->seq + 1) {
        return false;
    }
    gap = gap_since(view->heard, sender->ann_at, sender->ann_ts_ms);
    return gap.ours > SILENT_LEAST && gap.its > SILENT_LEAST &&
           yk_view_say(view, "%.1f s after the last, and no frame was missed",
                       (double)gap.ours / (double)YK_SECOND);
}

/* FNV-1a: only compared with the hash of the announcement before. */
static uint64_t body_hash(const struct yk_view *view)
{
    struct yk_slice body =
        yk_json_spelling(yk_view_json(view), view->observer->receiver.decoder.body_token);
    uint64_t value = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < body.size; i++) {
        value = (value ^ body.data[i]) * UINT64_C(0x100000001b3);
    }
    return value;
}

/* Unchanged, early, and nobody gave it cause: an event or an acknowledgment of its own, or an intent
 * for it (one under an old version may be answered by the version that governs). */
static bool is_hasty(const struct yk_view *view)
{
    const struct yk_sender *sender = view->sender;
    struct gap gap;

    if (sender == NULL || !sender->announced || sender->body != body_hash(view) ||
        (sender->stirred != 0 && sender->stirred + STIR_MEMORY >= sender->ann_at)) {
        return false;
    }
    gap = gap_since(view->heard, sender->ann_at, sender->ann_ts_ms);
    return gap.ours < HASTY_MOST && gap.its < HASTY_MOST;
}

bool yk_rule_hasty(struct yk_view *view)
{
    return is_hasty(view) && view->sender->hasty + 1 >= HASTY_ROW &&
           yk_view_say(view, "%u in a row, the last after %.1f s", view->sender->hasty + 1,
                       (double)(view->heard->now - view->sender->ann_at) / (double)YK_SECOND);
}

bool yk_rule_drops_rate(struct yk_view *view)
{
    const struct yk_sender *sender = view->sender;
    struct gap gap;

    if (view->heard->frame.as.evt.event != YK_EVENT_RX_DROP || sender == NULL ||
        sender->drops_at == 0) {
        return false;
    }
    gap = gap_since(view->heard, sender->drops_at, sender->drops_ts_ms);
    return gap.ours < DROPS_MOST && gap.its < DROPS_MOST &&
           yk_view_say(view, "again after %.1f s", (double)gap.ours / (double)YK_SECOND);
}

bool yk_rule_after_bye(struct yk_view *view)
{
    const struct yk_sender *sender = view->sender;

    return sender != NULL && sender->bye_seq != 0 &&
           view->heard->frame.seq - sender->bye_seq <= BYE_LIFE &&
           yk_view_say(view, "%s after bye", yk_type_word(view->heard->frame.type));
}

/* ---- memory */

static void remember_announcement(struct yk_sender *sender, const struct yk_view *view)
{
    const struct yk_frame *frame = &view->heard->frame;

    sender->announced = true;
    sender->role = frame->as.ann.role;
    sender->pairing = frame->as.ann.pairing;
    sender->body = body_hash(view);
    sender->ann_at = view->heard->now;
    sender->ann_ts_ms = frame->ts_ms;
    sender->gapless = true;
    /* What was said against these was said. */
    if (yk_version_compare(&sender->pairing.version, &sender->applied) < 0) {
        sender->applied = (struct yk_version){.n = 0};
    }
    if (yk_version_compare(&sender->pairing.version, &sender->superseded) < 0) {
        sender->superseded = (struct yk_version){.n = 0};
    }
}

static void remember_ack(struct yk_sender *sender, const struct yk_ack *ack)
{
    struct yk_version *highest = ack->applied                          ? &sender->applied
                                 : ack->reason == YK_REASON_SUPERSEDED ? &sender->superseded
                                                                       : NULL;

    if (highest != NULL && yk_version_compare(&ack->version, highest) > 0) {
        *highest = ack->version;
    }
}

static void remember_event(struct yk_sender *sender, const struct yk_heard_frame *heard)
{
    if (heard->frame.as.evt.event == YK_EVENT_RX_DROP) {
        sender->drops_at = heard->now;
        sender->drops_ts_ms = heard->frame.ts_ms;
    } else if (heard->frame.as.evt.event == YK_EVENT_STARTED) {
        sender->drops_at = 0;
    }
}

void yk_sender_remember(struct yk_sender *sender, const struct yk_view *view)
{
    const struct yk_heard_frame *heard = view->heard;
    const struct yk_frame *frame = &heard->frame;
    const struct yk_observed *observed = yk_observer_of(view->observer, &frame->origin);
    unsigned hasty = frame->type == YK_TYPE_ANN && is_hasty(view) ? sender->hasty + 1 : 0;

    sender->gapless = sender->gapless && frame->seq == sender->seq + 1;
    if (frame->type == YK_TYPE_ANN) {
        sender->hasty = hasty;
        remember_announcement(sender, view);
    } else {
        sender->stirred = heard->now;
    }
    if (frame->type == YK_TYPE_ACK) {
        remember_ack(sender, &frame->as.ack);
    } else if (frame->type == YK_TYPE_EVT) {
        remember_event(sender, heard);
    }
    sender->from = heard->from;
    sender->seq = frame->seq;
    sender->ts_ms = frame->ts_ms;
    sender->heard = heard->now;
    sender->bye_seq = frame->type == YK_TYPE_BYE ? frame->seq : 0;
    sender->two_said = observed != NULL && observed->place.is_two;
}
