/* querier.h - hears the IGMP queries that reach this host: without a querier, switches with IGMP snooping
 * stop a stream after some minutes. Needs CAP_NET_RAW, does without where it is not there, and never
 * transmits. */
#ifndef YK_SHELL_QUERIER_H
#define YK_SHELL_QUERIER_H

#include <jansson.h>
#include <net/if.h>
#include <uv.h>

#include "core/types.h"
#include "shell/config.h"

#define YK_QUERIERS_MAX 8 /* interfaces remembered; then the one queried longest ago goes */

struct yk_query {
    int ifindex; /* 0: free */
    uint8_t from[4];
    int version; /* of IGMP, 1 to 3 */
    yk_time at;
};

struct yk_querier {
    uv_poll_t poll;
    int fd;    /* -1: not heard */
    int error; /* why it is not */
    yk_time since;
    const char *media_interface; /* as configured; borrowed */
    struct yk_query queries[YK_QUERIERS_MAX];
};

/* Begins to listen where it may; where not, that is part of the description. Afterwards no child of this
 * process inherits the capability. */
void yk_querier_open(struct yk_querier *querier, uv_loop_t *loop, const struct yk_config *config);
void yk_querier_close(struct yk_querier *querier);

/* One packet as a raw socket gives it: the IGMP version of a query, or 0 when it is none. */
int yk_querier_version(const uint8_t *packet, size_t size);

/* The object "querier" of status.h. `control_ifindex` is where the control group is joined (0: nowhere);
 * media are there too where the configuration names no interface. */
json_t *yk_querier_describe(const struct yk_querier *querier, int control_ifindex, yk_time now);

#endif
