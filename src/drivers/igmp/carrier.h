/* carrier.h - is an interface's cable in, and was it ever out in between? */
#ifndef YK_DRIVERS_IGMP_CARRIER_H
#define YK_DRIVERS_IGMP_CARRIER_H

#include <stdbool.h>
#include <stdint.h>

struct yk_carrier {
    bool up;
    uint32_t changes; /* counted by the kernel, so that none is missed, however short */
};

/* As the kernel has it now; false where it does not say. */
bool yk_carrier_read(struct yk_carrier *carrier, unsigned ifindex);

#endif
