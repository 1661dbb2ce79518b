/* options.h - the command line of `yoke snoop`. */
#ifndef YK_SNOOPER_OPTIONS_H
#define YK_SNOOPER_OPTIONS_H

#include "base/endpoint.h"
#include "cli/options.h"

enum yk_topology_form {
    YK_TOPOLOGY_NONE,
    YK_TOPOLOGY_TEXT,
    YK_TOPOLOGY_DOT,
    YK_TOPOLOGY_SVG,
    YK_TOPOLOGY_JSON
};

struct yk_snoop_options {
    struct yk_options common; /* listen_given false: until interrupted */
    bool quiet;
    enum yk_topology_form topology;
    const char *record; /* a capture file to make; NULL: none */
    const char *read;   /* a capture file to hear instead of the network; NULL: none */
    bool media;
    const char *producer; /* of --media: an id or a human name; NULL: all of them */
    bool top;
    bool check;
    bool rules; /* list those of --check */
    bool http;
    struct yk_endpoint http_at;
};

/* The options of snoop alone, for its verb. */
extern const struct yk_option yk_snoop_option_rows[];
extern const size_t yk_snoop_option_count;

/* True when the options go together. */
bool yk_snoop_options_check(const struct yk_snoop_options *options, struct yk_refusal *why);

#endif
