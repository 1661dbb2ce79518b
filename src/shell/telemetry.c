#include "shell/telemetry.h"

#include "base/build.h"
#include "base/module.h"
#include "shell/log.h"
#include "shell/metrics.h"
#include "shell/status.h"
#include "shell/wall.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* ---- the documents */

static json_t *notes_of(const json_t *warnings)
{
    json_t *notes = json_array();
    json_t *warning;
    size_t index;

    json_array_foreach(warnings, index, warning)
    {
        json_array_append_new(notes, json_pack("{s:s,s:O}", "what", "warning", "text", warning));
    }
    return notes;
}

/* Some members of the status, under the same names or others. */
static json_t *some_of(const json_t *status, const char *const names[][2], size_t count)
{
    json_t *object = json_object();

    for (size_t i = 0; i < count; i++) {
        json_object_set(object, names[i][1], json_object_get(status, names[i][0]));
    }
    return object;
}

static json_t *nodes_of(const json_t *status)
{
    json_t *nodes = json_array();

    json_array_append(nodes, json_object_get(status, "self"));
    json_array_extend(nodes, json_object_get(status, "nodes"));
    return nodes;
}

/* The status of the local socket in the form that the snooper's state has too. */
json_t *yk_telemetry_state(const struct yk_node_view *view, const struct yk_status_facts *facts)
{
    static const char *const top[][2] = {{"up_ms", "up_ms"}, {"id", "self"}, {"key", "key"}};
    static const char *const network[][2] = {
        {"group", "group"}, {"port", "port"}, {"interface", "interface"}};
    static const char *const frames[][2] = {{"drops", "drops"},
                                            {"kernel_drops", "lost_before_reading"},
                                            {"receive_buffer", "receive_buffer"}};
    json_t *status = yk_status_describe(view, facts, YK_TELEMETRY_NODES_MAX);
    size_t shown = json_array_size(json_object_get(status, "nodes"));
    json_t *state = json_pack("{s:i,s:s,s:s,s:{s:s,s:s,s:s},s:f,s:n,s:I,s:[],s:i,s:[]}", "v", 1,
                              "type", "state", "source", "agent", "build", "program", "yoke-agent",
                              "version", YK_VERSION, "commit", yk_build_commit, "time",
                              (double)(yk_wall_now() / (int64_t)YK_MS) / 1000.0, "event",
                              "nodes_left_out", (json_int_t)(view->peers->table.count - shown),
                              "operations", "operations_left_out", 0, "events");

    if (status == NULL || state == NULL) {
        json_decref(state);
        state = NULL;
    } else {
        json_object_update_new(state, some_of(status, top, COUNT(top)));
        json_object_set_new(state, "network", some_of(status, network, COUNT(network)));
        json_object_set_new(state, "frames", some_of(status, frames, COUNT(frames)));
        json_object_set_new(state, "notes", notes_of(json_object_get(status, "warnings")));
        json_object_set_new(state, "nodes", nodes_of(status));
    }
    json_decref(status);
    return state;
}

static void write_self(const struct yk_node_view *view, FILE *out)
{
    const struct yk_node_options *self = view->options;
    const struct yk_id *producer = &view->pairing->producer;
    struct yk_label labels[] = {{"id", yk_slice_of(self->id.text)},
                                {"role", yk_slice_of(yk_role_word(self->role))},
                                {"kind", yk_slice_of(yk_kind_word(self->kind))},
                                {"name", self->name},
                                {"producer", yk_slice_of(producer->text)}};

    yk_metric(out, "yoke_node_info", "gauge", "Who a node is; always 1.");
    yk_sample(out, "yoke_node_info", labels, producer->size > 0 ? 5 : 4, 1);
    yk_metric(out, "yoke_node_state", "gauge", YK_METRICS_STATE_HELP);
    yk_metrics_state(out, &self->id, view->state);
}

static void write_health(const struct yk_node_view *view, const struct yk_status_facts *facts,
                         FILE *out)
{
    yk_metric_value(out, "yoke_network_joined", "gauge",
                    "Whether the control group is joined and its interface has a carrier.",
                    facts->join_problem[0] == '\0' ? 1 : 0);
    yk_metric_value(out, "yoke_state_saved", "gauge",
                    "Whether the last save of the state succeeded.",
                    facts->save_failure[0] == '\0' ? 1 : 0);
    yk_metric_value(out, "yoke_id_conflict", "gauge",
                    "Whether another node sends under this one's id.", view->id_conflict ? 1 : 0);
    yk_metric_value(out, "yoke_clock_ahead", "gauge",
                    "Whether the numbers of this node are too far ahead of the clock.",
                    view->clock_ahead ? 1 : 0);
    yk_metric_value(out, "yoke_sequence_left", "gauge",
                    "Sequence numbers that are reserved and not used yet.", view->seq_left);
}

void yk_telemetry_metrics(const struct yk_node_view *view, const struct yk_status_facts *facts,
                          const struct yk_http_counts *http, FILE *out)
{
    yk_metrics_build(out, "yoke-agent", yk_build_commit);
    yk_metric(out, "yoke_uptime_seconds", "gauge", "How long this has been running.");
    yk_sample_seconds(out, "yoke_uptime_seconds", NULL, 0, facts->now - facts->started);
    yk_metrics_frames(out, view->accepted, view->drops, facts->socket->kernel_drops);
    write_self(view, out);
    write_health(view, facts, out);
    yk_metrics_nodes(out, view->peers);
    yk_metrics_http(http, out);
}

/* ---- what the server asks for */

static bool make_state(void *owner, FILE *out, struct yk_http_making *making)
{
    struct yk_telemetry *telemetry = owner;
    struct yk_status_facts facts;
    struct yk_node_view view;
    json_t *state;
    bool good;

    telemetry->look(telemetry->owner, &view, &facts);
    state = yk_telemetry_state(&view, &facts);
    good = state != NULL && json_dumpf(state, out, JSON_COMPACT | JSON_REAL_PRECISION(16)) == 0;
    json_decref(state);
    making->done = true;
    return good;
}

static bool make_metrics(void *owner, FILE *out, struct yk_http_making *making)
{
    struct yk_telemetry *telemetry = owner;
    struct yk_http_counts counts = telemetry->table->counts(telemetry->http);
    struct yk_status_facts facts;
    struct yk_node_view view;

    telemetry->look(telemetry->owner, &view, &facts);
    yk_telemetry_metrics(&view, &facts, &counts, out);
    making->done = true;
    return true;
}

static const struct yk_http_document documents[] = {
    {"/api/v1/state", "application/json", make_state},
    {YK_METRICS_PATH, YK_METRICS_TYPE, make_metrics},
};

/* ---- life */

static void readable(uv_poll_t *poll, int status, int events)
{
    struct yk_telemetry *telemetry = poll->data;

    (void)status;
    (void)events;
    telemetry->table->run(telemetry->http);
}

static bool watch(struct yk_telemetry *telemetry, uv_loop_t *loop, struct yk_refusal *why)
{
    int error =
        uv_poll_init(loop, &telemetry->readable, telemetry->table->descriptor(telemetry->http));

    if (error == 0) {
        telemetry->readable.data = telemetry;
        error = uv_poll_start(&telemetry->readable, UV_READABLE, readable);
    }
    return error == 0 ||
           yk_refuse(why, YK_EXIT_INTERNAL, "telemetry: %s; free descriptors", uv_strerror(error));
}

bool yk_telemetry_open(struct yk_telemetry *telemetry, uv_loop_t *loop,
                       const struct yk_endpoint *endpoint, void *owner,
                       void (*look)(void *owner, struct yk_node_view *view,
                                    struct yk_status_facts *facts),
                       struct yk_refusal *why)
{
    struct yk_http_content content = {
        .owner = telemetry, .documents = documents, .document_count = COUNT(documents)};
    char text[YK_ENDPOINT_TEXT_MAX];
    struct yk_endpoint at;

    telemetry->owner = owner;
    telemetry->look = look;
    telemetry->table = yk_module_table(YK_HTTP_MODULE, sizeof *telemetry->table, why);
    if (telemetry->table == NULL) {
        return false;
    }
    telemetry->http = telemetry->table->open(&content, endpoint, "telemetry.listen", why);
    if (telemetry->http == NULL || !watch(telemetry, loop, why)) {
        yk_telemetry_close(telemetry);
        return false;
    }
    at = telemetry->table->endpoint(telemetry->http);
    yk_log(YK_LOG_INFO, "telemetry: http://%s" YK_METRICS_PATH "%s", yk_endpoint_text(text, &at),
           yk_endpoint_is_loopback(&at) ? "" : ", for everybody who reaches that address");
    return true;
}

void yk_telemetry_close(struct yk_telemetry *telemetry)
{
    if (telemetry->readable.type != UV_UNKNOWN_HANDLE) {
        uv_close((uv_handle_t *)&telemetry->readable, NULL);
    }
    if (telemetry->http != NULL) {
        telemetry->table->close(telemetry->http);
        telemetry->http = NULL;
    }
}

size_t yk_telemetry_memory(uint32_t tracked)
{
    uint32_t shown = tracked < YK_TELEMETRY_NODES_MAX ? tracked : YK_TELEMETRY_NODES_MAX;

    /* One document in the making, as a tree and as text, and what slow readers hold. */
    return YK_HTTP_ANSWERS_BYTES + yk_status_memory(shown) / YK_STATUS_CLIENTS_MAX +
           (size_t)YK_HTTP_CONNECTIONS_MAX * (YK_HTTP_REQUEST_BYTES);
}
