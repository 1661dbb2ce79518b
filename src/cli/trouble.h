/* trouble.h - why a node is not simply well, in words for an installer. */
#ifndef YK_CLI_TROUBLE_H
#define YK_CLI_TROUBLE_H

#include "core/peers.h"

#define YK_TROUBLE_MAX 2048 /* an error text of a frame, and ours around it */

/* Its announced state while it is live; "lost" or "gone" when it is not. */
const char *yk_presence_word(const struct yk_peer *peer);

/* True, and `out` (YK_TROUBLE_MAX bytes) filled with one raw line, when there is something to say. */
bool yk_trouble_of(char *out, const struct yk_peers *peers, const struct yk_peer *peer,
                   yk_time now);

#endif
