/* claim.h - is what is at a port the import that the journal names? Every fact has to agree: port,
 * state, devid, devnum, and the record by content and identity. */
#ifndef YK_DRIVERS_USBIP_CLAIM_H
#define YK_DRIVERS_USBIP_CLAIM_H

#include "drivers/usbip/journal.h"

enum yk_usbip_claim {
    YK_USBIP_OURS = 1, /* proven, and its device is there */
    YK_USBIP_COMING,   /* proven by port and record; the device is not there yet (MADE) */
    YK_USBIP_LOST,     /* was proven in this life, and its local device is missing since (HELD) */
    YK_USBIP_GONE,     /* the port is free */
    YK_USBIP_OTHERS,   /* the port serves another import */
    YK_USBIP_DOUBTFUL  /* neither is proven */
};

/* Of an entry that is MADE or HELD; `port` as seen, NULL when it is free and has no record. */
enum yk_usbip_claim yk_usbip_claim(const struct yk_usbip_entry *entry,
                                   const struct yk_usbip_port *port);

/* The port of an import that the intent has brought about, or NULL: in use, with a record of the
 * target and our mark that was not there before. */
const struct yk_usbip_port *yk_usbip_fruit(const struct yk_usbip_journal *journal,
                                           const struct yk_usbip_entry *intent,
                                           const struct yk_usbip_seen *seen);

/* The next port from `*at` on that may be the intent's, and nothing proves it: taken since, without a
 * new whole record, and in no entry. `*at` is set behind it. */
const struct yk_usbip_port *yk_usbip_suspect(const struct yk_usbip_journal *journal,
                                             const struct yk_usbip_seen *seen, size_t *at);

/* Keeps for the journal's intent how the ports are before it. */
void yk_usbip_note_before(struct yk_usbip_journal *journal, const struct yk_usbip_seen *seen);

#endif
