/* media.h - what an encoder announces: {"channel": 7, "group": "239.92.0.7"}, and the rule between
 * the two: channel = third octet x 100 + fourth octet, in decimal. */
#ifndef YK_DRIVERS_JAP_MEDIA_H
#define YK_DRIVERS_JAP_MEDIA_H

#include <jansson.h>

#include "base/refusal.h"
#include "core/types.h"

#define YK_JAP_CHANNEL_MAX 9999  /* least is 0, which is a channel like any other */
#define YK_JAP_MEDIA_TEXT_MAX 32 /* "channel 9999 (255.255.99.99)" and the end */

struct yk_jap_media {
    uint16_t channel;
    uint8_t group[4];
    char text[YK_JAP_MEDIA_TEXT_MAX]; /* "channel 7 (239.92.0.7)" */
};

/* Reads media as announced (canonical JSON object; size 0 is null), which may be hostile. Members
 * with other names are ignored, octets may be padded with zeros. False and `why`, with the place
 * ("media.channel"), when one is missing or wrong, the group is `control`, or the two disagree. */
bool yk_jap_media_read(struct yk_jap_media *media, struct yk_slice json, const uint8_t control[4],
                       struct yk_refusal *why);
/* The same judgement of configured media; octets are not padded, for others read it too. */
bool yk_jap_media_check(const json_t *json, const uint8_t control[4], struct yk_refusal *why);

/* The channel of a group's last two octets, or -1: none has an octet above 99. */
int yk_jap_channel_of(const uint8_t group[4]);

#endif
