/* frame.h - one frame between bytes and plain structs (spec, Frame envelope and Frame bodies). */
#ifndef YK_CORE_FRAME_H
#define YK_CORE_FRAME_H

#include "core/auth.h"
#include "core/json.h"
#include "core/marks.h"
#include "core/protocol.h"

/* Text in these structs is plain UTF-8 without JSON escapes; `media` and `detail` are canonical
 * JSON objects, never looked into. Slices of a decoded frame point into its `struct yk_decoder`
 * (or the datagram) and live until the next decode; those of a frame to encode are borrowed. */
struct yk_ann {
    enum yk_role role;
    enum yk_kind kind;
    struct yk_slice name; /* at most YK_NAME_MAX code points */
    enum yk_state state;
    bool has_err;
    struct yk_slice err;
    struct yk_pairing pairing; /* consumers; a producer's is null on the wire */
    struct yk_slice media;     /* producers: a JSON object; size 0 is null */
    bool has_evidence;         /* driver_status of the right shape is there */
    struct yk_slice evidence;  /* driver_status.detail */
    /* Accepted frames: announcements of one receiver with the same one, which is not 0, say the same. */
    uint64_t edition;
};

/* A pairing intent, normalised: known members only (spec, Anti-entropy). A pair whose `producer`
 * is "none" named something that is no node id: it is answered, never cached. An unpair has none. */
struct yk_intent {
    enum yk_op op;
    struct yk_id consumer;
    struct yk_id producer;
    struct yk_version version;
};

/* True when all known members are the same ("identical", completions section 5). */
bool yk_intent_equal(const struct yk_intent *a, const struct yk_intent *b);

struct yk_ack { /* of the frame's origin */
    struct yk_version version;
    bool applied;
    enum yk_reason reason;
};

struct yk_evt {
    enum yk_event event;  /* YK_EVENT_NONE: a slug we do not know, still delivered */
    struct yk_slice slug; /* decoded frames; to encode, only `event` counts */
    struct yk_slice detail;
};

struct yk_frame {
    enum yk_type type;
    struct yk_id origin;
    uint64_t seq;  /* 1 ... YK_COUNT_MAX, Unix nanoseconds */
    int64_t ts_ms; /* sender's Unix milliseconds, for people only; decoded: rounded, clamped */
    union {
        struct yk_ann ann;
        struct yk_intent intent;
        struct yk_ack ack;
        struct yk_evt evt;
    } as;
};

/* Scratch of one decoding at a time; about 16 KiB, no pointers to free. */
struct yk_decoder {
    struct yk_json json;                 /* index of the canonical text, unless `is_plain` */
    uint8_t canonical[YK_CANONICAL_MAX]; /* used when the datagram was spelled otherwise */
    uint8_t text[YK_FRAME_MAX];          /* strings that carried escapes, unescaped */
    size_t text_used;
    struct yk_slice spelled;  /* the canonical bytes, sig included; size 0: it was no JSON */
    struct yk_slice sig;      /* the value of sig inside `spelled`, without quotes */
    struct yk_slice head;     /* see frame_plain.h */
    struct yk_digest claimed; /* the bytes of sig, read the short way and not empty */
    struct yk_marks marks;    /* of the head */
    bool is_plain;            /* read the short way, body and all; there is no index */
    size_t body_token;        /* number in `json`, found by the envelope check */
};

/* Which ways may be tried. All of them give the same verdict and the same frame. */
enum yk_path {
    YK_PATH_AUTO,   /* the short way, the fast pass, the general path: the first that can */
    YK_PATH_FAST,   /* not the short way: for who wants the index */
    YK_PATH_GENERAL /* the general path at once: for tests */
};

/* Size, JSON, `v` and the envelope, in the order of completions section 1. On success
 * (YK_DROP_NONE) `frame` holds all but the body, and the decoder the canonical bytes. With
 * YK_PATH_FAST a frame that is not canonical still takes the general path. */
YK_MUST_USE enum yk_drop yk_frame_read_envelope(struct yk_decoder *decoder, struct yk_slice raw,
                                                enum yk_path path, struct yk_frame *frame);

/* The two runs of `decoder->spelled` around the member sig: what is signed (spec,
 * Authentication). To be fed to the digest one after the other. */
void yk_frame_signed_parts(const struct yk_decoder *decoder, struct yk_slice parts[2]);

/* The body of the frame whose envelope was just read; false when it is malformed. */
YK_MUST_USE bool yk_frame_read_body(struct yk_decoder *decoder, struct yk_frame *frame);

/* Writes the canonical, signed bytes of `frame` to `out`. Gives their size, or 0 when they do not
 * fit YK_FRAME_MAX (nothing may be sent then). The text must be valid UTF-8. */
YK_MUST_USE size_t yk_frame_encode(const struct yk_frame *frame, const struct yk_auth *auth,
                                   uint8_t out[YK_FRAME_MAX]);

/* The object {"producer", "version"} of a pairing, as in announcements, events and the state file. */
void yk_pairing_write(struct yk_json_writer *writer, const struct yk_pairing *pairing);

#endif
