/* options.h - the command line of a verb: parsed, checked and explained from one table. */
#ifndef YK_CLI_OPTIONS_H
#define YK_CLI_OPTIONS_H

#include "base/refusal.h"
#include "core/protocol.h"
#include "shell/config.h"

#define YK_SECONDS_MAX 86400 /* of --timeout and --for: a day */
#define YK_TIMEOUT_DEFAULT (5 * YK_SECOND)
#define YK_LISTEN_DEFAULT (3 * YK_SECOND)
#define YK_WORDS_MAX 2

/* What a verb takes besides --help. */
enum yk_takes {
    YK_TAKES_SITE = 1, /* --config, or --group --port --interface --psk-file */
    YK_TAKES_JSON = 2,
    YK_TAKES_TIMEOUT = 4,
    YK_TAKES_WAIT = 8,
    YK_TAKES_FOR = 16
};

/* Strings are those of the command line. */
struct yk_options {
    const char *config;   /* NULL: not given */
    const char *psk_file; /* NULL: open mode */
    struct yk_network network;
    const char *network_option; /* the last of --group --port --interface, NULL: none */
    bool interface_given;
    bool json;
    bool help;
    yk_time timeout;
    yk_time listen;
    bool listen_given;
    enum yk_state wait; /* YK_STATE_NONE: applied */
    const char *words[YK_WORDS_MAX];
    size_t word_count;
};

struct yk_verb;

/* One option. `set` is given its value, or NULL for one that has none. */
struct yk_option {
    const char *name;
    const char *value; /* as help shows it, in brackets when it may be left out; NULL: none */
    const char *help;  /* NULL: it depends on the verb */
    unsigned takes;    /* enum yk_takes; 0: every verb has it */
    bool (*set)(struct yk_options *options, const struct yk_verb *verb, const char *value,
                struct yk_refusal *why);
};

struct yk_verb {
    const char *name;
    const char *words; /* as usage shows them: "CONSUMER PRODUCER" */
    size_t word_count;
    unsigned takes;            /* enum yk_takes, or-ed */
    enum yk_state waits_for;   /* what --wait may name beside "applied" */
    const char *summary;       /* a line for the list of verbs */
    const char *about;         /* paragraphs for --help, with line ends */
    const char *exit_statuses; /* lines for --help */
    /* Options of this verb alone. What they set stands in a larger struct that `options` begins. */
    const struct yk_option *own;
    size_t own_count;
    int (*run)(const struct yk_options *options);
};

/* True, and `options` filled with defaults and what was given; `arguments` begin behind the verb. */
bool yk_options_parse(struct yk_options *options, const struct yk_verb *verb, int count,
                      char *const *arguments, struct yk_refusal *why);

/* Seconds, with a fraction if wanted, to nanoseconds; a part of a nanosecond is dropped. */
bool yk_seconds_parse(const char *text, const char *place, yk_time *value, struct yk_refusal *why);

/* The verb's help to standard output. */
void yk_options_help(const struct yk_verb *verb);

/* All of a verb: parses, helps or runs, and sees that standard output took what was written. Gives
 * the exit status. */
int yk_verb_main(const struct yk_verb *verb, int count, char *const *arguments);
/* The same with options in memory of the caller, for a verb that has its own. */
int yk_verb_run(const struct yk_verb *verb, struct yk_options *options, int count,
                char *const *arguments);

#endif
