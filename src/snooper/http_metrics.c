/* What a collector of metrics may keep: few series that are always there, and some for each node. */
#include <stdlib.h>

#include "shell/metrics.h"
#include "snooper/http_view.h"

/* Changes, by what they come to: a node said so, or it was concluded. Slugs that we do not know are one
 * series together. */
static void write_events(const struct yk_view_counts *counts, FILE *out)
{
    static const char name[] = "yoke_events_total";

    yk_metric(out, name, "counter", "Changes that were observed, by event.");
    yk_sample_word(out, name, "event", "node-new", counts->node_new);
    yk_sample_word(out, name, "event", "node-gone", counts->node_gone);
    for (int event = YK_EVENT_NONE + 1; event < YK_EVENT_END; event++) {
        struct yk_slice word = yk_slice_of(yk_event_word((enum yk_event)event));

        if (yk_event_parse(word) != YK_EVENT_NONE) { /* not a note of the local log */
            yk_sample_word(out, name, "event", (const char *)word.data, counts->events[event]);
        }
    }
    yk_sample_word(out, name, "event", "other", counts->events[YK_EVENT_NONE]);
    yk_metric(out, "yoke_operations_total", "counter",
              "Operations that came to an outcome; one may come to several in turn.");
    for (int outcome = YK_SEEN_WAITING; outcome < YK_SEEN_END; outcome++) {
        yk_sample_word(out, "yoke_operations_total", "outcome",
                       yk_outcome_seen_word((enum yk_outcome_seen)outcome),
                       counts->outcomes[outcome]);
    }
}

static void write_infos(const struct yk_view *view, const struct yk_peer *const *list, size_t count,
                        FILE *out)
{
    static const char name[] = "yoke_node_info";

    yk_metric(out, name, "gauge", "Who a node is; always 1.");
    for (size_t i = 0; i < count; i++) {
        struct yk_peer_text text;
        struct yk_label labels[] = {{"id", yk_slice_of(list[i]->entry.id.text)},
                                    {"role", yk_slice_of(yk_role_word(list[i]->role))},
                                    {"kind", yk_slice_of(yk_kind_word(list[i]->kind))},
                                    {"name", {NULL, 0}},
                                    {"producer", yk_slice_of(list[i]->pairing.producer.text)}};

        yk_peers_text(&view->snoop->observer->peers, list[i], &text);
        labels[3].value = text.name;
        /* An empty label is no label: a producer shows nobody. */
        yk_sample(out, name, labels, list[i]->pairing.producer.size > 0 ? 5 : 4, 1);
    }
}

static void write_ups(const struct yk_peer *const *list, size_t count, FILE *out)
{
    static const char name[] = "yoke_node_up";

    yk_metric(out, name, "gauge", "Whether a node is live.");
    for (size_t i = 0; i < count; i++) {
        yk_sample_word(out, name, "id", list[i]->entry.id.text,
                       list[i]->presence == YK_PRESENCE_LIVE ? 1 : 0);
    }
}

static void write_states(const struct yk_peer *const *list, size_t count, FILE *out)
{
    yk_metric(out, "yoke_node_state", "gauge", YK_METRICS_STATE_HELP);
    for (size_t i = 0; i < count; i++) {
        yk_metrics_state(out, &list[i]->entry.id, list[i]->state);
    }
}

static void write_ages(const struct yk_view *view, const struct yk_peer *const *list, size_t count,
                       FILE *out)
{
    static const char name[] = "yoke_node_announcement_age_seconds";

    yk_metric(out, name, "gauge", "Time since a node's last announcement.");
    for (size_t i = 0; i < count; i++) {
        struct yk_label labels[] = {{"id", yk_slice_of(list[i]->entry.id.text)}};

        yk_sample_seconds(out, name, labels, 1, view->at.now - list[i]->last_ann);
    }
}

static void write_nodes(const struct yk_view *view, FILE *out)
{
    size_t count, shown;
    const struct yk_peer **list = yk_view_nodes(view, &count);

    if (list == NULL) {
        return;
    }
    shown = count < YK_VIEW_METRICS_NODES_MAX ? count : YK_VIEW_METRICS_NODES_MAX;
    yk_metrics_nodes(out, &view->snoop->observer->peers);
    yk_metric_value(out, "yoke_nodes_without_series", "gauge",
                    "Nodes beyond the bound on series: counted, and not told one by one.",
                    count - shown);
    write_infos(view, list, shown, out);
    write_ups(list, shown, out);
    write_states(list, shown, out);
    write_ages(view, list, shown, out);
    free(list);
}

void yk_view_metrics(const struct yk_view *view, const struct yk_http_counts *http, FILE *out)
{
    yk_metrics_build(out, "yoke-snoop", view->commit);
    yk_metric(out, "yoke_uptime_seconds", "gauge", "How long this has been running.");
    yk_sample_seconds(out, "yoke_uptime_seconds", NULL, 0, view->at.now - view->started.now);
    yk_metrics_frames(out, view->snoop->observer->receiver.drops, view->snoop->kernel_drops);
    yk_metric_value(out, "yoke_not_kept_total", "counter",
                    "Nodes and operations that were pushed out of full tables.",
                    yk_observer_not_kept(view->snoop->observer));
    write_events(&view->counts, out);
    write_nodes(view, out);
    yk_metrics_http(http, out);
}
