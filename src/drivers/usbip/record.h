/* record.h - what `usbip attach` leaves in /var/run/vhci_hcd/portN: "HOST PORT BUSID\n", as they
 * were given to it. */
#ifndef YK_DRIVERS_USBIP_RECORD_H
#define YK_DRIVERS_USBIP_RECORD_H

#include "drivers/usbip/busid.h"

#define YK_USBIP_RECORD_MAX 99 /* bytes, the newline included; the tool cuts a longer one */
#define YK_USBIP_HOST_MAX \
    (YK_USBIP_RECORD_MAX - 6) /* " 1 1-1" is the least behind it, less newline */

/* The three facts of an import. */
struct yk_usbip_target {
    char host[YK_USBIP_HOST_MAX + 1]; /* as spelled: a name is not its address */
    uint16_t port;                    /* TCP */
    char busid[YK_USBIP_BUSID_MAX + 1];
};

/* True when the bytes are a whole record. What was cut, is empty or has anything else in it is none:
 * its import has no corroboration. */
bool yk_usbip_record_parse(struct yk_usbip_target *target, struct yk_slice text);

/* Would the record of that import be whole? */
bool yk_usbip_record_fits(const struct yk_usbip_target *target);

bool yk_usbip_target_equal(const struct yk_usbip_target *a, const struct yk_usbip_target *b);

#endif
