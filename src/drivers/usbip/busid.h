/* busid.h - the place of a USB device on its host, like "1-5.1": bus, port, ports of hubs. */
#ifndef YK_DRIVERS_USBIP_BUSID_H
#define YK_DRIVERS_USBIP_BUSID_H

#include "core/types.h"

#define YK_USBIP_BUSID_MAX 31 /* bytes; the wire of USB/IP has 32 with the end */

/* True, and `out` filled, when the bytes are one: numbers without leading zeros. Nothing that passes
 * can leave a folder, be taken for an option or mean anything to a shell. */
bool yk_usbip_busid_parse(char out[YK_USBIP_BUSID_MAX + 1], struct yk_slice text);

/* A decimal number of 1 to 9 digits at the start of the bytes, which are shortened by it; false when
 * there is none, or it is longer. */
bool yk_usbip_take_number(struct yk_slice *text, unsigned *value);

#endif
