/* check.h - what must hold in every history, apart from any scenario. A checker sees each step of
 * each core with its effects, and what the world knows; it changes nothing. */
#ifndef YK_SIM_CHECK_H
#define YK_SIM_CHECK_H

#include "sim/trace.h"
#include "sim/world.h"

/* One step of one core. */
struct step {
    const struct yk_input *input;
    const struct yk_effects *effects;
    struct sent *sent[YK_EFFECTS_MAX]; /* by number of the effect; NULL for others than sends */
    const struct datagram *datagram;   /* what was heard, or NULL */
    enum yk_drop verdict;              /* of the datagram */
    const struct yk_node_view *before; /* NULL at the start of a life */
    struct yk_pairing pairing_before;
    const struct yk_node_view *after;
    bool was_blocked, is_blocked;
    uint64_t digest_before, digest_after; /* of all a peer can change; for hostile datagrams */
    bool digested;
};

struct checker {
    const char *rule; /* what a failure is called; several where a file checks more than one */
    void *(*make)(const struct world *world);
    /* A new life of a core begins (its first step follows). */
    void (*boot)(void *self, struct world *world, struct agent *agent);
    void (*step)(void *self, struct world *world, struct agent *agent, const struct step *step);
    /* All faults end now. */
    void (*calm)(void *self, struct world *world);
    /* All faults ended PLAN_SETTLE ago. */
    void (*settled)(void *self, struct world *world);
    void (*end)(void *self, struct world *world);
};

extern const struct checker check_sequence;
extern const struct checker check_durable;
extern const struct checker check_barrier;
extern const struct checker check_hostile;
extern const struct checker check_route;
extern const struct checker check_retry;
extern const struct checker check_reissue;
extern const struct checker check_traffic;
extern const struct checker check_bounds;
extern const struct checker check_converge;
extern const struct checker check_observer;

struct checks *checks_make(const struct world *world);
void checks_free(struct checks *checks);
void checks_boot(struct world *world, struct agent *agent);
void checks_step(struct world *world, struct agent *agent, const struct step *step);
void checks_calm(struct world *world);
void checks_settled(struct world *world);
void checks_end(struct world *world);

/* Ends the run with that verdict. */
__attribute__((noreturn, format(printf, 4, 5))) void check_fail(struct world *world,
                                                                const char *rule,
                                                                const struct agent *agent,
                                                                const char *format, ...);
#define check_that(world, condition, rule, agent, ...)         \
    do {                                                       \
        if (!(condition)) {                                    \
            check_fail((world), (rule), (agent), __VA_ARGS__); \
        }                                                      \
    } while (0)

/* The order of versions, apart from the core's: negative, 0 or positive. */
int version_order(const struct yk_version *a, const struct yk_version *b);
/* "7/op-a" for messages. */
struct version_text {
    char text[YK_ID_MAX + 24];
};
struct version_text version_text(const struct yk_version *version);

struct heard_all *checks_heard(const struct world *world);

/* A record for each agent of the world. */
void *check_records(const struct world *world, size_t size);

#endif
