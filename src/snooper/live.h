/* live.h - the network as the source: the control group, until it is time to stop. */
#ifndef YK_SNOOPER_LIVE_H
#define YK_SNOOPER_LIVE_H

#include "snooper/snoop.h"

/* Both clocks of this host, now. */
struct yk_moment yk_live_now(void);

/* Listens to the group that `snoop` was opened for and hands on what comes, until the time of --for
 * is over, SIGINT or SIGTERM comes, or nothing more can be shown. False and `why` when listening is
 * not possible. */
bool yk_live_run(struct yk_snoop *snoop, struct yk_refusal *why);

#endif
