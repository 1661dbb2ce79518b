/* snoop.h - the snooper's middle: what was heard goes through the observer to the faces that show
 * it. Where it comes from (the network, a capture) and how it is shown are other files' affair. */
#ifndef YK_SNOOPER_SNOOP_H
#define YK_SNOOPER_SNOOP_H

#include "cli/access.h"
#include "shell/socket.h"
#include "snooper/observer.h"
#include "snooper/options.h"

#define YK_FACES_MAX 8

/* One instant on both clocks. */
struct yk_moment {
    yk_time now;
    int64_t unix_ns;
};

struct yk_snoop;

/* A way to show, or keep, what is heard. All but `name`, `is_wanted` and `open` may be NULL. */
struct yk_face {
    const char *name;
    bool (*is_wanted)(const struct yk_snoop_options *options);
    /* Before anything is heard; `self` is handed to the others. False and `why`: we do not start. */
    bool (*open)(const struct yk_snoop *snoop, void **self, struct yk_refusal *why);
    void (*heard)(void *self, const struct yk_snoop *snoop, struct yk_moment at,
                  const struct yk_heard_frame *heard);
    void (*changed)(void *self, const struct yk_snoop *snoop, struct yk_moment at,
                    const struct yk_change *change);
    /* The batch or the tick is over: what was written should be seen. False and `why`: we end. */
    bool (*flush)(void *self, const struct yk_snoop *snoop, struct yk_refusal *why);
    /* When the next flush is wanted, beside those that come anyway. */
    yk_time (*deadline)(const void *self);
    /* A descriptor of its own to be watched, -1: none; and what is done when it can be read. False:
     * the user wants us to end. Not asked while a capture is read, but behind it. */
    int (*descriptor)(const void *self);
    bool (*ready)(void *self, const struct yk_snoop *snoop, struct yk_moment at);
    /* Nothing more will be heard: the last words, and the exit status; frees `self`. Called after
     * every open that was true. */
    enum yk_exit (*close)(void *self, const struct yk_snoop *snoop, struct yk_moment at);
};

/* Of the face that is open, in the order of the table. */
struct yk_open_face {
    const struct yk_face *face;
    void *self;
};

struct yk_snoop {
    const struct yk_snoop_options *options;
    struct yk_access access; /* group and key */
    struct yk_observer *observer;
    void *memory; /* the observer's */
    struct yk_open_face faces[YK_FACES_MAX];
    size_t face_count;
    struct yk_moment passed; /* of the last yk_snoop_pass, for flush */
    bool started;            /* the source is open: what is heard, or not, means something */
    uint64_t heard;          /* datagrams */
    uint64_t kernel_drops;   /* datagrams lost before we saw them */
    int receive_buffer;      /* bytes, 0: we do not listen ourselves */
    uint64_t said_drops, said_not_kept; /* what the notices last said */
    yk_time notices_due;
    bool failing_said;
    bool ended;            /* a capture was read: nothing more will be heard */
    bool over;             /* nothing more can be shown: end */
    struct yk_refusal why; /* then */
};

/* Reads network and key, makes the observer and opens those of `count` faces that are wanted. False
 * and `why` when one of them cannot be; yk_snoop_close is due either way. */
bool yk_snoop_open(struct yk_snoop *snoop, const struct yk_snoop_options *options,
                   const struct yk_face *const *faces, size_t count, struct yk_moment start,
                   struct yk_refusal *why);
/* Closes the faces and frees all; the exit status: the first of the faces' that is not 0. */
enum yk_exit yk_snoop_close(struct yk_snoop *snoop, struct yk_moment at);

/* A datagram was heard. */
void yk_snoop_hear(struct yk_snoop *snoop, const struct yk_datagram *datagram, struct yk_moment at);
/* Time passed up to that moment: what was due is told with the time it was due. Then the faces are
 * flushed. To be called after each batch and at yk_snoop_deadline. */
void yk_snoop_pass(struct yk_snoop *snoop, struct yk_moment at);
yk_time yk_snoop_deadline(const struct yk_snoop *snoop);

/* For a face's flush: standard output to whoever reads it; false and `why` when nobody does. */
bool yk_snoop_flush_output(struct yk_refusal *why);

/* The sum of it all for the last line: "812 frames: 800 accepted, 12 dropped (3 auth, 9 dup)", and
 * what is missing. `out` has YK_REFUSAL_MAX bytes. */
void yk_snoop_sum(const struct yk_snoop *snoop, char *out);

#endif
