/* node_internal.h - what the files of the node share: node.c is the door, node_hear.c what is heard,
 * node_show.c what is said. Nobody else includes it. */
#ifndef YK_CORE_NODE_INTERNAL_H
#define YK_CORE_NODE_INTERNAL_H

#include "core/barrier.h"
#include "core/clocks.h"
#include "core/consumer.h"
#include "core/node.h"
#include "core/producer.h"
#include "core/rng.h"

/* Bounds on the work of one step, so that its effects fit; the rest is due at once. */
#define YK_STEP_PEERS_MAX 4
#define YK_STEP_REISSUES_MAX 4
#define YK_STEP_FORGET_MAX 16

#define YK_CATCH_UP (250 * YK_MS) /* between announcements that are brought forward, at least */

/* Back on the network, a node announces so often, the first time within the jitter: whoever heard an
 * intent that it missed offers it, and any of that may be lost (ADR 9). */
#define YK_RETURN_TIMES 5
#define YK_RETURN_JITTER (200 * YK_MS)
#define YK_RETURN_APART (300 * YK_MS)
/* Both grow with so many nodes known, for a switch that returns brings all of them back (ADR 22). */
#define YK_RETURN_CROWD 1024

/* A conflict of ids counts as mended when nothing more is heard of it for so long. */
#define YK_CONFLICT_MEMORY (60 * YK_SECOND)
/* Stamped so much later than we used such numbers, a frame is none of ours. */
#define YK_LIFE_MARGIN_MS 1000

struct yk_node {
    struct yk_node_options options; /* name and media point into the two arrays below */
    uint8_t name[YK_NAME_BYTES_MAX];
    uint8_t media[YK_FRAME_MAX];

    struct yk_outbox outbox;
    struct yk_receiver receiver;
    struct yk_peers peers;
    struct yk_intents intents;
    struct yk_barrier barrier;
    struct yk_rng rng;
    struct yk_pairing restored;  /* between the start and its save */
    struct yk_consumer consumer; /* one of the two, by options.role */
    struct yk_producer producer;

    /* what was said last */
    struct yk_status_text shown;
    yk_time
        ready_at;   /* the first numbers are there: its turn to speak comes; YK_TIME_NEVER before */
    uint16_t turn;  /* which share of the spread it waits for */
    bool announced; /* the first announcement is out: this life has begun for others */
    bool announce_owed; /* something changed that others should know at once */
    bool mute_said;
    yk_time announce_due;
    yk_time announced_at;
    unsigned returns_left; /* announcements that are owed to a return */
    uint64_t own_heard;    /* our own frames, looped back by the kernel */
    yk_time drops_due;     /* YK_TIME_NEVER: the counters are as said */
    yk_time drops_said_at;
    uint64_t drops_said[YK_DROP_END];
    yk_time replay_due;

    /* doubts about our own frames reaching anybody */
    bool ahead_of_clock;
    yk_time heard_behind_at; /* a peer whose clock is over an hour behind our numbers; 0: never */
    yk_time heard_level_at;  /* a peer whose clock is not */
    bool clock_ahead_said;
    struct yk_clock_doubt clocks; /* ours against the peers' */
    bool id_conflict;
    struct yk_address conflict_from;
    yk_time conflict_at;
    int64_t lived_ms;    /* no frame of our earlier lives has a later stamp, by all that is known */
    uint64_t marked_seq; /* our next number behind the last announcement */
    uint64_t stale_own;  /* dropped as stale, under our own id */

    bool stopping, stopped;
    yk_time stop_due;
};

static inline bool yk_node_is_consumer(const struct yk_node *node)
{
    return node->options.role == YK_ROLE_CONSUMER;
}
/* No full table forgets this producer (completions section 4, MAX_TRACKED). */
void yk_node_keep(struct yk_node *node, const struct yk_id *producer);

/* node_hear.c */
void yk_node_hear(struct yk_node *node, struct yk_slice bytes, struct yk_address from);
/* Peers that fell silent, and records that are too old. */
void yk_node_hear_nothing(struct yk_node *node);
/* The staged intent governs now. */
void yk_node_commit(struct yk_node *node, const struct yk_intent *intent);

/* The first words of this life, at the end of this step at the latest. */
void yk_node_begin_to_speak(struct yk_node *node);
/* node_show.c: the end of every step. Says what changed, announces what is due. */
void yk_node_show(struct yk_node *node);
/* Our numbers are so far ahead of the clock, or of every clock heard, that others drop them. */
bool yk_node_is_clock_ahead(const struct yk_node *node);
/* A time of a return, as long as it is among so many; never longer than the interval. */
yk_time yk_node_return_time(const struct yk_node *node, yk_time among_few);
/* Brings the next announcement forward to then, but for YK_CATCH_UP after the last. */
void yk_node_announce_by(struct yk_node *node, yk_time due);
/* When the announcement or the drop counters are due. */
yk_time yk_node_show_deadline(const struct yk_node *node);

#endif
