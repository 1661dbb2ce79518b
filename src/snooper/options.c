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

const struct yk_option yk_snoop_option_rows[] = {
    {"--for", "SECONDS", "stop after that long; until interrupted unless given", 0, set_for},
    {"-q", NULL, "changes only, not every frame", 0, set_quiet},
    {"--topology", "FORM", "at the end, who is paired with whom: text, dot, svg or json", 0,
     set_topology},
};
const size_t yk_snoop_option_count = sizeof yk_snoop_option_rows / sizeof yk_snoop_option_rows[0];

bool yk_snoop_options_check(const struct yk_snoop_options *options, struct yk_refusal *why)
{
    if (options->topology != YK_TOPOLOGY_NONE && options->quiet) {
        return yk_refuse(why, YK_EXIT_USAGE,
                         "-q: --topology prints no frames anyway; leave out one of them");
    }
    if (options->topology != YK_TOPOLOGY_NONE && options->common.json) {
        return yk_refuse(why, YK_EXIT_USAGE,
                         "--json: it cannot stand beside --topology; give --topology json");
    }
    return true;
}
