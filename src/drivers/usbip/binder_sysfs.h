/* binder_sysfs.h - the producer's side of the kernel, as files: looking at devices and usbip-host, and
 * the single steps of the binder. */
#ifndef YK_DRIVERS_USBIP_BINDER_SYSFS_H
#define YK_DRIVERS_USBIP_BINDER_SYSFS_H

#include "drivers/usbip/binder.h"
#include "drivers/usbip/places.h"

/* Fills `loaded`, `table_used` and the items' `seen`. A few small files that need no disk: may be
 * called from the loop. */
void yk_usbip_binder_look(struct yk_usbip_binder *binder, const struct yk_usbip_places *places);

/* Is the busid a word of match_busid's text? `count` is how many words it has. */
bool yk_usbip_table_has(struct yk_slice text, const char *busid, size_t *count);

/* Does a step; 0 or an errno. May wait for drivers: for a thread of the pool. */
int yk_usbip_binder_act(enum yk_usbip_step step, const char *busid,
                        const struct yk_usbip_places *places);

#endif
