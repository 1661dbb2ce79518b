#include "cli/operation.h"

#include <string.h>

static void tell(struct yk_operation *operation, enum yk_tell what)
{
    operation->tells |= 1u << what;
}

static void finish(struct yk_operation *operation, enum yk_outcome outcome, yk_time now)
{
    operation->phase = YK_PHASE_OVER;
    operation->outcome = outcome;
    operation->ended = now;
}

static void refuse_mistake(struct yk_operation *operation, enum yk_mistake mistake,
                           const struct yk_end *mistaken, yk_time now)
{
    operation->mistake = mistake;
    operation->mistaken = mistaken;
    finish(operation, YK_OUTCOME_MISTAKE, now);
}

static void refuse(struct yk_operation *operation, enum yk_reason reason, yk_time now)
{
    operation->reason = reason;
    finish(operation, YK_OUTCOME_REFUSED, now);
}

/* Somebody spoke under this id, or shows it: so it is an id, and nobody's name. */
static bool is_id_in_use(const struct yk_knowledge *knowledge, const struct yk_id *id)
{
    const struct yk_peer *peer = NULL;

    while ((peer = yk_peers_next(&knowledge->peers, peer)) != NULL) {
        if (peer->state == YK_STATE_ACTIVE && yk_id_equal(&peer->pairing.producer, id)) {
            return true;
        }
    }
    return yk_knowledge_of(knowledge, id) != NULL;
}

/* A word that nobody heard has as id or name may be the name of who is heard next, and then it is no
 * id to be sent. Which version a consumer has is to be heard from itself. */
static bool settle_unheard(struct yk_operation *operation, struct yk_end *end, bool last_chance)
{
    return yk_id_parse(&end->id, yk_slice_of(end->word)) &&
           (last_chance ||
            (end->role == YK_ROLE_PRODUCER && is_id_in_use(operation->knowledge, &end->id)));
}

/* Finds out which node an argument means. False: not yet, or (phase over) never. */
static bool settle(struct yk_operation *operation, struct yk_end *end, bool last_chance,
                   yk_time now)
{
    if (end->settled) {
        return true;
    }
    yk_names_find(&operation->knowledge->peers, end->word, &end->found);
    switch (end->found.match) {
    case YK_MATCH_ID:
        end->settled = true;
        break;
    case YK_MATCH_NAME:
        /* Until everybody had the time to speak, a second node may have the name too. */
        end->settled = last_chance;
        break;
    case YK_MATCH_AMBIGUOUS:
        if (last_chance) {
            refuse_mistake(operation, YK_MISTAKE_AMBIGUOUS, end, now);
        }
        return false;
    case YK_MATCH_NONE:
        end->settled = settle_unheard(operation, end, last_chance);
        if (last_chance && !end->settled) {
            refuse_mistake(operation, YK_MISTAKE_UNKNOWN, end, now);
        }
        return end->settled;
    }
    end->id = end->found.nodes[0];
    return end->settled;
}

static bool has_other_role(const struct yk_operation *operation, const struct yk_end *end)
{
    const struct yk_peer *peer = yk_peers_find(&operation->knowledge->peers, &end->id);

    return peer != NULL && peer->presence == YK_PRESENCE_LIVE && peer->role != end->role;
}

/* Writes the intent on the highest version known, as a fresh operation. */
static void author(struct yk_operation *operation, yk_time now)
{
    const struct yk_heard *heard = yk_knowledge_of(operation->knowledge, &operation->consumer.id);
    uint64_t n = heard != NULL && heard->has_version ? heard->version.n : 0;

    operation->blind = heard == NULL || !heard->has_version;
    if (n >= YK_COUNT_MAX) {
        finish(operation, YK_OUTCOME_EXHAUSTED, now);
        return;
    }
    operation->intent.version.n = n + 1;
    operation->intent.version.author = operation->options.authors[operation->authored++];
    operation->phase = YK_PHASE_SEND;
    operation->retry = YK_OPERATION_RETRY_MIN;
    operation->next_send = now;
}

static void note_state(struct yk_operation *operation, enum yk_state state, bool has_err,
                       struct yk_slice err)
{
    operation->consumer_heard = true;
    operation->state = state;
    operation->has_err = has_err;
    operation->err_size = err.size < sizeof operation->err ? err.size : sizeof operation->err;
    if (operation->err_size > 0) {
        memcpy(operation->err, err.data, operation->err_size);
    }
}

/* Once it is certain whether the producer is there. */
static void end_doubt(struct yk_operation *operation, bool certain)
{
    if (!operation->doubtful) {
        return;
    }
    if (yk_peers_is_live(&operation->knowledge->peers, &operation->producer.id)) {
        operation->doubtful = false;
    } else if (certain) {
        operation->doubtful = false;
        tell(operation, YK_TELL_STRANGER);
    }
}

static void greet(struct yk_operation *operation, bool last_chance)
{
    const struct yk_peers *peers = &operation->knowledge->peers;
    const struct yk_peer *peer = yk_peers_find(peers, &operation->consumer.id);
    struct yk_peer_text text;

    if (peer != NULL) {
        yk_peers_text(peers, peer, &text);
        note_state(operation, peer->state, peer->has_err, text.err);
    }
    tell(operation,
         peer != NULL && peer->presence == YK_PRESENCE_LIVE ? YK_TELL_HEARD : YK_TELL_UNHEARD);
    if (operation->options.op == YK_OP_PAIR && !yk_peers_is_live(peers, &operation->producer.id)) {
        operation->doubtful = true;
        end_doubt(operation, last_chance);
    }
}

/* Goes on to sending when both ends are known, or when nobody else will be heard in time. */
static void learn(struct yk_operation *operation, yk_time now)
{
    bool last_chance = operation->knowledge->complete || now >= operation->learn_until;
    struct yk_end *consumer = &operation->consumer;
    struct yk_end *producer = &operation->producer;
    bool is_pair = operation->options.op == YK_OP_PAIR;

    /* Not "and": a mistake in either is said as soon as it shows. */
    bool settled = settle(operation, consumer, last_chance, now);

    if (is_pair && operation->phase == YK_PHASE_LEARN) {
        settled = settle(operation, producer, last_chance, now) && settled;
    }
    if (!settled || operation->phase != YK_PHASE_LEARN) {
        return;
    }
    if (is_pair && yk_id_equal(&consumer->id, &producer->id)) {
        refuse_mistake(operation, YK_MISTAKE_SELF, NULL, now);
        return;
    }
    if (has_other_role(operation, consumer)) {
        refuse_mistake(operation, YK_MISTAKE_ROLE, consumer, now);
        return;
    }
    if (is_pair && has_other_role(operation, producer)) {
        refuse_mistake(operation, YK_MISTAKE_ROLE, producer, now);
        return;
    }
    operation->intent.op = operation->options.op;
    operation->intent.consumer = consumer->id;
    operation->intent.producer = producer->id;
    greet(operation, last_chance);
    author(operation, now);
}

void yk_operation_start(struct yk_operation *operation, const struct yk_operation_options *options,
                        const struct yk_knowledge *knowledge, yk_time now)
{
    yk_time window = options->timeout / 4 * 3;

    memset(operation, 0, sizeof *operation);
    operation->options = *options;
    operation->knowledge = knowledge;
    operation->phase = YK_PHASE_LEARN;
    operation->started = now;
    operation->deadline = now + options->timeout;
    operation->learn_until = now + (window < YK_KNOWLEDGE_LISTEN ? window : YK_KNOWLEDGE_LISTEN);
    operation->consumer = (struct yk_end){.word = options->consumer, .role = YK_ROLE_CONSUMER};
    operation->producer = (struct yk_end){.word = options->producer, .role = YK_ROLE_PRODUCER};
}

static void saved(struct yk_operation *operation, yk_time now)
{
    if (operation->phase == YK_PHASE_SAVED) {
        return;
    }
    operation->phase = YK_PHASE_SAVED;
    operation->reason = YK_REASON_APPLIED;
    operation->saved = now;
    tell(operation, YK_TELL_SAVED);
}

/* Saved is all that was asked for, and there is nothing left to warn of. */
static void finish_saved(struct yk_operation *operation)
{
    if (operation->phase == YK_PHASE_SAVED && operation->options.wait == YK_STATE_NONE &&
        !operation->doubtful) {
        finish(operation, YK_OUTCOME_APPLIED, operation->saved);
    }
}

static enum yk_outcome not_reached(const struct yk_operation *operation)
{
    return operation->options.op == YK_OP_PAIR ? YK_OUTCOME_NOT_ACTIVE : YK_OUTCOME_NOT_IDLE;
}

static bool may_author_again(const struct yk_operation *operation)
{
    return operation->blind && operation->authored < YK_OPERATION_AUTHORS;
}

/* The consumer is at a version above ours. One that we could not know when we wrote ours is no
 * answer to what was asked: that is asked again, as a new operation. */
static void overtaken(struct yk_operation *operation, const struct yk_version *version, yk_time now)
{
    if (operation->phase == YK_PHASE_SEND && may_author_again(operation)) {
        operation->overruled = false;
        tell(operation, YK_TELL_AGAIN);
        author(operation, now);
        return;
    }
    if (operation->phase == YK_PHASE_SAVED && operation->options.wait == YK_STATE_NONE) {
        finish(operation, YK_OUTCOME_APPLIED, operation->saved);
        return;
    }
    operation->rival = *version;
    if (operation->phase == YK_PHASE_SAVED) {
        finish(operation, not_reached(operation), now);
    } else {
        refuse(operation, YK_REASON_SUPERSEDED, now);
    }
}

static void hear_announcement(struct yk_operation *operation, const struct yk_ann *ann, yk_time now)
{
    int order;

    if (ann->role != YK_ROLE_CONSUMER) {
        if (operation->phase == YK_PHASE_SEND) {
            refuse_mistake(operation, YK_MISTAKE_ROLE, &operation->consumer, now);
        }
        return;
    }
    note_state(operation, ann->state, ann->has_err, ann->err);
    order = yk_version_compare(&ann->pairing.version, &operation->intent.version);
    if (order > 0) {
        overtaken(operation, &ann->pairing.version, now);
    } else if (order == 0) {
        /* It governs, so it was applied, whether or not the ack came through. */
        saved(operation, now);
        operation->doubtful = operation->doubtful && ann->state != YK_STATE_ACTIVE;
        finish_saved(operation);
        if (operation->phase == YK_PHASE_SAVED && ann->state == operation->options.wait) {
            tell(operation, YK_TELL_REACHED);
            finish(operation, ann->state == YK_STATE_ACTIVE ? YK_OUTCOME_ACTIVE : YK_OUTCOME_IDLE,
                   now);
        }
    }
}

static void hear_ack(struct yk_operation *operation, const struct yk_ack *ack, yk_time now)
{
    const struct yk_heard *heard;

    if (operation->phase != YK_PHASE_SEND ||
        yk_version_compare(&ack->version, &operation->intent.version) != 0) {
        return;
    }
    if (ack->applied) {
        saved(operation, now);
        finish_saved(operation);
    } else if (ack->reason == YK_REASON_SUPERSEDED && may_author_again(operation)) {
        /* Its next announcement tells the version; asking on makes it come sooner. */
        operation->overruled = true;
    } else {
        heard = yk_knowledge_of(operation->knowledge, &operation->consumer.id);
        if (ack->reason == YK_REASON_SUPERSEDED && heard != NULL &&
            yk_version_compare(&heard->version, &operation->intent.version) > 0) {
            operation->rival = heard->version;
        }
        refuse(operation, ack->reason, now);
    }
}

void yk_operation_hear(struct yk_operation *operation, const struct yk_frame *frame, yk_time now)
{
    if ((operation->phase != YK_PHASE_SEND && operation->phase != YK_PHASE_SAVED) ||
        !yk_id_equal(&frame->origin, &operation->consumer.id)) {
        return;
    }
    if (frame->type == YK_TYPE_ANN) {
        hear_announcement(operation, &frame->as.ann, now);
    } else if (frame->type == YK_TYPE_ACK) {
        hear_ack(operation, &frame->as.ack, now);
    }
}

static void expire(struct yk_operation *operation, yk_time now)
{
    if (operation->phase == YK_PHASE_SAVED) {
        finish(operation, not_reached(operation), now);
    } else if (operation->overruled) {
        refuse(operation, YK_REASON_SUPERSEDED, now);
    } else {
        finish(operation, YK_OUTCOME_UNANSWERED, now);
    }
}

static enum yk_want send_now(struct yk_operation *operation, yk_time now)
{
    if (operation->sent++ == 0) {
        tell(operation, YK_TELL_SENT);
    }
    operation->next_send = now + operation->retry;
    operation->retry = 2 * operation->retry < YK_OPERATION_RETRY_MAX ? 2 * operation->retry
                                                                     : YK_OPERATION_RETRY_MAX;
    return YK_WANT_SEND;
}

enum yk_want yk_operation_next(struct yk_operation *operation, yk_time now)
{
    if (operation->phase == YK_PHASE_LEARN) {
        learn(operation, now);
    }
    end_doubt(operation, now >= operation->learn_until);
    finish_saved(operation);
    if (operation->tells != 0) {
        operation->told = YK_TELL_NONE;
        while ((operation->tells & 1u << operation->told) == 0) {
            operation->told++;
        }
        operation->tells &= ~(1u << operation->told);
        return YK_WANT_TELL;
    }
    if (operation->phase == YK_PHASE_OVER) {
        return YK_WANT_NOTHING;
    }
    /* However short the time, it is sent once. */
    if (operation->phase == YK_PHASE_SEND && now >= operation->next_send &&
        (operation->sent == 0 || now < operation->deadline)) {
        return send_now(operation, now);
    }
    if (now >= operation->deadline) {
        expire(operation, now);
        return YK_WANT_NOTHING;
    }
    return YK_WANT_WAIT;
}

yk_time yk_operation_deadline(const struct yk_operation *operation)
{
    yk_time next = operation->phase == YK_PHASE_SEND ? operation->next_send : operation->deadline;

    if ((operation->phase == YK_PHASE_LEARN || operation->doubtful) &&
        operation->learn_until < next) {
        next = operation->learn_until;
    }
    return next < operation->deadline ? next : operation->deadline;
}

const char *yk_outcome_word(enum yk_outcome outcome)
{
    switch (outcome) {
    case YK_OUTCOME_APPLIED:
        return "applied";
    case YK_OUTCOME_ACTIVE:
        return "active";
    case YK_OUTCOME_IDLE:
        return "idle";
    case YK_OUTCOME_REFUSED:
    case YK_OUTCOME_EXHAUSTED:
        return "refused";
    case YK_OUTCOME_UNANSWERED:
        return "unanswered";
    case YK_OUTCOME_NOT_ACTIVE:
        return "not-active";
    case YK_OUTCOME_NOT_IDLE:
        return "not-idle";
    case YK_OUTCOME_NONE:
    case YK_OUTCOME_MISTAKE:
        break;
    }
    return "";
}
