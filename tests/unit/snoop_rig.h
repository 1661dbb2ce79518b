/* snoop_rig.h - an observer under test: frames from others go in, what changed comes out as a trace,
 * a line a change, so that a test's expectation is the trace.
 *
 *   node-new dec-1 idle        node-gone dec-1        lost dec-1        returned dec-1
 *   state dec-1 pending active                        event dec-1 media-up {}
 *   operation dec-1 7/op-a pair enc-1 waiting         operation dec-1 7/op-a unpair - refused self-pair
 */
#ifndef YK_TESTS_SNOOP_RIG_H
#define YK_TESTS_SNOOP_RIG_H

#include <check.h>

#include "snooper/observer.h"

#define SNOOP_WALL_NS INT64_C(1796018523000000000)
#define SNOOP_TRACKED YK_TRACKED_MIN

struct snoop_rig {
    struct yk_observer *observer;
    void *memory;
    struct yk_auth site; /* what others sign with; open when built with an empty key */
    struct yk_auth auth; /* what the observer has */
    yk_time now;
    uint64_t seq;                    /* of the next frame, whoever sends it */
    struct yk_address from;          /* of the next frame */
    uint8_t bytes[YK_FRAME_MAX + 1]; /* the last datagram */
    size_t size;
    struct yk_heard_frame heard; /* of the last datagram */
    char trace[16384];
};

/* Others sign with `site_key`, the observer has `own_key`; "" is open mode. */
void snoop_init_keys(struct snoop_rig *rig, const char *site_key, const char *own_key);
/* The same key for all. */
void snoop_init(struct snoop_rig *rig);
void snoop_fini(struct snoop_rig *rig);

/* Lets time pass, tick by tick. */
void snoop_pass(struct snoop_rig *rig, yk_time duration);

/* A datagram; gives its verdict. */
enum yk_drop snoop_bytes(struct snoop_rig *rig, const void *bytes, size_t size);
/* A frame of `origin`, with the next seq unless it has one. */
enum yk_drop snoop_frame(struct snoop_rig *rig, const char *origin, struct yk_frame *frame);
/* The last datagram once more. */
enum yk_drop snoop_again(struct snoop_rig *rig);

void snoop_producer(struct snoop_rig *rig, const char *id, enum yk_state state);
/* `producer` NULL: unpaired; n 0: never paired. */
void snoop_consumer(struct snoop_rig *rig, const char *id, const char *producer, uint64_t n,
                    const char *author, enum yk_state state);
/* `producer` NULL: unpair. */
void snoop_intent(struct snoop_rig *rig, const char *sender, const char *consumer,
                  const char *producer, uint64_t n, const char *author);
void snoop_ack(struct snoop_rig *rig, const char *consumer, uint64_t n, const char *author,
               bool applied, enum yk_reason reason);
void snoop_event(struct snoop_rig *rig, const char *id, enum yk_event event);
void snoop_bye(struct snoop_rig *rig, const char *id);

/* Asserts the trace since the last call, and empties it. */
#define snoop_expect(rig, text)               \
    do {                                      \
        ck_assert_str_eq((rig)->trace, text); \
        (rig)->trace[0] = '\0';               \
    } while (0)

#endif
