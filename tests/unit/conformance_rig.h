/* conformance_rig.h - the snooper's rules under test: frames from others go in, and the words of what
 * they broke come out. The cases of a group of rules stand in the test program of that group. */
#ifndef YK_TESTS_CONFORMANCE_RIG_H
#define YK_TESTS_CONFORMANCE_RIG_H

#include "snooper/conformance.h"
#include "unit/snoop_rig.h"

#define CONF_SENDERS 8
#define CONF_DROPS "{\"auth\":1,\"malformed\":0,\"oversize\":0,\"stale\":0,\"version\":0}"

struct conf_rig {
    struct snoop_rig rig;
    struct yk_conformance check;
    void *memory;
    char told[4096];                 /* the words of what was broken, a space behind each */
    struct yk_violation last;        /* the last of them */
    const char *known[CONF_SENDERS]; /* senders and the next number of each */
    uint64_t numbers[CONF_SENDERS];  /* as they come: nothing is missed */
    int64_t ts_shift_ms;             /* of the senders' clocks */
};

extern struct conf_rig conf;
extern const struct yk_address conf_home, conf_away; /* where frames come from: home at first */

/* All anew, as snoop_init_keys has it; the second with one key for all. */
void conf_start_keys(const char *site_key, const char *own_key);
void conf_start(void);
void conf_pass(yk_time duration);

/* A datagram, and the last one once more. */
void conf_hear(const void *bytes, size_t size);
void conf_again(void);

/* The number that the next frame of `origin` will have. */
uint64_t *conf_number_of(const char *origin);
/* The frame of `origin` with its next number, unless it has one. */
void conf_say(const char *origin, struct yk_frame frame);
/* The same for a body that we would not write; `sig` NULL: the right one. */
void conf_say_text(const char *origin, const char *type, const char *body, const char *sig);

/* Announcements of "dec", and one of a producer to be said. */
void conf_consumer(enum yk_state state, const char *producer, uint64_t n, const char *author);
void conf_idle(void);
struct yk_frame conf_producing(enum yk_kind kind);
/* An intent for "dec"; `producer` NULL: unpair. */
void conf_intend(const char *tool, const char *producer, uint64_t n, const char *author);
void conf_acknowledge(const char *origin, uint64_t n, const char *author, bool applied,
                      enum yk_reason reason);
/* Of "dec". */
void conf_applied(uint64_t n, const char *author);
void conf_superseded(uint64_t n, const char *author);
void conf_event(enum yk_event which, const char *detail);
void conf_bye(void);
void conf_restart(void); /* the block of numbers is left behind */

/* The rules of conformance.def in groups, each from its first to its last; one group follows the
 * other (test_conformance.c). */
#define CONF_FRAME_RULES YK_RULE_OVERSIZE, YK_RULE_FUTURE
#define CONF_BODY_RULES YK_RULE_PAIRING_VERSION, YK_RULE_IDLE_PAIRED
#define CONF_CONDUCT_RULES YK_RULE_SEQ_BACK, YK_RULE_AFTER_BYE
#define CONF_PAIRING_RULES YK_RULE_ACK_PRODUCER, YK_RULE_KIND_MISMATCH

/* What breaks a rule and nothing else, and what is near it and keeps it. */
struct conf_case {
    void (*breaks)(void);
    void (*keeps)(void);
};

/* Asserts for all rules from `first` to `last` that there is such a case, at its rule's index, and
 * that the rule, and no other, speaks when it is broken; and that it is silent when it is kept. */
void conf_expect_broken(const struct conf_case *cases, enum yk_rule first, enum yk_rule last);
void conf_expect_kept(const struct conf_case *cases, enum yk_rule first, enum yk_rule last);

#endif
