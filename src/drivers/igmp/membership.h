/* membership.h - one membership in a multicast group, with a socket of its own that receives
 * nothing: the stream is the stream process's. It ends with the socket, whatever ends us. */
#ifndef YK_DRIVERS_IGMP_MEMBERSHIP_H
#define YK_DRIVERS_IGMP_MEMBERSHIP_H

#include "drivers/igmp/interface.h"

struct yk_igmp_membership {
    int fd; /* -1: none */
    struct in_addr group;
    unsigned index; /* of the interface */
};

/* No membership; before anything else. */
void yk_igmp_membership_init(struct yk_igmp_membership *membership);
/* Joins `group` there; a former membership is left first. False and `why` when the kernel refuses. */
bool yk_igmp_join(struct yk_igmp_membership *membership, struct in_addr group,
                  const struct yk_igmp_interface *interface, struct yk_refusal *why);
void yk_igmp_leave(struct yk_igmp_membership *membership);

/* Read back from the kernel: is the group joined on that interface? False and `why` when not. */
bool yk_igmp_is_joined(const struct yk_igmp_membership *membership, struct yk_refusal *why);

#endif
