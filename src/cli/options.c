#include "cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/say.h"

#define DEFAULTS                                                                                  \
    (struct yk_options)                                                                           \
    {                                                                                             \
        .network = YK_NETWORK_DEFAULT, .timeout = YK_TIMEOUT_DEFAULT, .listen = YK_LISTEN_DEFAULT \
    }

bool yk_seconds_parse(const char *text, const char *place, yk_time *value, struct yk_refusal *why)
{
    const char *at = text;
    yk_time seconds = 0, nanoseconds = 0;
    yk_time unit = YK_SECOND;
    bool good = *at >= '0' && *at <= '9';

    for (; *at >= '0' && *at <= '9'; at++) {
        /* Beyond the bound it only has to stay beyond. */
        seconds = seconds > YK_SECONDS_MAX ? seconds : 10 * seconds + (yk_time)(*at - '0');
    }
    if (*at == '.') {
        at++;
        good = good && *at >= '0' && *at <= '9';
        for (; *at >= '0' && *at <= '9'; at++) {
            unit /= 10;
            nanoseconds += unit * (yk_time)(*at - '0');
        }
    }
    if (!good || *at != '\0') {
        return yk_refuse(why, YK_EXIT_USAGE,
                         "%s: \"%s\" is not a number of seconds; give one like 5 or 0.25", place,
                         text);
    }
    *value = seconds * YK_SECOND + nanoseconds;
    if (*value > YK_SECONDS_MAX * YK_SECOND) {
        return yk_refuse(why, YK_EXIT_USAGE, "%s: %s is out of range; give 0 to %d seconds", place,
                         text, YK_SECONDS_MAX);
    }
    return true;
}

/* A refusal by the shell's checks is about the command line here. */
static bool as_usage(bool good, struct yk_refusal *why)
{
    if (!good) {
        why->exit = YK_EXIT_USAGE;
    }
    return good;
}

static bool set_config(struct yk_options *options, const struct yk_verb *verb, const char *value,
                       struct yk_refusal *why)
{
    (void)verb;
    (void)why;
    options->config = value;
    return true;
}

static bool set_group(struct yk_options *options, const struct yk_verb *verb, const char *value,
                      struct yk_refusal *why)
{
    (void)verb;
    options->network_option = "--group";
    return as_usage(yk_network_set_group(&options->network, value, "--group", why), why);
}

static bool set_port(struct yk_options *options, const struct yk_verb *verb, const char *value,
                     struct yk_refusal *why)
{
    int64_t port = 0;
    size_t digits = strspn(value, "0123456789");

    (void)verb;
    if (digits == 0 || digits > 9 || value[digits] != '\0') {
        return yk_refuse(why, YK_EXIT_USAGE, "--port: \"%s\" is not a port; give 1 to 65535",
                         value);
    }
    for (const char *at = value; *at != '\0'; at++) {
        port = 10 * port + (*at - '0');
    }
    options->network_option = "--port";
    return as_usage(yk_network_set_port(&options->network, port, "--port", why), why);
}

static bool set_interface(struct yk_options *options, const struct yk_verb *verb, const char *value,
                          struct yk_refusal *why)
{
    (void)verb;
    options->network_option = "--interface";
    options->interface_given = true;
    return as_usage(yk_network_set_interface(&options->network, value, "--interface", why), why);
}

static bool set_psk_file(struct yk_options *options, const struct yk_verb *verb, const char *value,
                         struct yk_refusal *why)
{
    (void)verb;
    if (value[0] == '\0') {
        return yk_refuse(why, YK_EXIT_USAGE,
                         "--psk-file: the name is empty; give the file of the site key");
    }
    options->psk_file = value;
    return true;
}

static bool set_wait(struct yk_options *options, const struct yk_verb *verb, const char *value,
                     struct yk_refusal *why)
{
    const char *state = yk_state_word(verb->waits_for);

    if (strcmp(value, "applied") == 0) {
        options->wait = YK_STATE_NONE;
    } else if (strcmp(value, state) == 0) {
        options->wait = verb->waits_for;
    } else {
        return yk_refuse(why, YK_EXIT_USAGE,
                         "--wait: \"%s\" is not what yoke %s can wait for; give applied or %s",
                         value, verb->name, state);
    }
    return true;
}

static bool set_timeout(struct yk_options *options, const struct yk_verb *verb, const char *value,
                        struct yk_refusal *why)
{
    (void)verb;
    return yk_seconds_parse(value, "--timeout", &options->timeout, why);
}

static bool set_for(struct yk_options *options, const struct yk_verb *verb, const char *value,
                    struct yk_refusal *why)
{
    (void)verb;
    options->listen_given = true;
    return yk_seconds_parse(value, "--for", &options->listen, why);
}

static bool set_json(struct yk_options *options, const struct yk_verb *verb, const char *value,
                     struct yk_refusal *why)
{
    (void)verb;
    (void)value;
    (void)why;
    options->json = true;
    return true;
}

static bool set_help(struct yk_options *options, const struct yk_verb *verb, const char *value,
                     struct yk_refusal *why)
{
    (void)verb;
    (void)value;
    (void)why;
    options->help = true;
    return true;
}

static const struct yk_option rows[] = {
    {"--wait", "WHAT", NULL, YK_TAKES_WAIT, set_wait},
    {"--timeout", "SECONDS", "give up after that long; 5 unless given", YK_TAKES_TIMEOUT,
     set_timeout},
    {"--for", "SECONDS", "listen that long; 3 unless given", YK_TAKES_FOR, set_for},
    {"--config", "FILE", "an agent's configuration; its network and keys are used", YK_TAKES_SITE,
     set_config},
    {"--group", "ADDRESS", "multicast group; 239.121.111.107 unless given", YK_TAKES_SITE,
     set_group},
    {"--port", "PORT", "UDP port; 9753 unless given", YK_TAKES_SITE, set_port},
    {"--interface", "NAME", "network interface, or its IPv4 address", YK_TAKES_SITE, set_interface},
    {"--psk-file", "FILE", "the site key; without one, open mode: nothing is signed", YK_TAKES_SITE,
     set_psk_file},
    {"--json", NULL, "one JSON object a line on standard output", YK_TAKES_JSON, set_json},
    {"--help", NULL, "this text", 0, set_help},
};
#define ROW_COUNT (sizeof rows / sizeof rows[0])
#define YK_OPTIONS_MAX 64 /* of one verb, to look for the nearest name */

static size_t option_count(const struct yk_verb *verb)
{
    return verb->own_count + ROW_COUNT;
}

/* The verb's own options come first; NULL for one of the others that it does not have. */
static const struct yk_option *option_at(const struct yk_verb *verb, size_t number)
{
    const struct yk_option *row;

    if (number < verb->own_count) {
        return &verb->own[number];
    }
    row = &rows[number - verb->own_count];
    return row->takes == 0 || (row->takes & verb->takes) != 0 ? row : NULL;
}

static const struct yk_option *find_option(const struct yk_verb *verb, const char *name)
{
    for (size_t i = 0; i < option_count(verb); i++) {
        const struct yk_option *option = option_at(verb, i);

        if (option != NULL && strcmp(name, option->name) == 0) {
            return option;
        }
    }
    return NULL;
}

static bool refuse_unknown(const struct yk_verb *verb, const char *name, struct yk_refusal *why)
{
    const char *known[YK_OPTIONS_MAX];
    size_t count = 0;
    const char *nearest;

    for (size_t i = 0; i < option_count(verb) && count < YK_OPTIONS_MAX; i++) {
        const struct yk_option *option = option_at(verb, i);

        if (option != NULL) {
            known[count++] = option->name;
        }
    }
    nearest = yk_nearest(name, known, count);
    if (nearest != NULL) {
        return yk_refuse(why, YK_EXIT_USAGE, "%s: yoke %s has no such option; did you mean %s?",
                         name, verb->name, nearest);
    }
    return yk_refuse(why, YK_EXIT_USAGE, "%s: yoke %s has no such option; see yoke %s --help", name,
                     verb->name, verb->name);
}

/* Takes the option `argument`, which is arguments[*at], and its value, which may be joined by "=" or
 * follow. */
static bool take_option(struct yk_options *options, const struct yk_verb *verb,
                        const char *argument, int count, char *const *arguments, int *at,
                        struct yk_refusal *why)
{
    size_t size = strcspn(argument, "=");
    const char *joined = argument[size] == '=' ? argument + size + 1 : NULL;
    const struct yk_option *option;
    char name[YK_NEAREST_MAX + 1];
    const char *value = joined;

    snprintf(name, sizeof name, "%.*s", (int)(size < sizeof name ? size : sizeof name - 1),
             argument);
    option = find_option(verb, name);
    if (option == NULL) {
        return refuse_unknown(verb, name, why);
    }
    if (option->value == NULL && joined != NULL) {
        return yk_refuse(why, YK_EXIT_USAGE, "%s: it takes no value; leave out \"=%s\"", name,
                         joined);
    }
    if (option->value != NULL && joined == NULL) {
        bool follows = *at + 1 < count;

        if (option->value[0] == '[' && (!follows || arguments[*at + 1][0] == '-')) {
            return option->set(options, verb, NULL, why);
        }
        if (!follows) {
            return yk_refuse(why, YK_EXIT_USAGE, "%s: its value is missing; give %s %s", name, name,
                             option->value);
        }
        value = arguments[++*at];
    }
    return option->set(options, verb, value, why);
}

static bool take_word(struct yk_options *options, const struct yk_verb *verb, const char *word,
                      struct yk_refusal *why)
{
    if (options->word_count >= verb->word_count) {
        return yk_refuse(why, YK_EXIT_USAGE,
                         "\"%s\": one word too many; usage: yoke %s%s%s [options] (a name with "
                         "blanks goes between quotes)",
                         word, verb->name, verb->words[0] != '\0' ? " " : "", verb->words);
    }
    options->words[options->word_count++] = word;
    return true;
}

static bool check_whole(const struct yk_options *options, const struct yk_verb *verb,
                        struct yk_refusal *why)
{
    const char *beside = options->psk_file != NULL ? "--psk-file" : options->network_option;

    if (options->config != NULL && beside != NULL) {
        return yk_refuse(why, YK_EXIT_USAGE,
                         "%s: it cannot stand beside --config, which names the network and keys "
                         "already; give one or the other",
                         beside);
    }
    if (options->word_count < verb->word_count) {
        return yk_refuse(
            why, YK_EXIT_USAGE, "%s: %s missing; usage: yoke %s %s [options]%s", verb->name,
            verb->word_count - options->word_count > 1 ? "words are" : "a word is", verb->name,
            verb->words,
            (verb->takes & YK_TAKES_SITE) != 0 ? ", and yoke list shows who is there" : "");
    }
    return true;
}

bool yk_options_parse(struct yk_options *options, const struct yk_verb *verb, int count,
                      char *const *arguments, struct yk_refusal *why)
{
    bool only_words = false;

    *options = DEFAULTS;
    for (int at = 0; at < count; at++) {
        const char *argument = arguments[at];
        bool good;

        if (!only_words && strcmp(argument, "--") == 0) {
            only_words = true;
            continue;
        }
        if (!only_words && strcmp(argument, "-h") == 0) {
            argument = "--help";
        }
        if (!only_words && argument[0] == '-' && argument[1] != '\0') {
            good = take_option(options, verb, argument, count, arguments, &at, why);
        } else {
            good = take_word(options, verb, argument, why);
        }
        if (!good) {
            return false;
        }
        if (options->help) {
            return true;
        }
    }
    return check_whole(options, verb, why);
}

void yk_options_help(const struct yk_verb *verb)
{
    printf("usage: yoke %s%s%s [options]\n\n%s\nOptions:\n", verb->name,
           verb->words[0] != '\0' ? " " : "", verb->words, verb->about);
    for (size_t i = 0; i < option_count(verb); i++) {
        const struct yk_option *option = option_at(verb, i);
        char left[32];

        if (option == NULL) {
            continue;
        }
        snprintf(left, sizeof left, "%s %s", option->name,
                 option->value != NULL ? option->value : "");
        if (option->help == NULL) {
            printf("  %-19s applied (saved; the default) or %s\n", left,
                   yk_state_word(verb->waits_for));
        } else {
            printf("  %-19s %s\n", left, option->help);
        }
    }
    printf("\nExit status:\n%s", verb->exit_statuses);
}

int yk_verb_run(const struct yk_verb *verb, struct yk_options *options, int count,
                char *const *arguments)
{
    struct yk_refusal why;
    int status = YK_EXIT_OK;

    if (!yk_options_parse(options, verb, count, arguments, &why)) {
        yk_say("%s", why.text);
        return why.exit;
    }
    if (options->help) {
        yk_options_help(verb);
    } else {
        status = verb->run(options);
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        yk_say("standard output: cannot be written (%s); the result is lost", strerror(errno));
        return YK_EXIT_INTERNAL;
    }
    return status;
}

int yk_verb_main(const struct yk_verb *verb, int count, char *const *arguments)
{
    struct yk_options options;

    return yk_verb_run(verb, &options, count, arguments);
}
