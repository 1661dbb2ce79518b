/* arrival.h - whether a multicast stream comes in at this host, without joining anything: who shows it
 * has joined already, and joining would make the network send it. */
#ifndef YK_CLI_ARRIVAL_H
#define YK_CLI_ARRIVAL_H

#include "cli/chain.h"

#define YK_ARRIVAL_TIME YK_SECOND /* listened for at most */
#define YK_ARRIVAL_ENOUGH 20      /* datagrams that prove it */

/* Fills the facts' arrival; `cause` (YK_CAUSE_MAX bytes) holds what `arrival_why` points to. */
void yk_arrival_look(struct yk_chain_facts *facts, const uint8_t group[4], uint16_t port,
                     char *cause, size_t capacity);

#endif
