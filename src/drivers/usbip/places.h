/* places.h - where the kernel, the tool and the other agents of this host are met. Tests give others
 * with yk_usbip_use_places. */
#ifndef YK_DRIVERS_USBIP_PLACES_H
#define YK_DRIVERS_USBIP_PLACES_H

struct yk_usbip_places {
    const char *vhci;        /* folder of the consumer's controllers */
    const char *devices;     /* a folder per USB device of this host */
    const char *host_driver; /* folder of the producer's driver */
    const char *records;     /* what `usbip attach` keeps */
    const char *boot_id;     /* another one after each boot */
    const char *lock;        /* held while a tool runs; the same for all agents of the host */
    const char *tool;        /* usbip, searched in PATH without a slash */
    const char *daemon;      /* usbipd, likewise */
};

extern const struct yk_usbip_places yk_usbip_places;

#endif
