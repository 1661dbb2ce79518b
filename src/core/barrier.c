#include "core/barrier.h"

#include <assert.h>

void yk_barrier_init(struct yk_barrier *barrier)
{
    *barrier = (struct yk_barrier){.ready = false};
    yk_backoff_reset(&barrier->retry);
}

bool yk_barrier_is_closed(const struct yk_barrier *barrier)
{
    return !barrier->ready || barrier->staged;
}

void yk_barrier_stage(struct yk_barrier *barrier, const struct yk_intent *intent)
{
    assert(!yk_barrier_is_closed(barrier));
    barrier->staged = true;
    barrier->intent = *intent;
}

struct yk_pairing yk_pairing_of(const struct yk_intent *intent)
{
    struct yk_pairing pairing = {.version = intent->version};

    if (intent->op == YK_OP_PAIR) {
        pairing.producer = intent->producer;
    }
    return pairing;
}

bool yk_barrier_awaits(const struct yk_barrier *barrier, uint64_t request)
{
    return barrier->saving && request == barrier->request;
}

enum yk_save_outcome yk_barrier_persisted(struct yk_barrier *barrier, bool ok,
                                          struct yk_outbox *outbox, struct yk_intent *intent)
{
    bool carried = barrier->carries_staged;

    barrier->saving = barrier->carries_staged = false;
    barrier->ready = true;
    *intent = barrier->intent;
    if (carried) {
        barrier->staged = false;
    }
    if (!ok) {
        if (yk_sequence_wants_save(&outbox->sequence)) {
            yk_backoff_schedule(&barrier->retry, outbox->now);
        }
        return YK_SAVE_FAILED;
    }
    yk_backoff_reset(&barrier->retry);
    yk_sequence_saved(&outbox->sequence, barrier->asked.seq);
    return carried ? YK_SAVE_COMMITTED : YK_SAVE_RESERVED;
}

/* A reservation that failed waits for its retry; a staged pairing does not wait for that. */
static bool wants_save(struct yk_barrier *barrier, const struct yk_outbox *outbox)
{
    if (barrier->staged) {
        return true;
    }
    if (!yk_sequence_wants_save(&outbox->sequence)) {
        return false;
    }
    return barrier->retry.due == YK_TIME_NEVER || yk_backoff_take(&barrier->retry, outbox->now);
}

void yk_barrier_pump(struct yk_barrier *barrier, const struct yk_pairing *committed,
                     struct yk_outbox *outbox)
{
    if (barrier->saving || !wants_save(barrier, outbox)) {
        return;
    }
    barrier->saving = true;
    barrier->carries_staged = barrier->staged;
    barrier->request++;
    barrier->asked.seq = yk_sequence_proposal(&outbox->sequence);
    barrier->asked.pairing = barrier->staged ? yk_pairing_of(&barrier->intent) : *committed;
    yk_outbox_persist(outbox, barrier->request, &barrier->asked);
}
