/* world.h - one node with its disk, driver and clocks, for inputs in any order that the contract of
 * core/node.h allows. Every step is held against the laws (laws.c). */
#ifndef YK_TESTS_FUZZ_WORLD_H
#define YK_TESTS_FUZZ_WORLD_H

#include "core/node.h"
#include "fuzz/promises.h"

#define WORLD_TRACKED YK_TRACKED_MIN
#define WORLD_KEPT 16 /* frames remembered, to be given again */

struct kept_frame {
    size_t size;
    uint8_t bytes[YK_FRAME_MAX];
};

/* What the laws remember from step to step. */
struct memory {
    /* over all lives */
    uint64_t seq_last;       /* highest ever sent */
    struct yk_pairing shown; /* last announced */
    bool held;               /* an attach was asked for, and no release confirmed since */
    bool must_release; /* a release was asked for, or is owed after a crash, and is not confirmed */
    size_t held_size;
    uint8_t held_media[YK_FRAME_MAX];
    /* over one life */
    uint64_t generation;
    bool asked_attach;       /* the last question */
    bool evidence;           /* it was answered, last with "active" */
    bool in_trouble;         /* a failure, or the loss of what was active, was reported since */
    bool was_in_trouble;     /* before the report that is given */
    bool ready;              /* the first save of this life has ended */
    bool owes_restart;       /* began paired, and has asked for no release yet */
    bool started;            /* has announced itself */
    enum yk_state ann_state; /* announced last */
    yk_time ann_at;
    bool media_unsaid; /* the driver gave other media since */
    bool rx_drop_said, producer_known;
    yk_time rx_drop_at;
    struct yk_id producer; /* that `producer_known` is about */
    uint64_t datagrams;
};

/* What there was before a step. */
struct before {
    uint64_t accepted, unauthentic;
    struct yk_pairing pairing;
    uint32_t peer_count, intent_count;
    uint64_t generation;
    enum yk_state state;
    yk_time retry_at;
    bool blocked;
};

struct world {
    struct yk_node_options options;
    struct yk_auth auth;
    struct yk_auth each[2]; /* its keys one by one; the first may be open mode */
    size_t key_count;
    struct yk_node *node;
    void *node_memory;
    yk_time now;
    uint8_t sender;   /* last byte of the address that datagrams come from */
    int64_t wall_off; /* the wall clock is now + this */

    struct yk_durable disk; /* what a restart reads */
    struct yk_durable told; /* what the node knows to be durable */
    bool saving, instant_saves;
    uint64_t request;
    struct yk_durable asked;

    bool stopping, stopped;
    yk_time stop_at;

    struct kept_frame kept[WORLD_KEPT];
    size_t kept_count; /* ever; the last WORLD_KEPT are there */
    uint64_t peer_seq; /* of the peers' last frame */
    uint64_t hash;     /* of all effects: the same input gives the same */

    struct memory memory;
    struct before before;
    struct yk_effects effects;
};

enum save_end { SAVE_DONE, SAVE_FAILED, SAVE_FAILED_BUT_WRITTEN };

/* `world->options`, `disk`, `now`, `wall_off` and the keys are set. A world is started once, and again
 * after each crash. */
void world_start(struct world *world);
void world_free(struct world *world);

/* True while the contract forbids all but the end of a save. */
bool world_is_blocked(const struct world *world);

/* True when it was accepted. */
bool world_hear(struct world *world, struct yk_slice bytes);
/* Time passes, with a tick whenever one is due. */
void world_pass(struct world *world, yk_time duration);
/* Time passes unnoticed; the ticks come late. */
void world_leap(struct world *world, yk_time duration);
/* The network is there again. */
void world_return(struct world *world);
void world_step_wall(struct world *world, int64_t by_ns);
/* The open save ends; without one nothing happens. */
void world_end_save(struct world *world, enum save_end end);
/* The end of a save that nobody asked for. */
void world_end_strange_save(struct world *world, uint64_t request);
void world_report(struct world *world, uint64_t generation, enum yk_report status,
                  struct yk_slice detail);
/* The agent reads its keys anew, in place; empty: none. */
void world_keys(struct world *world, struct yk_slice key, struct yk_slice next);
/* The driver has other media, a canonical object or nothing. */
void world_media(struct world *world, struct yk_slice media);
void world_stop(struct world *world);
/* Power is cut, and comes back: an open save is on disk or not. */
void world_crash(struct world *world, bool written);

/* laws.c: fails when a law is broken. */
void laws_boot(struct world *world);
void laws_before(struct world *world, const struct yk_input *input);
/* `effect` number `i` of the step; in order. */
void laws_effect(struct world *world, const struct yk_input *input, size_t i);
void laws_after(struct world *world, const struct yk_input *input);
/* All that was due has been done. */
void laws_at_rest(const struct world *world);

#endif
