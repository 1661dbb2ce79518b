/* announce.h - our announcement, which always encodes (spec, Announcements must remain encodable). */
#ifndef YK_CORE_ANNOUNCE_H
#define YK_CORE_ANNOUNCE_H

#include "core/outbox.h"
#include "core/status.h"

/* Sends the announcement: evidence is left out first, then the error text is cut, until it fits.
 * False when it could not be sent for want of a number. `pairing` is NULL for a producer. */
bool yk_announce(struct yk_outbox *outbox, const struct yk_node_options *options,
                 const struct yk_pairing *pairing, const struct yk_status_text *status);

/* yk_node_fits in node.h is here too. */

#endif
