#include "cli/trouble.h"

#include <stdio.h>

#include "cli/say.h"

const char *yk_presence_word(const struct yk_peer *peer)
{
    switch (peer->presence) {
    case YK_PRESENCE_LIVE:
        return yk_state_word(peer->state);
    case YK_PRESENCE_LOST:
        return "lost";
    case YK_PRESENCE_GONE:
        return "gone";
    }
    return "";
}

static bool silent(char *out, const struct yk_peer *peer, yk_time now)
{
    char age[32];

    snprintf(out, YK_TROUBLE_MAX, "%s %s ago; it was %s then",
             peer->presence == YK_PRESENCE_GONE ? "said goodbye; last heard" : "last heard",
             yk_duration(age, now - peer->last_ann), yk_state_word(peer->state));
    return true;
}

/* What is wrong with the producer a consumer waits for; false: nothing. */
static bool producer_missing(char *out, const struct yk_peers *peers, const struct yk_peer *peer,
                             yk_time now)
{
    const struct yk_id *id = &peer->pairing.producer;
    const struct yk_peer *producer = yk_peers_find(peers, id);
    char label[YK_LABEL_MAX], age[32];

    yk_label(label, peers, id);
    if (producer == NULL) {
        snprintf(out, YK_TROUBLE_MAX, "%s is not heard", label);
    } else if (producer->presence != YK_PRESENCE_LIVE) {
        snprintf(out, YK_TROUBLE_MAX, "%s is not heard since %s", label,
                 yk_duration(age, now - producer->last_ann));
    } else if (producer->role != YK_ROLE_PRODUCER) {
        snprintf(out, YK_TROUBLE_MAX, "%s is a consumer and has nothing to show", label);
    } else if (producer->kind != peer->kind) {
        snprintf(out, YK_TROUBLE_MAX, "%s is %s, this is %s", label, yk_kind_word(producer->kind),
                 yk_kind_word(peer->kind));
    } else if (!producer->has_media) {
        snprintf(out, YK_TROUBLE_MAX, "%s announces no media", label);
    } else {
        return false;
    }
    return true;
}

bool yk_trouble_of(char *out, const struct yk_peers *peers, const struct yk_peer *peer, yk_time now)
{
    bool paired = peer->role == YK_ROLE_CONSUMER && peer->pairing.producer.size > 0;
    struct yk_peer_text text;

    if (peer->presence != YK_PRESENCE_LIVE) {
        return silent(out, peer, now);
    }
    yk_peers_text(peers, peer, &text);
    if (peer->has_err && text.err.size > 0) {
        yk_plain(out, YK_TROUBLE_MAX, text.err);
        return true;
    }
    if (peer->state != YK_STATE_PENDING && peer->state != YK_STATE_ERROR) {
        return false;
    }
    if (paired && producer_missing(out, peers, peer, now)) {
        return true;
    }
    if (peer->has_evidence && text.evidence.size > 0) {
        yk_plain(out, YK_TROUBLE_MAX, text.evidence);
    } else if (peer->state == YK_STATE_ERROR) {
        snprintf(out, YK_TROUBLE_MAX, "its driver failed and is retried; its log says why");
    } else if (paired) {
        snprintf(out, YK_TROUBLE_MAX, "its driver has not confirmed the picture yet");
    } else if (peer->role == YK_ROLE_CONSUMER) {
        snprintf(out, YK_TROUBLE_MAX, "its driver has not confirmed the release yet");
    } else {
        snprintf(out, YK_TROUBLE_MAX, "its driver is not ready yet");
    }
    return true;
}
