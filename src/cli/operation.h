/* operation.h - one pairing or unpairing, from the first word heard to its outcome: what to send and
 * when, and what the answers mean. No I/O, no clock, no chance: the caller brings frames, time and
 * fresh ids, and does what is wanted. */
#ifndef YK_CLI_OPERATION_H
#define YK_CLI_OPERATION_H

#include "cli/knowledge.h"
#include "cli/names.h"

#define YK_OPERATION_RETRY_MIN (10 * YK_MS)
#define YK_OPERATION_RETRY_MAX (250 * YK_MS)
/* Fresh version authors an operation may need: one, and another when the first intent had to be
 * written without knowing the consumer's version and turns out to be too low. */
#define YK_OPERATION_AUTHORS 2

enum yk_outcome {
    YK_OUTCOME_NONE,
    YK_OUTCOME_APPLIED,
    YK_OUTCOME_ACTIVE,
    YK_OUTCOME_IDLE,
    YK_OUTCOME_REFUSED,
    YK_OUTCOME_UNANSWERED,
    YK_OUTCOME_NOT_ACTIVE,
    YK_OUTCOME_NOT_IDLE,
    YK_OUTCOME_EXHAUSTED, /* the consumer's version counter is at its end */
    YK_OUTCOME_MISTAKE    /* what was asked cannot be; nothing was sent */
};

enum yk_mistake {
    YK_MISTAKE_NONE,
    YK_MISTAKE_UNKNOWN,   /* neither an id nor anybody's name */
    YK_MISTAKE_AMBIGUOUS, /* the name of several nodes */
    YK_MISTAKE_ROLE,      /* a producer as the consumer, or the reverse */
    YK_MISTAKE_SELF       /* a consumer paired to itself */
};

/* One of the two that are to be joined. */
struct yk_end {
    const char *word; /* as typed; NULL: unpair has no producer */
    enum yk_role role;
    bool settled;
    struct yk_id id;
    struct yk_names found;
};

/* What the person should be told as it happens. */
enum yk_tell {
    YK_TELL_NONE,
    YK_TELL_HEARD,    /* the consumer is there */
    YK_TELL_UNHEARD,  /* it is not; the intent is sent all the same */
    YK_TELL_STRANGER, /* the producer is not there; the pairing will be pending */
    YK_TELL_SENT,
    YK_TELL_AGAIN, /* heard now that its version is above ours: written anew */
    YK_TELL_SAVED,
    YK_TELL_REACHED, /* the state that was waited for is there */
    YK_TELL_END
};

enum yk_want {
    YK_WANT_WAIT = 1, /* for a frame, or for yk_operation_deadline */
    YK_WANT_TELL,     /* `told` */
    YK_WANT_SEND,     /* `intent`, in a fresh frame */
    YK_WANT_NOTHING   /* it is over: `outcome` */
};

enum yk_phase { YK_PHASE_LEARN = 1, YK_PHASE_SEND, YK_PHASE_SAVED, YK_PHASE_OVER };

struct yk_operation_options {
    enum yk_op op;
    const char *consumer, *producer; /* as typed; borrowed for the operation's life */
    enum yk_state wait;              /* YK_STATE_NONE: until it is applied */
    yk_time timeout;
    struct yk_id authors[YK_OPERATION_AUTHORS]; /* fresh and unpredictable */
};

struct yk_operation {
    struct yk_operation_options options;
    const struct yk_knowledge *knowledge; /* borrowed; told of every frame before we are */
    enum yk_phase phase;
    yk_time started, learn_until, deadline, next_send, retry, ended;
    struct yk_end consumer, producer;
    struct yk_intent intent; /* its version's n is 0 until one is written */
    size_t authored;
    bool blind;     /* written without knowing any version of the consumer */
    bool overruled; /* the consumer said so of a blind one; its announcement will say by which */
    bool doubtful;  /* sent before the producer had the time to speak: it may be there or not */
    yk_time saved;  /* when that was heard */
    unsigned sent;
    unsigned tells; /* bits, by enum yk_tell */
    enum yk_tell told;
    enum yk_outcome outcome;
    enum yk_mistake mistake;
    const struct yk_end *mistaken; /* NULL: both */
    enum yk_reason reason;         /* of the ack; YK_REASON_NONE: none */
    struct yk_version rival;       /* the version that took our place; n 0: none */
    bool consumer_heard;           /* announced itself; `state` and `err` are its last */
    enum yk_state state;
    bool has_err;
    size_t err_size;
    char err[YK_FRAME_MAX];
};

/* Begins; what the knowledge holds already is used. The words must be possible names. */
void yk_operation_start(struct yk_operation *operation, const struct yk_operation_options *options,
                        const struct yk_knowledge *knowledge, yk_time now);
/* An accepted frame, not one of our own. */
void yk_operation_hear(struct yk_operation *operation, const struct yk_frame *frame, yk_time now);
/* What is wanted at `now`; to be asked until it is YK_WANT_WAIT or YK_WANT_NOTHING. */
enum yk_want yk_operation_next(struct yk_operation *operation, yk_time now);
/* When to ask again if nothing is heard. */
yk_time yk_operation_deadline(const struct yk_operation *operation);
/* The word of an outcome as `--json` has it; "" for a mistake. */
const char *yk_outcome_word(enum yk_outcome outcome);

#endif
