/* What a collector of metrics may keep: few series that are always there, and some for each node. */
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

/* Calls `write` for those of the nodes that are still there and have series of their own. */
static void each_node(const struct yk_view *view, const struct yk_view_nodes *nodes, FILE *out,
                      void (*write)(const struct yk_view *view, const struct yk_peer *peer,
                                    FILE *out))
{
    for (size_t i = 0; i < nodes->count && i < YK_VIEW_METRICS_NODES_MAX; i++) {
        const struct yk_peer *peer = yk_peers_find(&view->snoop->observer->peers, &nodes->ids[i]);

        if (peer != NULL) {
            write(view, peer, out);
        }
    }
}

static void write_info(const struct yk_view *view, const struct yk_peer *peer, FILE *out)
{
    struct yk_peer_text text;
    struct yk_label labels[] = {{"id", yk_slice_of(peer->entry.id.text)},
                                {"role", yk_slice_of(yk_role_word(peer->role))},
                                {"kind", yk_slice_of(yk_kind_word(peer->kind))},
                                {"name", {NULL, 0}},
                                {"producer", yk_slice_of(peer->pairing.producer.text)}};

    yk_peers_text(&view->snoop->observer->peers, peer, &text);
    labels[3].value = text.name;
    /* An empty label is no label: a producer shows nobody. */
    yk_sample(out, "yoke_node_info", labels, peer->pairing.producer.size > 0 ? 5 : 4, 1);
}

static void write_up(const struct yk_view *view, const struct yk_peer *peer, FILE *out)
{
    (void)view;
    yk_sample_word(out, "yoke_node_up", "id", peer->entry.id.text,
                   peer->presence == YK_PRESENCE_LIVE ? 1 : 0);
}

static void write_state(const struct yk_view *view, const struct yk_peer *peer, FILE *out)
{
    (void)view;
    yk_metrics_state(out, &peer->entry.id, peer->state);
}

static void write_age(const struct yk_view *view, const struct yk_peer *peer, FILE *out)
{
    struct yk_label labels[] = {{"id", yk_slice_of(peer->entry.id.text)}};

    yk_sample_seconds(out, "yoke_node_announcement_age_seconds", labels, 1,
                      view->at.now - peer->last_ann);
}

/* What there is whoever is there. */
static bool write_all(const struct yk_view *view, const struct yk_http_counts *http, FILE *out,
                      struct yk_http_making *making)
{
    const struct yk_observer *observer = view->snoop->observer;
    const struct yk_view_nodes *nodes = making->memory = yk_view_nodes(view);

    if (nodes == NULL) {
        return false;
    }
    yk_metrics_build(out, "yoke-snoop", view->commit);
    yk_metric(out, "yoke_uptime_seconds", "gauge", "How long this has been running.");
    yk_sample_seconds(out, "yoke_uptime_seconds", NULL, 0, view->at.now - view->started.now);
    yk_metrics_frames(out, observer->receiver.drops[YK_DROP_NONE], observer->receiver.drops,
                      view->snoop->kernel_drops);
    yk_metric_value(out, "yoke_not_kept_total", "counter",
                    "Nodes and operations that were pushed out of full tables.",
                    yk_observer_not_kept(observer));
    write_events(&view->counts, out);
    yk_metrics_http(http, out);
    yk_metrics_nodes(out, &observer->peers);
    yk_metric_value(
        out, "yoke_nodes_without_series", "gauge",
        "Nodes beyond the bound on series: counted, and not told one by one.",
        nodes->count > YK_VIEW_METRICS_NODES_MAX ? nodes->count - YK_VIEW_METRICS_NODES_MAX : 0);
    return true;
}

bool yk_view_metrics(const struct yk_view *view, const struct yk_http_counts *http, FILE *out,
                     struct yk_http_making *making)
{
    static const struct {
        const char *name, *help;
        void (*write)(const struct yk_view *view, const struct yk_peer *peer, FILE *out);
    } families[] = {
        {"yoke_node_info", "Who a node is; always 1.", write_info},
        {"yoke_node_up", "Whether a node is live.", write_up},
        {"yoke_node_state", YK_METRICS_STATE_HELP, write_state},
        {"yoke_node_announcement_age_seconds", "Time since a node's last announcement.", write_age},
    };
    const size_t count = sizeof families / sizeof families[0];
    unsigned part = making->part++;

    if (part == 0) {
        return write_all(view, http, out, making);
    }
    yk_metric(out, families[part - 1].name, "gauge", families[part - 1].help);
    each_node(view, making->memory, out, families[part - 1].write);
    making->done = part == count;
    return true;
}
