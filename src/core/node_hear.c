#include "core/node_internal.h"

#include <stdio.h>

/* An acknowledgment goes out at once; a lost one is asked for again by the tool's retry. */
static void acknowledge(struct yk_node *node, const struct yk_version *version, bool applied,
                        enum yk_reason reason)
{
    struct yk_frame frame = {.type = YK_TYPE_ACK};

    frame.as.ack = (struct yk_ack){.version = *version, .applied = applied, .reason = reason};
    yk_outbox_send(&node->outbox, &frame);
}

static bool is_rejection(enum yk_reason reason)
{
    return reason == YK_REASON_SELF_PAIR || reason == YK_REASON_KIND_MISMATCH ||
           reason == YK_REASON_UNKNOWN_PRODUCER;
}

static void say_applied(struct yk_node *node, const struct yk_pairing *pairing)
{
    uint8_t bytes[YK_FRAME_MAX / 2];
    struct yk_json_writer writer;

    yk_json_writer_init(&writer, bytes, sizeof bytes);
    yk_pairing_write(&writer, pairing);
    yk_outbox_event_raw(&node->outbox, YK_EVENT_PAIRING_APPLIED,
                        (struct yk_slice){bytes, writer.size});
}

void yk_node_commit(struct yk_node *node, const struct yk_intent *intent)
{
    struct yk_pairing pairing = yk_pairing_of(intent);

    node->returns_left = 0; /* it has what it missed */
    yk_node_keep(node, &pairing.producer);
    yk_consumer_commit(&node->consumer, &pairing, &node->peers, &node->outbox);
    acknowledge(node, &pairing.version, true, YK_REASON_APPLIED);
    say_applied(node, &pairing);
    node->announce_owed = true;
}

/* Who asks under too low a version does not know ours, and the ack does not say it. */
static void announce_sooner(struct yk_node *node)
{
    yk_node_announce_by(node, node->outbox.now);
}

/* An intent addressed to us (spec, Consumer state machine 1 to 3). */
static void answer(struct yk_node *node, const struct yk_intent *intent)
{
    enum yk_reason reason;

    switch (yk_consumer_judge(&node->consumer, intent, &node->peers, &reason)) {
    case YK_JUDGMENT_STAGE:
        yk_barrier_stage(&node->barrier, intent);
        break;
    case YK_JUDGMENT_AGAIN:
        acknowledge(node, &intent->version, true, reason);
        break;
    case YK_JUDGMENT_REFUSE:
        acknowledge(node, &intent->version, false, reason);
        if (reason == YK_REASON_SUPERSEDED) {
            announce_sooner(node);
        }
        if (is_rejection(reason)) {
            yk_intents_reject(&node->intents, &node->options.id, &intent->version,
                              node->outbox.now);
            yk_outbox_note(&node->outbox, YK_NOTE_INTENT_REFUSED, &intent->version.author,
                           yk_slice_of(yk_reason_word(reason)));
        }
        break;
    }
}

static void hear_intent(struct yk_node *node, const struct yk_intent *intent)
{
    yk_intents_hear(&node->intents, intent, node->outbox.now);
    if (yk_node_is_consumer(node) && yk_id_equal(&intent->consumer, &node->options.id)) {
        answer(node, intent);
    }
}

/* A change of a peer that everybody sees is said on the wire only by whom it concerns. */
static void say_peer(struct yk_node *node, const struct yk_id *peer, enum yk_event event,
                     enum yk_event note)
{
    if (yk_node_is_consumer(node) && yk_id_equal(peer, &node->consumer.pairing.producer)) {
        yk_outbox_event(&node->outbox, event, peer, (struct yk_slice){NULL, 0});
    } else {
        yk_outbox_note(&node->outbox, note, peer, (struct yk_slice){NULL, 0});
    }
}

static void peer_changed(struct yk_node *node, const struct yk_id *peer, bool renewed)
{
    if (yk_node_is_consumer(node)) {
        yk_consumer_peer_changed(&node->consumer, peer, renewed, &node->peers, &node->outbox);
    }
}

/* The id of a cloned host, as a rule; nothing but words comes of it. */
static void say_two_senders(struct yk_node *node, const struct yk_peer *peer)
{
    const uint8_t *a = peer->place.former.ip, *b = peer->place.latest.ip;
    char text[80];
    int size = snprintf(text, sizeof text, "%u.%u.%u.%u and %u.%u.%u.%u; give one of them a new id",
                        a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]);

    yk_outbox_note(&node->outbox, YK_NOTE_TWO_SENDERS, &peer->entry.id,
                   (struct yk_slice){(const uint8_t *)text, (size_t)size});
}

/* How long a re-issue waits for somebody else's. Where all waited equally, as many would send as fit in
 * the time in which the first is heard, the more the slower the hosts hear. So in a crowd half of it
 * waits for the last of several equal parts of the time, a quarter for the one before, and so on: a
 * few are early, and most hear them. */
static yk_time reissue_delay(struct yk_node *node)
{
    uint64_t luck = yk_rng_next(&node->rng);
    unsigned parts = 1, part;
    yk_time span = YK_REISSUE_MAX - YK_REISSUE_MIN;

    for (uint32_t few = node->peers.live_count / 2; few >= YK_REISSUE_CROWD; few /= 2) {
        parts++;
    }
    for (part = parts - 1; part > 0 && (luck & 1) == 0; part--) {
        luck >>= 1;
    }
    span /= parts;
    return YK_REISSUE_MIN + part * span + yk_rng_between(&node->rng, 0, span);
}

static void hear_announcement(struct yk_node *node, const struct yk_frame *frame,
                              struct yk_address from)
{
    const struct yk_key *signer = node->receiver.signer;
    struct yk_peers_change change;
    const struct yk_peer *peer;

    peer = yk_peers_announce(&node->peers, &frame->origin, &frame->as.ann, from,
                             signer != NULL ? signer->fingerprint : (char[YK_FINGERPRINT_SIZE]){0},
                             node->outbox.now, &change);
    yk_peers_note_clock(
        &node->peers, peer,
        yk_clock_ahead(frame->ts_ms, (int64_t)yk_wall_at(&node->outbox.wall, node->outbox.now)));
    if (change.two_senders) {
        say_two_senders(node, peer);
    }
    if (change.is_new) {
        yk_outbox_note(&node->outbox, YK_NOTE_PEER_NEW, &frame->origin,
                       yk_slice_of(yk_role_word(frame->as.ann.role)));
    } else if (change.returned) {
        say_peer(node, &frame->origin, YK_EVENT_PEER_RETURNED, YK_NOTE_NODE_RETURNED);
    }
    peer_changed(node, &frame->origin, change.returned || change.media_changed);
    if (frame->as.ann.role == YK_ROLE_CONSUMER) {
        yk_intents_consumer_at(&node->intents, &frame->origin, &frame->as.ann.pairing.version,
                               node->outbox.now, reissue_delay(node));
    }
}

static void hear_bye(struct yk_node *node, const struct yk_id *origin)
{
    if (yk_peers_bye(&node->peers, origin) != NULL) {
        yk_outbox_note(&node->outbox, YK_NOTE_PEER_GONE, origin, (struct yk_slice){NULL, 0});
        peer_changed(node, origin, false);
    }
}

static int64_t wall_ms_at(const struct yk_node *node, yk_time then)
{
    return (int64_t)(yk_wall_at(&node->outbox.wall, then) / YK_MS);
}

/* Frames under our own id: what we sent in this life is the kernel's loopback, what is older a
 * replay; what is newer than anything we sent comes from somebody else. So does what is stamped later
 * than we used its number: a twin that started earlier counts below us for good. */
static bool is_anothers(const struct yk_node *node, const struct yk_frame *frame)
{
    int64_t used_ms = node->lived_ms, marked_ms = wall_ms_at(node, node->announced_at);

    if (frame->seq >= node->outbox.sequence.next) {
        return true;
    }
    if (frame->seq >= node->outbox.sequence.first) {
        used_ms = marked_ms > used_ms ? marked_ms : used_ms;
        if (frame->seq >= node->marked_seq) {
            return false;
        }
    }
    return frame->ts_ms > used_ms + YK_LIFE_MARGIN_MS &&
           frame->ts_ms < wall_ms_at(node, node->outbox.now) + (int64_t)(YK_SEQ_FUTURE / YK_MS);
}

static void hear_own_id(struct yk_node *node, const struct yk_frame *frame, enum yk_drop drop,
                        struct yk_address from)
{
    node->stale_own += drop == YK_DROP_STALE;
    if (!is_anothers(node, frame)) {
        node->own_heard += drop == YK_DROP_NONE;
        return;
    }
    node->conflict_from = from;
    node->conflict_at = node->outbox.now;
    if (!node->id_conflict) {
        node->id_conflict = true;
        yk_outbox_note(&node->outbox, YK_NOTE_ID_CONFLICT, &node->options.id,
                       yk_slice_of("another node sends under our id: give one of them a new id"));
    }
}

/* Would this peer take our next frame, by its clock? */
static void compare_clocks(struct yk_node *node, const struct yk_frame *frame)
{
    uint64_t limit = frame->ts_ms > 0 ? (uint64_t)frame->ts_ms + YK_SEQ_FUTURE / YK_MS : 0;

    if (node->outbox.sequence.next / YK_MS > limit) {
        node->heard_behind_at = node->outbox.now;
    } else {
        node->heard_level_at = node->outbox.now;
    }
}

void yk_node_hear(struct yk_node *node, struct yk_slice bytes, struct yk_address from)
{
    struct yk_frame frame;
    enum yk_drop drop = yk_receiver_admit(&node->receiver, bytes, node->outbox.now, &frame);

    if (drop != YK_DROP_NONE && drop != YK_DROP_STALE) {
        return;
    }
    if (yk_id_equal(&frame.origin, &node->options.id)) { /* nothing but words comes of it */
        hear_own_id(node, &frame, drop, from);
        return;
    }
    if (drop != YK_DROP_NONE) {
        return;
    }
    compare_clocks(node, &frame);
    switch (frame.type) {
    case YK_TYPE_ANN:
        hear_announcement(node, &frame, from);
        break;
    case YK_TYPE_INT:
        hear_intent(node, &frame.as.intent);
        break;
    case YK_TYPE_ACK:
        if (!frame.as.ack.applied && is_rejection(frame.as.ack.reason)) {
            yk_intents_reject(&node->intents, &frame.origin, &frame.as.ack.version,
                              node->outbox.now);
        }
        break;
    case YK_TYPE_BYE:
        hear_bye(node, &frame.origin);
        break;
    case YK_TYPE_EVT:
    case YK_TYPE_NONE:
    case YK_TYPE_END:
        break;
    }
}

/* Nobody offers us what nobody else heard: after a save that failed it is in our own cache alone. */
static void reissue(struct yk_node *node, const struct yk_intent *intent)
{
    struct yk_frame frame = {.type = YK_TYPE_INT};

    if (yk_id_equal(&intent->consumer, &node->options.id)) {
        if (!node->stopping) { /* a stop starts no save, and would wait for one in vain */
            answer(node, intent);
        }
        return;
    }
    frame.as.intent = *intent;
    if (yk_outbox_send(&node->outbox, &frame)) {
        yk_outbox_note(&node->outbox, YK_NOTE_REISSUED, &intent->consumer,
                       (struct yk_slice){NULL, 0});
    }
}

void yk_node_hear_nothing(struct yk_node *node)
{
    yk_time now = node->outbox.now;
    struct yk_intent intent;

    for (unsigned i = 0; i < YK_STEP_PEERS_MAX; i++) {
        const struct yk_peer *lost = yk_peers_expire(&node->peers, now);

        if (lost == NULL) {
            break;
        }
        say_peer(node, &lost->entry.id, YK_EVENT_PEER_LOST, YK_NOTE_NODE_LOST);
        peer_changed(node, &lost->entry.id, false);
    }
    for (unsigned i = 0; i < YK_STEP_REISSUES_MAX && yk_intents_due(&node->intents, now, &intent);
         i++) {
        reissue(node, &intent);
    }
    yk_intents_expire(&node->intents, now, YK_STEP_FORGET_MAX);
    yk_peers_forget(&node->peers, now, YK_STEP_FORGET_MAX);
    if (now >= node->replay_due) {
        yk_time next = yk_replay_expire(&node->receiver.replay, now, YK_STEP_FORGET_MAX);

        node->replay_due = next < now + YK_HOUR ? next : now + YK_HOUR;
    }
    if (node->id_conflict && now >= node->conflict_at + YK_CONFLICT_MEMORY) {
        node->id_conflict = false;
    }
}
