/* outcome.h - what the end of a `usbip attach` says, in words that help. The words of the tool are
 * hints: what came of it is seen in the kernel alone. */
#ifndef YK_DRIVERS_USBIP_OUTCOME_H
#define YK_DRIVERS_USBIP_OUTCOME_H

#include "drivers/usbip/record.h"
#include "drivers/usbip/tool.h"

#define YK_USBIP_OUTCOME_MAX 384

struct yk_usbip_outcome {
    bool stuck;     /* it does not end */
    bool transient; /* may pass within a second */
    char text[YK_USBIP_OUTCOME_MAX];
};

void yk_usbip_outcome_read(struct yk_usbip_outcome *outcome, const struct yk_usbip_end *end,
                           const struct yk_usbip_target *target);

#endif
