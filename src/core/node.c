#include "core/node.h"

#include <assert.h>
#include <string.h>

#include "core/announce.h"
#include "core/node_internal.h"

static const struct yk_route *look_at_route(const struct yk_node *node)
{
    return yk_node_is_consumer(node) ? &node->consumer.route : &node->producer.route;
}

static struct yk_route *route_of(struct yk_node *node)
{
    return (struct yk_route *)look_at_route(node);
}

static size_t aligned(size_t size)
{
    size_t align = _Alignof(max_align_t);

    return (size + align - 1) / align * align;
}

size_t yk_node_memory(uint32_t tracked)
{
    return aligned(sizeof(struct yk_node)) + aligned(yk_receiver_memory(tracked)) +
           aligned(yk_peers_memory(tracked)) + aligned(yk_intents_memory(tracked));
}

static struct yk_slice keep(uint8_t *to, size_t capacity, struct yk_slice from)
{
    assert(from.size <= capacity);
    if (from.size > 0) {
        memcpy(to, from.data, from.size);
    }
    return (struct yk_slice){to, from.size};
}

struct yk_node *yk_node_init(void *memory, const struct yk_node_options *options)
{
    struct yk_node *node = memory;
    uint8_t *rest = (uint8_t *)memory + aligned(sizeof *node);
    uint32_t tracked = options->tracked;
    struct yk_wall unknown = {0, 0};

    node->options = *options;
    node->options.name = keep(node->name, sizeof node->name, options->name);
    node->options.media = keep(node->media, sizeof node->media, options->media);
    node->rng.state = options->seed;
    yk_receiver_init(&node->receiver, rest, tracked, options->auth, unknown,
                     yk_rng_next(&node->rng));
    rest += aligned(yk_receiver_memory(tracked));
    yk_peers_init(&node->peers, rest, tracked, yk_rng_next(&node->rng));
    rest += aligned(yk_peers_memory(tracked));
    yk_intents_init(&node->intents, rest, tracked, yk_rng_next(&node->rng));
    yk_barrier_init(&node->barrier);
    node->outbox.origin = &node->options.id;
    node->outbox.auth = options->auth;
    node->drops_due = node->stop_due = node->clocks.since = node->ready_at = YK_TIME_NEVER;
    yk_route_init(route_of(node), 0); /* what the view shows before the start's save */
    return node;
}

void yk_node_keep(struct yk_node *node, const struct yk_id *producer)
{
    yk_peers_keep(&node->peers, producer);
    yk_replay_keep(&node->receiver.replay, producer);
}

static void lived_until(struct yk_node *node, uint64_t unix_ns)
{
    int64_t ms = (int64_t)(unix_ns / YK_MS);

    node->lived_ms = ms > node->lived_ms ? ms : node->lived_ms;
}

static void set_wall(struct yk_node *node, int64_t wall_ns)
{
    lived_until(node, yk_wall_at(&node->outbox.wall, node->outbox.now));
    lived_until(node, wall_ns > 0 ? (uint64_t)wall_ns : 0);
    node->receiver.wall = node->outbox.wall = (struct yk_wall){wall_ns, node->outbox.now};
    node->ahead_of_clock = node->outbox.sequence.next >
                           yk_wall_at(&node->outbox.wall, node->outbox.now) + YK_SEQ_FUTURE;
}

static void start(struct yk_node *node, int64_t wall_ns, const struct yk_durable *state)
{
    yk_sequence_start(&node->outbox.sequence, state->seq, wall_ns);
    node->receiver.seq_floor = state->seq;
    node->restored = state->pairing;
    node->outbox.wall = (struct yk_wall){wall_ns, node->outbox.now};
    set_wall(node, wall_ns);
    lived_until(node, node->outbox.sequence.first); /* the clock may have been ahead once */
    if (yk_node_is_consumer(node)) {
        yk_node_keep(node, &state->pairing.producer);
    }
}

/* The startup save has ended: the driver may be told. Announcing waits until numbers are there. */
static void take_up_work(struct yk_node *node)
{
    if (yk_node_is_consumer(node)) {
        yk_consumer_start(&node->consumer, &node->options.id, node->options.kind, &node->restored,
                          &node->outbox);
    } else {
        yk_producer_start(&node->producer, node->options.media, &node->outbox);
    }
}

static void persisted(struct yk_node *node, bool ok)
{
    struct yk_intent intent;
    bool first = !node->barrier.ready;
    enum yk_save_outcome outcome = yk_barrier_persisted(&node->barrier, ok, &node->outbox, &intent);

    if (first) {
        take_up_work(node);
    }
    if (outcome == YK_SAVE_FAILED) {
        yk_outbox_note(&node->outbox, YK_NOTE_SAVE_FAILED, NULL, (struct yk_slice){NULL, 0});
        return;
    }
    node->receiver.seq_floor = node->outbox.sequence.bound;
    if (node->outbox.mute) { /* something went unsaid: say how things stand */
        node->outbox.mute = false;
        node->announce_owed = true;
    }
    if (node->ready_at == YK_TIME_NEVER) {
        node->ready_at = node->outbox.now;
        node->turn = (uint16_t)yk_rng_next(&node->rng);
    }
    if (outcome == YK_SAVE_COMMITTED) {
        yk_node_begin_to_speak(node);
        yk_node_commit(node, &intent);
    }
}

/* Announced at once. What no frame can carry (the shell sees to it at the start) is announced as none. */
static void set_media(struct yk_node *node, struct yk_slice media)
{
    struct yk_node_options options = node->options;
    size_t over;

    options.media = media;
    if (yk_node_is_consumer(node) || yk_slice_equal(media, node->options.media)) {
        return;
    }
    if (media.size > sizeof node->media || !yk_node_fits(&options, &over)) {
        media.size = 0;
    }
    node->options.media = keep(node->media, sizeof node->media, media);
    node->announce_owed = true;
}

/* A host whose switch comes back is one of many. */
static void come_back(struct yk_node *node)
{
    node->returns_left = YK_RETURN_TIMES;
    yk_node_announce_by(
        node, node->outbox.now +
                  yk_rng_between(&node->rng, 0, yk_node_return_time(node, YK_RETURN_JITTER)));
}

static void tick(struct yk_node *node)
{
    yk_node_hear_nothing(node);
    if (yk_node_is_consumer(node)) {
        yk_consumer_tick(&node->consumer, &node->outbox);
    } else {
        yk_producer_tick(&node->producer, &node->outbox);
    }
}

static void stop(struct yk_node *node)
{
    if (node->stopping) {
        return;
    }
    node->stopping = true;
    node->stop_due = node->outbox.now + node->options.stop_limit;
    yk_outbox_event(&node->outbox, YK_EVENT_STOPPING, NULL, (struct yk_slice){NULL, 0});
    yk_route_demand_release(route_of(node), YK_DETACH_STOP, &node->outbox);
}

/* The driver let go, or said it cannot, or its time is over. */
static void end_when_quiet(struct yk_node *node)
{
    enum yk_route_phase phase = route_of(node)->phase;

    if (node->stopping && !node->stopped &&
        (phase == YK_ROUTE_FREE || phase == YK_ROUTE_STUCK || node->outbox.now >= node->stop_due)) {
        struct yk_frame bye = {.type = YK_TYPE_BYE};

        node->stopped = true;
        yk_outbox_send(&node->outbox, &bye);
        yk_outbox_stopped(&node->outbox);
    }
}

static void take(struct yk_node *node, const struct yk_input *input)
{
    switch (input->kind) {
    case YK_INPUT_START:
        start(node, input->as.start.wall_ns, &input->as.start.state);
        break;
    case YK_INPUT_DATAGRAM:
        if (!node->stopping) {
            yk_node_hear(node, input->as.datagram.bytes, input->as.datagram.from);
        }
        break;
    case YK_INPUT_TICK:
        tick(node);
        break;
    case YK_INPUT_WALL:
        set_wall(node, input->as.wall.wall_ns);
        node->announce_owed = true; /* under the new time; and after a suspend, that we are back */
        break;
    case YK_INPUT_RETURN:
        come_back(node);
        break;
    case YK_INPUT_PERSISTED:
        persisted(node, input->as.persisted.ok);
        break;
    case YK_INPUT_REPORT:
        yk_route_report(route_of(node), input->as.report.generation, input->as.report.status,
                        input->as.report.detail, &node->outbox);
        break;
    case YK_INPUT_MEDIA:
        set_media(node, input->as.media.bytes);
        break;
    case YK_INPUT_STOP:
        stop(node);
        break;
    }
}

void yk_node_step(struct yk_node *node, const struct yk_input *input, struct yk_effects *effects)
{
    assert(!node->stopped);
    assert(!yk_node_is_blocked(node) || input->kind == YK_INPUT_START ||
           input->kind == YK_INPUT_PERSISTED);
    yk_outbox_begin(&node->outbox, effects, input->now);
    if (input->kind == YK_INPUT_PERSISTED &&
        !yk_barrier_awaits(&node->barrier, input->as.persisted.request)) {
        return; /* not even what is due is done: unknown or repeated feedback is ignored */
    }
    take(node, input);
    if (!node->stopping) {
        yk_barrier_pump(&node->barrier,
                        yk_node_is_consumer(node) && node->barrier.ready ? &node->consumer.pairing
                                                                         : &node->restored,
                        &node->outbox);
    }
    yk_node_show(node);
    end_when_quiet(node);
}

static yk_time earlier(yk_time a, yk_time b)
{
    return a < b ? a : b;
}

yk_time yk_node_deadline(const struct yk_node *node)
{
    yk_time due = yk_node_show_deadline(node);

    if (yk_node_is_blocked(node) || node->stopped) {
        return YK_TIME_NEVER;
    }
    due = earlier(due, yk_route_deadline(look_at_route(node)));
    due = earlier(due, yk_peers_deadline(&node->peers));
    due = earlier(due, yk_intents_deadline(&node->intents));
    due = earlier(due, node->replay_due);
    due = earlier(due, node->stop_due);
    return node->stopping ? due : earlier(due, node->barrier.retry.due);
}

bool yk_node_is_blocked(const struct yk_node *node)
{
    return yk_barrier_is_closed(&node->barrier);
}

void yk_node_view(const struct yk_node *node, struct yk_node_view *view)
{
    const struct yk_route *route = look_at_route(node);

    *view = (struct yk_node_view){
        .options = &node->options,
        .state = node->shown.state,
        .err = {node->shown.err, node->shown.err_size},
        .evidence = {node->shown.evidence, node->shown.evidence_size},
        .pairing = yk_node_is_consumer(node) && node->barrier.ready ? &node->consumer.pairing
                                                                    : &node->restored,
        .drops = node->receiver.drops,
        .accepted = node->receiver.drops[YK_DROP_NONE] - node->own_heard,
        .seq_bound = node->outbox.sequence.bound,
        .seq_left = yk_sequence_left(&node->outbox.sequence),
        .clock_ahead = yk_node_is_clock_ahead(node),
        .clocks = node->clocks.said ? &node->clocks.clocks : NULL,
        .id_conflict = node->id_conflict,
        .conflict_from = node->conflict_from,
        .stale_own = node->stale_own,
        .retry_at = route->retry.due,
        .generation = route->generation,
        .peers = &node->peers,
        .intents = &node->intents,
    };
}
