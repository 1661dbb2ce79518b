#include "cli/knowledge.h"

#include <string.h>

/* One block of memory for both tables; each part begins aligned. */
static size_t peers_size(uint32_t tracked)
{
    size_t unit = _Alignof(max_align_t);

    return (yk_peers_memory(tracked) + unit - 1) / unit * unit;
}

size_t yk_knowledge_memory(uint32_t tracked)
{
    return peers_size(tracked) + yk_table_memory(tracked, sizeof(struct yk_heard));
}

void yk_knowledge_init(struct yk_knowledge *knowledge, void *memory, uint32_t tracked,
                       uint64_t hash_seed)
{
    yk_peers_init(&knowledge->peers, memory, tracked, hash_seed);
    yk_table_init(&knowledge->heard, (uint8_t *)memory + peers_size(tracked), tracked,
                  sizeof(struct yk_heard), hash_seed);
    knowledge->complete = false;
}

static struct yk_heard *record_of(struct yk_knowledge *knowledge, const struct yk_id *id)
{
    struct yk_heard *heard = yk_table_find(&knowledge->heard, id);

    if (heard != NULL) {
        yk_table_touch(&knowledge->heard, heard);
        return heard;
    }
    if (knowledge->heard.count == knowledge->heard.capacity) {
        yk_table_remove(&knowledge->heard, yk_table_oldest(&knowledge->heard));
    }
    return yk_table_add(&knowledge->heard, id);
}

static void note_version(struct yk_knowledge *knowledge, const struct yk_id *consumer,
                         const struct yk_version *version, const struct yk_id *carrier)
{
    static const struct yk_id nobody;
    struct yk_heard *heard = record_of(knowledge, consumer);

    if (!heard->has_version || yk_version_compare(version, &heard->version) > 0) {
        heard->has_version = true;
        heard->version = *version;
        heard->carrier = carrier != NULL ? *carrier : nobody;
    }
}

void yk_knowledge_learn(struct yk_knowledge *knowledge, const struct yk_frame *frame,
                        struct yk_address from, const char *key, yk_time now)
{
    struct yk_peers_change change;

    switch (frame->type) {
    case YK_TYPE_ANN:
        yk_peers_announce(&knowledge->peers, &frame->origin, &frame->as.ann, from, key, now,
                          &change);
        if (frame->as.ann.role == YK_ROLE_CONSUMER) {
            note_version(knowledge, &frame->origin, &frame->as.ann.pairing.version, NULL);
        }
        break;
    case YK_TYPE_INT:
        note_version(knowledge, &frame->as.intent.consumer, &frame->as.intent.version,
                     &frame->origin);
        break;
    case YK_TYPE_ACK:
        note_version(knowledge, &frame->origin, &frame->as.ack.version, NULL);
        break;
    case YK_TYPE_BYE:
        yk_peers_bye(&knowledge->peers, &frame->origin);
        break;
    case YK_TYPE_NONE:
    case YK_TYPE_EVT:
    case YK_TYPE_END:
        break;
    }
}

void yk_knowledge_hear(struct yk_knowledge *knowledge, const struct yk_frame *frame,
                       struct yk_address from, const char *key, yk_time now)
{
    yk_place_note(&record_of(knowledge, &frame->origin)->place, from, now);
    yk_knowledge_learn(knowledge, frame, from, key, now);
}

void yk_knowledge_clock(struct yk_knowledge *knowledge, const struct yk_id *id, int64_t ahead_ms)
{
    const struct yk_peer *peer = yk_peers_find(&knowledge->peers, id);

    if (peer != NULL) {
        yk_peers_note_clock(&knowledge->peers, peer, ahead_ms);
    }
}

void yk_knowledge_two(struct yk_knowledge *knowledge, const struct yk_id *id, const uint8_t here[4],
                      const uint8_t there[4], yk_time now)
{
    struct yk_place *place = &record_of(knowledge, id)->place;

    /* The agent does not say from which ports; any will do. */
    *place = (struct yk_place){.latest.port = 1, .former.port = 1, .moved = now, .is_two = true};
    memcpy(place->latest.ip, here, sizeof place->latest.ip);
    memcpy(place->former.ip, there, sizeof place->former.ip);
}

void yk_knowledge_expire(struct yk_knowledge *knowledge, yk_time now)
{
    while (yk_peers_expire(&knowledge->peers, now) != NULL) {}
}

const struct yk_heard *yk_knowledge_of(const struct yk_knowledge *knowledge, const struct yk_id *id)
{
    return yk_table_find(&knowledge->heard, id);
}
