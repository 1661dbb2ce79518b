/* interface.h - network interfaces of this host, as they are now. */
#ifndef YK_BASE_INTERFACE_H
#define YK_BASE_INTERFACE_H

#include <netinet/in.h>

#include "base/refusal.h"

#define YK_INTERFACE_ANY "0.0.0.0" /* the kernel chooses, by its route to the group */

/* Where an interface is, given by its name or an IPv4 address of it: index and first IPv4 address;
 * both 0 for "0.0.0.0", the kernel's choice. False and `why` when it is missing, down or without an
 * address; it may come. */
_Bool yk_interface_find(const char *interface, int *ifindex, struct in_addr *address,
                        struct yk_refusal *why);
/* The kernel's choice for a group: where the route to it leads. False and errno when there is none. */
_Bool yk_interface_towards(struct in_addr group, int *ifindex, struct in_addr *address);
/* False while the cable is out. The kernel keeps the membership, but says nothing about it to a
 * switch when the carrier returns. */
_Bool yk_interface_has_carrier(int ifindex);

#endif
