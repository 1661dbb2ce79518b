/* igmp.h - the driver for streams in multicast groups: joins a consumer's group, runs the stream
 * process of either role, and says active only on what the kernel confirms. */
#ifndef YK_DRIVERS_IGMP_H
#define YK_DRIVERS_IGMP_H

#include "drivers/driver.h"

extern const struct yk_driver_ops yk_driver_igmp;

#endif
