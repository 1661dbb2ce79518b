/* binder.h - brings the configured devices to usbip-host, and back: decides the next single step from
 * what is wanted, what is seen and what was done. Pure; producer.c looks and acts. */
#ifndef YK_DRIVERS_USBIP_BINDER_H
#define YK_DRIVERS_USBIP_BINDER_H

#include "drivers/usbip/busid.h"
#include "drivers/usbip/media.h"

#define YK_USBIP_TABLE_MAX 16                       /* busids that usbip-host remembers */
#define YK_USBIP_HELD_MAX (2 * YK_USBIP_BUSIDS_MAX) /* what a former configuration left included */
#define YK_USBIP_ITEMS_MAX (YK_USBIP_HELD_MAX + YK_USBIP_BUSIDS_MAX)
#define YK_USBIP_SERIAL_MAX 126 /* bytes of a serial number that is compared */
#define YK_USBIP_DRIVER_MAX 32
#define YK_USBIP_HOST_DRIVER "usbip-host"
#define YK_USBIP_QUIET \
    (10 * YK_SECOND) /* an import without traffic and pairing: its importer is gone */

enum yk_usbip_export_status {
    YK_USBIP_EXPORT_FREE = 1,
    YK_USBIP_EXPORT_USED,
    YK_USBIP_EXPORT_BROKEN
};

/* What stands in sysfs about one busid. */
struct yk_usbip_device {
    bool present, hub;
    bool unsettled; /* it is being reset, and the rest is as it was before */
    bool imported;  /* it is not this host's own: vhci_hcd made it */
    bool in_table;
    char driver[YK_USBIP_DRIVER_MAX]; /* "": none */
    unsigned status;                  /* usbip_status, while with usbip-host; 0: not known */
    uint16_t vendor, product;
    char serial[YK_USBIP_SERIAL_MAX + 1]; /* "": none */
    uint32_t devnum;                      /* another one after each plugging in */
    uint32_t urbs;                        /* transfers so far */
};

/* Which device is meant to be at a busid, which is a place. */
struct yk_usbip_identity {
    bool has_id;
    uint16_t vendor, product;
    char serial[YK_USBIP_SERIAL_MAX + 1]; /* "": any */
};

enum yk_usbip_hold {
    YK_USBIP_NOT_OURS = 0,
    YK_USBIP_TAKING, /* ours to give back: no longer, or not yet, with usbip-host */
    YK_USBIP_BOUND   /* with usbip-host, brought there by us */
};

enum yk_usbip_step {
    YK_USBIP_REST = 0, /* nothing to do, or nothing that can be done */
    YK_USBIP_KEEP,     /* write the journal; no other step before it is durable */
    YK_USBIP_TAKE,     /* from the driver that has it */
    YK_USBIP_ENTER,    /* into the table of usbip-host; there is no way back but by a binding */
    YK_USBIP_BIND,     /* to usbip-host */
    YK_USBIP_UNBIND,   /* from it */
    YK_USBIP_REMOVE,   /* from the table, and back to its own driver */
    YK_USBIP_RETURN    /* to its own driver; in the table it stays as it is */
};

struct yk_usbip_item {
    char busid[YK_USBIP_BUSID_MAX + 1];
    bool wanted;
    struct yk_usbip_identity identity;
    /* In the journal. */
    enum yk_usbip_hold hold;
    bool entered;    /* the place in the table is ours */
    uint32_t devnum; /* of the device that is held */
    /* Of this life. */
    struct yk_usbip_device seen;
    enum yk_usbip_step failed; /* REST: none since the last attempt began */
    int error;                 /* errno of it */
    uint32_t probed;           /* devnum of the device that usbip-host had last; 0: not known */
    uint32_t let_go;           /* devnum of a device that somebody else unbound; 0: none */
    uint32_t urbs;             /* transfers at the last look */
    yk_time quiet_since;
    bool quiet; /* used, without traffic and pairing, for YK_USBIP_QUIET */
};

struct yk_usbip_binder {
    bool on;      /* bind what is wanted; else give everything back */
    bool reclaim; /* free a quiet device */
    bool loaded;  /* usbip-host is there */
    bool dirty;   /* the journal is not as the items are */
    bool looked;  /* at least once */
    bool
        unwritable; /* the journal, since the last attempt began: nothing is taken, but given back */
    size_t table_used;
    size_t count;
    struct yk_usbip_item items[YK_USBIP_ITEMS_MAX];
};

/* Adds a configured device; one that the journal has is wanted from now on. False: no room. */
bool yk_usbip_binder_want(struct yk_usbip_binder *binder, const char *busid,
                          const struct yk_usbip_identity *identity);
/* A new attempt: what failed is tried again. */
void yk_usbip_binder_begin(struct yk_usbip_binder *binder, bool on);
/* After a look: `loaded`, `table_used` and the items' `seen` are set. `paired`: a live consumer
 * announces a pairing with this producer. */
void yk_usbip_binder_see(struct yk_usbip_binder *binder, bool paired, yk_time now);
/* The next step, and its item. */
enum yk_usbip_step yk_usbip_binder_next(struct yk_usbip_binder *binder,
                                        struct yk_usbip_item **item);
/* A step has ended, with an errno or 0. Look before the next one. */
void yk_usbip_binder_done(struct yk_usbip_binder *binder, struct yk_usbip_item *item,
                          enum yk_usbip_step step, int error);

/* A device is being reset, as after each import: look again in a moment before any conclusion. */
bool yk_usbip_binder_is_unsettled(const struct yk_usbip_binder *binder);

bool yk_usbip_item_is_bound(const struct yk_usbip_item *item);
/* It is, by name and nature, what the configuration means. */
bool yk_usbip_item_is_right(const struct yk_usbip_item *item);
/* Nothing of ours is held any more. */
bool yk_usbip_binder_is_empty(const struct yk_usbip_binder *binder);

/* What is wrong with a wanted item, for people, with the remedy: true and `text`. */
bool yk_usbip_item_problem(const struct yk_usbip_binder *binder, const struct yk_usbip_item *item,
                           char *text, size_t capacity);

#endif
