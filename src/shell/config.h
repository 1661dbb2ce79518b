/* config.h - the agent's configuration file (completions section 6). */
#ifndef YK_SHELL_CONFIG_H
#define YK_SHELL_CONFIG_H

#include <jansson.h>

#include "base/endpoint.h"
#include "base/interface.h"
#include "base/refusal.h"
#include "core/types.h"
#include "drivers/driver.h"

#define YK_CONFIG_FILE_MAX (64 * 1024) /* bytes; a real one is under a kilobyte */
#define YK_PATH_MAX 4096
#define YK_STATUS_DIRECTORY "/run/yoke"

/* Where the control group is; both agents and tools have one. */
struct yk_network {
    uint8_t group[4];
    uint16_t port;
    char interface[64]; /* an IPv4 address of this host, an interface name, or "0.0.0.0" */
};
#define YK_NETWORK_DEFAULT                                                  \
    (struct yk_network)                                                     \
    {                                                                       \
        .group = {239, 121, 111, 107}, .port = 9753, .interface = "0.0.0.0" \
    }

/* Each checks one value and fills it; `place` names it in the refusal ("network.port", "--port"). */
bool yk_network_set_group(struct yk_network *network, const char *text, const char *place,
                          struct yk_refusal *why);
bool yk_network_set_port(struct yk_network *network, int64_t port, const char *place,
                         struct yk_refusal *why);
bool yk_network_set_interface(struct yk_network *network, const char *text, const char *place,
                              struct yk_refusal *why);

struct yk_config {
    struct yk_driver_site site; /* role, kind, node_id (points to id.text), control_group */
    struct yk_id id;
    char name[YK_NAME_BYTES_MAX + 1];
    struct yk_network network;
    char psk_file[YK_PATH_MAX];      /* "" is open mode */
    char psk_file_next[YK_PATH_MAX]; /* "" is none */
    char state_file[YK_PATH_MAX];
    char status_socket[YK_PATH_MAX];
    bool status_socket_given; /* else it is the default: YK_STATUS_DIRECTORY, id, ".sock" */
    bool telemetry;
    struct yk_endpoint telemetry_at;
    uint32_t tracked;
    enum yk_log_level log_level;
    const struct yk_driver_ops *driver;
    void *driver_self;           /* of driver->parse; freed by yk_config_fini */
    uint8_t media[YK_FRAME_MAX]; /* canonical JSON object */
    size_t media_size;           /* 0: null */
    json_t *document;            /* the whole file */
};

/* Reads and checks the whole file, the driver's part and the media included; every refusal names
 * file, place, value and remedy. `config` needs yk_config_fini after a success only. */
bool yk_config_load(struct yk_config *config, const char *path, struct yk_refusal *why);
void yk_config_fini(struct yk_config *config);

/* For tools: only "network" and the key files are looked at; the rest may be anything. A
 * "status_socket" is filled when it is a path, without a default. */
bool yk_config_load_network(struct yk_config *config, const char *path, struct yk_refusal *why);

#endif
