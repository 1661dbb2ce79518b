#include "drivers/usbip/producer_settings.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/members.h"
#include "drivers/usbip/side.h"

#define PLACE "driver"
#define ID_EXAMPLE "046d:c31c"

/* ---- a device */

/* Four hexadecimal digits. */
static bool parse_hex(uint16_t *value, const char *text)
{
    char *end;

    if (strspn(text, "0123456789abcdefABCDEF") < 4) {
        return false;
    }
    char digits[5] = {text[0], text[1], text[2], text[3], 0};

    *value = (uint16_t)strtoul(digits, &end, 16);
    return *end == 0;
}

static bool parse_id(struct yk_usbip_identity *identity, const json_t *object, const char *place,
                     struct yk_refusal *why)
{
    char shown[YK_SHOWN_MAX];
    const char *id = NULL;

    if (!yk_member_string(object, place, "id", 64, &id, why) || id == NULL) {
        return json_object_get(object, "id") == NULL;
    }
    identity->has_id = strlen(id) == strlen(ID_EXAMPLE) && id[4] == ':' &&
                       parse_hex(&identity->vendor, id) && parse_hex(&identity->product, id + 5);
    yk_shown(shown, json_object_get(object, "id"));
    return identity->has_id ||
           yk_refuse(why, YK_EXIT_CONFIG,
                     "%s.id: %s is no vendor and product; write them as \"lsusb\" does, like "
                     "\"" ID_EXAMPLE "\"",
                     place, shown);
}

static bool parse_object(struct yk_usbip_export *out, const json_t *object, const char *place,
                         const char **busid, struct yk_refusal *why)
{
    static const char *const known[] = {"busid", "id", "serial"};
    const char *serial = "";

    if (!yk_members_check(object, place, known, sizeof known / sizeof known[0], why) ||
        !yk_member_string(object, place, "busid", YK_PLACE_MAX, busid, why) ||
        !parse_id(&out->identity, object, place, why) ||
        !yk_member_string(object, place, "serial", YK_USBIP_SERIAL_MAX, &serial, why)) {
        return false;
    }
    if (*busid == NULL) {
        return yk_member_missing(place, "busid", "the device's place, as \"usbip list -l\" says",
                                 why);
    }
    snprintf(out->identity.serial, sizeof out->identity.serial, "%s", serial);
    return true;
}

static bool parse_export(struct yk_usbip_settings *settings, const json_t *value, const char *place,
                         struct yk_refusal *why)
{
    struct yk_usbip_export *out = &settings->exports[settings->count];
    char shown[YK_SHOWN_MAX];
    const char *busid = json_string_value(value);

    if (busid == NULL && !parse_object(out, value, place, &busid, why)) {
        return false;
    }
    yk_shown(shown, value);
    if (!yk_usbip_busid_parse(out->busid, yk_slice_of(busid))) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "%s: %s is no busid; write one that \"usbip list -l\" says, like "
                         "\"1-1.2\"",
                         place, shown);
    }
    for (size_t i = 0; i < settings->count; i++) {
        if (strcmp(settings->exports[i].busid, out->busid) == 0) {
            return yk_refuse(why, YK_EXIT_CONFIG, "%s: %s is there twice; remove one", place,
                             shown);
        }
    }
    settings->count++;
    return true;
}

static bool parse_busids(struct yk_usbip_settings *settings, const json_t *config,
                         struct yk_refusal *why)
{
    const json_t *list = json_object_get(config, "busids");
    char shown[YK_SHOWN_MAX];
    const json_t *value;
    size_t index;

    if (list == NULL) {
        return yk_member_missing(PLACE, "busids",
                                 "the devices to export, as \"usbip list -l\" says, like "
                                 "[\"1-1.2\"]",
                                 why);
    }
    if (!json_is_array(list) || json_array_size(list) == 0 ||
        json_array_size(list) > YK_USBIP_BUSIDS_MAX) {
        yk_shown(shown, list);
        return yk_refuse(why, YK_EXIT_CONFIG,
                         PLACE ".busids: %s is no list of 1 to %d devices; write one like "
                               "[\"1-1.2\"]",
                         shown, YK_USBIP_BUSIDS_MAX);
    }
    json_array_foreach(list, index, value)
    {
        char place[YK_PLACE_MAX];

        snprintf(place, sizeof place, PLACE ".busids[%zu]", index);
        if (!parse_export(settings, value, place, why)) {
            return false;
        }
    }
    return true;
}

/* ---- the rest */

static bool parse_boolean(bool *out, const json_t *config, const char *name, struct yk_refusal *why)
{
    const json_t *value = json_object_get(config, name);
    char shown[YK_SHOWN_MAX];

    *out = json_is_true(value);
    if (value != NULL && !json_is_boolean(value)) {
        yk_shown(shown, value);
        return yk_refuse(why, YK_EXIT_CONFIG, PLACE ".%s: %s is neither true nor false; write one",
                         name, shown);
    }
    return true;
}

static bool parse_host(struct yk_usbip_settings *settings, const json_t *config,
                       struct yk_refusal *why)
{
    const char *host = "";

    if (!yk_member_string(config, PLACE, "host", YK_PLACE_MAX, &host, why)) {
        return false;
    }
    if (host[0] != 0 && !yk_usbip_host_is_valid(host)) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         PLACE ".host: \"%.64s\" is not the IPv4 address of a host; write the one "
                               "that consumers reach, or leave it out",
                         host);
    }
    snprintf(settings->host, sizeof settings->host, "%.*s", INET_ADDRSTRLEN - 1, host);
    return true;
}

bool yk_usbip_settings_parse(struct yk_usbip_settings *settings, const json_t *config,
                             const struct yk_driver_site *site, struct yk_refusal *why)
{
    static const char *const known[] = {"type", "busids", "usbipd",      "reclaim",
                                        "host", "port",   "journal_file"};
    json_int_t port = 0;

    memset(settings, 0, sizeof *settings);
    if (!yk_members_check(config, PLACE, known, sizeof known / sizeof known[0], why) ||
        !parse_busids(settings, config, why) ||
        !parse_boolean(&settings->usbipd, config, "usbipd", why) ||
        !parse_boolean(&settings->reclaim, config, "reclaim", why) ||
        !parse_host(settings, config, why) ||
        !yk_member_integer(config, PLACE, "port", 1, UINT16_MAX, &port, why) ||
        !yk_usbip_journal_path(settings->journal_file, sizeof settings->journal_file, config, site,
                               why)) {
        return false;
    }
    settings->port = (uint16_t)port; /* 0: not said so far */
    return true;
}

static bool contradicts(const struct yk_usbip_settings *settings,
                        const struct yk_usbip_media *media, struct yk_refusal *why)
{
    const struct yk_usbip_target *target = &media->targets[0];
    bool same = media->count == settings->count;

    for (size_t i = 0; same && i < settings->count; i++) {
        struct yk_usbip_target one = *target;

        snprintf(one.busid, sizeof one.busid, "%s", settings->exports[i].busid);
        same = yk_usbip_media_has(media, &one);
    }
    if (!same) {
        yk_refuse(why, YK_EXIT_CONFIG,
                  "media.busids: are not those of driver.busids; remove \"media\", the driver "
                  "makes it");
    } else if (settings->host[0] != 0 && strcmp(settings->host, target->host) != 0) {
        yk_refuse(why, YK_EXIT_CONFIG, "media.host: \"%s\" is not driver.host \"%s\"; remove one",
                  target->host, settings->host);
    } else if (settings->port != 0 && settings->port != target->port) {
        yk_refuse(why, YK_EXIT_CONFIG, "media.port: %u is not driver.port %u; remove one",
                  target->port, settings->port);
    } else {
        return false;
    }
    return true;
}

bool yk_usbip_settings_media(struct yk_usbip_settings *settings, const json_t *media,
                             struct yk_refusal *why)
{
    struct yk_usbip_media read;
    char *text;
    bool ok;

    if (!json_is_null(media)) {
        text = json_dumps(media, JSON_COMPACT | JSON_SORT_KEYS);
        ok = text != NULL ? yk_usbip_media_read(&read, yk_slice_of(text), why)
                          : yk_refuse(why, YK_EXIT_INTERNAL, "media: out of memory; free some");
        free(text);
        if (!ok || contradicts(settings, &read, why)) {
            return false;
        }
        memcpy(settings->host, read.targets[0].host, sizeof settings->host);
        settings->port = read.targets[0].port;
    }
    if (settings->port == 0) {
        settings->port = YK_USBIP_TCP_PORT;
    }
    return true;
}
