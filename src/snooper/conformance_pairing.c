/* Rules on what becomes of pairings. A sender's accepted frames come in the order it said them, so
 * that "after" is certain even where frames are lost. */
#include "snooper/conformance_internal.h"

/* As "[n,author]". */
#define VERSION_TEXT(version) (unsigned long long)(version)->n, (version)->author.text

static bool is_consumer(const struct yk_sender *sender)
{
    return sender != NULL && sender->announced && sender->role == YK_ROLE_CONSUMER;
}

/* The version that a consumer announces now; NULL: it is no consumer. */
static const struct yk_version *shown(const struct yk_view *view)
{
    const struct yk_ann *ann = &view->heard->frame.as.ann;

    return ann->role == YK_ROLE_CONSUMER ? &ann->pairing.version : NULL;
}

bool yk_rule_ack_producer(struct yk_view *view)
{
    return view->sender != NULL && view->sender->announced &&
           view->sender->role == YK_ROLE_PRODUCER &&
           yk_view_say(view, "ack of [%llu,%s]", VERSION_TEXT(&view->heard->frame.as.ack.version));
}

bool yk_rule_ack_old(struct yk_view *view)
{
    const struct yk_ack *ack = &view->heard->frame.as.ack;
    const struct yk_version *governing;

    if (!ack->applied || view->sender == NULL) {
        return false;
    }
    governing = is_consumer(view->sender) && yk_version_compare(&view->sender->pairing.version,
                                                                &view->sender->applied) > 0
                    ? &view->sender->pairing.version
                    : &view->sender->applied;
    return yk_version_compare(&ack->version, governing) < 0 &&
           yk_view_say(view, "applied [%llu,%s] under [%llu,%s]", VERSION_TEXT(&ack->version),
                       VERSION_TEXT(governing));
}

bool yk_rule_ack_unshown(struct yk_view *view)
{
    const struct yk_version *version = shown(view);

    return version != NULL && view->sender != NULL &&
           yk_version_compare(version, &view->sender->applied) < 0 &&
           yk_view_say(view, "announces [%llu,%s] after applying [%llu,%s]", VERSION_TEXT(version),
                       VERSION_TEXT(&view->sender->applied));
}

bool yk_rule_ack_below(struct yk_view *view)
{
    const struct yk_version *version = shown(view);

    return version != NULL && view->sender != NULL &&
           yk_version_compare(version, &view->sender->superseded) < 0 &&
           yk_view_say(view, "announces [%llu,%s] and called [%llu,%s] superseded",
                       VERSION_TEXT(version), VERSION_TEXT(&view->sender->superseded));
}

bool yk_rule_version_back(struct yk_view *view)
{
    const struct yk_version *version = shown(view);

    return version != NULL && is_consumer(view->sender) &&
           yk_version_compare(version, &view->sender->pairing.version) < 0 &&
           yk_view_say(view, "[%llu,%s] after [%llu,%s]", VERSION_TEXT(version),
                       VERSION_TEXT(&view->sender->pairing.version));
}

/* True when this very frame made the operation ambiguous. */
static bool became_ambiguous(const struct yk_view *view, const struct yk_id *consumer,
                             const struct yk_version *version)
{
    const struct yk_trail *trail = yk_trail_of(view->observer, consumer, version);

    for (size_t i = 0; trail != NULL && i < view->observer->change_count; i++) {
        const struct yk_change *change = &view->observer->changes[i];

        if (change->kind == YK_CHANGE_OPERATION && change->trail.outcome == YK_SEEN_AMBIGUOUS &&
            yk_version_compare(&change->trail.version, version) == 0) {
            return true;
        }
    }
    return false;
}

bool yk_rule_version_twice(struct yk_view *view)
{
    const struct yk_frame *frame = &view->heard->frame;
    const struct yk_version *version = shown(view);
    bool differs;

    if (version == NULL || version->n == 0) {
        return false;
    }
    differs = is_consumer(view->sender) &&
              yk_version_compare(version, &view->sender->pairing.version) == 0 &&
              !yk_id_equal(&frame->as.ann.pairing.producer, &view->sender->pairing.producer);
    return (differs || became_ambiguous(view, &frame->origin, version)) &&
           yk_view_say(view, "[%llu,%s] with another producer than before", VERSION_TEXT(version));
}

bool yk_rule_two_bodies(struct yk_view *view)
{
    const struct yk_intent *intent = &view->heard->frame.as.intent;

    return became_ambiguous(view, &intent->consumer, &intent->version) &&
           yk_view_say(view, "[%llu,%s] of %s asks for two things", VERSION_TEXT(&intent->version),
                       intent->consumer.text);
}

bool yk_rule_author_reused(struct yk_view *view)
{
    const struct yk_intent *intent = &view->heard->frame.as.intent;
    const struct yk_trail *list[YK_TRAILS_KEPT];
    size_t count = yk_trails_of(&view->observer->trails, &intent->consumer, list);
    const struct yk_trail *trail = yk_trail_of(view->observer, &intent->consumer, &intent->version);

    if (trail == NULL || trail->intents != 1) {
        return false; /* said when it was first heard */
    }
    for (size_t i = 0; i < count; i++) {
        if (list[i]->intents > 0 && list[i]->version.n != intent->version.n &&
            yk_id_equal(&list[i]->version.author, &intent->version.author)) {
            return yk_view_say(view, "[%llu,%s] and [%llu,%s] of %s",
                               VERSION_TEXT(&list[i]->version), VERSION_TEXT(&intent->version),
                               intent->consumer.text);
        }
    }
    return false;
}

bool yk_rule_kind_mismatch(struct yk_view *view)
{
    const struct yk_ann *ann = &view->heard->frame.as.ann;
    const struct yk_peer *producer = yk_peers_find(&view->observer->peers, &ann->pairing.producer);

    return ann->role == YK_ROLE_CONSUMER && ann->state == YK_STATE_ACTIVE && producer != NULL &&
           producer->kind != ann->kind &&
           yk_view_say(view, "active with %s, which is %s", producer->entry.id.text,
                       yk_kind_word(producer->kind));
}
