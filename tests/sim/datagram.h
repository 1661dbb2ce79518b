/* datagram.h - what travels: frames as their senders made them, decoded once, and wrong copies. */
#ifndef YK_SIM_DATAGRAM_H
#define YK_SIM_DATAGRAM_H

#include "core/frame.h"
#include "core/report.h"
#include "sim/dice.h"
#include "sim/keys.h"

/* One frame that somebody with the key sent. */
struct sent {
    unsigned references;
    uint32_t origin; /* endpoint */
    unsigned key;    /* that signed it */
    uint64_t number; /* in order of sending, from 1 */
    size_t size;
    uint8_t bytes[YK_FRAME_MAX];
    struct yk_frame frame; /* `media` points into bytes; name, err, detail: unused */
    uint8_t evidence[YK_REPORT_DETAIL_MAX]; /* frame.as.ann.evidence points here */
};

/* One arrival: a true copy of `sent`, or other bytes. */
struct datagram {
    unsigned references;
    struct sent *sent; /* NULL when these bytes are nobody's frame */
    bool replayed;     /* sent again by somebody who listened */
    bool own_bytes;
    size_t size; /* of own bytes; else they are those of `sent` */
    uint8_t bytes[];
};

/* Decodes what a node or tool sends; NULL when it is not a canonical frame that is signed with the first
 * of these keys. */
struct sent *sent_make(const struct keys *keys, uint32_t origin, uint64_t number,
                       struct yk_slice bytes);
void sent_release(struct sent *sent);

#define DATAGRAM_MAX (YK_FRAME_MAX + 64)

struct datagram *datagram_of(struct sent *sent, bool replayed);
struct datagram *datagram_raw(struct yk_slice bytes);
struct yk_slice datagram_bytes(const struct datagram *datagram);
void datagram_release(struct datagram *datagram);

/* A copy with wrong bytes; it still counts as `sent` when its canonical form is the same. */
struct datagram *datagram_corrupt(struct sent *sent, struct dice *dice);
/* Another spelling of the same frame. */
struct datagram *datagram_respell(struct sent *sent);

/* A sample of everything ever sent. */
#define ARCHIVE_MAX 4096
struct archive {
    struct sent *list[ARCHIVE_MAX];
    size_t count;
    uint64_t seen;
    struct dice dice;
};
void archive_add(struct archive *archive, struct sent *sent);
void archive_free(struct archive *archive);

#endif
