#include "drivers/usbip/media.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

#include "drivers/announced.h"

#define EXAMPLE "{\"busids\": [\"1-1\"], \"host\": \"10.0.5.3\", \"port\": 3240}"

bool yk_usbip_host_is_valid(const char *text)
{
    struct in_addr address;
    char again[INET_ADDRSTRLEN];
    uint32_t value;

    if (inet_pton(AF_INET, text, &address) != 1) {
        return false;
    }
    inet_ntop(AF_INET, &address, again, sizeof again);
    value = ntohl(address.s_addr);
    return strcmp(text, again) == 0 && value >> 24 != 0 && value >> 28 < 0xe;
}

/* The text of a string without escapes, as a terminated one; false when it is none or too long. */
static bool take_string(char *out, size_t capacity, const struct yk_json *json, size_t token)
{
    struct yk_slice raw;

    if (json->tokens[token].type != YK_JSON_STRING || json->tokens[token].escaped) {
        return false;
    }
    raw = yk_json_raw_string(json, token);
    if (raw.size >= capacity) {
        return false;
    }
    memcpy(out, raw.data, raw.size);
    out[raw.size] = 0;
    return true;
}

static bool read_host(struct yk_usbip_target *target, const struct yk_json *json,
                      struct yk_refusal *why)
{
    size_t token = yk_json_member(json, 0, "host");
    char shown[YK_SHOWN_MAX];

    if (token == 0) {
        return yk_member_missing("media", "host", "the producer's IPv4 address", why);
    }
    if (!take_string(target->host, INET_ADDRSTRLEN, json, token) ||
        !yk_usbip_host_is_valid(target->host)) {
        yk_announced_show(shown, json, token);
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "media.host: %s is not the IPv4 address of a host; let the producer "
                         "announce one like \"10.0.5.3\"",
                         shown);
    }
    return true;
}

static bool read_port(struct yk_usbip_target *target, const struct yk_json *json,
                      struct yk_refusal *why)
{
    size_t token = yk_json_member(json, 0, "port");
    char shown[YK_SHOWN_MAX];
    uint64_t port;

    if (token == 0) {
        return yk_member_missing("media", "port", "the TCP port of usbipd, like 3240", why);
    }
    if (!yk_json_count(json, token, &port) || port < 1 || port > UINT16_MAX) {
        yk_announced_show(shown, json, token);
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "media.port: %s is not a port; let the producer announce an integer from "
                         "1 to 65535",
                         shown);
    }
    target->port = (uint16_t)port;
    return true;
}

static bool read_busid(struct yk_usbip_media *media, const struct yk_usbip_target *site,
                       const struct yk_json *json, size_t token, struct yk_refusal *why)
{
    struct yk_usbip_target target = *site;
    char text[YK_USBIP_BUSID_MAX + 1], shown[YK_SHOWN_MAX];

    yk_announced_show(shown, json, token);
    if (!take_string(text, sizeof text, json, token) ||
        !yk_usbip_busid_parse(target.busid, yk_slice_of(text))) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "media.busids[%zu]: %s is not a busid; let the producer announce one like "
                         "\"1-1.2\"",
                         media->count, shown);
    }
    if (yk_usbip_media_has(media, &target)) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "media.busids[%zu]: %s is there twice; let the producer announce it once",
                         media->count, shown);
    }
    if (!yk_usbip_record_fits(&target)) {
        return yk_refuse(
            why, YK_EXIT_CONFIG,
            "media.busids[%zu]: %s with this host is too long for the record of usbip; "
            "plug the device in nearer to the host",
            media->count, shown);
    }
    media->targets[media->count++] = target;
    return true;
}

static bool read_busids(struct yk_usbip_media *media, const struct yk_usbip_target *site,
                        const struct yk_json *json, struct yk_refusal *why)
{
    size_t token = yk_json_member(json, 0, "busids");
    char shown[YK_SHOWN_MAX];
    size_t end;

    if (token == 0) {
        return yk_member_missing("media", "busids", "the producer's devices, like [\"1-1\"]", why);
    }
    end = json->tokens[token].next;
    if (json->tokens[token].type != YK_JSON_ARRAY || end == token + 1) {
        yk_announced_show(shown, json, token);
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "media.busids: %s is no list of devices; let the producer announce one "
                         "like [\"1-1\"]",
                         shown);
    }
    for (size_t at = token + 1; at < end; at = json->tokens[at].next) {
        if (media->count == YK_USBIP_BUSIDS_MAX) {
            return yk_refuse(why, YK_EXIT_CONFIG,
                             "media.busids: more than %d; let the producer announce fewer",
                             YK_USBIP_BUSIDS_MAX);
        }
        if (!read_busid(media, site, json, at, why)) {
            return false;
        }
    }
    return true;
}

bool yk_usbip_media_read(struct yk_usbip_media *media, struct yk_slice json, struct yk_refusal *why)
{
    struct yk_usbip_target site;
    struct yk_json index;
    bool ok;

    memset(media, 0, sizeof *media);
    memset(&site, 0, sizeof site);
    if (!yk_announced_index(&index, json)) {
        return yk_refuse(why, YK_EXIT_CONFIG, "media: no object; write one like " EXAMPLE);
    }
    ok = read_host(&site, &index, why) && read_port(&site, &index, why) &&
         read_busids(media, &site, &index, why);
    if (!ok) {
        media->count = 0;
    }
    return ok;
}

bool yk_usbip_media_check(const json_t *json, struct yk_refusal *why)
{
    char *text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);
    struct yk_usbip_media media;
    bool ok;

    if (text == NULL) {
        return yk_refuse(why, YK_EXIT_CONFIG, "media: no object; write one like " EXAMPLE);
    }
    ok = yk_usbip_media_read(&media, yk_slice_of(text), why);
    free(text);
    return ok;
}

bool yk_usbip_media_has(const struct yk_usbip_media *media, const struct yk_usbip_target *target)
{
    for (size_t i = 0; i < media->count; i++) {
        if (yk_usbip_target_equal(&media->targets[i], target)) {
            return true;
        }
    }
    return false;
}
