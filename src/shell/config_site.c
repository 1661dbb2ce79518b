/* The part of a configuration that places a node in the network. */
#include "shell/config_site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/document.h"
#include "base/file.h"
#include "base/members.h"
#include "shell/config_overflow.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const char *const network_members[] = {"group", "port", "interface"};

bool yk_config_refuse_in(const char *path, struct yk_refusal *why)
{
    char text[YK_REFUSAL_MAX];

    memcpy(text, why->text, sizeof text);
    return yk_refuse(why, why->exit, "%s: %s", path, text);
}

static json_t *parse(const char *path, struct yk_slice text, struct yk_refusal *why)
{
    json_error_t error;
    json_t *root = yk_document_parse((const char *)text.data, text.size, &error);
    bool overflow = root == NULL && json_error_code(&error) == json_error_numeric_overflow;

    if (overflow && yk_config_refuse_overflow(text, why)) {
        yk_config_refuse_in(path, why);
    } else if (root == NULL) {
        yk_refuse(why, YK_EXIT_CONFIG, "%s: line %d, column %d: %s; %s there", path, error.line,
                  error.column, error.text,
                  overflow ? "write a number of at most 64 bits" : "correct the JSON");
    }
    return root;
}

json_t *yk_config_read(const char *path, struct yk_refusal *why)
{
    uint8_t *text = malloc(YK_CONFIG_FILE_MAX);
    struct stat facts;
    char cause[YK_CAUSE_MAX] = "out of memory";
    size_t size;
    json_t *root = NULL;

    if (text == NULL || !yk_file_read(path, true, text, YK_CONFIG_FILE_MAX, &size, &facts, cause)) {
        yk_refuse(why, YK_EXIT_CONFIG, "%s: %s; give --config a configuration file", path, cause);
    } else {
        root = parse(path, (struct yk_slice){text, size}, why);
    }
    free(text);
    return root;
}

bool yk_config_set_network(struct yk_config *config, const json_t *root, struct yk_refusal *why)
{
    json_t *network = NULL;
    const char *group = NULL, *interface = NULL;
    json_int_t port = YK_NETWORK_DEFAULT.port;

    config->network = YK_NETWORK_DEFAULT;
    if (!yk_member_object(root, "", "network", &network, why)) {
        return false;
    }
    if (network != NULL &&
        (!yk_members_check(network, "network", network_members, COUNT(network_members), why) ||
         !yk_member_string(network, "network", "group", YK_PATH_MAX, &group, why) ||
         !yk_member_integer(network, "network", "port", 1, 65535, &port, why) ||
         !yk_member_string(network, "network", "interface", YK_PATH_MAX, &interface, why))) {
        return false;
    }
    config->network.port = (uint16_t)port;
    if ((group != NULL && !yk_network_set_group(&config->network, group, "network.group", why)) ||
        (interface != NULL &&
         !yk_network_set_interface(&config->network, interface, "network.interface", why))) {
        return false;
    }
    memcpy(config->site.control_group, config->network.group, sizeof config->network.group);
    config->site.control_interface = config->network.interface;
    return true;
}

bool yk_config_set_path(const json_t *root, const char *name, size_t most, char out[YK_PATH_MAX],
                        struct yk_refusal *why)
{
    const char *path = "";

    if (!yk_member_string(root, "", name, most, &path, why)) {
        return false;
    }
    snprintf(out, YK_PATH_MAX, "%s", path);
    return true;
}

bool yk_config_set_keys(struct yk_config *config, const json_t *root, struct yk_refusal *why)
{
    if (!yk_config_set_path(root, "psk_file", YK_PATH_MAX - 1, config->psk_file, why) ||
        !yk_config_set_path(root, "psk_file_next", YK_PATH_MAX - 1, config->psk_file_next, why)) {
        return false;
    }
    if (config->psk_file_next[0] != 0 && config->psk_file[0] == 0) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "psk_file_next: \"%.200s\" without a psk_file; a second key is only "
                         "accepted beside a first: add psk_file, or remove this",
                         config->psk_file_next);
    }
    return true;
}

/* A tool looks there for the agent, and does without it where the member is wrong. */
static void find_status_socket(struct yk_config *config, const json_t *root)
{
    const char *path = json_string_value(json_object_get(root, "status_socket"));

    if (path != NULL && strlen(path) < sizeof config->status_socket) {
        strcpy(config->status_socket, path);
        config->status_socket_given = path[0] != 0;
    }
}

bool yk_config_load_network(struct yk_config *config, const char *path, struct yk_refusal *why)
{
    json_t *root = yk_config_read(path, why);
    bool ok;

    memset(config, 0, sizeof *config);
    if (root == NULL) {
        return false;
    }
    ok = json_is_object(root)
             ? yk_config_set_network(config, root, why) && yk_config_set_keys(config, root, why)
             : yk_refuse(why, YK_EXIT_CONFIG, "no object; give the configuration of an agent");
    find_status_socket(config, root);
    json_decref(root);
    return ok || yk_config_refuse_in(path, why);
}
