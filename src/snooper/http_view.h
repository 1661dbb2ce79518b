/* http_view.h - what the snooper shows over HTTP, as text (docs/http-api.md). No I/O. */
#ifndef YK_SNOOPER_HTTP_VIEW_H
#define YK_SNOOPER_HTTP_VIEW_H

#include <stdio.h>

#include "snooper/news.h"
#include "snooper/snoop.h"
#include "snooper/top.h"

/* How many of each are told; what is left out is counted. */
#define YK_VIEW_OPERATIONS_MAX 256
#define YK_VIEW_EVENTS_MAX 64
#define YK_VIEW_NOTES_MAX 8           /* two-senders alone could be as many as nodes */
#define YK_VIEW_METRICS_NODES_MAX 512 /* nodes with series of their own */

/* Counted here, for the observer has no need of it. */
struct yk_view_counts {
    uint64_t events[YK_EVENT_END];  /* changes by what they come to; [YK_EVENT_NONE]: others */
    uint64_t outcomes[YK_SEEN_END]; /* operations that came to it */
    uint64_t node_new, node_gone;
};

struct yk_view {
    const struct yk_snoop *snoop;
    const char *commit;           /* of this build */
    struct yk_moment started, at; /* `at`: now, for what is written next */
    struct yk_top rates;          /* only these of it */
    struct yk_news news;
    struct yk_view_counts counts;
};

/* A change becomes an event, and is counted. */
void yk_view_changed(struct yk_view *view, struct yk_moment at, const struct yk_change *change);
/* What the stream says every now and then. */
void yk_view_beat(struct yk_view *view);

/* One JSON object, and metrics in Prometheus' text format (`http` is what the server counted): each
 * writes the next part, for struct yk_http_document. */
bool yk_view_state(const struct yk_view *view, FILE *out, struct yk_http_making *making);
bool yk_view_metrics(const struct yk_view *view, const struct yk_http_counts *http, FILE *out,
                     struct yk_http_making *making);

/* The nodes that a document is to tell of, in the order of their ids: they may go while it is made. */
struct yk_view_nodes {
    size_t count;
    size_t told; /* so far, of those that were still there */
    struct yk_id ids[];
};
/* From malloc; NULL when there is no memory. */
struct yk_view_nodes *yk_view_nodes(const struct yk_view *view);

#endif
