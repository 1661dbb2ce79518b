/* The control group's place: what both agents and tools are told. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "shell/config.h"

bool yk_network_set_group(struct yk_network *network, const char *text, const char *place,
                          struct yk_refusal *why)
{
    struct in_addr address;

    if (inet_pton(AF_INET, text, &address) != 1 || !IN_MULTICAST(ntohl(address.s_addr))) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "%s: \"%.64s\" is no IPv4 multicast address; write one from 224.0.0.0 to "
                         "239.255.255.255, like 239.121.111.107",
                         place, text);
    }
    memcpy(network->group, &address, sizeof network->group);
    return true;
}

bool yk_network_set_port(struct yk_network *network, int64_t port, const char *place,
                         struct yk_refusal *why)
{
    if (port < 1 || port > 65535) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "%s: %" PRId64 " is no port; write one from 1 to 65535, like 9753", place,
                         port);
    }
    network->port = (uint16_t)port;
    return true;
}

/* Nothing but digits and dots is meant as an address, whatever names the kernel would allow. */
static bool looks_like_address(const char *text)
{
    return text[strspn(text, "0123456789.")] == 0 || strchr(text, ':') != NULL;
}

static bool check_address(const char *text, const char *place, struct yk_refusal *why)
{
    struct in_addr address;
    uint32_t host;

    if (inet_pton(AF_INET, text, &address) != 1) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "%s: \"%.64s\" is no IPv4 address; write an IPv4 address of this host or "
                         "the name of an interface (\"ip -br address\" lists them)",
                         place, text);
    }
    host = ntohl(address.s_addr);
    if (host != INADDR_ANY && (host >> 24 == 0 || host >> 28 >= 14)) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "%s: \"%.64s\" is no unicast address; write an IPv4 address of this host, "
                         "or 0.0.0.0 for the kernel's choice",
                         place, text);
    }
    return true;
}

bool yk_network_set_interface(struct yk_network *network, const char *text, const char *place,
                              struct yk_refusal *why)
{
    if (looks_like_address(text)) {
        if (!check_address(text, place, why)) {
            return false;
        }
    } else if (strlen(text) >= IF_NAMESIZE || strpbrk(text, "/ \t\r\n\v\f") != NULL) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "%s: \"%.64s\" is no interface name (1 to %d bytes, no blank or \"/\"); "
                         "\"ip -br link\" lists those of this host",
                         place, text, IF_NAMESIZE - 1);
    }
    snprintf(network->interface, sizeof network->interface, "%s", text);
    return true;
}
