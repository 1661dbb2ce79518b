#include "cli/access.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/say.h"
#include "shell/key.h"

void yk_access_warn(const char *line)
{
    yk_say("%s", line);
}

static bool read_config(struct yk_access *access, const char *path, struct yk_refusal *why)
{
    struct yk_config *config = calloc(1, sizeof *config);
    bool good;

    if (config == NULL) {
        return yk_refuse(why, YK_EXIT_INTERNAL, "memory: none left; free some and try again");
    }
    good = yk_config_load_network(config, path, why) &&
           yk_key_load(&access->auth, config->psk_file, config->psk_file_next, yk_access_warn, why);
    access->network = config->network;
    access->interface_given = strcmp(config->network.interface, YK_INTERFACE_ANY) != 0;
    access->open = config->psk_file[0] == '\0';
    memcpy(access->status_socket, config->status_socket, sizeof access->status_socket);
    free(config);
    return good;
}

/* Network and key, from --config or from the other options. */
static bool read_place(struct yk_access *access, const struct yk_options *options,
                       struct yk_refusal *why)
{
    const char *psk_file = options->psk_file != NULL ? options->psk_file : "";

    if (options->config != NULL) {
        return read_config(access, options->config, why);
    }
    access->network = options->network;
    access->interface_given = options->interface_given;
    access->open = psk_file[0] == '\0';
    return yk_key_load(&access->auth, psk_file, "", yk_access_warn, why);
}

bool yk_access_read(struct yk_access *access, const struct yk_options *options,
                    struct yk_refusal *why)
{
    memset(access, 0, sizeof *access);
    if (!read_place(access, options, why)) {
        return false;
    }
    if (access->open) {
        yk_say(
            "OPEN: no site key, so nothing is signed or checked; --psk-file or --config names one");
    }
    return true;
}

const char *yk_access_place(const struct yk_network *network)
{
    static char text[128];
    const uint8_t *group = network->group;
    bool any = strcmp(network->interface, YK_INTERFACE_ANY) == 0;

    snprintf(text, sizeof text, "%u.%u.%u.%u:%u on %s", group[0], group[1], group[2], group[3],
             network->port, any ? "the default interface" : network->interface);
    return text;
}
