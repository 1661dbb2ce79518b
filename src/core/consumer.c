#include "core/consumer.h"

#include <stdio.h>
#include <string.h>

static bool is_paired(const struct yk_consumer *consumer)
{
    return consumer->pairing.producer.size > 0;
}

static enum yk_sight look(const struct yk_consumer *consumer, const struct yk_peers *peers,
                          const struct yk_peer **found)
{
    const struct yk_peer *peer = yk_peers_find(peers, &consumer->pairing.producer);

    *found = peer;
    if (!is_paired(consumer)) {
        return YK_SIGHT_UNPAIRED;
    }
    if (peer == NULL || peer->presence != YK_PRESENCE_LIVE) {
        return YK_SIGHT_UNHEARD;
    }
    if (peer->role != YK_ROLE_PRODUCER) {
        return YK_SIGHT_NO_PRODUCER;
    }
    if (peer->kind != consumer->kind) {
        return YK_SIGHT_KIND_MISMATCH;
    }
    return peer->has_media ? YK_SIGHT_READY : YK_SIGHT_NO_MEDIA;
}

/* A mismatch that shows only now is an error of its own, beside the driver's. */
static void say_mismatch(const struct yk_consumer *consumer, struct yk_outbox *outbox)
{
    struct yk_status_text status;

    yk_consumer_status(consumer, &status);
    yk_outbox_event(outbox, YK_EVENT_DRIVER_ERROR, NULL,
                    (struct yk_slice){status.err, status.err_size});
}

/* Brings the wish to the driver in line with what is known of the producer. `renewed`: attach again
 * even where the same media is thought to be served. */
static void follow_producer(struct yk_consumer *consumer, bool renewed,
                            const struct yk_peers *peers, struct yk_outbox *outbox)
{
    const struct yk_peer *peer;
    enum yk_sight before = consumer->sight;
    struct yk_peer_text text;

    consumer->sight = look(consumer, peers, &peer);
    if (consumer->sight != YK_SIGHT_READY) {
        /* The picture outlives the control plane: nothing that is attached is let go here. */
        yk_route_forget_wish(&consumer->route);
        if (consumer->sight == YK_SIGHT_KIND_MISMATCH && before != consumer->sight) {
            say_mismatch(consumer, outbox);
        }
    } else if (renewed || before != YK_SIGHT_READY) {
        yk_peers_text(peers, peer, &text);
        yk_route_attach(&consumer->route, text.media, outbox);
    }
}

void yk_consumer_start(struct yk_consumer *consumer, const struct yk_id *id, enum yk_kind kind,
                       const struct yk_pairing *pairing, struct yk_outbox *outbox)
{
    consumer->id = id;
    consumer->kind = kind;
    consumer->pairing = *pairing;
    consumer->sight = is_paired(consumer) ? YK_SIGHT_UNHEARD : YK_SIGHT_UNPAIRED;
    yk_route_init(&consumer->route, outbox->now);
    if (is_paired(consumer)) {
        yk_route_demand_release(&consumer->route, YK_DETACH_RESTART, outbox);
    } else if (pairing->version.n > 0) {
        yk_route_demand_release(&consumer->route, YK_DETACH_UNPAIR, outbox);
    }
}

/* `intent` is identical to the one that made the pairing. */
static bool governs(const struct yk_consumer *consumer, const struct yk_intent *intent)
{
    struct yk_intent made_it = {.op = is_paired(consumer) ? YK_OP_PAIR : YK_OP_UNPAIR,
                                .consumer = *consumer->id,
                                .producer = consumer->pairing.producer,
                                .version = consumer->pairing.version};

    return yk_intent_equal(intent, &made_it);
}

static enum yk_reason find_fault(const struct yk_consumer *consumer, const struct yk_intent *intent,
                                 const struct yk_peers *peers)
{
    const struct yk_peer *peer;

    if (intent->op != YK_OP_PAIR) {
        return YK_REASON_APPLIED;
    }
    if (intent->producer.size == 0) {
        return YK_REASON_UNKNOWN_PRODUCER;
    }
    if (yk_id_equal(&intent->producer, consumer->id)) {
        return YK_REASON_SELF_PAIR;
    }
    peer = yk_peers_find(peers, &intent->producer);
    if (peer != NULL && peer->role == YK_ROLE_PRODUCER && peer->kind != consumer->kind) {
        return YK_REASON_KIND_MISMATCH;
    }
    return YK_REASON_APPLIED;
}

enum yk_judgment yk_consumer_judge(const struct yk_consumer *consumer,
                                   const struct yk_intent *intent, const struct yk_peers *peers,
                                   enum yk_reason *reason)
{
    if (yk_version_compare(&intent->version, &consumer->pairing.version) <= 0) {
        bool again = governs(consumer, intent);

        *reason = again ? YK_REASON_APPLIED : YK_REASON_SUPERSEDED;
        return again ? YK_JUDGMENT_AGAIN : YK_JUDGMENT_REFUSE;
    }
    *reason = find_fault(consumer, intent, peers);
    return *reason == YK_REASON_APPLIED ? YK_JUDGMENT_STAGE : YK_JUDGMENT_REFUSE;
}

void yk_consumer_commit(struct yk_consumer *consumer, const struct yk_pairing *pairing,
                        const struct yk_peers *peers, struct yk_outbox *outbox)
{
    bool same = yk_id_equal(&consumer->pairing.producer, &pairing->producer);

    consumer->pairing = *pairing;
    if (!is_paired(consumer)) {
        consumer->sight = YK_SIGHT_UNPAIRED;
        yk_route_release(&consumer->route, YK_DETACH_UNPAIR, outbox);
    } else if (!same) {
        consumer->sight = YK_SIGHT_UNHEARD; /* of the new producer nothing was looked at yet */
        yk_route_release(&consumer->route, YK_DETACH_REPLACE, outbox);
        follow_producer(consumer, false, peers, outbox);
    } else {
        /* The producer it shows already: a picture that plays stays; a failure is tried at once. */
        follow_producer(consumer, consumer->route.phase != YK_ROUTE_ATTACHED, peers, outbox);
    }
}

void yk_consumer_peer_changed(struct yk_consumer *consumer, const struct yk_id *peer, bool renewed,
                              const struct yk_peers *peers, struct yk_outbox *outbox)
{
    if (is_paired(consumer) && yk_id_equal(peer, &consumer->pairing.producer)) {
        follow_producer(consumer, renewed, peers, outbox);
    }
}

void yk_consumer_tick(struct yk_consumer *consumer, struct yk_outbox *outbox)
{
    yk_route_tick(&consumer->route, consumer->sight == YK_SIGHT_READY, outbox);
}

static void set_err(struct yk_status_text *status, const char *before, const struct yk_id *id,
                    const char *after)
{
    int size = snprintf((char *)status->err, sizeof status->err, "%s%s%s", before, id->text, after);

    status->err_size = (size_t)size;
}

/* What is missing while the driver has nothing to complain of. */
static void describe_wait(const struct yk_consumer *consumer, struct yk_status_text *status)
{
    const struct yk_id *producer = &consumer->pairing.producer;

    switch (consumer->sight) {
    case YK_SIGHT_UNHEARD:
        set_err(status, "producer ", producer, " is not heard");
        break;
    case YK_SIGHT_NO_MEDIA:
        set_err(status, "producer ", producer, " announces no media");
        break;
    case YK_SIGHT_NO_PRODUCER:
        set_err(status, "", producer, " is a consumer, not a producer");
        break;
    case YK_SIGHT_KIND_MISMATCH:
        set_err(status, "kind mismatch: this consumer cannot show what ", producer, " produces");
        break;
    case YK_SIGHT_UNPAIRED:
    case YK_SIGHT_READY:
        break;
    }
}

void yk_consumer_status(const struct yk_consumer *consumer, struct yk_status_text *status)
{
    const struct yk_route *route = &consumer->route;

    status->err_size = status->evidence_size = 0;
    if (route->phase == YK_ROUTE_STUCK || consumer->sight == YK_SIGHT_UNPAIRED ||
        consumer->sight == YK_SIGHT_READY) {
        yk_route_status(route, consumer->sight != YK_SIGHT_UNPAIRED, status);
        return;
    }
    status->state = consumer->sight == YK_SIGHT_KIND_MISMATCH ? YK_STATE_ERROR : YK_STATE_PENDING;
    describe_wait(consumer, status);
}
