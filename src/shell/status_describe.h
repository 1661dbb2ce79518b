/* status_describe.h - what an agent says of itself and of the site, as the object of status.h. */
#ifndef YK_SHELL_STATUS_DESCRIBE_H
#define YK_SHELL_STATUS_DESCRIBE_H

#include <jansson.h>

#include "core/node.h"
#include "shell/querier.h"
#include "shell/socket.h"

/* Beside the node's own view; all borrowed for the call. */
struct yk_status_facts {
    const struct yk_network *network;
    const struct yk_socket *socket;
    const struct yk_auth *auth;
    yk_time started; /* of the agent */
    yk_time now;
    int64_t wall_ns;
    const char *join_problem;         /* "" when the group is joined and the carrier there */
    const struct yk_querier *querier; /* NULL: nothing is said of it */
    const char *save_failure;         /* of the last save; "" when it succeeded */
};

/* Worst-case memory while YK_STATUS_CLIENTS_MAX answers wait for slow readers, bytes. */
size_t yk_status_memory(uint32_t tracked);

/* A new object, or NULL without memory; with the last
 * heard of peers and intents, `most` of each. */
json_t *yk_status_describe(const struct yk_node_view *view, const struct yk_status_facts *facts,
                           size_t most);

#endif
