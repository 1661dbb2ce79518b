/* yoke-agent: the program behind `yoke agent`. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/descriptors.h"
#include "base/nearest.h"
#include "base/refusal.h"
#include "shell/log.h"
#include "shell/start.h"

static const char help[] =
    "usage: yoke agent --config FILE [options]\n"
    "\n"
    "Runs the agent of one encoder or decoder, in the foreground; its log goes to standard error.\n"
    "SIGTERM or SIGINT stops it in an orderly way; SIGHUP reads the configuration anew.\n"
    "\n"
    "Options:\n"
    "  --config FILE      its configuration, a JSON object\n"
    "  --commission       make the first state file of a new node and exit; refused where one is\n"
    "  --check            check configuration, key and state, touch nothing and exit\n"
    "  --device           with --check: ask the configured device too, changing nothing\n"
    "  --log-level LEVEL  error, warning, info or debug, instead of log_level\n"
    "  --help             this text\n"
    "\n"
    "Exit status:\n"
    "  0   stopped, checked or commissioned\n"
    "  64  the command line is wrong\n"
    "  70  internal fault\n"
    "  73  a file could not be made, or --commission found a state\n"
    "  75  the state is in use by another agent\n"
    "  77  a key or state file with unsafe owner or mode\n"
    "  78  configuration, key or state is wrong\n";

enum choice {
    OPTION_CONFIG = 1,
    OPTION_COMMISSION,
    OPTION_CHECK,
    OPTION_DEVICE,
    OPTION_LOG_LEVEL,
    OPTION_HELP
};

static const struct option long_options[] = {
    {"config", required_argument, NULL, OPTION_CONFIG},
    {"commission", no_argument, NULL, OPTION_COMMISSION},
    {"check", no_argument, NULL, OPTION_CHECK},
    {"device", no_argument, NULL, OPTION_DEVICE},
    {"log-level", required_argument, NULL, OPTION_LOG_LEVEL},
    {"help", no_argument, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0},
};
#define OPTIONS (sizeof long_options / sizeof *long_options - 1)

__attribute__((format(printf, 1, 2))) static int usage(const char *format, ...)
{
    char text[YK_REFUSAL_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    yk_start_say(text);
    return YK_EXIT_USAGE;
}

static int refuse_option(const char *given)
{
    const char *known[OPTIONS];
    char name[YK_NEAREST_MAX + 1];
    const char *nearest;

    for (size_t i = 0; i < OPTIONS; i++) {
        known[i] = long_options[i].name;
    }
    snprintf(name, sizeof name, "%.*s", (int)strcspn(given, "="), given);
    nearest = yk_nearest(name + strspn(name, "-"), known, OPTIONS);
    if (nearest != NULL && strcmp(nearest, name + strspn(name, "-")) == 0) {
        return usage("%s: takes no value; see yoke agent --help", name);
    }
    if (nearest != NULL) {
        return usage("%s: unknown option; did you mean --%s?", name, nearest);
    }
    return usage("%s: unknown option; see yoke agent --help", name);
}

/* getopt goes on to the next argument only behind the last letter of a cluster. */
static int refuse_letter(int letter)
{
    return usage("-%c: unknown option, all are words like --config; see yoke agent --help", letter);
}

/* False: `status` is the exit status. */
static bool read_options(int argc, char **argv, struct yk_start_options *options, int *status)
{
    int option;

    opterr = 0;
    while ((option = getopt_long(argc, argv, ":", long_options, NULL)) != -1) {
        switch (option) {
        case OPTION_CONFIG:
            options->config = optarg;
            break;
        case OPTION_COMMISSION:
            options->commission = true;
            break;
        case OPTION_CHECK:
            options->check = true;
            break;
        case OPTION_DEVICE:
            options->device = true;
            break;
        case OPTION_LOG_LEVEL:
            options->log_level = yk_log_level_parse(yk_slice_of(optarg));
            if (options->log_level == 0) {
                *status =
                    usage("--log-level: \"%.64s\" is unknown; give " YK_LOG_LEVEL_WORDS, optarg);
                return false;
            }
            break;
        case OPTION_HELP:
            *status =
                fputs(help, stdout) == EOF || fflush(stdout) != 0 ? YK_EXIT_INTERNAL : YK_EXIT_OK;
            return false;
        case ':':
            *status = usage("%s: needs a value; see yoke agent --help", argv[optind - 1]);
            return false;
        default:
            *status =
                optopt > OPTION_HELP ? refuse_letter(optopt) : refuse_option(argv[optind - 1]);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    struct yk_start_options options = {0};
    int status;

    yk_descriptors_fill();
    if (!read_options(argc, argv, &options, &status)) {
        return status;
    }
    if (optind < argc) {
        return usage("\"%.200s\": unexpected argument; see yoke agent --help", argv[optind]);
    }
    if (options.config == NULL) {
        return usage("--config: missing; give the agent's configuration file, --config FILE");
    }
    if (options.check && options.commission) {
        return usage("--check and --commission: only one at a time; check first");
    }
    if (options.device && !options.check) {
        return usage("--device: belongs to a check; give --check --device");
    }
    return yk_start(&options);
}
