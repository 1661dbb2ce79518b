/* plan.h - the history of one run, made up front from the seed: who takes part, and a list of faults
 * and operations with their times. Being a list it can be shrunk. */
#ifndef YK_SIM_PLAN_H
#define YK_SIM_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/types.h"

/* Kind, word, what it does. All but operations are faults; windows last, the others happen once. */
#define PLAN_KINDS(X)                                                                             \
    X(LOSS, "loss", "datagrams get lost: x percent, everywhere or at one receiver")               \
    X(DUPLICATE, "duplicate", "x percent arrive twice")                                           \
    X(DELAY, "delay", "datagrams take up to x ms, so they overtake each other")                   \
    X(PARTITION, "partition", "two halves do not hear each other; x: only one way")               \
    X(DEAF, "deaf", "one host hears nobody")                                                      \
    X(MUTE, "mute", "nobody hears one host")                                                      \
    X(UNPLUG, "unplug", "a host is alone, x: and is told when the network is back")               \
    X(CORRUPT, "corrupt", "x per mille arrive with wrong bytes")                                  \
    X(FORGE, "forge", "x datagrams from somebody without the key")                                \
    X(REPLAY, "replay", "x datagrams sent before, sent again")                                    \
    X(CRASH, "crash", "an agent is killed (x: its host loses power) and comes back later")        \
    X(CRASH_AT_SAVE, "crash-at-save", "the same in the middle of its next save, x: what is left") \
    X(STOP, "stop", "an agent is stopped in an orderly way and started later")                    \
    X(STALL, "stall", "a process gets no time to run")                                            \
    X(DISK_SLOW, "disk-slow", "saves take up to x ms")                                            \
    X(DISK_FAIL, "disk-fail", "saves fail, x: with nothing, something or everything written")     \
    X(WALL_STEP, "wall-step", "the wall clock is set, x ms from the truth")                       \
    X(DRIVER_SLOW, "driver-slow", "a driver takes up to x ms")                                    \
    X(DRIVER_FAIL, "driver-fail", "x: attaching, detaching or both fail")                         \
    X(DRIVER_LIE, "driver-lie", "a driver says active whatever it holds")                         \
    X(DRIVER_LOSE, "driver-lose", "a driver loses what it holds, x: and how it says so")          \
    X(DRIVER_LATE, "driver-late", "a driver answers questions that are over")                     \
    X(RECONFIGURE, "reconfigure", "a producer is restarted with other media")                     \
    X(MEDIA, "media", "a producer's driver has other media while it runs")                        \
    X(ROTATE, "rotate", "the site goes on to another key; x: how, y: in good weather")            \
    X(FLOOD, "flood", "a broken tool sends x intents, one each millisecond")                      \
    X(OPERATE, "operate", "an operator pairs or unpairs")

enum plan_kind {
    PLAN_NONE,
#define PLAN_ENUM(id, word, meaning) PLAN_##id,
    PLAN_KINDS(PLAN_ENUM)
#undef PLAN_ENUM
        PLAN_KIND_END
};

#define PLAN_EVERYBODY UINT32_MAX
/* Producers an operation may name beside a node's number. */
#define PLAN_UNPAIR 1000000u
#define PLAN_SELF 1000001u
#define PLAN_NO_ID 1000002u    /* a string that is no node id */
#define PLAN_STRANGER 1000003u /* an id that nobody has */

/* How an operator is not careful. */
#define PLAN_BLIND 1u       /* authors version 1, knowing nothing */
#define PLAN_DITHERS 2u     /* looks, thinks for long, then acts */
#define PLAN_LEGACY 4u      /* uses one version author for everything */
#define PLAN_EXTENDED 8u    /* sends members that we do not know, padded to the frame's limit */
#define PLAN_TWIN 16u       /* two at once, neither knowing of the other */
#define PLAN_CAREFUL_MS 400 /* from looking to acting otherwise, at most */

/* What a crash leaves (CRASH_AT_SAVE), what a failing save leaves (DISK_FAIL). */
enum plan_left {
    PLAN_LEFT_OLD,  /* the former state */
    PLAN_LEFT_LOST, /* the new state is seen until power fails, then the former one is back */
    PLAN_LEFT_NEW,  /* the new state */
    PLAN_LEFT_END
};

/* How a site goes on to another key (ROTATE). The first way is no fault. */
enum plan_rotation {
    PLAN_ROTATES, /* accepted everywhere, then signing everywhere, then the old one refused */
    PLAN_ROTATES_WITHOUT_ONE, /* one host is not told */
    PLAN_ROTATES_BUT_HALF_IN_ONE, /* one host accepts the new key and goes on signing with the old one */
    PLAN_ROTATES_AT_ONCE,         /* each host has the one or the other, never both */
    PLAN_ROTATION_END
};

struct item {
    uint64_t at, lasts; /* true time, nanoseconds */
    enum plan_kind kind;
    uint32_t who;
    int64_t x, y;
    bool active; /* in force now */
};

/* After the faults of a round: enough for the longest wait for a retry (30 s), the next
 * announcement (2.5 s), a re-issue (1.2 s), a save, a release and an attachment. */
#define PLAN_SETTLE (40 * YK_SECOND)
#define PLAN_AFTERGLOW (6 * YK_SECOND) /* one operation in good weather */

struct plan_options {
    uint64_t seed;
    unsigned nodes;   /* 0: the seed decides */
    uint64_t minutes; /* of virtual time, about; 0: the seed decides */
};

struct plan {
    uint64_t seed;
    unsigned nodes, consumers; /* the first so many nodes are consumers */
    bool keyed;
    uint32_t tracked;
    unsigned rounds;
    uint64_t weather; /* length of the bad weather of a round */
    size_t count;
    struct item *items; /* by time */
};

void plan_make(struct plan *plan, const struct plan_options *options);
void plan_free(struct plan *plan);
/* One item for people. */
void plan_describe(const struct item *item, char *text, size_t size);
/* It may happen in good weather, and everything must go on as if it did not. */
static inline bool plan_is_no_fault(const struct item *item)
{
    return item->kind == PLAN_ROTATE && item->x == PLAN_ROTATES && item->y != 0;
}
static inline uint64_t plan_round(const struct plan *plan)
{
    return plan->weather + PLAN_SETTLE + PLAN_AFTERGLOW;
}

#define PLAN_NODES_MAX 200
#define PLAN_ITEMS_MAX 100000

#endif
