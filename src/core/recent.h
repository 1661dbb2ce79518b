/* recent.h - the last announcement of an origin, as bytes, as read, and as hashed: most announcements
 * say what the one before said, and are then neither read nor hashed again where they are equal. What is
 * kept is compared byte for byte before it counts, so it need not be right to be safe. */
#ifndef YK_CORE_RECENT_H
#define YK_CORE_RECENT_H

#include "core/auth.h"
#include "core/frame.h"

/* So many origins have one; 1.6 MB at most, touched as they are heard. */
#define YK_RECENTS_MAX 1024

struct yk_recent {
    uint16_t head_size;      /* 0: nothing is kept */
    uint8_t wait, patience;  /* see yk_recent_is_wanted */
    struct yk_ann ann;       /* as read; its texts point into the bytes of `resume` */
    struct yk_resume resume; /* holds the bytes, the head first */
};

/* How much of a head is what is kept. */
enum yk_recall { YK_RECALL_NOTHING, YK_RECALL_BEGINNING, YK_RECALL_HEAD };

/* Of the head that `decoder` holds; when it is all of it, `frame` gets the body. */
YK_MUST_USE enum yk_recall yk_recent_recall(const struct yk_recent *recent,
                                            const struct yk_decoder *decoder,
                                            struct yk_frame *frame);
/* True when the next frame that cannot be recalled is to be kept, and verified with the resume. An origin
 * that has something new each time is given up for longer and longer: keeping is a fifth of the work. */
static inline bool yk_recent_is_wanted(const struct yk_recent *recent)
{
    return recent->wait == 0;
}
/* A verified frame's head was recalled, or was not. If it is wanted it was verified with the resume, and is kept
 * if it is an announcement that can be; else it leaves nothing. What is kept gets the next of the
 * receiver's `editions`. */
void yk_recent_note(struct yk_recent *recent, enum yk_recall recalled,
                    const struct yk_decoder *decoder, struct yk_frame *frame, uint64_t *editions);

#endif
