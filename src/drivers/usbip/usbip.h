/* usbip.h - the driver "usbip": USB devices across the network, by the Linux kernel's USB/IP. */
#ifndef YK_DRIVERS_USBIP_USBIP_H
#define YK_DRIVERS_USBIP_USBIP_H

#include "drivers/driver.h"
#include "drivers/usbip/places.h"

extern const struct yk_driver_ops yk_driver_usbip;

/* For tests, between parse and open: other places than those of the host. Borrowed. */
void yk_usbip_use_places(void *self, const struct yk_usbip_places *places);

#endif
