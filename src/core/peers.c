#include "core/peers.h"

#include <assert.h>
#include <string.h>

/* Texts differ much in length: blocks of a chain waste little, and a pool of them for the worst
 * case costs address space, not memory, until it is written to. */
#define BLOCK_SIZE 128
#define BLOCK_BYTES (BLOCK_SIZE - sizeof(uint32_t))
#define BLOCKS_PER_PEER ((YK_FRAME_MAX + BLOCK_BYTES - 1) / BLOCK_BYTES)

struct block {
    uint32_t next; /* as number + 1 */
    uint8_t bytes[BLOCK_BYTES];
};
_Static_assert(sizeof(struct block) == BLOCK_SIZE, "blocks are packed");

static struct block *block_at(const struct yk_peers *peers, uint32_t number)
{
    return (struct block *)peers->blocks + (number - 1);
}

size_t yk_peers_memory(uint32_t tracked)
{
    return yk_table_memory(tracked, sizeof(struct yk_peer)) +
           (size_t)tracked * BLOCKS_PER_PEER * BLOCK_SIZE;
}

void yk_peers_init(struct yk_peers *peers, void *memory, uint32_t tracked, uint64_t hash_seed)
{
    memset(peers, 0, sizeof *peers);
    yk_table_init(&peers->table, memory, tracked, sizeof(struct yk_peer), hash_seed);
    peers->blocks = (uint8_t *)memory + yk_table_memory(tracked, sizeof(struct yk_peer));
}

void yk_peers_keep(struct yk_peers *peers, const struct yk_id *id)
{
    yk_table_keep(&peers->table, id);
}

/* The pool holds the worst case of a full table, so it cannot run out. */
static uint32_t take_block(struct yk_peers *peers)
{
    uint32_t number = peers->blocks_free;

    if (number != 0) {
        peers->blocks_free = block_at(peers, number)->next;
    } else {
        number = ++peers->blocks_fresh;
    }
    block_at(peers, number)->next = 0;
    return number;
}

static void give_blocks_back(struct yk_peers *peers, uint32_t *link)
{
    while (*link != 0) {
        struct block *block = block_at(peers, *link);
        uint32_t number = *link;

        *link = block->next;
        block->next = peers->blocks_free;
        peers->blocks_free = number;
    }
}

static size_t text_size(const struct yk_peer *peer)
{
    return (size_t)peer->name_size + peer->err_size + peer->evidence_size + peer->media_size;
}

/* A place in a peer's texts. */
struct cursor {
    struct yk_peers *peers;
    uint32_t *link; /* to the block */
    size_t at;      /* in the block */
};

/* Behind a `part` of `text` in its block. */
static void move_on(struct cursor *cursor, struct block *block, struct yk_slice *text, size_t part)
{
    text->data += part;
    text->size -= part;
    cursor->at += part;
    if (cursor->at == BLOCK_BYTES) {
        cursor->link = &block->next;
        cursor->at = 0;
    }
}

/* True when `text` is what stands there; moves behind it if so. */
static bool skip_text(struct cursor *cursor, struct yk_slice text)
{
    while (text.size > 0) {
        struct block *block = block_at(cursor->peers, *cursor->link);
        size_t left = BLOCK_BYTES - cursor->at;
        size_t part = text.size < left ? text.size : left;

        if (memcmp(block->bytes + cursor->at, text.data, part) != 0) {
            return false;
        }
        move_on(cursor, block, &text, part);
    }
    return true;
}

/* Writes over what stands there, and on behind it. */
static void put_text(struct cursor *cursor, struct yk_slice text)
{
    while (text.size > 0) {
        size_t left = BLOCK_BYTES - cursor->at;
        size_t part = text.size < left ? text.size : left;
        struct block *block;

        if (*cursor->link == 0) {
            *cursor->link = take_block(cursor->peers);
        }
        block = block_at(cursor->peers, *cursor->link);
        memcpy(block->bytes + cursor->at, text.data, part);
        move_on(cursor, block, &text, part);
    }
}

static struct yk_slice cut_out(uint8_t **at, size_t size)
{
    struct yk_slice slice = {*at, size};

    *at += size;
    return slice;
}

void yk_peers_text(const struct yk_peers *peers, const struct yk_peer *peer,
                   struct yk_peer_text *text)
{
    size_t left = text_size(peer);
    uint8_t *at = text->bytes;

    for (uint32_t number = peer->text; number != 0; number = block_at(peers, number)->next) {
        size_t part = left < BLOCK_BYTES ? left : BLOCK_BYTES;

        memcpy(at, block_at(peers, number)->bytes, part);
        at += part;
        left -= part;
    }
    at = text->bytes;
    text->media = cut_out(&at, peer->media_size);
    text->name = cut_out(&at, peer->name_size);
    text->err = cut_out(&at, peer->err_size);
    text->evidence = cut_out(&at, peer->evidence_size);
}

/* True when the texts are those of the announcement; media is looked at first. */
static bool has_text(struct yk_peers *peers, struct yk_peer *peer, const struct yk_slice texts[4],
                     bool *media_changed)
{
    struct cursor cursor = {peers, &peer->text, 0};

    *media_changed = texts[0].size != peer->media_size || !skip_text(&cursor, texts[0]);
    return !*media_changed && texts[1].size == peer->name_size && texts[2].size == peer->err_size &&
           texts[3].size == peer->evidence_size && skip_text(&cursor, texts[1]) &&
           skip_text(&cursor, texts[2]) && skip_text(&cursor, texts[3]);
}

/* Keeps the texts of an announcement; true when the media is not what it was. */
static bool take_text(struct yk_peers *peers, struct yk_peer *peer, const struct yk_ann *ann)
{
    struct cursor cursor = {peers, &peer->text, 0};
    struct yk_slice texts[] = {ann->media, ann->name, ann->err, ann->evidence};
    bool media_changed;

    /* Only numbers that no encoder may send can make media grow past a frame: it counts as null. */
    if (ann->name.size + ann->err.size + ann->evidence.size + ann->media.size > YK_FRAME_MAX) {
        texts[0].size = 0;
    }
    peer->has_err = ann->has_err;
    peer->has_evidence = ann->has_evidence;
    peer->has_media = texts[0].size > 0;
    if (has_text(peers, peer, texts, &media_changed)) {
        return false;
    }
    peer->media_size = (uint16_t)texts[0].size;
    peer->name_size = (uint16_t)texts[1].size;
    peer->err_size = (uint16_t)texts[2].size;
    peer->evidence_size = (uint16_t)texts[3].size;
    for (int i = 0; i < 4; i++) {
        put_text(&cursor, texts[i]);
    }
    give_blocks_back(peers, cursor.at == 0 ? cursor.link : &block_at(peers, *cursor.link)->next);
    return media_changed;
}

/* The live peers in order of their last announcement: whose time-out comes first is oldest. */
static struct yk_peer *peer_at(const struct yk_peers *peers, uint32_t number)
{
    return number == 0 ? NULL : (struct yk_peer *)(void *)peers->table.records + (number - 1);
}

static uint32_t number_of(const struct yk_peers *peers, const struct yk_peer *peer)
{
    return (uint32_t)(peer - (const struct yk_peer *)(void *)peers->table.records) + 1;
}

static void live_remove(struct yk_peers *peers, struct yk_peer *peer)
{
    struct yk_peer *newer = peer_at(peers, peer->live_newer);
    struct yk_peer *older = peer_at(peers, peer->live_older);

    *(newer != NULL ? &newer->live_older : &peers->live_newest) = peer->live_older;
    *(older != NULL ? &older->live_newer : &peers->live_oldest) = peer->live_newer;
    peer->live_newer = peer->live_older = 0;
    peers->live_count--;
}

static void live_add(struct yk_peers *peers, struct yk_peer *peer)
{
    struct yk_peer *newest = peer_at(peers, peers->live_newest);
    uint32_t number = number_of(peers, peer);

    peer->live_older = peers->live_newest;
    *(newest != NULL ? &newest->live_newer : &peers->live_oldest) = number;
    peers->live_newest = number;
    peers->live_count++;
}

static void set_presence(struct yk_peers *peers, struct yk_peer *peer, enum yk_presence presence)
{
    if (peer->presence == YK_PRESENCE_LIVE) {
        live_remove(peers, peer);
    }
    peer->presence = presence;
    if (presence == YK_PRESENCE_LIVE) {
        live_add(peers, peer);
    }
}

static void forget(struct yk_peers *peers, struct yk_peer *peer)
{
    set_presence(peers, peer, YK_PRESENCE_GONE);
    give_blocks_back(peers, &peer->text);
    yk_table_remove(&peers->table, peer);
}

static struct yk_peer *find_or_add(struct yk_peers *peers, const struct yk_id *origin, bool *is_new)
{
    struct yk_peer *peer = yk_table_find(&peers->table, origin);

    *is_new = peer == NULL;
    if (peer == NULL) {
        if (peers->table.count == peers->table.capacity) {
            struct yk_peer *least = yk_table_dispensable(&peers->table);

            /* A table has room for more than the one that is kept. */
            assert(least != NULL);
            forget(peers, least);
        }
        peer = yk_table_add(&peers->table, origin);
    }
    return peer;
}

const struct yk_peer *yk_peers_announce(struct yk_peers *peers, const struct yk_id *origin,
                                        const struct yk_ann *ann, struct yk_address from,
                                        const char *key, yk_time now,
                                        struct yk_peers_change *change)
{
    struct yk_peer *peer = find_or_add(peers, origin, &change->is_new);

    change->returned = !change->is_new && peer->presence != YK_PRESENCE_LIVE;
    set_presence(peers, peer, YK_PRESENCE_LIVE);
    yk_table_touch(&peers->table, peer);
    peer->last_ann = now;
    change->two_senders = !peer->place.is_two;
    yk_place_note(&peer->place, from, now);
    change->two_senders = change->two_senders && peer->place.is_two;
    memcpy(peer->key, key, sizeof peer->key);
    change->media_changed = false;
    if (ann->edition == 0 || ann->edition != peer->edition) {
        peer->edition = ann->edition;
        peer->role = ann->role;
        peer->kind = ann->kind;
        peer->state = ann->state;
        peer->pairing = ann->pairing;
        change->media_changed = take_text(peers, peer, ann);
    }
    return peer;
}

void yk_peers_note_clock(struct yk_peers *peers, const struct yk_peer *peer, int64_t ahead_ms)
{
    struct yk_peer *own =
        &((struct yk_peer *)(void *)peers->table.records)[number_of(peers, peer) - 1];

    own->has_clock = true;
    own->clock_ahead_ms = ahead_ms;
}

const struct yk_peer *yk_peers_bye(struct yk_peers *peers, const struct yk_id *origin)
{
    struct yk_peer *peer = yk_table_find(&peers->table, origin);

    if (peer == NULL || peer->presence != YK_PRESENCE_LIVE) {
        return NULL;
    }
    set_presence(peers, peer, YK_PRESENCE_GONE);
    return peer;
}

const struct yk_peer *yk_peers_expire(struct yk_peers *peers, yk_time now)
{
    struct yk_peer *peer = peer_at(peers, peers->live_oldest);

    if (peer == NULL || now < peer->last_ann + YK_PEER_TIMEOUT) {
        return NULL;
    }
    set_presence(peers, peer, YK_PRESENCE_LOST);
    return peer;
}

void yk_peers_forget(struct yk_peers *peers, yk_time now, unsigned most)
{
    struct yk_peer *peer = yk_table_dispensable(&peers->table);

    for (; most > 0 && peer != NULL && now >= peer->last_ann + YK_PEER_FORGET; most--) {
        forget(peers, peer);
        peer = yk_table_dispensable(&peers->table);
    }
}

yk_time yk_peers_deadline(const struct yk_peers *peers)
{
    const struct yk_peer *silent = peer_at(peers, peers->live_oldest);
    const struct yk_peer *oldest = yk_table_dispensable(&peers->table);
    yk_time expire = silent != NULL ? silent->last_ann + YK_PEER_TIMEOUT : YK_TIME_NEVER;
    yk_time gone = oldest != NULL ? oldest->last_ann + YK_PEER_FORGET : YK_TIME_NEVER;

    return expire < gone ? expire : gone;
}

const struct yk_peer *yk_peers_find(const struct yk_peers *peers, const struct yk_id *id)
{
    return id->size > 0 ? yk_table_find(&peers->table, id) : NULL;
}

bool yk_peers_is_live(const struct yk_peers *peers, const struct yk_id *id)
{
    const struct yk_peer *peer = yk_peers_find(peers, id);

    return peer != NULL && peer->presence == YK_PRESENCE_LIVE;
}

const struct yk_peer *yk_peers_next_live(const struct yk_peers *peers, const struct yk_peer *peer)
{
    return peer_at(peers, peer == NULL ? peers->live_newest : peer->live_older);
}

const struct yk_peer *yk_peers_next(const struct yk_peers *peers, const struct yk_peer *peer)
{
    return peer == NULL ? yk_table_oldest(&peers->table) : yk_table_next(&peers->table, peer);
}
