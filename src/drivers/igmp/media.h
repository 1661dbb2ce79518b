/* media.h - what an igmp producer announces: {"group": "239.10.0.5", "port": 5004}. */
#ifndef YK_DRIVERS_IGMP_MEDIA_H
#define YK_DRIVERS_IGMP_MEDIA_H

#include <jansson.h>
#include <netinet/in.h>

#include "base/refusal.h"
#include "core/types.h"

#define YK_IGMP_MEDIA_TEXT_MAX 24 /* "255.255.255.255:65535" and the end */

struct yk_igmp_media {
    struct in_addr group;
    uint16_t port;
    char text[YK_IGMP_MEDIA_TEXT_MAX]; /* "239.10.0.5:5004" */
};

/* Reads media as announced (canonical JSON object; size 0 is null), which may be hostile. Members
 * with other names are ignored. False and `why`, with the place ("media.group"), when there is no
 * group and port, or the group is not multicast, link-local or `control`. */
bool yk_igmp_media_read(struct yk_igmp_media *media, struct yk_slice json, const uint8_t control[4],
                        struct yk_refusal *why);
/* The same judgement of configured media. */
bool yk_igmp_media_check(const json_t *json, const uint8_t control[4], struct yk_refusal *why);

bool yk_igmp_media_equal(const struct yk_igmp_media *a, const struct yk_igmp_media *b);

#endif
