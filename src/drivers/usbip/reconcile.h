/* reconcile.h - what the consumer does next: from what is wanted, what is seen and what the journal
 * proves to a single action. No I/O, no clock: the driver acts, and says what came of it. */
#ifndef YK_DRIVERS_USBIP_RECONCILE_H
#define YK_DRIVERS_USBIP_RECONCILE_H

#include "core/report.h"
#include "drivers/usbip/journal.h"
#include "drivers/usbip/outcome.h"

#define YK_USBIP_LOOK (50 * YK_MS)           /* between looks while something is on its way */
#define YK_USBIP_SETTLE (2 * YK_SECOND)      /* for a record to be written behind its import */
#define YK_USBIP_APPEAR (10 * YK_SECOND)     /* for a device to come up behind its import */
#define YK_USBIP_MISSING YK_SECOND           /* until a device that went is taken to be gone */
#define YK_USBIP_FREEING (4 * YK_SECOND)     /* for a port to be free after its detach */
#define YK_USBIP_LOCK_WAIT (3 * YK_SECOND)   /* for the lock, until it is complained of */
#define YK_USBIP_SAVE_AGAIN YK_SECOND        /* after a failed save */
#define YK_USBIP_TRY_AGAIN (500 * YK_MS)     /* after a failure that may pass by itself */
#define YK_USBIP_TRIES 4                     /* of one attach in one attempt */
#define YK_USBIP_LIST_EVERY (30 * YK_SECOND) /* between questions whether our imports are dead */
#define YK_USBIP_ATTACH_LIMIT_MS 10000       /* of one call of the tool; a good one takes 0.1 s */
#define YK_USBIP_LIST_LIMIT_MS 8000
#define YK_USBIP_TEXT_MAX 512

enum yk_usbip_do {
    YK_USBIP_WAIT = 1, /* until `until`, or for whatever comes first */
    YK_USBIP_SAVE,     /* the journal; answered by yk_usbip_saved */
    YK_USBIP_LOCK,     /* try for the lock, and ask again */
    YK_USBIP_ATTACH,   /* call the tool for `target`; answered by yk_usbip_attached */
    YK_USBIP_DETACH,   /* now, by what was seen just now: tell the kernel to free `port` */
    YK_USBIP_UNLINK,   /* remove the record of `port`, if it is still the one of `stamp` */
    YK_USBIP_LIST      /* ask the producer of `target`; answered by yk_usbip_listed */
};

struct yk_usbip_action {
    enum yk_usbip_do what;
    yk_time until; /* YK_TIME_NEVER: for what comes */
    const struct yk_usbip_target *target;
    unsigned port;
    struct yk_usbip_stamp stamp;
    bool keep_lock; /* else it is let go */
};

/* What the intent in the journal has come to. */
enum yk_usbip_intent {
    YK_USBIP_PREPARED = 1, /* to be saved, then the tool is called */
    YK_USBIP_RUNNING,
    YK_USBIP_ENDED,
    YK_USBIP_INHERITED /* of a former life, or of a tool that does not end */
};

struct yk_usbip_mind {
    struct yk_usbip_media wanted; /* count 0: nothing */
    struct yk_usbip_journal journal;
    bool dirty;                  /* the journal differs from its file */
    yk_time save_due;            /* not before */
    uint64_t attempt;            /* counts what yk_usbip_want asked for */
    bool trying;                 /* the attempt goes on */
    unsigned mark;               /* of the next attach, less 1 */
    unsigned tries;              /* of the attach under way */
    yk_time try_due;             /* not before */
    enum yk_usbip_intent intent; /* of the entry that is one */
    yk_time resolved_since;      /* when its end was first looked at; 0: not yet */
    yk_time lock_since;          /* when the lock was first asked for; 0: not */
    yk_time list_due, list_started;
    char outcome[YK_USBIP_TEXT_MAX]; /* of the last attach, should it prove to have failed */
    bool transient;                  /* that may pass by itself */
    char failure[YK_USBIP_TEXT_MAX]; /* why the attempt or the release failed; "": it did not */
    char drift[YK_USBIP_TEXT_MAX];   /* why what was wanted and there is there no more */
    /* The driver's part: lines for the log, each said once. */
    void *owner;
    void (*say)(void *owner, const char *line);
};

/* `journal` is the one of a former life, or an empty one; `first_mark` any number, another in each
 * life. */
void yk_usbip_mind_init(struct yk_usbip_mind *mind, const struct yk_usbip_journal *journal,
                        unsigned first_mark, void *owner,
                        void (*say)(void *owner, const char *line));

/* A new attempt: this is wanted now, or nothing (count 0). */
void yk_usbip_want(struct yk_usbip_mind *mind, const struct yk_usbip_media *media, yk_time now);

/* The next single action, by what is seen now. Not to be asked between an action and its answer. */
struct yk_usbip_action yk_usbip_next(struct yk_usbip_mind *mind, const struct yk_usbip_seen *seen,
                                     bool locked, yk_time now);

/* The answers. `cause` is "" when the save is durable. */
void yk_usbip_saved(struct yk_usbip_mind *mind, const char *path, const char *cause, yk_time now);
void yk_usbip_attached(struct yk_usbip_mind *mind, const struct yk_usbip_outcome *outcome);
/* The lock cannot be had at all. */
void yk_usbip_no_lock(struct yk_usbip_mind *mind, const char *path, const char *cause);
void yk_usbip_listed(struct yk_usbip_mind *mind, struct yk_slice output);

/* What there is to report, and the words for it. */
enum yk_report yk_usbip_verdict(const struct yk_usbip_mind *mind, const struct yk_usbip_seen *seen,
                                char text[YK_USBIP_TEXT_MAX]);

#endif
