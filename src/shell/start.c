#include "shell/start.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/escape.h"
#include "shell/agent.h"
#include "shell/key.h"
#include "shell/log.h"
#include "shell/status_describe.h"
#include "shell/store.h"
#include "shell/telemetry.h"

#define MIB (1024 * 1024)

void yk_start_say(const char *text)
{
    char escaped[YK_ESCAPED_MAX(YK_REFUSAL_MAX)];

    yk_escape(escaped, sizeof escaped, text, strlen(text));
    fprintf(stderr, "yoke agent: %s\n", escaped);
}

static int refuse(const struct yk_refusal *why)
{
    yk_start_say(why->text);
    return (int)why->exit;
}

static bool check_fit(const struct yk_config *config, const struct yk_auth *auth, const char *path,
                      struct yk_refusal *why)
{
    const char *longest = config->driver->longest_media == NULL
                              ? NULL
                              : config->driver->longest_media(config->driver_self);
    struct yk_node_options options;
    size_t over;

    yk_agent_node_options(&options, config, auth);
    if (longest != NULL) {
        options.media = yk_slice_of(longest);
    }
    return yk_node_fits(&options, &over) ||
           yk_refuse(why, YK_EXIT_CONFIG,
                     "%s: media: %zu bytes too many for a frame; shorten media or node.name", path,
                     over);
}

/* At every start, whatever it is for, everybody can tell that there is no key. */
static void say_open(const struct yk_config *config)
{
    if (config->psk_file[0] == 0) {
        yk_start_say("OPEN: no psk_file is configured, so anybody on this network can switch; make "
                     "a key with \"yoke keygen\"");
    }
}

static void print_fact(const char *line)
{
    char escaped[YK_ESCAPED_MAX(YK_REFUSAL_MAX)];

    yk_escape(escaped, sizeof escaped, line, strlen(line));
    printf("%s\n", escaped);
}

static bool check_device(const struct yk_config *config, struct yk_refusal *why)
{
    if (config->driver->inspect == NULL) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "--device: driver %s has no device to ask; leave it out",
                         config->driver->name);
    }
    return config->driver->inspect(config->driver_self, print_fact, yk_start_say, why);
}

static int check(const struct yk_config *config, const struct yk_auth *auth, bool device)
{
    struct yk_durable state;
    struct yk_refusal why;

    if (!yk_state_load(config->state_file, &state, &why)) {
        return refuse(&why);
    }
    printf("%s: ok\nkey: %s\n", config->id.text, auth->key.set ? auth->key.fingerprint : "OPEN");
    printf("memory: at most %.1f MiB for %u nodes, and %.1f MiB more while its status is read\n",
           (double)yk_agent_memory(config->tracked) / MIB, config->tracked,
           (double)yk_status_memory(config->tracked) / MIB);
    if (config->telemetry) {
        printf("telemetry: at most %.1f MiB more while it is read\n",
               (double)yk_telemetry_memory(config->tracked) / MIB);
    }
    if (config->driver->survey != NULL) {
        config->driver->survey(config->driver_self, print_fact);
    }
    if (device && !check_device(config, &why)) {
        fflush(stdout); /* the facts so far come before the refusal */
        return refuse(&why);
    }
    return fflush(stdout) == 0 ? YK_EXIT_OK : YK_EXIT_INTERNAL;
}

static int commission(const struct yk_config *config)
{
    struct yk_refusal why;

    if (!yk_state_commission(config->state_file, &why)) {
        return refuse(&why);
    }
    fprintf(stderr, "yoke agent: %s commissioned; its state is in %s\n", config->id.text,
            config->state_file);
    return YK_EXIT_OK;
}

/* A state that cannot be used is refused before anything is made; what counts is what is there once
 * nobody else may write it. */
static bool take_state(const struct yk_config *config, struct yk_durable *state, int *lease,
                       struct yk_refusal *why)
{
    if (!yk_state_load(config->state_file, state, why)) {
        return false;
    }
    *lease = yk_lease_take(config->state_file, why);
    if (*lease < 0) {
        return false;
    }
    yk_atomic_sweep(config->state_file);
    return yk_state_load(config->state_file, state, why);
}

static int run(const struct yk_config *config, struct yk_auth *auth,
               const struct yk_start_options *options)
{
    struct yk_agent_site site = {.config = config,
                                 .auth = auth,
                                 .config_path = options->config,
                                 .level_is_held = options->log_level != 0};
    struct yk_refusal why;
    int lease = -1;
    int status;

    if (!take_state(config, &site.state, &lease, &why)) {
        status = refuse(&why);
    } else {
        yk_log_init(options->log_level != 0 ? options->log_level : config->log_level);
        status = yk_agent_run(&site, &why);
        if (status != YK_EXIT_OK) {
            refuse(&why);
        }
    }
    if (lease >= 0) {
        close(lease);
    }
    return status;
}

static int start_configured(const struct yk_config *config, const struct yk_start_options *options)
{
    struct yk_auth auth;
    struct yk_refusal why;
    int status;

    if (!yk_key_load(&auth, config->psk_file, config->psk_file_next, yk_start_say, &why)) {
        return refuse(&why);
    }
    if (!check_fit(config, &auth, options->config, &why)) {
        status = refuse(&why);
    } else if (options->check) {
        status = check(config, &auth, options->device);
    } else {
        status = run(config, &auth, options);
    }
    yk_auth_fini(&auth);
    return status;
}

int yk_start(const struct yk_start_options *options)
{
    static struct yk_config config; /* too large for a stack, and made once */
    struct yk_refusal why;
    int status;

    if (!yk_config_load(&config, options->config, &why)) {
        return refuse(&why);
    }
    say_open(&config);
    status = options->commission ? commission(&config) : start_configured(&config, options);
    yk_config_fini(&config);
    return status;
}
