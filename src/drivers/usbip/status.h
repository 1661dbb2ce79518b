/* status.h - a controller's ports as the kernel's vhci-hcd prints them in "status", "status.1" and so
 * on. */
#ifndef YK_DRIVERS_USBIP_STATUS_H
#define YK_DRIVERS_USBIP_STATUS_H

#include "drivers/usbip/busid.h"

enum yk_usbip_state {
    YK_USBIP_FREE = 4,
    YK_USBIP_INITIALIZING = 5, /* tells neither device nor busid */
    YK_USBIP_IN_USE = 6,       /* also of an import whose other side has vanished */
    YK_USBIP_BROKEN = 7
};

/* One line. */
struct yk_usbip_status {
    unsigned number; /* of the port, over all controllers */
    enum yk_usbip_state state;
    unsigned speed;
    uint32_t devid; /* the other side's bus number and, in the low half, device number */
    char local[YK_USBIP_BUSID_MAX + 1]; /* busid on this host; "" when there is none yet */
};

/* Calls `take` for each line, in their order; it may refuse one by giving false. Gives 0, or the
 * number of the first line that is not as it should be (1 is the heading): a text that is cut within a
 * line, or has a port twice or out of order, says nothing. */
size_t yk_usbip_status_parse(struct yk_slice text, void *owner,
                             bool (*take)(void *owner, const struct yk_usbip_status *status));

#endif
