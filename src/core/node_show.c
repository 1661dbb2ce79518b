#include "core/node_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/announce.h"

static void current_status(const struct yk_node *node, struct yk_status_text *status)
{
    if (yk_node_is_consumer(node)) {
        yk_consumer_status(&node->consumer, status);
    } else {
        yk_producer_status(&node->producer, status);
    }
}

static void say_transition(struct yk_node *node, enum yk_state before,
                           const struct yk_status_text *now)
{
    const struct yk_id *producer = NULL;
    bool unpaired = false;

    if (yk_node_is_consumer(node)) {
        producer = &node->consumer.pairing.producer;
        unpaired = producer->size == 0;
    }
    if (unpaired) {
        if (before == YK_STATE_ACTIVE) {
            yk_outbox_event(&node->outbox, YK_EVENT_MEDIA_DOWN, NULL, (struct yk_slice){NULL, 0});
        }
    } else if (now->state == YK_STATE_ACTIVE) {
        yk_outbox_event(&node->outbox, YK_EVENT_MEDIA_UP, producer,
                        (struct yk_slice){now->evidence, now->evidence_size});
    } else if (now->state == YK_STATE_PENDING) {
        yk_outbox_event(&node->outbox, YK_EVENT_MEDIA_PENDING, producer,
                        (struct yk_slice){now->err, now->err_size});
    } /* an error was said by whoever met it */
}

static void show_state(struct yk_node *node)
{
    enum yk_state before = node->shown.state;

    current_status(node, &node->shown);
    if (node->announced && node->shown.state != before) {
        node->announce_owed = true;
        say_transition(node, before, &node->shown);
    }
}

/* When the first word is due: each at a moment of its own in a time that grows with those who are heard
 * to start too. */
static yk_time speak_due(const struct yk_node *node)
{
    yk_time spread = node->options.start_spread;

    if (node->ready_at == YK_TIME_NEVER) {
        return YK_TIME_NEVER;
    }
    spread += spread * node->peers.live_count / YK_START_SPREAD_PEERS;
    spread = spread < YK_ANN_INTERVAL ? spread : YK_ANN_INTERVAL;
    return node->ready_at + spread * node->turn / (UINT16_MAX + 1);
}

void yk_node_begin_to_speak(struct yk_node *node)
{
    if (node->announced) {
        return;
    }
    node->announced = true;
    node->announce_owed = true;
    yk_outbox_event(&node->outbox, YK_EVENT_STARTED, NULL, (struct yk_slice){NULL, 0});
    say_transition(node, YK_STATE_NONE, &node->shown);
}

static bool drops_differ(const struct yk_node *node)
{
    for (int drop = YK_DROP_NONE + 1; drop < YK_DROP_DUP; drop++) {
        if (node->receiver.drops[drop] != node->drops_said[drop]) {
            return true;
        }
    }
    return false;
}

static void say_drops(struct yk_node *node)
{
    static const enum yk_drop in_key_order[] = {YK_DROP_AUTH, YK_DROP_MALFORMED, YK_DROP_OVERSIZE,
                                                YK_DROP_STALE, YK_DROP_VERSION};
    uint8_t bytes[256];
    struct yk_json_writer writer;

    yk_json_writer_init(&writer, bytes, sizeof bytes);
    yk_json_open(&writer, '{');
    for (size_t i = 0; i < sizeof in_key_order / sizeof *in_key_order; i++) {
        yk_json_key(&writer, yk_drop_word(in_key_order[i]));
        yk_json_unsigned(&writer, node->receiver.drops[in_key_order[i]]);
    }
    yk_json_close(&writer, '}');
    memcpy(node->drops_said, node->receiver.drops, sizeof node->drops_said);
    node->drops_said_at = node->outbox.now;
    node->drops_due = YK_TIME_NEVER;
    yk_outbox_event_raw(&node->outbox, YK_EVENT_RX_DROP, (struct yk_slice){bytes, writer.size});
}

/* At most once an interval, and soon after the first drop (spec, evt). */
static void show_drops(struct yk_node *node)
{
    if (node->drops_due == YK_TIME_NEVER && drops_differ(node)) {
        yk_time earliest = node->drops_said_at + YK_ANN_INTERVAL;

        node->drops_due = earliest > node->outbox.now ? earliest : node->outbox.now;
    }
    if (node->outbox.now >= node->drops_due) {
        say_drops(node);
    }
}

/* As often as we announce, all live peers do. */
static void look_at_clocks(struct yk_node *node)
{
    const struct yk_clocks *clocks = &node->clocks.clocks;
    char text[64] = "";
    int size = 0;

    if (!yk_clock_doubt_look(&node->clocks, &node->peers, node->outbox.wall.at, node->outbox.now)) {
        return;
    }
    if (node->clocks.said) {
        size = snprintf(text, sizeof text, "%" PRIu64 " s %s the median of %u",
                        yk_clock_distance(clocks->ahead_ms) / YK_SECOND,
                        clocks->ahead_ms > 0 ? "ahead of" : "behind", clocks->peers);
    }
    yk_outbox_note(&node->outbox, node->clocks.said ? YK_NOTE_CLOCK_APART : YK_NOTE_CLOCK_LEVEL,
                   NULL, (struct yk_slice){(const uint8_t *)text, (size_t)size});
}

yk_time yk_node_return_time(const struct yk_node *node, yk_time among_few)
{
    yk_time time = among_few * (1 + node->peers.table.count / YK_RETURN_CROWD);

    return time < YK_ANN_INTERVAL ? time : YK_ANN_INTERVAL;
}

static yk_time until_next(struct yk_node *node)
{
    if (node->returns_left > 0) {
        node->returns_left--;
    }
    return node->returns_left > 0
               ? yk_node_return_time(node, YK_RETURN_APART)
               : yk_rng_between(&node->rng, YK_ANN_INTERVAL - YK_ANN_INTERVAL / 4,
                                YK_ANN_INTERVAL + YK_ANN_INTERVAL / 4);
}

static void announce(struct yk_node *node)
{
    const struct yk_pairing *pairing = yk_node_is_consumer(node) ? &node->consumer.pairing : NULL;

    if (!yk_announce(&node->outbox, &node->options, pairing, &node->shown)) {
        node->announce_owed = true; /* said when numbers are there again */
    }
    if (pairing != NULL) { /* we may be behind ourselves */
        yk_intents_consumer_at(&node->intents, &node->options.id, &pairing->version,
                               node->outbox.now,
                               yk_rng_between(&node->rng, YK_REISSUE_MIN, YK_REISSUE_MAX));
    }
    node->announced_at = node->outbox.now;
    node->marked_seq = node->outbox.sequence.next;
    node->announce_due = node->outbox.now + until_next(node);
}

void yk_node_announce_by(struct yk_node *node, yk_time due)
{
    yk_time earliest = node->announced_at + YK_CATCH_UP;

    due = due > earliest ? due : earliest;
    node->announce_due = due < node->announce_due ? due : node->announce_due;
}

static void show_announcement(struct yk_node *node)
{
    bool can_send = yk_sequence_left(&node->outbox.sequence) > 0;

    if (node->outbox.now >= node->announce_due || (node->announce_owed && can_send)) {
        node->announce_owed = false;
        announce(node);
        look_at_clocks(node);
    }
}

/* Both are said once, when they begin. */
static void show_doubts(struct yk_node *node)
{
    bool ahead = yk_node_is_clock_ahead(node);

    if (ahead && !node->clock_ahead_said) {
        yk_outbox_note(&node->outbox, YK_NOTE_CLOCK_AHEAD, NULL,
                       yk_slice_of(node->ahead_of_clock ? "of our own clock: set the clock right"
                                                        : "of every peer's clock"));
    }
    node->clock_ahead_said = ahead;
    if (node->outbox.mute && !node->mute_said) {
        yk_outbox_note(&node->outbox, YK_NOTE_SEQ_EXHAUSTED, NULL, (struct yk_slice){NULL, 0});
    }
    node->mute_said = node->outbox.mute;
}

bool yk_node_is_clock_ahead(const struct yk_node *node)
{
    bool peers_behind = node->heard_behind_at != 0 &&
                        (node->heard_level_at == 0 ||
                         node->heard_behind_at > node->heard_level_at + 2 * YK_PEER_TIMEOUT);

    return node->ahead_of_clock || peers_behind;
}

void yk_node_show(struct yk_node *node)
{
    if (!node->barrier.ready || node->stopping) {
        return;
    }
    show_state(node);
    if (!node->announced && node->outbox.now >= speak_due(node)) {
        yk_node_begin_to_speak(node);
    }
    if (node->announced) {
        show_drops(node);
        show_announcement(node);
    }
    show_doubts(node);
}

yk_time yk_node_show_deadline(const struct yk_node *node)
{
    if (node->stopping) {
        return YK_TIME_NEVER;
    }
    if (!node->announced) {
        return speak_due(node);
    }
    return node->announce_due < node->drops_due ? node->announce_due : node->drops_due;
}
