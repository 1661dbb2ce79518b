/* node.h - the only door of the core: inputs in, effects out. One struct yk_node is all protocol
 * state of one agent. No I/O, no clock, no heap after init; the same inputs give the same effects,
 * bit for bit. */
#ifndef YK_CORE_NODE_H
#define YK_CORE_NODE_H

#include "core/admission.h"
#include "core/clocks.h"
#include "core/intents.h"
#include "core/peers.h"
#include "core/protocol.h"
#include "core/report.h"

struct yk_node;

struct yk_node_options {
    struct yk_id id;
    struct yk_slice name; /* valid UTF-8, at most YK_NAME_MAX code points; copied */
    enum yk_role role;
    enum yk_kind kind;
    struct yk_slice media;      /* producers: canonical JSON object, or size 0; copied */
    const struct yk_auth *auth; /* borrowed for the node's life */
    uint32_t tracked;           /* YK_TRACKED_MIN ... YK_TRACKED_MAX entries a table */
    uint64_t seed;              /* of jitter and hashes; the same seed gives the same run */
    yk_time start_spread;       /* YK_START_SPREAD, or 0: the first word is said at once */
    yk_time stop_limit;         /* longest wait for the driver to quiesce at stop, nanoseconds */
};

enum yk_input_kind {
    YK_INPUT_START = 1, /* once, first: state restored, wall time given */
    YK_INPUT_DATAGRAM,  /* bytes from the group */
    YK_INPUT_TICK,      /* yk_node_deadline has come (early or late does no harm) */
    YK_INPUT_WALL,      /* the wall clock stepped */
    YK_INPUT_RETURN,    /* the network is there again: others may know what we missed */
    YK_INPUT_PERSISTED, /* a save ended */
    YK_INPUT_REPORT,    /* the driver says what it sees */
    YK_INPUT_MEDIA,     /* a producer's driver says what there is to be had now */
    YK_INPUT_STOP       /* orderly shutdown */
};

struct yk_input {
    enum yk_input_kind kind;
    yk_time now;
    union {
        struct {
            int64_t wall_ns; /* Unix nanoseconds */
            struct yk_durable state;
        } start;
        struct {
            struct yk_slice bytes; /* borrowed for this call */
            struct yk_address from;
        } datagram;
        struct {
            int64_t wall_ns;
        } wall;
        struct {
            uint64_t request;
            bool ok;
        } persisted;
        struct {
            uint64_t generation; /* of the attach, detach or poll that is answered */
            enum yk_report status;
            struct yk_slice detail; /* UTF-8 evidence or error text; borrowed for this call */
        } report;
        struct {
            struct yk_slice bytes; /* canonical JSON object, or size 0; borrowed for this call */
        } media;
    } as;
};

enum yk_effect_kind {
    YK_EFFECT_SEND = 1,
    YK_EFFECT_PERSIST, /* save this, then answer with YK_INPUT_PERSISTED; never two at a time */
    YK_EFFECT_ATTACH,
    YK_EFFECT_DETACH,
    YK_EFFECT_POLL,   /* ask the driver to look again */
    YK_EFFECT_EVENT,  /* the local log's copy of an event, or a note */
    YK_EFFECT_STOPPED /* last effect of a node: the shell may end */
};

struct yk_effect {
    enum yk_effect_kind kind;
    union {
        struct {
            struct yk_slice bytes;
        } send;
        struct {
            uint64_t request;
            struct yk_durable state;
        } persist;
        struct {
            uint64_t generation;
            struct yk_slice media; /* canonical JSON object */
        } attach;
        struct {
            uint64_t generation;
            enum yk_detach_reason reason;
        } detach;
        struct {
            uint64_t generation;
        } poll;
        struct {
            enum yk_event event;
            struct yk_slice detail; /* canonical JSON object */
        } event;
    } as;
};

/* A step never makes more; work that does not fit waits for the next tick, due at once. */
#define YK_EFFECTS_MAX 40
#define YK_EFFECTS_BYTES (YK_EFFECTS_MAX * YK_FRAME_MAX)

/* To be performed in index order; slices live until the next step. About 50 KiB. */
struct yk_effects {
    size_t count;
    struct yk_effect list[YK_EFFECTS_MAX];
    size_t used;
    uint8_t bytes[YK_EFFECTS_BYTES];
};

/* True when every announcement these options can ever need fits a frame (spec: mandatory fields in
 * the worst state). If not, `over` is by how many bytes they are too large. */
bool yk_node_fits(const struct yk_node_options *options, size_t *over);

/* Bytes that yk_node_init needs: all memory the node will ever have, tables included. */
size_t yk_node_memory(uint32_t tracked);
/* Builds a node in `memory`, zeroed and aligned for max_align_t. The options must fit. */
struct yk_node *yk_node_init(void *memory, const struct yk_node_options *options);

/* Takes one input and replaces the contents of `effects`. While yk_node_is_blocked, only
 * YK_INPUT_PERSISTED may be given; the others wait in the shell, in order. */
void yk_node_step(struct yk_node *node, const struct yk_input *input, struct yk_effects *effects);
/* When the next YK_INPUT_TICK is wanted; YK_TIME_NEVER when nothing is due. */
yk_time yk_node_deadline(const struct yk_node *node);
/* The barrier: a transition waits for its save, and everything else waits behind it. */
bool yk_node_is_blocked(const struct yk_node *node);

/* What the node knows of itself, for status and tests. Slices live until the next step. */
struct yk_node_view {
    const struct yk_node_options *options; /* `name` and `media` point to the node's copies */
    enum yk_state state;
    struct yk_slice err;              /* size 0: none */
    struct yk_slice evidence;         /* size 0: none */
    const struct yk_pairing *pairing; /* committed */
    const uint64_t *drops;            /* by enum yk_drop, YK_DROP_END of them */
    uint64_t accepted;  /* of others; our own, looped back, count nowhere (completions 5) */
    uint64_t seq_bound; /* durable */
    uint64_t seq_left;  /* numbers below it not used yet */
    bool clock_ahead;   /* see YK_NOTE_CLOCK_AHEAD */
    const struct yk_clocks *clocks; /* far from the peers'; NULL: not */
    bool id_conflict;
    struct yk_address conflict_from;
    uint64_t stale_own; /* of the stale drops, those under our own id */
    yk_time retry_at;   /* of the driver; YK_TIME_NEVER when none is scheduled */
    uint64_t generation;
    const struct yk_peers *peers;
    const struct yk_intents *intents;
};
void yk_node_view(const struct yk_node *node, struct yk_node_view *view);

#endif
