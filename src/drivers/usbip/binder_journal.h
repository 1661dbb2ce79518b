/* binder_journal.h - what a producer holds, so that it knows it again after a restart: which busids it
 * took from their drivers or entered into the table, in this boot. */
#ifndef YK_DRIVERS_USBIP_BINDER_JOURNAL_H
#define YK_DRIVERS_USBIP_BINDER_JOURNAL_H

#include "drivers/usbip/binder.h"

#define YK_USBIP_BINDER_JOURNAL_MAX (16 * 1024) /* bytes of its text */

/* What is held, as text (to be freed); NULL without memory. */
char *yk_usbip_binder_encode(const struct yk_usbip_binder *binder, const char *node_id,
                             const char *boot_id);

/* Reads such a text into an empty binder; one of another boot has nothing in it, for a reboot gives all
 * devices back. False and `why` when it is no journal, or another node's; `path` is for the words. */
bool yk_usbip_binder_decode(struct yk_usbip_binder *binder, struct yk_slice text, const char *path,
                            const char *node_id, const char *boot_id, struct yk_refusal *why);

/* The same from the file; one that is not there is empty. Blocks: for the start. */
bool yk_usbip_binder_load(struct yk_usbip_binder *binder, const char *path, const char *node_id,
                          const char *boot_id, struct yk_refusal *why);

#endif
