#include "shell/config.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "base/file.h"
#include "base/members.h"
#include "base/nearest.h"
#include "core/json.h"
#include "shell/config_media.h"
#include "shell/config_site.h"
#include "shell/hook.h"
#include "shell/log.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))
/* Room behind the state file's path for ".lock" and for the name of a temporary file. */
#define STATE_SUFFIX_MAX 32

static const char *const top_members[] = {"node",   "network",    "psk_file",  "psk_file_next",
                                          "limits", "state_file", "log_level", "status_socket",
                                          "driver", "media",      "on_change", "telemetry"};
static const char *const node_members[] = {"id", "name", "role", "kind"};
static const char *const limits_members[] = {"tracked"};
static const char *const telemetry_members[] = {"listen"};

/* A member that must be one of a few words. */
static bool word_member(const json_t *object, const char *place, const char *name,
                        const char *choices, unsigned (*parse_word)(struct yk_slice),
                        unsigned *value, struct yk_refusal *why)
{
    const char *text = NULL;
    char full[YK_PLACE_MAX];

    if (!yk_member_string(object, place, name, YK_PATH_MAX, &text, why)) {
        return false;
    }
    if (text == NULL) {
        return true;
    }
    *value = parse_word(yk_slice_of(text));
    if (*value == 0) {
        yk_place(full, place, name);
        return yk_refuse(why, YK_EXIT_CONFIG, "%s: \"%.64s\" is unknown; write %s", full, text,
                         choices);
    }
    return true;
}

static unsigned parse_role(struct yk_slice word)
{
    return yk_role_parse(word);
}

static unsigned parse_kind(struct yk_slice word)
{
    return yk_kind_parse(word);
}

static unsigned parse_log_level(struct yk_slice word)
{
    return yk_log_level_parse(word);
}

static bool set_id(struct yk_config *config, const json_t *node, struct yk_refusal *why)
{
    const char *id = NULL;

    if (!yk_member_string(node, "node", "id", YK_PATH_MAX, &id, why)) {
        return false;
    }
    if (id == NULL) {
        return yk_member_missing("node", "id", "this node's id, like \"dec-room-03\"", why);
    }
    if (!yk_id_parse(&config->id, yk_slice_of(id))) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "node.id: \"%.80s\" is no node id; write 1 to %d ASCII letters, digits, "
                         "\".\", \"_\" or \"-\", beginning with a letter or digit",
                         id, YK_ID_MAX);
    }
    config->site.node_id = config->id.text;
    return true;
}

static bool set_name(struct yk_config *config, const json_t *node, struct yk_refusal *why)
{
    const char *name = config->id.text;
    size_t points;

    if (!yk_member_string(node, "node", "name", YK_CONFIG_FILE_MAX, &name, why)) {
        return false;
    }
    if (!yk_utf8_valid(yk_slice_of(name), &points) || points > YK_NAME_MAX) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "node.name: \"%.64s\"... has more than %d characters; shorten it", name,
                         YK_NAME_MAX);
    }
    snprintf(config->name, sizeof config->name, "%s", name);
    return true;
}

static bool set_node(struct yk_config *config, const json_t *root, struct yk_refusal *why)
{
    json_t *node = NULL;
    unsigned role = YK_ROLE_NONE, kind = YK_KIND_NONE;

    if (!yk_member_object(root, "", "node", &node, why)) {
        return false;
    }
    if (node == NULL) {
        return yk_member_missing("", "node", "an object with id, role and kind", why);
    }
    if (!yk_members_check(node, "node", node_members, COUNT(node_members), why) ||
        !set_id(config, node, why) || !set_name(config, node, why) ||
        !word_member(node, "node", "role", "\"producer\" or \"consumer\"", parse_role, &role,
                     why) ||
        !word_member(node, "node", "kind", "\"hdmi\" or \"usb\"", parse_kind, &kind, why)) {
        return false;
    }
    if (role == YK_ROLE_NONE) {
        return yk_member_missing("node", "role", "\"producer\" or \"consumer\"", why);
    }
    if (kind == YK_KIND_NONE) {
        return yk_member_missing("node", "kind", "\"hdmi\" or \"usb\"", why);
    }
    config->site.role = (enum yk_role)role;
    config->site.kind = (enum yk_kind)kind;
    return true;
}

static bool set_state_file(struct yk_config *config, const json_t *root, struct yk_refusal *why)
{
    if (!yk_config_set_path(root, "state_file", YK_PATH_MAX - STATE_SUFFIX_MAX, config->state_file,
                            why)) {
        return false;
    }
    if (config->state_file[0] == 0) {
        return yk_member_missing("", "state_file",
                                 "the path of this node's own state file, like "
                                 "\"/var/lib/yoke/ID.json\"",
                                 why);
    }
    if (strlen(yk_file_base(config->state_file)) > NAME_MAX - STATE_SUFFIX_MAX ||
        yk_file_base(config->state_file)[0] == 0) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "state_file: \"%.200s\" must end in a file name of 1 to %d bytes; "
                         "write one",
                         config->state_file, NAME_MAX - STATE_SUFFIX_MAX);
    }
    config->site.state_file = config->state_file;
    return true;
}

static bool set_status_socket(struct yk_config *config, const json_t *root, struct yk_refusal *why)
{
    struct sockaddr_un address;

    if (!yk_config_set_path(root, "status_socket", sizeof address.sun_path - 1,
                            config->status_socket, why)) {
        return false;
    }
    config->status_socket_given = config->status_socket[0] != 0;
    if (!config->status_socket_given) {
        snprintf(config->status_socket, sizeof config->status_socket,
                 YK_STATUS_DIRECTORY "/%s.sock", config->id.text);
    }
    return true;
}

static bool set_limits(struct yk_config *config, const json_t *root, struct yk_refusal *why)
{
    json_t *limits = NULL;
    json_int_t tracked = YK_TRACKED_DEFAULT;
    unsigned level = YK_LOG_INFO;

    if (!yk_member_object(root, "", "limits", &limits, why)) {
        return false;
    }
    if (limits != NULL &&
        (!yk_members_check(limits, "limits", limits_members, COUNT(limits_members), why) ||
         !yk_member_integer(limits, "limits", "tracked", YK_TRACKED_MIN, YK_TRACKED_MAX, &tracked,
                            why))) {
        return false;
    }
    if (!word_member(root, "", "log_level", YK_LOG_LEVEL_WORDS, parse_log_level, &level, why)) {
        return false;
    }
    config->tracked = (uint32_t)tracked;
    config->log_level = (enum yk_log_level)level;
    return true;
}

static bool set_telemetry(struct yk_config *config, const json_t *root, struct yk_refusal *why)
{
    json_t *telemetry = NULL;
    const char *listen = NULL;

    if (!yk_member_object(root, "", "telemetry", &telemetry, why)) {
        return false;
    }
    if (telemetry == NULL) {
        return true;
    }
    if (!yk_members_check(telemetry, "telemetry", telemetry_members, COUNT(telemetry_members),
                          why) ||
        !yk_member_string(telemetry, "telemetry", "listen", YK_PATH_MAX, &listen, why)) {
        return false;
    }
    if (listen == NULL) {
        return yk_member_missing("telemetry", "listen", "where, like \"127.0.0.1:9754\"", why);
    }
    config->telemetry = true;
    return yk_endpoint_parse(&config->telemetry_at, listen, "telemetry.listen", YK_EXIT_CONFIG,
                             why);
}

static bool set_driver(struct yk_config *config, const json_t *root, struct yk_refusal *why)
{
    json_t *driver = NULL;
    const char *type = NULL;

    if (!yk_member_object(root, "", "driver", &driver, why)) {
        return false;
    }
    if (json_is_null(json_object_get(driver, "type"))) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "driver.type: null is no driver; write one of: %s (the driver without a "
                         "backend is the string \"null\")",
                         yk_driver_names());
    }
    if (driver != NULL && !yk_member_string(driver, "driver", "type", YK_PATH_MAX, &type, why)) {
        return false;
    }
    if (type == NULL) {
        char remedy[YK_REFUSAL_MAX / 2];

        snprintf(remedy, sizeof remedy, "an object \"driver\" whose \"type\" is one of: %s",
                 yk_driver_names());
        return yk_member_missing("driver", "type", remedy, why);
    }
    config->driver = yk_driver_find(type, why);
    if (config->driver == NULL) {
        return false;
    }
    config->driver_self = config->driver->parse(driver, &config->site, why);
    return config->driver_self != NULL;
}

static bool set_all(struct yk_config *config, json_t *root, struct yk_refusal *why)
{
    return yk_members_check(root, "", top_members, COUNT(top_members), why) &&
           yk_hook_check(json_object_get(root, "on_change"), why) && set_node(config, root, why) &&
           yk_config_set_network(config, root, why) && yk_config_set_keys(config, root, why) &&
           set_state_file(config, root, why) && set_status_socket(config, root, why) &&
           set_limits(config, root, why) && set_telemetry(config, root, why) &&
           set_driver(config, root, why) &&
           yk_config_set_media(config, json_object_get(root, "media"), why);
}

bool yk_config_load(struct yk_config *config, const char *path, struct yk_refusal *why)
{
    json_t *root = yk_config_read(path, why);
    bool ok;

    memset(config, 0, sizeof *config);
    if (root == NULL) {
        return false;
    }
    config->document = root;
    ok = set_all(config, root, why);
    if (!ok) {
        yk_config_fini(config);
        return yk_config_refuse_in(path, why);
    }
    return true;
}

void yk_config_fini(struct yk_config *config)
{
    if (config->driver_self != NULL) {
        config->driver->free(config->driver_self);
        config->driver_self = NULL;
    }
    json_decref(config->document);
    config->document = NULL;
}
