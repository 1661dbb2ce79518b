/* peers.h - the announce cache: who is there, and who is live (spec, Peer tracking). */
#ifndef YK_CORE_PEERS_H
#define YK_CORE_PEERS_H

#include "core/auth.h"
#include "core/frame.h"
#include "core/place.h"
#include "core/table.h"

enum yk_presence {
    YK_PRESENCE_LIVE = 1, /* announced within YK_PEER_TIMEOUT */
    YK_PRESENCE_LOST,     /* fell silent */
    YK_PRESENCE_GONE      /* said bye */
};

struct yk_peer {
    struct yk_entry entry; /* entry.id is the peer's */
    enum yk_presence presence;
    enum yk_role role;
    enum yk_kind kind;
    enum yk_state state;
    struct yk_pairing pairing; /* consumers */
    yk_time last_ann;
    bool has_clock;                /* its last announcement was compared with our clock: */
    int64_t clock_ahead_ms;        /* its stamp less our clock */
    uint64_t edition;              /* of that announcement */
    struct yk_place place;         /* where its announcements come from */
    char key[YK_FINGERPRINT_SIZE]; /* fingerprint it signs with; "" in open mode */
    bool has_err, has_evidence, has_media;
    /* The peers' own: texts in a chain of blocks, the list of live peers. */
    uint16_t name_size, err_size, evidence_size, media_size;
    uint32_t text;
    uint32_t live_newer, live_older;
};

/* A peer's texts, copied out; slices point into `bytes`. */
struct yk_peer_text {
    struct yk_slice name, err, evidence, media;
    uint8_t bytes[YK_FRAME_MAX];
};

struct yk_peers {
    struct yk_table table;
    uint8_t *blocks; /* pool of text blocks */
    uint32_t blocks_fresh, blocks_free;
    uint32_t live_newest, live_oldest, live_count;
};

size_t yk_peers_memory(uint32_t tracked);
/* `memory` is zeroed, aligned for max_align_t and outlives the peers. */
void yk_peers_init(struct yk_peers *peers, void *memory, uint32_t tracked, uint64_t hash_seed);
/* The peer that eviction must spare; "none" spares nobody. */
void yk_peers_keep(struct yk_peers *peers, const struct yk_id *id);

/* What an announcement changed. */
struct yk_peers_change {
    bool is_new;        /* heard for the first time, or forgotten meanwhile */
    bool returned;      /* was lost or gone */
    bool media_changed; /* other media bytes, or null before or now */
    bool two_senders;   /* it turns out that two senders use this id */
};
/* Takes an announcement; a full table forgets who was heard least recently. */
const struct yk_peer *yk_peers_announce(struct yk_peers *peers, const struct yk_id *origin,
                                        const struct yk_ann *ann, struct yk_address from,
                                        const char *key, yk_time now,
                                        struct yk_peers_change *change);
/* How far that peer's clock is ahead of ours (clocks.h), by the announcement just taken. */
void yk_peers_note_clock(struct yk_peers *peers, const struct yk_peer *peer, int64_t ahead_ms);
/* Takes a bye; the peer, or NULL when it was not known or not live. */
const struct yk_peer *yk_peers_bye(struct yk_peers *peers, const struct yk_id *origin);
/* The next live peer that has been silent for too long, marked as lost; NULL when there is none. */
const struct yk_peer *yk_peers_expire(struct yk_peers *peers, yk_time now);
/* Forgets at most `most` peers not heard for YK_PEER_FORGET (the kept one is spared). */
void yk_peers_forget(struct yk_peers *peers, yk_time now, unsigned most);
/* When yk_peers_expire or yk_peers_forget has work again. */
yk_time yk_peers_deadline(const struct yk_peers *peers);

/* The peer, live or not, or NULL. */
const struct yk_peer *yk_peers_find(const struct yk_peers *peers, const struct yk_id *id);
bool yk_peers_is_live(const struct yk_peers *peers, const struct yk_id *id);
/* All peers, from the one heard least recently: start with NULL, ends with NULL. */
const struct yk_peer *yk_peers_next(const struct yk_peers *peers, const struct yk_peer *peer);
/* The live ones, from the one heard last: the same way. */
const struct yk_peer *yk_peers_next_live(const struct yk_peers *peers, const struct yk_peer *peer);
void yk_peers_text(const struct yk_peers *peers, const struct yk_peer *peer,
                   struct yk_peer_text *text);

#endif
