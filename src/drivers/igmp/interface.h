/* interface.h - the network interface that media goes through. */
#ifndef YK_DRIVERS_IGMP_INTERFACE_H
#define YK_DRIVERS_IGMP_INTERFACE_H

#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>

#include "base/refusal.h"

struct yk_igmp_interface {
    char name[IF_NAMESIZE];
    unsigned index; /* a new one when the interface is made anew under the same name */
    struct in_addr address;
};

/* Finds what `wanted` says: a name, an IPv4 address of this host, or "" for the one that the
 * kernel's routes choose for `group`. Its first IPv4 address is taken. False and `why` when it is
 * not there, down, or without address. */
bool yk_igmp_interface_find(struct yk_igmp_interface *found, const char *wanted,
                            struct in_addr group, struct yk_refusal *why);
/* True when it is still there as found; false and `why` when it is another one, down, or has lost
 * its address. */
bool yk_igmp_interface_holds(const struct yk_igmp_interface *interface, struct yk_refusal *why);

#endif
