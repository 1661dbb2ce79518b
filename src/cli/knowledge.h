/* knowledge.h - what a tool has learned of the nodes: from frames heard itself, or from an agent of
 * this host that has listened for longer. No I/O, no clock. */
#ifndef YK_CLI_KNOWLEDGE_H
#define YK_CLI_KNOWLEDGE_H

#include "core/frame.h"
#include "core/peers.h"
#include "core/place.h"
#include "core/table.h"

/* Every live node announces within an interval and a quarter; a little more for the way. Who has
 * listened for so long has heard everybody, but for what was lost. */
#define YK_KNOWLEDGE_LISTEN (2600 * YK_MS)

/* What frames said about one id besides its announcements. */
struct yk_heard {
    struct yk_entry entry;
    bool has_version;
    struct yk_version version; /* highest known for this consumer, whoever spoke of it */
    struct yk_id carrier;      /* origin of the intent it came with; "none": of no intent */
    struct yk_place place;     /* where its frames come from */
};

struct yk_knowledge {
    struct yk_peers peers;
    struct yk_table heard;
    bool complete; /* an agent told that has been up for longer than every node's interval */
};

size_t yk_knowledge_memory(uint32_t tracked);
/* `memory` is zeroed, aligned for max_align_t and outlives the knowledge. */
void yk_knowledge_init(struct yk_knowledge *knowledge, void *memory, uint32_t tracked,
                       uint64_t hash_seed);

/* Takes an accepted frame; `key` is the signer's fingerprint, "" in open mode. */
void yk_knowledge_hear(struct yk_knowledge *knowledge, const struct yk_frame *frame,
                       struct yk_address from, const char *key, yk_time now);
/* The same for what an agent heard at `now`: it says nothing about two places of one id. Frames of
 * one kind are to be given in the order of their times. */
void yk_knowledge_learn(struct yk_knowledge *knowledge, const struct yk_frame *frame,
                        struct yk_address from, const char *key, yk_time now);
/* How far the clock of the node whose announcement was just taken is ahead of ours (core/clocks.h). */
void yk_knowledge_clock(struct yk_knowledge *knowledge, const struct yk_id *id, int64_t ahead_ms);
/* An agent noticed that two senders use an id. */
void yk_knowledge_two(struct yk_knowledge *knowledge, const struct yk_id *id, const uint8_t here[4],
                      const uint8_t there[4], yk_time now);
/* Time passed: who fell silent is marked. */
void yk_knowledge_expire(struct yk_knowledge *knowledge, yk_time now);

/* What was heard about an id, or NULL. */
const struct yk_heard *yk_knowledge_of(const struct yk_knowledge *knowledge,
                                       const struct yk_id *id);

#endif
