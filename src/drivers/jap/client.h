/* client.h - asks one device over HTTP, one question at a time, in the agent's loop: a connection a
 * question (the devices close theirs), no proxy, no redirect followed, http only, everything bounded. */
#ifndef YK_DRIVERS_JAP_CLIENT_H
#define YK_DRIVERS_JAP_CLIENT_H

#include <uv.h>

#include "base/refusal.h"
#include "drivers/jap/answer.h"

/* A healthy device can take over 2 s; an address without a device costs the kernel 3 s to find out. */
#define YK_JAP_CONNECT_MS 4000
#define YK_JAP_TOTAL_MS 8000
#define YK_JAP_HEADERS_MAX 16384 /* bytes of all header lines of an answer */

struct yk_jap_client;

/* `answered` is called from the loop, once for each question, with the answer for the call. NULL and
 * `why` when there is no memory. */
struct yk_jap_client *
yk_jap_client_open(uv_loop_t *loop, const char *host, uint16_t port, void *owner,
                   void (*answered)(void *owner, const struct yk_jap_answer *answer),
                   struct yk_refusal *why);
/* Asks; `channel` is that of YK_JAP_ASK_SET. Nothing else may be under way. False without memory:
 * nothing was asked. */
bool yk_jap_client_ask(struct yk_jap_client *client, enum yk_jap_ask ask, uint16_t channel);
/* Drops what is under way; `closed` is called from the loop, later, and the client is freed. */
void yk_jap_client_close(struct yk_jap_client *client, void (*closed)(void *owner));

#endif
