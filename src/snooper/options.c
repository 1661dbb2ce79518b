#include "snooper/options.h"

#include <string.h>

static struct yk_snoop_options *whole(struct yk_options *options)
{
    return (struct yk_snoop_options *)(void *)options;
}

static bool set_for(struct yk_options *options, const struct yk_verb *verb, const char *value,
                    struct yk_refusal *why)
{
    (void)verb;
    options->listen_given = true;
    return yk_seconds_parse(value, "--for", &options->listen, why);
}

static bool set_quiet(struct yk_options *options, const struct yk_verb *verb, const char *value,
                      struct yk_refusal *why)
{
    (void)verb;
    (void)value;
    (void)why;
    whole(options)->quiet = true;
    return true;
}

static bool set_topology(struct yk_options *options, const struct yk_verb *verb, const char *value,
                         struct yk_refusal *why)
{
    static const char *const words[] = {[YK_TOPOLOGY_TEXT] = "text",
                                        [YK_TOPOLOGY_DOT] = "dot",
                                        [YK_TOPOLOGY_SVG] = "svg",
                                        [YK_TOPOLOGY_JSON] = "json"};

    (void)verb;
    for (int form = YK_TOPOLOGY_TEXT; form <= YK_TOPOLOGY_JSON; form++) {
        if (strcmp(value, words[form]) == 0) {
            whole(options)->topology = (enum yk_topology_form)form;
            return true;
        }
    }
    return yk_refuse(why, YK_EXIT_USAGE,
                     "--topology: \"%s\" is no form of it; give text, dot, svg or json", value);
}

static bool set_top(struct yk_options *options, const struct yk_verb *verb, const char *value,
                    struct yk_refusal *why)
{
    (void)verb;
    (void)value;
    (void)why;
    whole(options)->top = true;
    return true;
}

static bool set_media(struct yk_options *options, const struct yk_verb *verb, const char *value,
                      struct yk_refusal *why)
{
    (void)verb;
    (void)why;
    whole(options)->media = true;
    whole(options)->producer = value;
    return true;
}

static bool set_record(struct yk_options *options, const struct yk_verb *verb, const char *value,
                       struct yk_refusal *why)
{
    (void)verb;
    (void)why;
    whole(options)->record = value;
    return true;
}

static bool set_read(struct yk_options *options, const struct yk_verb *verb, const char *value,
                     struct yk_refusal *why)
{
    (void)verb;
    (void)why;
    whole(options)->read = value;
    return true;
}

static bool set_check(struct yk_options *options, const struct yk_verb *verb, const char *value,
                      struct yk_refusal *why)
{
    (void)verb;
    (void)value;
    (void)why;
    whole(options)->check = true;
    return true;
}

static bool set_rules(struct yk_options *options, const struct yk_verb *verb, const char *value,
                      struct yk_refusal *why)
{
    (void)verb;
    (void)value;
    (void)why;
    whole(options)->rules = true;
    return true;
}

static bool set_http(struct yk_options *options, const struct yk_verb *verb, const char *value,
                     struct yk_refusal *why)
{
    (void)verb;
    whole(options)->http = true;
    return yk_endpoint_parse(&whole(options)->http_at, value, "--http", YK_EXIT_USAGE, why);
}

const struct yk_option yk_snoop_option_rows[] = {
    {"--for", "SECONDS", "stop after that long; until interrupted unless given", 0, set_for},
    {"-q", NULL, "changes only, not every frame", 0, set_quiet},
    {"--top", NULL, "a live screen: who shows whom, states, rates, drops; q quits", 0, set_top},
    {"--topology", "FORM", "at the end, who is paired with whom: text, dot, svg or json", 0,
     set_topology},
    {"--check", NULL, "hold what is heard against the rules; exit 1 when one is broken", 0,
     set_check},
    {"--rules", NULL, "with --check: only list the rules", 0, set_rules},
    {"--media", "[PRODUCER]", "join the streams of producers (or of that one) and measure them", 0,
     set_media},
    {"--record", "FILE", "write what is heard to a new capture file (pcap)", 0, set_record},
    {"--read", "FILE", "hear a capture file (pcap, pcapng) instead of the network", 0, set_read},
    {"--http", "ADDR:PORT", "serve a live page, state, events and metrics; loopback: PORT alone", 0,
     set_http},
};
const size_t yk_snoop_option_count = sizeof yk_snoop_option_rows / sizeof yk_snoop_option_rows[0];

/* Each fills the screen or standard output with something else; NULL: the lines. `count`: how many. */
static const char *face_of(const struct yk_snoop_options *options, size_t *count)
{
    const struct {
        const char *name;
        bool wanted;
    } faces[] = {{"--topology", options->topology != YK_TOPOLOGY_NONE},
                 {"--check", options->check},
                 {"--media", options->media},
                 {"--top", options->top}};
    const char *first = NULL;

    *count = 0;
    for (size_t i = 0; i < sizeof faces / sizeof faces[0]; i++) {
        if (faces[i].wanted) {
            first = first == NULL ? faces[i].name : first;
            (*count)++;
        }
    }
    return first;
}

static bool check_faces(const struct yk_snoop_options *options, struct yk_refusal *why)
{
    size_t count;
    const char *face = face_of(options, &count);

    if (count > 1) {
        return yk_refuse(why, YK_EXIT_USAGE,
                         "%s: it cannot stand beside another of --top, --topology, --check and "
                         "--media; give one of them",
                         face);
    }
    if (count > 0 && !options->media && options->quiet) {
        return yk_refuse(why, YK_EXIT_USAGE,
                         "-q: %s prints no frames anyway; leave out one of them", face);
    }
    if (options->topology != YK_TOPOLOGY_NONE && options->common.json) {
        return yk_refuse(why, YK_EXIT_USAGE,
                         "--json: it cannot stand beside --topology; give --topology json");
    }
    if (options->top && options->common.json) {
        return yk_refuse(why, YK_EXIT_USAGE,
                         "--json: it cannot stand beside --top; leave out one of them");
    }
    if (options->media && options->read != NULL) {
        return yk_refuse(why, YK_EXIT_USAGE,
                         "--read: a capture of the control group has no media; leave out --media");
    }
    return true;
}

bool yk_snoop_options_check(const struct yk_snoop_options *options, struct yk_refusal *why)
{
    if (options->rules && !options->check) {
        return yk_refuse(why, YK_EXIT_USAGE, "--rules: it needs --check; give both");
    }
    if (options->read != NULL && options->http) {
        return yk_refuse(why, YK_EXIT_USAGE,
                         "--http: a capture passes too fast to be watched; leave out --read");
    }
    return check_faces(options, why);
}
