/* settings.h - the configuration's "driver" object of type jap. */
#ifndef YK_DRIVERS_JAP_SETTINGS_H
#define YK_DRIVERS_JAP_SETTINGS_H

#include <arpa/inet.h>
#include <jansson.h>

#include "base/refusal.h"
#include "core/protocol.h"
#include "core/types.h"

#define YK_JAP_PARK_CHANNEL 9999 /* by default no encoder's */

struct yk_jap_settings {
    char host[INET_ADDRSTRLEN]; /* an IPv4 address: no name has to be resolved before a switch */
    uint16_t port;
    uint16_t park_channel; /* consumers */
};

bool yk_jap_settings_parse(struct yk_jap_settings *settings, const json_t *config,
                           enum yk_role role, struct yk_refusal *why);

#endif
