/* chain.h - from a pairing to its picture, link by link, up to the first that is broken. No I/O, no
 * clock: what a tool learned comes in as facts. */
#ifndef YK_CLI_CHAIN_H
#define YK_CLI_CHAIN_H

#include "cli/knowledge.h"
#include "cli/querier_seen.h"
#include "cli/trouble.h"
#include "core/clocks.h"

#define YK_CHAIN_MAX 16      /* links */
#define YK_LINK_NEXT_MAX 512 /* bytes of a command to run next */
enum yk_verdict {
    YK_LINK_OK = 1,
    YK_LINK_BROKEN,   /* the first one; nothing comes behind it */
    YK_LINK_UNCHECKED /* it cannot be seen from here */
};

struct yk_link {
    const char *name; /* "heard", "key", ... */
    enum yk_verdict verdict;
    char text[YK_TROUBLE_MAX];   /* raw */
    char next[YK_LINK_NEXT_MAX]; /* the command or the step that helps; "" is none */
};

/* What was heard of one node by the tool itself, beside what its knowledge holds. */
struct yk_overheard {
    struct yk_id id;
    bool has_clock;
    int64_t clock_ahead_ms; /* its clock less ours */
    uint64_t unverified;    /* frames under this id that no key of ours verifies */
    uint64_t ahead;         /* frames from over an hour ahead of our clock */
    struct yk_address from; /* of the last of these */
};

/* The media at the consumer's host. */
enum yk_arrival {
    YK_ARRIVAL_ELSEWHERE = 1, /* the consumer's agent is not on this host */
    YK_ARRIVAL_UNKNOWN,       /* `arrival_why` */
    YK_ARRIVAL_NONE,
    YK_ARRIVAL_SOME
};

struct yk_chain_facts {
    const struct yk_knowledge *knowledge;
    struct yk_overheard consumer, producer; /* the producer's id is "none" when there is none */
    const char *key;                        /* the site's fingerprint, "" when open */
    const char *place;                      /* where was listened, for people */
    yk_time now;
    int64_t wall_ns, built_ns; /* this host's clock, and when this program was made (0: unknown) */
    bool is_here;              /* the consumer's agent runs on this host */
    int64_t retry_ms;          /* until its driver is asked again; negative: not known or not due */
    const char *warning;       /* what that agent says is wrong; "" is nothing */
    enum yk_arrival arrival;
    struct yk_querier_seen querier;
    unsigned arrived;        /* datagrams */
    yk_time arrival_time;    /* within */
    const char *arrival_why; /* why it is unknown */
};

struct yk_chain {
    size_t count;
    struct yk_link links[YK_CHAIN_MAX];
};

/* Walks the chain. True when it is whole: no link is broken. */
bool yk_chain_walk(struct yk_chain *chain, const struct yk_chain_facts *facts);
/* The word of a verdict: "ok", "broken", "unchecked". */
const char *yk_verdict_word(enum yk_verdict verdict);

#endif
