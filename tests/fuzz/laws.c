/* The laws that every step of a node has to keep, whatever it is fed with. */
#include "core/json_string.h"
#include "fuzz/world.h"

static struct yk_decoder decoder;

static const struct yk_pairing *pairing_of(const struct world *world)
{
    struct yk_node_view view;

    yk_node_view(world->node, &view);
    return view.pairing;
}

static bool is_consumer(const struct world *world)
{
    return world->options.role == YK_ROLE_CONSUMER;
}

void laws_boot(struct world *world)
{
    struct memory *memory = &world->memory;

    memory->generation = 0;
    memory->ready = memory->started = false;
    memory->owes_restart = is_consumer(world) && world->disk.pairing.producer.size > 0;
    memory->asked_attach = memory->evidence = memory->in_trouble = false;
    memory->rx_drop_said = memory->producer_known = memory->media_unsaid = false;
    memory->datagrams = 0;
    /* A former life's route is to be let go before a consumer attaches. One that was never paired holds
     * nothing of ours. A producer's is its own, and may have got other media before it starts again. */
    memory->must_release = is_consumer(world) && world->disk.pairing.version.n > 0 &&
                           (memory->held || memory->must_release);
    memory->held = memory->held && is_consumer(world);
}

static void hear_report(struct world *world, const struct yk_input *input)
{
    struct memory *memory = &world->memory;
    enum yk_report status = input->as.report.status;

    memory->was_in_trouble = memory->in_trouble;
    if (input->as.report.generation != memory->generation) {
        return;
    }
    memory->in_trouble = status == YK_REPORT_ERROR ||
                         (memory->evidence && status != YK_REPORT_ACTIVE) ||
                         (memory->in_trouble && status == YK_REPORT_PENDING);
    memory->evidence = memory->asked_attach && status == YK_REPORT_ACTIVE;
    if (!memory->asked_attach && status == YK_REPORT_IDLE) {
        memory->held = memory->must_release = false;
    }
}

void laws_before(struct world *world, const struct yk_input *input)
{
    struct yk_node_view view;

    yk_node_view(world->node, &view);
    world->before = (struct before){.accepted = view.drops[YK_DROP_NONE],
                                    .unauthentic = view.drops[YK_DROP_AUTH],
                                    .pairing = *view.pairing,
                                    .peer_count = view.peers->table.count,
                                    .intent_count = view.intents->table.count,
                                    .generation = view.generation,
                                    .state = view.state,
                                    .retry_at = view.retry_at,
                                    .blocked = yk_node_is_blocked(world->node)};
    if (input->kind == YK_INPUT_REPORT) {
        hear_report(world, input);
    } else if (input->kind == YK_INPUT_DATAGRAM && !world->stopping) {
        world->memory.datagrams++;
    }
}

/* ---- effects */

/* seq and ts are measured at their full length, 19 and 16 bytes. */
#define ANN_SLACK 35

static void check_err(const struct yk_ann *ann, const struct yk_node_view *view, size_t frame_size)
{
    bool is_cut = ann->err.size < view->err.size;

    FUZZ_CHECK(ann->has_err == (view->err.size > 0), "an error text is announced");
    FUZZ_CHECK(!ann->has_err || (ann->err.size <= view->err.size &&
                                 memcmp(ann->err.data, view->err.data, ann->err.size) == 0),
               "or the beginning of it");
    FUZZ_CHECK(!is_cut || frame_size + ANN_SLACK + YK_UTF8_MAX + YK_JSON_ESCAPE_MAX > YK_FRAME_MAX,
               "it is cut no shorter than the frame needs");
}

static void check_ann(struct world *world, const struct yk_ann *ann, size_t frame_size)
{
    struct memory *memory = &world->memory;
    struct yk_node_view view;
    int order = yk_version_compare(&ann->pairing.version, &memory->shown.version);

    yk_node_view(world->node, &view);
    memory->started = true;
    memory->ann_state = ann->state;
    memory->ann_at = world->now;
    FUZZ_CHECK(ann->role == world->options.role && ann->kind == world->options.kind &&
                   yk_slice_equal(ann->name, world->options.name),
               "an announcement says who the node is");
    FUZZ_CHECK(ann->state == view.state, "and how it is");
    check_err(ann, &view, frame_size);
    FUZZ_CHECK(ann->state != YK_STATE_ACTIVE || memory->evidence,
               "active is announced only with evidence of the current generation");
    FUZZ_CHECK(!ann->has_evidence || ann->state == YK_STATE_ACTIVE, "evidence goes with active");
    if (!is_consumer(world)) {
        FUZZ_CHECK(yk_slice_equal(ann->media, world->options.media), "media is never cut");
        memory->media_unsaid = false;
        return;
    }
    FUZZ_CHECK(fuzz_pairings_equal(&ann->pairing, &world->told.pairing),
               "the announced pairing is durable");
    FUZZ_CHECK(order >= 0, "an announced version never goes back");
    FUZZ_CHECK(order > 0 || fuzz_pairings_equal(&ann->pairing, &memory->shown),
               "of equal versions one is applied");
    FUZZ_CHECK(ann->state != YK_STATE_IDLE ||
                   (!memory->held && !memory->must_release && ann->pairing.producer.size == 0),
               "idle is unpaired, with the release confirmed");
    FUZZ_CHECK(ann->state != YK_STATE_ACTIVE ||
                   yk_peers_is_live(view.peers, &ann->pairing.producer),
               "while the producer is unheard it is not active");
    memory->shown = ann->pairing;
}

static void check_ack(const struct world *world, const struct yk_ack *ack)
{
    FUZZ_CHECK(is_consumer(world), "only a consumer acknowledges");
    FUZZ_CHECK(ack->applied == (ack->reason == YK_REASON_APPLIED), "the reason fits");
    FUZZ_CHECK(ack->reason != YK_REASON_DRIVER_ERROR, "driver-error is never sent");
    FUZZ_CHECK(!ack->applied ||
                   yk_version_compare(&ack->version, &world->told.pairing.version) == 0,
               "no applied acknowledgment without the pairing in the durable state");
}

static void check_evt(struct world *world, const struct yk_evt *evt)
{
    struct memory *memory = &world->memory;

    FUZZ_CHECK(evt->event != YK_EVENT_NONE, "an event is on the list");
    if (evt->event == YK_EVENT_RX_DROP) {
        FUZZ_CHECK(!memory->rx_drop_said || world->now >= memory->rx_drop_at + YK_ANN_INTERVAL,
                   "rx-drop is said at most once an interval");
        memory->rx_drop_said = true;
        memory->rx_drop_at = world->now;
    }
    FUZZ_CHECK(evt->event != YK_EVENT_MEDIA_UP || memory->evidence, "media-up has evidence");
}

static void check_send(struct world *world, struct yk_slice bytes)
{
    struct yk_frame frame;
    struct yk_slice parts[2];
    struct yk_digest digest;

    FUZZ_CHECK(bytes.size > 0 && bytes.size <= YK_FRAME_MAX, "a frame has at most 1200 bytes");
    FUZZ_CHECK(yk_frame_read_envelope(&decoder, bytes, YK_PATH_AUTO, &frame) == YK_DROP_NONE &&
                   decoder.spelled.data == bytes.data,
               "what is sent is a canonical frame");
    yk_frame_signed_parts(&decoder, parts);
    FUZZ_CHECK(yk_auth_verify(&world->each[0], parts, decoder.sig, NULL, &digest, NULL),
               "it is signed with the first key there is now");
    FUZZ_CHECK(yk_frame_read_body(&decoder, &frame), "its body is well formed");
    fuzz_check_frame(&frame);
    FUZZ_CHECK(yk_id_equal(&frame.origin, &world->options.id), "it is ours");
    FUZZ_CHECK(frame.seq > world->memory.seq_last, "no number is used twice, in any life");
    FUZZ_CHECK(frame.seq < world->told.seq, "a number is below the durable bound");
    world->memory.seq_last = frame.seq;
    if (frame.type == YK_TYPE_ANN) {
        check_ann(world, &frame.as.ann, bytes.size);
    } else if (frame.type == YK_TYPE_ACK) {
        check_ack(world, &frame.as.ack);
    } else if (frame.type == YK_TYPE_EVT) {
        check_evt(world, &frame.as.evt);
    } else if (frame.type == YK_TYPE_INT) {
        FUZZ_CHECK(frame.as.intent.op == YK_OP_UNPAIR || frame.as.intent.producer.size > 0,
                   "a producer that is no id is not re-issued");
    }
}

static void check_persist(const struct world *world, const struct yk_effect *effect)
{
    const struct yk_durable *state = &effect->as.persist.state;
    int order = yk_version_compare(&state->pairing.version, &world->told.pairing.version);

    FUZZ_CHECK(!world->saving, "no saves overlap");
    FUZZ_CHECK(state->seq >= world->told.seq && state->seq <= YK_COUNT_MAX,
               "the durable bound never goes back");
    FUZZ_CHECK(fuzz_pairing_is_valid(&state->pairing), "what is saved can be read again");
    FUZZ_CHECK(order > 0 || fuzz_pairings_equal(&state->pairing, &world->told.pairing),
               "another pairing is saved only under a higher version");
}

static void check_attach(struct world *world, const struct yk_effect *effect)
{
    struct memory *memory = &world->memory;
    struct yk_slice media = effect->as.attach.media;

    FUZZ_CHECK(effect->as.attach.generation > memory->generation, "a question is newer");
    FUZZ_CHECK(!memory->owes_restart && !memory->must_release,
               "the old route is let go before the new one attaches");
    FUZZ_CHECK(!memory->held ||
                   yk_slice_equal(media, (struct yk_slice){memory->held_media, memory->held_size}),
               "other media waits until what is held is let go");
    FUZZ_CHECK(!is_consumer(world) || (pairing_of(world)->producer.size > 0 && media.size > 0),
               "a consumer attaches when paired, to media");
    FUZZ_CHECK(media.size == 0 || fuzz_is_object(media), "media is a canonical object");
    memory->generation = effect->as.attach.generation;
    memory->asked_attach = memory->held = true;
    memory->evidence = memory->in_trouble = false;
    memory->held_size = media.size;
    if (media.size > 0) {
        memcpy(memory->held_media, media.data, media.size);
    }
}

static void check_detach(struct world *world, const struct yk_effect *effect)
{
    struct memory *memory = &world->memory;

    FUZZ_CHECK(effect->as.detach.generation > memory->generation, "a question is newer");
    FUZZ_CHECK(effect->as.detach.reason >= YK_DETACH_UNPAIR &&
                   effect->as.detach.reason <= YK_DETACH_STOP,
               "a detach has its reason");
    FUZZ_CHECK((effect->as.detach.reason == YK_DETACH_STOP) == world->stopping,
               "only a stop quiesces");
    FUZZ_CHECK(world->stopping || !memory->owes_restart ||
                   effect->as.detach.reason == YK_DETACH_RESTART,
               "a life that begins paired begins with the release after a restart");
    memory->owes_restart = false;
    memory->generation = effect->as.detach.generation;
    memory->asked_attach = memory->evidence = memory->in_trouble = false;
    memory->must_release = true;
}

/* What a peer's datagram that was not accepted may not cause. */
static bool is_innocent(const struct yk_effect *effect)
{
    struct yk_frame frame;

    switch (effect->kind) {
    case YK_EFFECT_SEND:
        return yk_frame_read_envelope(&decoder, effect->as.send.bytes, YK_PATH_AUTO, &frame) ==
                   YK_DROP_NONE &&
               (frame.type == YK_TYPE_ANN || frame.type == YK_TYPE_EVT);
    case YK_EFFECT_ATTACH:
    case YK_EFFECT_DETACH:
        return false;
    default:
        return true;
    }
}

static bool is_refused_datagram(const struct world *world, const struct yk_input *input)
{
    struct yk_node_view view;

    yk_node_view(world->node, &view);
    return input->kind == YK_INPUT_DATAGRAM && view.drops[YK_DROP_NONE] == world->before.accepted;
}

void laws_effect(struct world *world, const struct yk_input *input, size_t i)
{
    const struct yk_effect *effect = &world->effects.list[i];

    FUZZ_CHECK(!is_refused_datagram(world, input) || is_innocent(effect),
               "a frame that is dropped causes nothing");
    switch (effect->kind) {
    case YK_EFFECT_SEND:
        check_send(world, effect->as.send.bytes);
        break;
    case YK_EFFECT_PERSIST:
        check_persist(world, effect);
        break;
    case YK_EFFECT_ATTACH:
        check_attach(world, effect);
        break;
    case YK_EFFECT_DETACH:
        check_detach(world, effect);
        break;
    case YK_EFFECT_POLL:
        FUZZ_CHECK(effect->as.poll.generation == world->memory.generation,
                   "a poll is of the current generation");
        break;
    case YK_EFFECT_EVENT:
        FUZZ_CHECK(fuzz_is_object(effect->as.event.detail), "a detail is a canonical object");
        FUZZ_CHECK(yk_event_word(effect->as.event.event)[0] != 0, "an event has a word");
        break;
    case YK_EFFECT_STOPPED:
        FUZZ_CHECK(world->stopping && i + 1 == world->effects.count, "stopped comes last");
        break;
    }
}

/* ---- what there is after a step */

static void check_peers(const struct yk_peers *peers)
{
    uint32_t count = 0, live = 0;

    for (const struct yk_peer *peer = NULL; (peer = yk_peers_next(peers, peer)) != NULL;) {
        count++;
        live += peer->presence == YK_PRESENCE_LIVE;
        FUZZ_CHECK(count <= WORLD_TRACKED, "the announce cache is bounded");
        FUZZ_CHECK(yk_peers_find(peers, &peer->entry.id) == peer, "a peer is found by its id");
    }
    FUZZ_CHECK(count == peers->table.count && live == peers->live_count,
               "the announce cache knows its size");
}

static void check_intents(const struct yk_intents *intents)
{
    const struct yk_cached_intent *cached = NULL;
    uint32_t count = 0;

    while ((cached = yk_intents_next(intents, cached)) != NULL) {
        count++;
        FUZZ_CHECK(count <= WORLD_TRACKED, "the intent cache is bounded");
        FUZZ_CHECK(!cached->cached || (fuzz_version_is_valid(&cached->version, false) &&
                                       (cached->op == YK_OP_PAIR) == (cached->producer.size > 0)),
                   "what is cached can be re-issued");
        FUZZ_CHECK(!cached->cached || yk_version_compare(&cached->version, &cached->rejected) != 0,
                   "what was rejected is not cached");
    }
    FUZZ_CHECK(count == intents->table.count, "the intent cache knows its size");
    FUZZ_CHECK(intents->reissue_count <= YK_REISSUES_MAX, "re-issues are bounded");
    for (size_t i = 0; i < intents->reissue_count; i++) {
        FUZZ_CHECK(yk_intents_version(intents, &intents->reissues[i].consumer) != NULL,
                   "what is to be re-issued is cached");
    }
}

/* The node's own paired producer is never evicted. */
static void check_kept_producer(struct world *world, const struct yk_node_view *view)
{
    struct memory *memory = &world->memory;
    const struct yk_id *producer = &view->pairing->producer;
    bool known = yk_peers_find(view->peers, producer) != NULL;

    FUZZ_CHECK(!memory->producer_known || !yk_id_equal(&memory->producer, producer) || known,
               "the paired producer is not forgotten");
    memory->producer = *producer;
    memory->producer_known = known;
}

/* By the long way and the keys that there are now, whatever the node remembers. */
static void check_authentic(const struct world *world, struct yk_slice bytes,
                            const struct yk_node_view *view)
{
    bool refused = view->drops[YK_DROP_AUTH] > world->before.unauthentic;
    struct yk_frame frame;
    struct yk_slice parts[2];
    struct yk_digest digest;
    bool good = false;

    if (yk_frame_read_envelope(&decoder, bytes, YK_PATH_GENERAL, &frame) != YK_DROP_NONE) {
        FUZZ_CHECK(!refused, "what is no frame has no signature to be judged");
        return;
    }
    yk_frame_signed_parts(&decoder, parts);
    for (size_t i = 0; i < world->key_count && !good; i++) {
        good = yk_auth_verify(&world->each[i], parts, decoder.sig, NULL, &digest, NULL);
    }
    FUZZ_CHECK(refused != good,
               "a frame is taken under the keys there are now, and under no other");
}

static void check_refused(const struct world *world, const struct yk_node_view *view)
{
    const struct before *before = &world->before;

    FUZZ_CHECK(fuzz_pairings_equal(view->pairing, &before->pairing) &&
                   view->peers->table.count == before->peer_count &&
                   view->intents->table.count == before->intent_count &&
                   view->generation == before->generation && view->state == before->state,
               "a frame that is dropped changes nothing");
}

/* The first failure of an attempt schedules a retry; what is said after that leaves it where it is. */
static void check_retry(const struct world *world, const struct yk_node_view *view)
{
    bool again = world->memory.was_in_trouble && world->memory.in_trouble;

    FUZZ_CHECK(!again || view->generation != world->before.generation ||
                   world->before.retry_at == YK_TIME_NEVER ||
                   view->retry_at <= world->before.retry_at,
               "a report does not postpone a scheduled retry");
}

/* True while the node can say what it has to say. */
static bool speaks(const struct world *world)
{
    struct yk_node_view view;

    yk_node_view(world->node, &view);
    return world->memory.started && !world->stopping && !world->stopped &&
           !yk_node_is_blocked(world->node) && view.seq_left > 0;
}

/* A save without the staged pairing, or the end of one that nobody asked for, lets nothing through. */
static void check_barrier(struct world *world, const struct yk_input *input)
{
    bool known = input->as.persisted.request == world->request;
    bool carried = known && !fuzz_pairings_equal(&world->asked.pairing, &world->before.pairing);

    FUZZ_CHECK(!world->before.blocked || (known && !world->memory.ready) || carried ||
                   yk_node_is_blocked(world->node),
               "what is staged waits for the save that carries it");
    world->memory.ready = world->memory.ready || known;
}

/* Unless the old route is being let go. */
static void check_attached(const struct world *world, const struct yk_node_view *view)
{
    const struct memory *memory = &world->memory;
    const struct yk_peer *peer = yk_peers_find(view->peers, &view->pairing->producer);
    struct yk_peer_text text;

    if (!is_consumer(world) || !memory->asked_attach || peer == NULL ||
        peer->presence != YK_PRESENCE_LIVE || peer->role != YK_ROLE_PRODUCER ||
        peer->kind != world->options.kind || !peer->has_media) {
        return;
    }
    yk_peers_text(view->peers, peer, &text);
    FUZZ_CHECK(yk_slice_equal(text.media, (struct yk_slice){memory->held_media, memory->held_size}),
               "what is attached is what the producer announces");
}

static void check_announced(const struct world *world, const struct yk_node_view *view)
{
    FUZZ_CHECK(!speaks(world) || world->memory.ann_state == view->state,
               "a change of state is announced at once");
    FUZZ_CHECK(!speaks(world) || !is_consumer(world) ||
                   fuzz_pairings_equal(&world->memory.shown, view->pairing),
               "so is a new pairing");
    FUZZ_CHECK(!speaks(world) || !world->memory.media_unsaid, "so is other media");
}

void laws_at_rest(const struct world *world)
{
    yk_time longest = YK_ANN_INTERVAL + YK_ANN_INTERVAL / 4;

    FUZZ_CHECK(!speaks(world) || world->now <= world->memory.ann_at + longest,
               "a node announces itself every 2 s, a quarter more at most");
}

static void check_stop(const struct world *world)
{
    FUZZ_CHECK(!world->stopping || world->stopped ||
                   yk_node_deadline(world->node) <= world->stop_at + world->options.stop_limit,
               "a stop ends in time");
}

void laws_after(struct world *world, const struct yk_input *input)
{
    struct memory *memory = &world->memory;
    struct yk_node_view view;
    uint64_t counted = 0;

    yk_node_view(world->node, &view);
    for (int drop = YK_DROP_NONE; drop < YK_DROP_END; drop++) {
        counted += view.drops[drop];
    }
    FUZZ_CHECK(counted == memory->datagrams, "a datagram is counted once");
    FUZZ_CHECK(view.seq_bound <= world->told.seq, "the node's bound is durable");
    FUZZ_CHECK(!yk_node_is_blocked(world->node) || world->saving, "what waits, waits for a save");
    FUZZ_CHECK(view.generation == memory->generation, "no question goes unasked");
    FUZZ_CHECK(world->stopping || !is_consumer(world) || !memory->held || !memory->asked_attach ||
                   view.pairing->producer.size > 0,
               "an unpaired consumer asks for the release of what it holds");
    check_peers(view.peers);
    check_intents(view.intents);
    check_kept_producer(world, &view);
    if (is_refused_datagram(world, input)) {
        check_refused(world, &view);
    }
    if (input->kind == YK_INPUT_DATAGRAM && !world->stopping) {
        check_authentic(world, input->as.datagram.bytes, &view);
    }
    if (input->kind == YK_INPUT_REPORT) {
        check_retry(world, &view);
    }
    if (input->kind == YK_INPUT_PERSISTED) {
        check_barrier(world, input);
    }
    check_attached(world, &view);
    check_announced(world, &view);
    check_stop(world);
}
