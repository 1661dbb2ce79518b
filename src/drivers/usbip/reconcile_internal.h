/* reconcile_internal.h - what the parts of the reconciler share. */
#ifndef YK_DRIVERS_USBIP_RECONCILE_INTERNAL_H
#define YK_DRIVERS_USBIP_RECONCILE_INTERNAL_H

#include "drivers/usbip/reconcile.h"

/* A line for the log. */
__attribute__((format(printf, 2, 3))) void yk_usbip_say(struct yk_usbip_mind *mind,
                                                        const char *format, ...);
/* The attempt has failed: what it made is to go, and then that is said. The first cause stays. */
__attribute__((format(printf, 2, 3))) void yk_usbip_fail(struct yk_usbip_mind *mind,
                                                         const char *format, ...);
/* The import of an entry that is wanted is not there any more; `how` completes "port 3 ...". */
void yk_usbip_drifted(struct yk_usbip_mind *mind, const struct yk_usbip_entry *entry,
                      const char *how);
void yk_usbip_drop(struct yk_usbip_mind *mind, size_t entry);
/* The number of the entry that is an intent, or the count of all. */
size_t yk_usbip_find_intent(const struct yk_usbip_journal *journal);

/* All that is wanted is held, by the last look. */
bool yk_usbip_all_are_up(const struct yk_usbip_mind *mind);
/* Looks what the ended call of the tool has brought about. */
void yk_usbip_resolve_intent(struct yk_usbip_mind *mind, size_t intent,
                             const struct yk_usbip_seen *seen, yk_time now);
/* Looks at all other entries. An UNLINK may be asked for. */
void yk_usbip_follow(struct yk_usbip_mind *mind, const struct yk_usbip_seen *seen,
                     struct yk_usbip_action *action, yk_time now);

#endif
