#include "drivers/jap/media.h"

#include <stdio.h>
#include <string.h>

#include "drivers/announced.h"

#define OCTET_MAX 99 /* of the last two: two decimal digits of the channel each */
#define OCTET_DIGITS_MAX 3

/* The two members as spelled in JSON, fit for terminals, "" when absent. What is too long is cut, and
 * still too long for an address or a channel. */
struct spelling {
    char channel[YK_SHOWN_MAX];
    char group[YK_SHOWN_MAX];
};

int yk_jap_channel_of(const uint8_t group[4])
{
    return group[2] > OCTET_MAX || group[3] > OCTET_MAX ? -1 : group[2] * 100 + group[3];
}

/* Devices write 239.92.00.07, which inet_aton takes for octal and inet_pton for nothing. */
static bool parse_group(uint8_t group[4], const char *spelled)
{
    const char *at = spelled + 1; /* behind the quote */

    for (int i = 0; i < 4; i++) {
        size_t digits = spelled[0] == '"' ? strspn(at, "0123456789") : 0;
        unsigned value = 0;

        if (digits == 0 || digits > OCTET_DIGITS_MAX) {
            return false;
        }
        for (; digits > 0; digits--) {
            value = value * 10 + (unsigned)(*at++ - '0');
        }
        if (value > UINT8_MAX || *at++ != (i < 3 ? '.' : '"')) {
            return false;
        }
        group[i] = (uint8_t)value;
    }
    return *at == 0;
}

static bool parse_channel(uint16_t *channel, const char *spelled)
{
    size_t size = strlen(spelled);
    unsigned value = 0;

    if (size == 0 || size > 4 || strspn(spelled, "0123456789") != size) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        value = value * 10 + (unsigned)(spelled[i] - '0');
    }
    *channel = (uint16_t)value;
    return true;
}

static bool judge_pair(const struct yk_jap_media *media, const char *spelled,
                       const uint8_t control[4], struct yk_refusal *why)
{
    int channel = yk_jap_channel_of(media->group);

    if (media->group[0] < 224 || media->group[0] > 239) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "media.group: %s is not a multicast address; write the encoder's own",
                         spelled);
    }
    if (channel < 0) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "media.group: %s has no channel, for its last two octets may be 0 to %d; "
                         "write the encoder's own",
                         spelled, OCTET_MAX);
    }
    if (channel != media->channel) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "media: channel %d and group %s disagree, for that group is channel %d; "
                         "write the encoder's own",
                         media->channel, spelled, channel);
    }
    return memcmp(media->group, control, 4) != 0 ||
           yk_refuse(why, YK_EXIT_CONFIG,
                     "media.group: %s is the control group; give the encoder another channel",
                     spelled);
}

static bool judge(struct yk_jap_media *media, const struct spelling *spelled,
                  const uint8_t control[4], struct yk_refusal *why)
{
    memset(media, 0, sizeof *media);
    if (spelled->channel[0] == 0) {
        return yk_member_missing("media", "channel", "the encoder's channel, like 7", why);
    }
    if (spelled->group[0] == 0) {
        return yk_member_missing("media", "group", "the channel's group, like \"239.92.0.7\"", why);
    }
    if (!parse_channel(&media->channel, spelled->channel)) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "media.channel: %s is not a channel; write an integer from 0 to %d",
                         spelled->channel, YK_JAP_CHANNEL_MAX);
    }
    if (!parse_group(media->group, spelled->group)) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "media.group: %s is not an IPv4 address; write one like \"239.92.0.7\"",
                         spelled->group);
    }
    if (!judge_pair(media, spelled->group, control, why)) {
        return false;
    }
    snprintf(media->text, sizeof media->text, "channel %u (%u.%u.%u.%u)", media->channel,
             media->group[0], media->group[1], media->group[2], media->group[3]);
    return true;
}

static bool refuse_null(struct yk_refusal *why)
{
    return yk_refuse(
        why, YK_EXIT_CONFIG,
        "media: no object; write one like {\"channel\": 7, \"group\": \"239.92.0.7\"}");
}

bool yk_jap_media_read(struct yk_jap_media *media, struct yk_slice json, const uint8_t control[4],
                       struct yk_refusal *why)
{
    struct yk_json index;
    struct spelling spelled;

    if (!yk_announced_index(&index, json)) {
        return refuse_null(why);
    }
    yk_announced_show(spelled.channel, &index, yk_json_member(&index, 0, "channel"));
    yk_announced_show(spelled.group, &index, yk_json_member(&index, 0, "group"));
    return judge(media, &spelled, control, why);
}

bool yk_jap_media_check(const json_t *json, const uint8_t control[4], struct yk_refusal *why)
{
    const json_t *channel = json_object_get(json, "channel");
    const json_t *group = json_object_get(json, "group");
    struct spelling spelled = {.channel = "", .group = ""};
    struct yk_jap_media media;
    char text[YK_JAP_MEDIA_TEXT_MAX];

    if (!json_is_object(json)) {
        return refuse_null(why);
    }
    if (channel != NULL) {
        yk_shown(spelled.channel, channel);
    }
    if (group != NULL) {
        yk_shown(spelled.group, group);
    }
    if (!judge(&media, &spelled, control, why)) {
        return false;
    }
    snprintf(text, sizeof text, "\"%u.%u.%u.%u\"", media.group[0], media.group[1], media.group[2],
             media.group[3]);
    return strcmp(text, spelled.group) == 0 ||
           yk_refuse(why, YK_EXIT_CONFIG,
                     "media.group: %s is padded, which others cannot read; write %s", spelled.group,
                     text);
}
