/* consumer.h - the consumer's state machine (spec, Consumer state machine): its pairing, what is
 * known of the producer it names, and the route to the driver. */
#ifndef YK_CORE_CONSUMER_H
#define YK_CORE_CONSUMER_H

#include "core/peers.h"
#include "core/route.h"
#include "core/status.h"

/* What is known of the producer that the pairing names. */
enum yk_sight {
    YK_SIGHT_UNPAIRED = 1,
    YK_SIGHT_UNHEARD,       /* never announced, fell silent, or said bye */
    YK_SIGHT_NO_MEDIA,      /* live, media null */
    YK_SIGHT_NO_PRODUCER,   /* live, but a consumer itself */
    YK_SIGHT_KIND_MISMATCH, /* live, of another kind */
    YK_SIGHT_READY          /* live, right kind, with media */
};

struct yk_consumer {
    const struct yk_id *id;
    enum yk_kind kind;
    struct yk_pairing pairing; /* committed, and durable */
    enum yk_sight sight;
    struct yk_route route;
};

/* Takes up the restored pairing. A version above zero asks for teardown first: a crash may have come
 * between a durable change and the driver's cleanup. */
void yk_consumer_start(struct yk_consumer *consumer, const struct yk_id *id, enum yk_kind kind,
                       const struct yk_pairing *pairing, struct yk_outbox *outbox);

/* The answer to an intent addressed to us, without changing anything. */
enum yk_judgment {
    YK_JUDGMENT_STAGE = 1, /* newer and valid: to be saved, then committed */
    YK_JUDGMENT_AGAIN,     /* the very intent that governs: acknowledge it again */
    YK_JUDGMENT_REFUSE     /* `reason` says why */
};
enum yk_judgment yk_consumer_judge(const struct yk_consumer *consumer,
                                   const struct yk_intent *intent, const struct yk_peers *peers,
                                   enum yk_reason *reason);

/* The save succeeded: the pairing governs from now on, and the driver is told. */
void yk_consumer_commit(struct yk_consumer *consumer, const struct yk_pairing *pairing,
                        const struct yk_peers *peers, struct yk_outbox *outbox);

/* Something was heard of a peer, or it fell silent, or left. Others than ours change nothing.
 * `renewed`: it returned, or its media is not what it was. */
void yk_consumer_peer_changed(struct yk_consumer *consumer, const struct yk_id *peer, bool renewed,
                              const struct yk_peers *peers, struct yk_outbox *outbox);

void yk_consumer_tick(struct yk_consumer *consumer, struct yk_outbox *outbox);
void yk_consumer_status(const struct yk_consumer *consumer, struct yk_status_text *status);

#endif
