/* jap.h - Just Add Power appliances, by their HTTP API. A consumer tunes its decoder to the channel
 * of its producer; a producer checks that its encoder sends on the channel that is announced. The
 * program loads it as a module (ADR 13); nothing of it is linked. */
#ifndef YK_DRIVERS_JAP_JAP_H
#define YK_DRIVERS_JAP_JAP_H

#include "drivers/driver.h"

extern const struct yk_driver_ops yk_driver_jap;

#endif
