/* local.h - what agents of this host have learned already, from their status sockets. */
#ifndef YK_CLI_LOCAL_H
#define YK_CLI_LOCAL_H

#include <stdio.h>

#include "cli/querier_seen.h"
#include "cli/site.h"

#define YK_LOCAL_AGENTS_MAX 64        /* sockets looked at */
#define YK_LOCAL_ANSWER_MS 250        /* for one of them; it usually takes one or two */
#define YK_LOCAL_PAUSE (10 * YK_MS)   /* before one that is busy is asked again */
#define YK_LOCAL_BUDGET (500 * YK_MS) /* after that no other is asked */
#define YK_LOCAL_VERSION_MAX 64       /* bytes kept of a version */
#define YK_LOCAL_WARNINGS_MAX 32      /* kept of all agents */

/* One of them. */
struct yk_local_agent {
    struct yk_id id;
    struct yk_querier_seen querier;
    int64_t retry_ms; /* until its driver is asked again; negative: nothing is due */
    char version[YK_LOCAL_VERSION_MAX]; /* of yoke, that it runs; "" when it does not say */
    char commit[YK_LOCAL_VERSION_MAX];
};

struct yk_local {
    unsigned agents; /* that serve our group with our key */
    struct yk_local_agent list[YK_LOCAL_AGENTS_MAX];
    yk_time up_longest; /* for how long the oldest of them runs, nanoseconds */
    size_t warning_count;
    char *warnings[YK_LOCAL_WARNINGS_MAX]; /* what they want the operator to know */
};

/* Asks the agents of this host; what those of our group, port and key know goes to the site's
 * knowledge. Where no interface was given, theirs is ours. `local` needs yk_local_fini. */
void yk_local_learn(struct yk_local *local, struct yk_site *site);
/* Which yoke each of them runs: a line each. */
void yk_local_print_versions(const struct yk_local *local, FILE *out);
/* Says the warnings on standard error. */
void yk_local_say_warnings(const struct yk_local *local);
void yk_local_fini(struct yk_local *local);

#endif
