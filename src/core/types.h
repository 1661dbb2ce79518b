/* types.h - the plain values every room of the core speaks in, and their bounds. */
#ifndef YK_CORE_TYPES_H
#define YK_CORE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define YK_MUST_USE __attribute__((warn_unused_result))

/* Monotonic nanoseconds. The core reads no clock: every input brings its own. */
typedef uint64_t yk_time;
#define YK_TIME_NEVER UINT64_MAX
#define YK_MS UINT64_C(1000000)
#define YK_SECOND UINT64_C(1000000000)
#define YK_HOUR (3600 * YK_SECOND)

/* Bounds and times of the protocol (completions section 4). */
#define YK_FRAME_MAX 1200 /* bytes of one encoded frame */
#define YK_DEPTH_MAX 32   /* nested containers, the frame being the first */
#define YK_ID_MAX 64      /* bytes of a node id */
#define YK_NAME_MAX 64    /* code points of a human label */
#define YK_NAME_BYTES_MAX (4 * YK_NAME_MAX)
#define YK_COUNT_MAX INT64_MAX  /* largest seq and largest version counter */
#define YK_TRACKED_DEFAULT 4096 /* entries a table */
#define YK_TRACKED_MIN 16
#define YK_TRACKED_MAX 65536
#define YK_SEQ_BLOCK 4096               /* numbers reserved at a time */
#define YK_SEQ_FUTURE YK_HOUR           /* a seq further ahead of our clock is refused */
#define YK_ANN_INTERVAL (2 * YK_SECOND) /* with a quarter of jitter either way */
/* Who starts waits for a share of this before its first word, so that a site whose power returns does
 * not speak as one (ADR 22). The wait grows by its own length with so many peers heard meanwhile. */
#define YK_START_SPREAD (50 * YK_MS)
#define YK_START_SPREAD_PEERS 64
#define YK_PEER_TIMEOUT (6500 * YK_MS)
#define YK_PEER_FORGET (24 * YK_HOUR)
#define YK_INTENT_CACHE_TTL (24 * YK_HOUR)
#define YK_RETRY_MIN YK_SECOND
#define YK_RETRY_MAX (30 * YK_SECOND)
#define YK_REISSUE_MIN (200 * YK_MS)
#define YK_REISSUE_MAX (1200 * YK_MS)
#define YK_REISSUE_CROWD 16 /* more relayers than this are not equally hasty (ADR 22) */
#define YK_DRIVER_POLL YK_SECOND

/* Borrowed bytes; the lender says for how long. A size of 0 may come with a NULL pointer. */
struct yk_slice {
    const uint8_t *data;
    size_t size;
};

/* The bytes of a string literal or of a terminated string. */
struct yk_slice yk_slice_of(const char *text);
static inline bool yk_slice_equal(struct yk_slice a, struct yk_slice b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* A node id, terminated for printing; size 0 is "none". Bytes behind the end are zero, so that
 * equal ids are equal in memory. */
struct yk_id {
    uint8_t size;
    char text[YK_ID_MAX + 1];
};

/* True, and `id` filled, when `text` is a node id (completions section 1); else `id` is "none". */
bool yk_id_parse(struct yk_id *id, struct yk_slice text);
/* The same for the node id at the start of `text`, as long as it goes on; gives its size, 0 for none. */
size_t yk_id_read(struct yk_id *id, struct yk_slice text);
bool yk_id_equal(const struct yk_id *a, const struct yk_id *b);
/* Byte order: negative, 0 or positive. "None" comes before every id. */
int yk_id_compare(const struct yk_id *a, const struct yk_id *b);

/* Lamport version of a pairing (spec, Versions). n 0 with no author is the zero version. */
struct yk_version {
    uint64_t n; /* 0 ... YK_COUNT_MAX */
    struct yk_id author;
};

/* Total order: the counter, then the author by bytes. Negative, 0 or positive. */
int yk_version_compare(const struct yk_version *a, const struct yk_version *b);

/* What a consumer is told to show. */
struct yk_pairing {
    struct yk_id producer;     /* "none": unpaired */
    struct yk_version version; /* zero: never paired, then the producer is "none" too */
};

/* What survives a power cut (spec, state file). */
struct yk_durable {
    uint64_t seq; /* the reserved bound: no number at or above it was ever used */
    struct yk_pairing pairing;
};

/* Where a datagram came from, as the socket saw it. */
struct yk_address {
    uint8_t ip[4];
    uint16_t port; /* host order */
};

#endif
