/* producer_view.h - what usbipd shows to importers, asked as they ask: `usbip list -r` of this host. */
#ifndef YK_DRIVERS_USBIP_PRODUCER_VIEW_H
#define YK_DRIVERS_USBIP_PRODUCER_VIEW_H

#include "drivers/usbip/binder.h"
#include "drivers/usbip/places.h"
#include "drivers/usbip/tool.h"

#define YK_USBIP_VIEW_CAUSE_MAX 160

struct yk_usbip_view {
    const struct yk_usbip_places *places;
    uint16_t port;
    void *owner;
    void (*seen)(void *owner); /* an answer, or none in time */
    const struct yk_usbip_binder *binder;
    struct yk_usbip_tool *tool;          /* NULL: nobody is asked now */
    yk_time asked;                       /* last; 0: never */
    bool answered;                       /* since the last change of what is to be seen */
    char cause[YK_USBIP_VIEW_CAUSE_MAX]; /* why usbipd does not answer; "": it did */
    bool listed[YK_USBIP_ITEMS_MAX];     /* by item of the binder */
};

/* All pointers are borrowed. `seen` is called from the loop. */
void yk_usbip_view_init(struct yk_usbip_view *view, const struct yk_usbip_places *places,
                        uint16_t port, const struct yk_usbip_binder *binder, void *owner,
                        void (*seen)(void *owner));
/* After each look: forgets what is not bound any more, and asks when it is time to. */
void yk_usbip_view_update(struct yk_usbip_view *view, uv_loop_t *loop, yk_time now);
/* Is the item shown, or imported, which hides it? */
bool yk_usbip_view_has(const struct yk_usbip_view *view, size_t item);
/* Ends a question under way; `seen` says when that is done. */
void yk_usbip_view_stop(struct yk_usbip_view *view);

#endif
