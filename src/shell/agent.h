/* agent.h - one running agent: a loop that carries inputs to the core and performs its effects. It
 * decides nothing. */
#ifndef YK_SHELL_AGENT_H
#define YK_SHELL_AGENT_H

#include "core/node.h"
#include "shell/config.h"

/* Beyond the driver's own limit: how long the core waits for it at a stop, and how long a stop may
 * take before the process ends without it. */
#define YK_STOP_MARGIN (500 * YK_MS)
#define YK_STOP_LIMIT (2 * YK_SECOND)

/* What a start has read and checked; all borrowed while the agent runs. */
struct yk_agent_site {
    const struct yk_config *config;
    struct yk_auth *auth;    /* changed by a reload */
    const char *config_path; /* read again by a reload; NULL: there is none */
    bool level_is_held;      /* the command line's log level goes before the configuration's */
    struct yk_durable state; /* as loaded, the lease being held */
};

/* The core's options for that configuration. */
void yk_agent_node_options(struct yk_node_options *options, const struct yk_config *config,
                           const struct yk_auth *auth);
/* Worst-case memory of an agent that tracks so many nodes, bytes. */
size_t yk_agent_memory(uint32_t tracked);

/* Runs until an orderly stop; gives the exit status. When it is not 0 and the agent never ran, `why`
 * says why; `why->text` is "" otherwise. */
int yk_agent_run(const struct yk_agent_site *site, struct yk_refusal *why);

#endif
