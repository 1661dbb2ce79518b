/* querier_seen.h - what an agent of this host says of IGMP queries on its media interface. */
#ifndef YK_CLI_QUERIER_SEEN_H
#define YK_CLI_QUERIER_SEEN_H

#include "core/types.h"

/* Who has heard none for so long forgets the querier (RFC 3376, 8.5), and a switch the ports. */
#define YK_QUERIER_GONE (260 * YK_SECOND)

struct yk_querier_seen {
    bool known;         /* there is an agent here, and it says */
    char interface[64]; /* where media come in */
    char unheard[128];  /* why it cannot listen; "": it does */
    yk_time listened;
    bool heard;
    char address[16]; /* of the last query */
    int version;      /* of IGMP */
    yk_time age;
};

#endif
