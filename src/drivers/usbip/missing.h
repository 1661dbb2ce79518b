/* missing.h - what this host lacks for USB/IP, for `yoke agent --check`. */
#ifndef YK_DRIVERS_USBIP_MISSING_H
#define YK_DRIVERS_USBIP_MISSING_H

#include "core/protocol.h"
#include "drivers/usbip/places.h"

/* A line for each thing that is missing, with the remedy, or one that says that nothing is. Looks,
 * and touches nothing. */
void yk_usbip_say_missing(const struct yk_usbip_places *places, enum yk_role role,
                          void (*note)(const char *line));

#endif
