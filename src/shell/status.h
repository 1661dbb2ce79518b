/* status.h - the local status socket: a read-only Unix stream socket, one JSON object a connection.
 *
 * The object (members may be added, never renamed):
 *   v 1, type "status", id, pid, version and commit (of yoke), group, port, interface, key (fingerprint or null
 *   when open), up_ms (how long it runs: an agent younger than an announcement interval has not heard
 *   everybody yet), retry_ms (until the driver is asked again, or null), seq_bound, kernel_drops,
 *   receive_buffer, drops {malformed ... dup},
 *   self: a node object as `yoke list --json` prints (completions section 6) without v and type,
 *     `also_at`, the second address from which its id is used (or null), and `clock_ahead_ms`, its
 *     clock less this host's (null where it is not known),
 *   nodes: an array of node objects, one a peer. Where the library that writes this cannot hold the
 *     media as announced (integers of any size, all digits of a real), `media` is null or near, and
 *     `media_text` is its canonical text,
 *   intents: [{"consumer", "op", "producer", "version"}], the cached ones,
 *   querier: {"interface": where media come in, "unheard": why queries cannot be heard or null,
 *     "listened_ms", "heard": the last IGMP query there, {"address", "version", "age_ms"}, or null},
 *   warnings: an array of strings, what an operator should know. */
#ifndef YK_SHELL_STATUS_H
#define YK_SHELL_STATUS_H

#include <jansson.h>
#include <uv.h>

#include "base/refusal.h"
#include "core/types.h"

#define YK_STATUS_CLIENTS_MAX 4                 /* at one time; more are closed at once */
#define YK_STATUS_BYTES_MAX (128 * 1024 * 1024) /* a reader's bound on one answer */
#define YK_STATUS_CLIENT_MS 5000                /* a reader slower than that is cut off */

/* The serving side. `describe` gives a new object for a connection. */
struct yk_status;
struct yk_status *yk_status_open(uv_loop_t *loop, const char *path, void *owner,
                                 json_t *(*describe)(void *owner), struct yk_refusal *why);
void yk_status_close(struct yk_status *status, void (*closed)(void *owner));

/* The asking side, blocking, within `timeout_ms`: the object of the agent behind `path`, or NULL.
 * The caller owns it. With NULL, errno is EBUSY when others are being answered: ask again. */
json_t *yk_status_ask(const char *path, int timeout_ms);

#endif
