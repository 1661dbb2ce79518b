/* null.h - the driver that touches nothing: accepts any media and is active at once. For tests and
 * rehearsals, and the smallest complete example of a driver. */
#ifndef YK_DRIVERS_NULL_H
#define YK_DRIVERS_NULL_H

#include "drivers/driver.h"

extern const struct yk_driver_ops yk_driver_null;

#endif
