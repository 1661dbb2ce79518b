#include "drivers/jap/settings.h"

#include <stdio.h>
#include <string.h>

#include "base/members.h"
#include "drivers/jap/media.h"

#define PLACE "driver"

static bool is_host_address(struct in_addr address)
{
    uint32_t ip = ntohl(address.s_addr);

    return ip >> 24 != 0 && ip >> 28 < 14; /* neither "this network" nor multicast and above */
}

static bool parse_host(struct yk_jap_settings *settings, const json_t *config,
                       struct yk_refusal *why)
{
    char shown[YK_SHOWN_MAX];
    const char *host = NULL;
    struct in_addr address;

    if (!yk_member_string(config, PLACE, "host", YK_PLACE_MAX, &host, why)) {
        return false;
    }
    if (host == NULL) {
        return yk_member_missing(PLACE, "host", "the device's IPv4 address, like \"10.0.5.20\"",
                                 why);
    }
    if (inet_pton(AF_INET, host, &address) != 1 || !is_host_address(address)) {
        yk_shown(shown, json_object_get(config, "host"));
        return yk_refuse(why, YK_EXIT_CONFIG,
                         PLACE ".host: %s is not a host's IPv4 address; write the device's own, "
                               "like \"10.0.5.20\"",
                         shown);
    }
    inet_ntop(AF_INET, &address, settings->host, sizeof settings->host);
    return true;
}

bool yk_jap_settings_parse(struct yk_jap_settings *settings, const json_t *config,
                           enum yk_role role, struct yk_refusal *why)
{
    static const char *const known[] = {"type", "host", "port", "park_channel"};
    json_int_t port = 80, park = YK_JAP_PARK_CHANNEL;

    memset(settings, 0, sizeof *settings);
    if (!yk_members_check(config, PLACE, known, sizeof known / sizeof known[0], why) ||
        !parse_host(settings, config, why) ||
        !yk_member_integer(config, PLACE, "port", 1, UINT16_MAX, &port, why) ||
        !yk_member_integer(config, PLACE, "park_channel", 0, YK_JAP_CHANNEL_MAX, &park, why)) {
        return false;
    }
    if (role == YK_ROLE_PRODUCER && json_object_get(config, "park_channel") != NULL) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         PLACE ".park_channel: %d on a producer, whose channel is never set; "
                               "remove it",
                         (int)park);
    }
    settings->port = (uint16_t)port;
    settings->park_channel = (uint16_t)park;
    return true;
}
