/* firmware.h - is a device new enough to be switched by channel? */
#ifndef YK_DRIVERS_JAP_FIRMWARE_H
#define YK_DRIVERS_JAP_FIRMWARE_H

#include "drivers/jap/answer.h"

/* True, and the warning, when this firmware (spelled as JSON, like "\"B2.3.9\"") is known to be too
 * old for channels by HTTP. Of a version in a form not known nothing is said. */
bool yk_jap_firmware_warning(const char *firmware, char warning[YK_JAP_REASON_MAX]);

#endif
