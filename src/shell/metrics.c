#include "shell/metrics.h"

#include <inttypes.h>

#include "base/escape.h"
#include "core/protocol.h"

/* A name is the longest text that becomes a label; more is cut between characters. */
#define LABEL_MAX YK_ESCAPED_MAX(YK_NAME_BYTES_MAX)

void yk_metric(FILE *out, const char *name, const char *type, const char *help)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void write_label(FILE *out, const struct yk_label *label)
{
    char text[LABEL_MAX];

    yk_escape(text, sizeof text, (const char *)label->value.data, label->value.size);
    fprintf(out, "%s=\"", label->name);
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '\\' || *at == '"') {
            fputc('\\', out);
        }
        fputc(*at, out);
    }
    fputc('"', out);
}

static void begin_sample(FILE *out, const char *name, const struct yk_label *labels, size_t count)
{
    fputs(name, out);
    for (size_t i = 0; i < count; i++) {
        fputc(i == 0 ? '{' : ',', out);
        write_label(out, &labels[i]);
    }
    fputs(count > 0 ? "} " : " ", out);
}

void yk_sample(FILE *out, const char *name, const struct yk_label *labels, size_t count,
               uint64_t value)
{
    begin_sample(out, name, labels, count);
    fprintf(out, "%" PRIu64 "\n", value);
}

void yk_sample_word(FILE *out, const char *name, const char *label, const char *word,
                    uint64_t value)
{
    struct yk_label labels[] = {{label, yk_slice_of(word)}};

    yk_sample(out, name, labels, 1, value);
}

void yk_metric_value(FILE *out, const char *name, const char *type, const char *help,
                     uint64_t value)
{
    yk_metric(out, name, type, help);
    yk_sample(out, name, NULL, 0, value);
}

void yk_sample_seconds(FILE *out, const char *name, const struct yk_label *labels, size_t count,
                       yk_time span)
{
    begin_sample(out, name, labels, count);
    fprintf(out, "%" PRIu64 ".%03u\n", span / YK_SECOND, (unsigned)(span % YK_SECOND / YK_MS));
}

void yk_metrics_build(FILE *out, const char *program, const char *commit)
{
    struct yk_label labels[] = {{"program", yk_slice_of(program)},
                                {"version", yk_slice_of(YK_VERSION)},
                                {"revision", yk_slice_of(commit)}};

    yk_metric(out, "yoke_build_info", "gauge", "What is running; always 1.");
    yk_sample(out, "yoke_build_info", labels, 3, 1);
}

void yk_metrics_frames(FILE *out, uint64_t accepted, const uint64_t *drops, uint64_t kernel_drops)
{
    yk_metric_value(out, "yoke_frames_accepted_total", "counter",
                    "Frames that verified and were new.", accepted);
    yk_metric(out, "yoke_frames_dropped_total", "counter",
              "Datagrams of the control group that were not accepted, by reason.");
    for (int drop = YK_DROP_NONE + 1; drop < YK_DROP_END; drop++) {
        yk_sample_word(out, "yoke_frames_dropped_total", "reason", yk_drop_word((enum yk_drop)drop),
                       drops[drop]);
    }
    yk_metric_value(out, "yoke_receive_lost_total", "counter",
                    "Datagrams that the kernel dropped for want of room.", kernel_drops);
}

void yk_metrics_nodes(FILE *out, const struct yk_peers *peers)
{
    enum { LOST = YK_STATE_END, GONE, END };
    unsigned counts[YK_ROLE_END][END] = {{0}};
    const struct yk_peer *peer = NULL;

    while ((peer = yk_peers_next(peers, peer)) != NULL) {
        size_t column = peer->presence == YK_PRESENCE_LIVE   ? (size_t)peer->state
                        : peer->presence == YK_PRESENCE_LOST ? (size_t)LOST
                                                             : (size_t)GONE;

        counts[peer->role][column]++;
    }
    yk_metric(out, "yoke_nodes", "gauge",
              "Nodes that were heard and are remembered, by announced state, lost or gone.");
    for (int role = YK_ROLE_NONE + 1; role < YK_ROLE_END; role++) {
        for (int column = YK_STATE_NONE + 1; column < END; column++) {
            const char *word = column == LOST   ? "lost"
                               : column == GONE ? "gone"
                                                : yk_state_word((enum yk_state)column);
            struct yk_label labels[] = {{"role", yk_slice_of(yk_role_word((enum yk_role)role))},
                                        {"state", yk_slice_of(word)}};

            yk_sample(out, "yoke_nodes", labels, 2, counts[role][column]);
        }
    }
}

void yk_metrics_state(FILE *out, const struct yk_id *id, enum yk_state state)
{
    for (int each = YK_STATE_NONE + 1; each < YK_STATE_END; each++) {
        struct yk_label labels[] = {{"id", yk_slice_of(id->text)},
                                    {"state", yk_slice_of(yk_state_word((enum yk_state)each))}};

        yk_sample(out, "yoke_node_state", labels, 2, (int)state == each ? 1 : 0);
    }
}

void yk_metrics_http(const struct yk_http_counts *counts, FILE *out)
{
    yk_metric_value(out, "yoke_http_connections", "gauge", "Connections that are open.",
                    counts->connections);
    yk_metric_value(out, "yoke_http_streams", "gauge", "Event streams that are open.",
                    counts->streams);
    yk_metric_value(out, "yoke_http_connections_total", "counter", "Connections that were taken.",
                    counts->connections_total);
    yk_metric_value(out, "yoke_http_requests_total", "counter", "Requests that were understood.",
                    counts->requests_total);
    yk_metric_value(out, "yoke_http_requests_refused_total", "counter",
                    "Requests that were answered with an error.", counts->refused_total);
    yk_metric_value(out, "yoke_http_connections_cut_total", "counter",
                    "Connections that were cut for being too slow.", counts->cut_total);
}
