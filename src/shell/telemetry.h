/* telemetry.h - an agent over HTTP: its state and its metrics, only to be read (docs/http-api.md). The
 * server itself is the module yoke-http.so. */
#ifndef YK_SHELL_TELEMETRY_H
#define YK_SHELL_TELEMETRY_H

#include <uv.h>

#include "base/endpoint.h"
#include "core/node.h"
#include "http/http.h"
#include "shell/status_describe.h"

/* An agent tells of no more nodes: who is asked for the whole site is the snooper, which has nothing
 * else to do. */
#define YK_TELEMETRY_NODES_MAX 512

struct yk_telemetry {
    const struct yk_http_table *table;
    struct yk_http *http; /* NULL: not open */
    uv_poll_t readable;
    void *owner;
    void (*look)(void *owner, struct yk_node_view *view, struct yk_status_facts *facts);
};

/* Listens. `look` fills what its owner knows now, for as long as one document is made. Zeroed before;
 * false and `why` when that address cannot be had, then nothing is open. */
bool yk_telemetry_open(struct yk_telemetry *telemetry, uv_loop_t *loop,
                       const struct yk_endpoint *endpoint, void *owner,
                       void (*look)(void *owner, struct yk_node_view *view,
                                    struct yk_status_facts *facts),
                       struct yk_refusal *why);
/* Also when it is not open. */
void yk_telemetry_close(struct yk_telemetry *telemetry);

/* Worst-case memory of it, bytes. */
size_t yk_telemetry_memory(uint32_t tracked);

/* The documents, for whoever serves them. A new object, or NULL without memory. */
json_t *yk_telemetry_state(const struct yk_node_view *view, const struct yk_status_facts *facts);
void yk_telemetry_metrics(const struct yk_node_view *view, const struct yk_status_facts *facts,
                          const struct yk_http_counts *http, FILE *out);

#endif
