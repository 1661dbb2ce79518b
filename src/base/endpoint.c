#include "base/endpoint.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#define PORT_MAX 65535
#define SHOWN "%.80s" /* of a value in a refusal */

/* Decimal digits alone, of 0 to PORT_MAX. */
static bool parse_port(const char *text, uint16_t *port)
{
    unsigned value = 0;

    if (text[0] == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9') {
            return false;
        }
        value = value * 10 + (unsigned)(*text - '0');
        if (value > PORT_MAX) {
            return false;
        }
    }
    *port = (uint16_t)value;
    return true;
}

bool yk_endpoint_parse(struct yk_endpoint *endpoint, const char *text, const char *place,
                       enum yk_exit exit, struct yk_refusal *why)
{
    const char *colon = strrchr(text, ':');
    size_t size = colon != NULL ? (size_t)(colon - text) : 0;
    char address[INET_ADDRSTRLEN] = "127.0.0.1";
    struct in_addr ip;

    if (!parse_port(colon != NULL ? colon + 1 : text, &endpoint->port)) {
        return yk_refuse(why, exit,
                         "%s: \"" SHOWN "\" has no port from 0 to %d; write ADDR:PORT, like "
                         "127.0.0.1:9754",
                         place, text, PORT_MAX);
    }
    if (size > 0) {
        snprintf(address, sizeof address, "%.*s", (int)size, text);
    }
    if (size >= sizeof address || inet_pton(AF_INET, address, &ip) != 1) {
        return yk_refuse(why, exit,
                         "%s: \"%.*s\" is no IPv4 address; write one of this host (names are not "
                         "looked up), or 127.0.0.1",
                         place, (int)(size < 80 ? size : 80), text);
    }
    if (IN_MULTICAST(ntohl(ip.s_addr)) || ip.s_addr == INADDR_BROADCAST) {
        return yk_refuse(why, exit,
                         "%s: %s is no host's address; write one of this host, or 127.0.0.1", place,
                         address);
    }
    memcpy(endpoint->ip, &ip, sizeof endpoint->ip);
    return true;
}

const char *yk_endpoint_text(char out[YK_ENDPOINT_TEXT_MAX], const struct yk_endpoint *endpoint)
{
    snprintf(out, YK_ENDPOINT_TEXT_MAX, "%u.%u.%u.%u:%u", endpoint->ip[0], endpoint->ip[1],
             endpoint->ip[2], endpoint->ip[3], endpoint->port);
    return out;
}

bool yk_endpoint_is_loopback(const struct yk_endpoint *endpoint)
{
    return endpoint->ip[0] == 127;
}
