/* record.h - what `usbip attach` leaves in /var/run/vhci_hcd/portN: "HOST PORT BUSID\n", as they
 * were given to it. */
#ifndef YK_DRIVERS_USBIP_RECORD_H
#define YK_DRIVERS_USBIP_RECORD_H

#include "drivers/usbip/busid.h"

#define YK_USBIP_RECORD_MAX 99 /* bytes, the newline included; the tool cuts a longer one */
#define YK_USBIP_HOST_MAX \
    (YK_USBIP_RECORD_MAX - 6) /* " 1 1-1" is the least behind it, less newline */

#define YK_USBIP_MARK_MAX 32

/* The three facts of an import, and who made it. */
struct yk_usbip_target {
    char host[YK_USBIP_HOST_MAX + 1]; /* as spelled: a name is not its address */
    uint16_t port;                    /* TCP */
    uint8_t mark; /* zeros in front of the port: none is what people and programs write; a yoke
                   * writes some, each time another number of them, and knows its own again */
    char busid[YK_USBIP_BUSID_MAX + 1];
};

/* True when the bytes are a whole record. What was cut, is empty or has anything else in it is none:
 * its import has no corroboration. */
bool yk_usbip_record_parse(struct yk_usbip_target *target, struct yk_slice text);

/* Would the record of that import be whole, whatever its mark? */
bool yk_usbip_record_fits(const struct yk_usbip_target *target);

/* Of the mark they may differ. */
bool yk_usbip_target_equal(const struct yk_usbip_target *a, const struct yk_usbip_target *b);

#define YK_USBIP_PORT_TEXT_MAX (YK_USBIP_MARK_MAX + 6)
/* The port with its mark, as it is given to the tool. */
void yk_usbip_port_text(char out[YK_USBIP_PORT_TEXT_MAX], const struct yk_usbip_target *target);

#endif
