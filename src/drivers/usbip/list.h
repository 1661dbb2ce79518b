/* list.h - what `usbip list -r HOST` prints: the devices that somebody may import there now. One that
 * is imported is not among them. */
#ifndef YK_DRIVERS_USBIP_LIST_H
#define YK_DRIVERS_USBIP_LIST_H

#include "drivers/usbip/busid.h"

/* Is the busid among the listed? Other lines, and one that is cut, say nothing. */
bool yk_usbip_list_has(struct yk_slice output, const char *busid);

#endif
