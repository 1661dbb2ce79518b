#include "sim/digest.h"

#include <string.h>

#include "sim/world.h"

#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static void mix(uint64_t *digest, uint64_t value)
{
    *digest = (*digest ^ value) * FNV_PRIME;
    *digest ^= *digest >> 29;
}

/* Eight at a time: this is a good part of a simulation. */
static void mix_bytes(uint64_t *digest, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    uint64_t word;

    for (; size > 0; size -= size < sizeof word ? size : sizeof word, at += sizeof word) {
        word = 0;
        memcpy(&word, at, size < sizeof word ? size : sizeof word);
        mix(digest, word);
    }
}

static void mix_slice(uint64_t *digest, struct yk_slice slice)
{
    mix(digest, slice.size);
    if (slice.size > 0) {
        mix_bytes(digest, slice.data, slice.size);
    }
}

static void mix_id(uint64_t *digest, const struct yk_id *id)
{
    mix(digest, id->size);
    mix_bytes(digest, id->text, id->size);
}

static void mix_pairing(uint64_t *digest, const struct yk_pairing *pairing)
{
    mix_id(digest, &pairing->producer);
    mix(digest, pairing->version.n);
    mix_id(digest, &pairing->version.author);
}

static void mix_peers(uint64_t *digest, const struct yk_peers *peers)
{
    const struct yk_peer *peer = NULL;
    struct yk_peer_text text;

    while ((peer = yk_peers_next(peers, peer)) != NULL) {
        mix_id(digest, &peer->entry.id);
        mix(digest, (uint64_t)peer->presence << 32 | (uint64_t)peer->role << 16 |
                        (uint64_t)peer->kind << 8 | (uint64_t)peer->state);
        mix(digest, peer->last_ann);
        mix_pairing(digest, &peer->pairing);
        yk_peers_text(peers, peer, &text);
        mix_slice(digest, text.name);
        mix_slice(digest, text.err);
        mix_slice(digest, text.evidence);
        mix_slice(digest, text.media);
    }
    mix(digest, peers->live_count);
}

static void mix_intents(uint64_t *digest, const struct yk_intents *intents)
{
    const struct yk_cached_intent *cached = NULL;

    while ((cached = yk_intents_next(intents, cached)) != NULL) {
        struct yk_pairing pairing = {cached->producer, cached->version};

        mix_id(digest, &cached->entry.id);
        mix(digest, cached->cached ? (uint64_t)cached->op : 99);
        mix_pairing(digest, &pairing);
        mix(digest, cached->rejected.n);
        mix(digest, cached->heard);
    }
    mix(digest, intents->reissue_count);
    for (size_t i = 0; i < intents->reissue_count; i++) {
        mix_id(digest, &intents->reissues[i].consumer);
        mix(digest, intents->reissues[i].due);
    }
}

uint64_t digest_of(const struct agent *agent)
{
    const struct yk_node_view *view = &agent->view;
    uint64_t digest = FNV_BASIS;

    mix(&digest, (uint64_t)view->state);
    mix_slice(&digest, view->err);
    mix_slice(&digest, view->evidence);
    mix_pairing(&digest, view->pairing);
    mix(&digest, view->seq_bound);
    mix(&digest, view->clock_ahead);
    mix(&digest, view->retry_at);
    mix(&digest, view->generation);
    mix_peers(&digest, view->peers);
    mix_intents(&digest, view->intents);
    return digest;
}
