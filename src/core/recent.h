/* recent.h - the last announcement of an origin, as bytes, as read, and as hashed: most announcements
 * say what the one before said, and are then neither read nor hashed again where they are equal. What is
 * kept is compared byte for byte before it counts, so it need not be right to be safe. */
#ifndef YK_CORE_RECENT_H
#define YK_CORE_RECENT_H

#include "core/auth.h"
#include "core/frame.h"

/* So many origins have one; 1.2 MB at most, touched as they are heard. */
#define YK_RECENTS_MAX 1024

struct yk_recent {
    uint16_t head_size;      /* 0: nothing is kept */
    uint8_t wait, patience;  /* see yk_recent_is_wanted */
    struct yk_ann ann;       /* as read; its texts point into the bytes of `resume` */
    struct yk_resume resume; /* holds the bytes, the head first */
};

/* True when the head that `decoder` holds is the one kept: `frame` then gets the body. */
YK_MUST_USE bool yk_recent_recall(const struct yk_recent *recent, const struct yk_decoder *decoder,
                                  struct yk_frame *frame);
/* True when the next frame that cannot be recalled is to be kept, and verified with the resume. An origin
 * that has something new each time is given up for longer and longer: keeping is a fifth of the work. */
static inline bool yk_recent_is_wanted(const struct yk_recent *recent)
{
    return recent->wait == 0;
}
/* A verified frame was recalled, or was not. If it is wanted it was verified with the resume, and is kept
 * if it is an announcement that can be; else it leaves nothing. */
void yk_recent_note(struct yk_recent *recent, bool recalled, const struct yk_decoder *decoder,
                    const struct yk_frame *frame);

#endif
