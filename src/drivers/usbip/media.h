/* media.h - what a usbip producer announces: {"busids": ["1-1"], "host": "10.0.5.3", "port": 3240}. */
#ifndef YK_DRIVERS_USBIP_MEDIA_H
#define YK_DRIVERS_USBIP_MEDIA_H

#include <jansson.h>

#include "base/refusal.h"
#include "drivers/usbip/record.h"

#define YK_USBIP_BUSIDS_MAX 16 /* in one set; what the table of a usbip-host holds */
#define YK_USBIP_TCP_PORT 3240 /* of usbipd, unless said */

struct yk_usbip_media {
    size_t count; /* 0: none */
    struct yk_usbip_target targets[YK_USBIP_BUSIDS_MAX];
};

/* Reads media as announced (canonical JSON object; size 0 is null), which may be hostile. Members
 * with other names are ignored. False and `why`, with the place ("media.busids[2]"), when there is
 * anything that may not reach a tool: a host that is no unicast IPv4 address, a port that is none, no
 * busid, more than 16, one twice, or one that is not numbers alone. */
bool yk_usbip_media_read(struct yk_usbip_media *media, struct yk_slice json,
                         struct yk_refusal *why);
/* The same judgement of configured media. */
bool yk_usbip_media_check(const json_t *json, struct yk_refusal *why);

bool yk_usbip_media_has(const struct yk_usbip_media *media, const struct yk_usbip_target *target);

/* A unicast address of the dotted form, in its one spelling. */
bool yk_usbip_host_is_valid(const char *text);

#endif
