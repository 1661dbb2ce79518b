/* observer.h - what a listener who never speaks can know: every datagram judged, the nodes, their
 * operations, and what changed. Fed only by frames that verify; all else is shown and changes
 * nothing. Pure like the core: no I/O, no clock, no heap after init, so the simulator can run it. */
#ifndef YK_SNOOPER_OBSERVER_H
#define YK_SNOOPER_OBSERVER_H

#include "core/admission.h"
#include "core/peers.h"
#include "core/place.h"
#include "snooper/trail.h"

/* Changes one call can tell of; what is left over is due at once (yk_observer_deadline). */
#define YK_CHANGES_MAX 8

struct yk_observer_options {
    const struct yk_auth *auth; /* borrowed */
    uint32_t tracked;           /* entries a table, YK_TRACKED_MIN ... YK_TRACKED_MAX */
    struct yk_wall wall;        /* for the future bound */
    uint64_t hash_seed;         /* unpredictable to others */
};

/* One datagram and what became of it; borrowed from the observer and the datagram until the next
 * call. */
struct yk_heard_frame {
    yk_time now;
    struct yk_address from;
    struct yk_slice raw;
    enum yk_drop verdict; /* YK_DROP_NONE: accepted */
    bool trusted;      /* its signature verifies (open mode: is empty); also old and double ones */
    bool has_envelope; /* `frame` is filled but for its body */
    bool has_body;     /* `frame.as` too; a frame with a bad signature has it for diagnosis */
    struct yk_frame frame;
    struct yk_slice canonical; /* the canonical spelling; size 0: it is no JSON object */
    bool is_canonical;         /* it came spelled so */
    const char *key;           /* accepted: fingerprint of the key it is signed with; else "" */
};

enum yk_change_kind {
    YK_CHANGE_NODE_NEW = 1, /* announced for the first time, or again after it was forgotten */
    YK_CHANGE_NODE_GONE,    /* said bye */
    YK_CHANGE_OPERATION,    /* `trail` came about, or its outcome is another one */
    YK_CHANGE_EVENT,        /* a node said so: `event`, `slug` and `detail` are the frame's */
    YK_CHANGE_LOST,         /* the observer: fell silent */
    YK_CHANGE_RETURNED,     /* the observer: announces again */
    YK_CHANGE_STATE         /* announced another state, and no event that said so was heard */
};

struct yk_change {
    enum yk_change_kind kind;
    struct yk_id id;        /* the node; the consumer of an operation */
    enum yk_event event;    /* said, or what it comes to; YK_EVENT_NONE: none, or not on the list */
    struct yk_slice slug;   /* YK_CHANGE_EVENT: the word as heard */
    struct yk_slice detail; /* YK_CHANGE_EVENT: canonical JSON object */
    enum yk_state former, state; /* YK_CHANGE_STATE */
    struct yk_trail trail;       /* YK_CHANGE_OPERATION: as it is now */
};

/* What is known of an id besides its announcements. */
struct yk_observed {
    struct yk_entry entry;
    struct yk_place place; /* where its frames come from; two senders under one id */
    yk_time heard;         /* its last frame */
    enum yk_state told;    /* what an event since its last announcement speaks of, if one did */
};

/* All parts may be read; only the functions below write. */
struct yk_observer {
    /* Counts drops; `receiver.decoder.json` indexes the canonical spelling of the last datagram. */
    struct yk_receiver receiver;
    struct yk_peers peers;
    struct yk_trails trails;
    struct yk_table observed; /* of struct yk_observed */
    yk_time now;              /* the latest heard of: time never goes back */
    yk_time replay_due;
    struct yk_change changes[YK_CHANGES_MAX]; /* of the last call */
    size_t change_count;
    uint64_t forgotten; /* origins that were pushed out of the full table */
};

/* Bytes `memory` of yk_observer_init must have. */
size_t yk_observer_memory(uint32_t tracked);
/* `memory` is zeroed, aligned for max_align_t and outlives the observer. */
void yk_observer_init(struct yk_observer *observer, void *memory,
                      const struct yk_observer_options *options);

/* Takes a datagram (one of more than YK_FRAME_MAX bytes is oversize, however long); fills `heard` and
 * the observer's list of changes. */
void yk_observer_hear(struct yk_observer *observer, struct yk_slice raw, struct yk_address from,
                      yk_time now, struct yk_heard_frame *heard);
/* Time passed: fills the list of changes anew. */
void yk_observer_tick(struct yk_observer *observer, yk_time now);
/* When yk_observer_tick has work again. */
yk_time yk_observer_deadline(const struct yk_observer *observer);
/* The wall clock stepped: moves the future bound. */
void yk_observer_wall(struct yk_observer *observer, struct yk_wall wall);

/* The word of a change for programs: an event slug, or node-new, node-gone, operation. */
struct yk_slice yk_change_word(const struct yk_change *change);

/* What was heard of an id besides announcements, or NULL. */
const struct yk_observed *yk_observer_of(const struct yk_observer *observer,
                                         const struct yk_id *id);
/* Not one frame verified yet, and this many did not; 0: the key is good, or nothing is known. */
uint64_t yk_observer_failing(const struct yk_observer *observer);
/* Origins that were forgotten because a table was full, and operations not kept. */
uint64_t yk_observer_not_kept(const struct yk_observer *observer);

#endif
