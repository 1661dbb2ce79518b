/* conformance.h - holds what is heard against the rules of the specification (conformance.def). Pure
 * like the observer, and fed behind it.
 *
 * What a listener cannot do: prove absence. Who comes late or loses frames knows no intent that came
 * before, so that an answer may seem unasked; rules on what is missing therefore wait for proof (a
 * gap in announcements counts only where no sequence number is missing), or say what they suppose. A
 * rule on the conduct of a sender is asked only of frames that verify, others prove nothing about
 * whose id they bear. */
#ifndef YK_SNOOPER_CONFORMANCE_H
#define YK_SNOOPER_CONFORMANCE_H

#include "snooper/observer.h"

#define YK_RULE(id, word, section, sentence) YK_RULE_##id,
enum yk_rule {
    YK_RULE_NONE,
#include "snooper/conformance.def"
    YK_RULE_END
};
#undef YK_RULE

struct yk_rule_text {
    const char *word; /* its id, for programs */
    const char *section;
    const char *sentence;
};
/* Of YK_RULE_NONE + 1 to YK_RULE_END - 1. */
const struct yk_rule_text *yk_rule_text(enum yk_rule rule);

#define YK_VIOLATIONS_MAX 8 /* of one call; more than one datagram breaks at a time */
#define YK_VIOLATION_DETAIL_MAX 320
#define YK_ACKS_WAITING_MAX 64
#define YK_ACK_PATIENCE (2 * YK_SECOND) /* an intent may come behind its acknowledgment */

struct yk_violation {
    enum yk_rule rule;
    bool verified;                        /* `id` is proven by the signature */
    struct yk_id id;                      /* the origin; "none" where there is none */
    struct yk_address from;               /* of the datagram */
    char detail[YK_VIOLATION_DETAIL_MAX]; /* what was heard: ids, words and numbers only */
};

/* An acknowledgment whose intent was not heard yet. */
struct yk_unasked {
    struct yk_id consumer;
    struct yk_version version;
    struct yk_address from;
    yk_time due;
};

struct yk_conformance {
    struct yk_table senders;
    const struct yk_auth *auth; /* the site's, borrowed */
    yk_time started;
    struct yk_unasked unasked[YK_ACKS_WAITING_MAX]; /* in the order they are due */
    size_t unasked_count;
    struct yk_violation violations[YK_VIOLATIONS_MAX]; /* of the last call */
    size_t count;
    uint64_t totals[YK_RULE_END]; /* of each rule; [YK_RULE_NONE]: of all */
    uint64_t not_kept;            /* senders and acknowledgments forgotten for want of room */
};

size_t yk_conformance_memory(uint32_t tracked);
/* `memory` is zeroed, aligned for max_align_t and outlives `check`. */
void yk_conformance_init(struct yk_conformance *check, void *memory, uint32_t tracked,
                         uint64_t hash_seed, const struct yk_auth *auth, yk_time now);

/* What `observer` has just heard; fills the list of violations. */
void yk_conformance_hear(struct yk_conformance *check, const struct yk_observer *observer,
                         const struct yk_heard_frame *heard);
/* Time passed: fills the list anew. To be called until the deadline is beyond `now`. */
void yk_conformance_tick(struct yk_conformance *check, const struct yk_observer *observer,
                         yk_time now);
yk_time yk_conformance_deadline(const struct yk_conformance *check);

#endif
