/* rig.h - one node under test: feeds inputs, keeps time, and writes what comes out as a trace, a
 * line an effect, so that a test's expectation is the trace.
 *
 *   persist bound+4096 enc-1 7/op-a     detach 3 replace      attach 4 {"group":...}
 *   ack 7/op-a applied                  ack 7/op-a refused kind-mismatch
 *   ann pending enc-1 7/op-a err="..." evidence="..."         int pair dec-1 enc-1 7/op-a
 *   evt media-up                        note reissued         bye            stopped
 * Polls are not in it, nor the local copies of events that went out. */
#ifndef YK_TESTS_RIG_H
#define YK_TESTS_RIG_H

#include <check.h>

#include "core/node.h"

#define RIG_WALL_NS INT64_C(1796018523000000000)

struct rig {
    struct yk_node *node;
    void *memory;
    struct yk_auth auth;
    struct yk_node_options options;
    yk_time now;
    int64_t wall_ns; /* at now 0 */
    struct yk_durable disk;
    struct yk_durable asked; /* of the save that is open */
    uint64_t request;        /* of the save that is open; 0: none */
    bool hold_saves;         /* else each save succeeds at once */
    uint64_t generation;     /* last one the driver was given */
    bool answer_detach;      /* the driver confirms each release at once (the default) */
    uint64_t peer_seq;
    uint8_t peer_ip; /* last byte of the address that others' frames come from */
    bool stopped;
    unsigned polls;
    char trace[16384];
};

/* A consumer "dec-1" or a producer "enc-1" (with media) of kind hdmi, not started. */
void rig_init(struct rig *rig, enum yk_role role);
void rig_fini(struct rig *rig);
/* Starts the node from `rig->disk` at `rig->now`. */
void rig_start(struct rig *rig);
/* The same node again after a power cut: only `rig->disk` is left. */
void rig_restart(struct rig *rig);

/* A consumer that was never paired, started. */
void rig_start_consumer(struct rig *rig);
/* A consumer whose pairing 7/op-a to enc-1 is active. */
void rig_start_paired(struct rig *rig);

/* Lets time pass, tick by tick. */
void rig_pass(struct rig *rig, yk_time duration);
void rig_saved(struct rig *rig, bool ok);
void rig_report(struct rig *rig, enum yk_report status, const char *detail);
void rig_report_for(struct rig *rig, uint64_t generation, enum yk_report status,
                    const char *detail);
/* A producer's driver has other media. */
void rig_media(struct rig *rig, const char *media);
void rig_stop(struct rig *rig);
void rig_return(struct rig *rig); /* of the network */

/* Frames from others. */
void rig_hear(struct rig *rig, const char *origin, struct yk_frame *frame);
void rig_hear_producer(struct rig *rig, const char *id, enum yk_kind kind, const char *media);
void rig_hear_consumer(struct rig *rig, const char *id, const char *producer, uint64_t n,
                       const char *author);
/* `producer` NULL: unpair; "!": a producer that is no node id. */
void rig_intent(struct rig *rig, const char *consumer, const char *producer, uint64_t n,
                const char *author);
void rig_ack(struct rig *rig, const char *consumer, uint64_t n, const char *author, bool applied,
             enum yk_reason reason);
void rig_bye(struct rig *rig, const char *id);
void rig_bytes(struct rig *rig, const char *bytes, size_t size);

/* Asserts the trace since the last call, and empties it. */
#define rig_expect(rig, text)                 \
    do {                                      \
        ck_assert_str_eq((rig)->trace, text); \
        (rig)->trace[0] = '\0';               \
    } while (0)
/* Asserts that the trace has (or has not) a piece of text. */
#define rig_expect_has(rig, text) \
    ck_assert_msg(strstr((rig)->trace, text) != NULL, "no \"%s\" in:\n%s", text, (rig)->trace)
#define rig_expect_not(rig, text) \
    ck_assert_msg(strstr((rig)->trace, text) == NULL, "\"%s\" in:\n%s", text, (rig)->trace)
void rig_forget(struct rig *rig); /* empties the trace */
unsigned rig_count(const struct rig *rig, const char *text);

#define MEDIA_5 "{\"group\":\"239.10.0.5\",\"port\":5004}"
#define MEDIA_6 "{\"group\":\"239.10.0.6\",\"port\":5004}"

#endif
