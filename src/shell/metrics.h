/* metrics.h - metrics in the text format of Prometheus (version 0.0.4): snooper and agent write theirs
 * with these. Counters end in _total, units are in the name, all begin with yoke_. */
#ifndef YK_SHELL_METRICS_H
#define YK_SHELL_METRICS_H

#include <stdint.h>
#include <stdio.h>

#include "core/peers.h"
#include "http/http.h"

#define YK_METRICS_PATH "/metrics"
#define YK_METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* One label. The value may be anybody's text: what could harm a terminal is escaped as everywhere, then
 * what the format needs. */
struct yk_label {
    const char *name;
    struct yk_slice value;
};

/* The two lines before the samples of one metric; `type` is "counter" or "gauge". */
void yk_metric(FILE *out, const char *name, const char *type, const char *help);
/* A sample of it; `name` is the same again. */
void yk_sample(FILE *out, const char *name, const struct yk_label *labels, size_t count,
               uint64_t value);
/* With one label whose value is a word of ours. */
void yk_sample_word(FILE *out, const char *name, const char *label, const char *word,
                    uint64_t value);
/* Metric and sample in one, without labels. */
void yk_metric_value(FILE *out, const char *name, const char *type, const char *help,
                     uint64_t value);
/* A span in seconds, with its fraction. */
void yk_sample_seconds(FILE *out, const char *name, const struct yk_label *labels, size_t count,
                       yk_time span);

/* yoke_build_info. */
void yk_metrics_build(FILE *out, const char *program, const char *commit);
/* Frames that were accepted, dropped (by enum yk_drop) and lost in the kernel. */
void yk_metrics_frames(FILE *out, uint64_t accepted, const uint64_t *drops, uint64_t kernel_drops);
/* How many peers there are, by role and by state; who is not live counts apart. */
void yk_metrics_nodes(FILE *out, const struct yk_peers *peers);
#define YK_METRICS_STATE_HELP "The state announced last: 1 for that one, 0 for the others."
/* The samples of yoke_node_state for one node. */
void yk_metrics_state(FILE *out, const struct yk_id *id, enum yk_state state);
/* What the server itself counted. */
void yk_metrics_http(const struct yk_http_counts *counts, FILE *out);

#endif
