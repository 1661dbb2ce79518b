#include "drivers/igmp/media.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "drivers/announced.h"

#define LINK_LOCAL_MASK 0xffffff00u
#define LINK_LOCAL_NET 0xe0000000u /* 224.0.0.0/24: never forwarded, flooded by switches */

/* The two members as spelled in JSON, fit for terminals, "" when absent. What is too long is cut, and
 * still too long for an address or a port. */
struct spelling {
    char group[YK_SHOWN_MAX];
    char port[YK_SHOWN_MAX];
};

static bool parse_group(struct in_addr *group, const char *spelled)
{
    size_t size = strlen(spelled);
    char text[INET_ADDRSTRLEN];

    if (size < 2 || size - 2 >= sizeof text || spelled[0] != '"') {
        return false;
    }
    memcpy(text, spelled + 1, size - 2);
    text[size - 2] = 0;
    return inet_pton(AF_INET, text, group) == 1;
}

static bool parse_port(uint16_t *port, const char *spelled)
{
    size_t size = strlen(spelled);
    unsigned value = 0;

    if (size == 0 || size > 5 || strspn(spelled, "0123456789") != size) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        value = value * 10 + (unsigned)(spelled[i] - '0');
    }
    *port = (uint16_t)value;
    return value >= 1 && value <= UINT16_MAX;
}

static bool judge_group(struct in_addr group, const char *spelled, const uint8_t control[4],
                        struct yk_refusal *why)
{
    if (!IN_MULTICAST(ntohl(group.s_addr))) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "media.group: %s is not a multicast address; give the encoder one from "
                         "239.0.0.0/8",
                         spelled);
    }
    if ((ntohl(group.s_addr) & LINK_LOCAL_MASK) == LINK_LOCAL_NET) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "media.group: %s is in 224.0.0.0/24, which is for routing protocols; give "
                         "the encoder one from 239.0.0.0/8",
                         spelled);
    }
    if (memcmp(&group.s_addr, control, 4) == 0) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "media.group: %s is the control group; give the encoder another one from "
                         "239.0.0.0/8",
                         spelled);
    }
    return true;
}

static bool judge(struct yk_igmp_media *media, const struct spelling *spelled,
                  const uint8_t control[4], struct yk_refusal *why)
{
    char group[INET_ADDRSTRLEN];

    memset(media, 0, sizeof *media);
    if (spelled->group[0] == 0) {
        return yk_member_missing("media", "group", "a multicast address, like \"239.10.0.5\"", why);
    }
    if (spelled->port[0] == 0) {
        return yk_member_missing("media", "port", "a UDP port, like 5004", why);
    }
    if (!parse_group(&media->group, spelled->group)) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "media.group: %s is not an IPv4 address; write one like \"239.10.0.5\"",
                         spelled->group);
    }
    if (!judge_group(media->group, spelled->group, control, why)) {
        return false;
    }
    if (!parse_port(&media->port, spelled->port)) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "media.port: %s is not a port; write an integer from 1 to 65535",
                         spelled->port);
    }
    inet_ntop(AF_INET, &media->group, group, sizeof group);
    snprintf(media->text, sizeof media->text, "%s:%u", group, media->port);
    return true;
}

static bool refuse_null(struct yk_refusal *why)
{
    return yk_refuse(
        why, YK_EXIT_CONFIG,
        "media: no object; write one like {\"group\": \"239.10.0.5\", \"port\": 5004}");
}

bool yk_igmp_media_read(struct yk_igmp_media *media, struct yk_slice json, const uint8_t control[4],
                        struct yk_refusal *why)
{
    struct yk_json index;
    struct spelling spelled;

    if (!yk_announced_index(&index, json)) {
        return refuse_null(why);
    }
    yk_announced_show(spelled.group, &index, yk_json_member(&index, 0, "group"));
    yk_announced_show(spelled.port, &index, yk_json_member(&index, 0, "port"));
    return judge(media, &spelled, control, why);
}

bool yk_igmp_media_check(const json_t *json, const uint8_t control[4], struct yk_refusal *why)
{
    const json_t *group = json_object_get(json, "group");
    const json_t *port = json_object_get(json, "port");
    struct spelling spelled = {.group = "", .port = ""};
    struct yk_igmp_media media;

    if (!json_is_object(json)) {
        return refuse_null(why);
    }
    if (group != NULL) {
        yk_shown(spelled.group, group);
    }
    if (port != NULL) {
        yk_shown(spelled.port, port);
    }
    return judge(&media, &spelled, control, why);
}

bool yk_igmp_media_equal(const struct yk_igmp_media *a, const struct yk_igmp_media *b)
{
    return a->group.s_addr == b->group.s_addr && a->port == b->port;
}
