/* producer_settings.h - a usbip producer's part of the configuration. */
#ifndef YK_DRIVERS_USBIP_PRODUCER_SETTINGS_H
#define YK_DRIVERS_USBIP_PRODUCER_SETTINGS_H

#include <netinet/in.h>

#include "drivers/driver.h"
#include "drivers/usbip/binder.h"
#include "drivers/usbip/store.h"

struct yk_usbip_export {
    char busid[YK_USBIP_BUSID_MAX + 1];
    struct yk_usbip_identity identity;
};

struct yk_usbip_settings {
    size_t count; /* 1 ... YK_USBIP_BUSIDS_MAX */
    struct yk_usbip_export exports[YK_USBIP_BUSIDS_MAX];
    bool usbipd;                /* start one of our own */
    bool reclaim;               /* free a device whose importer is gone */
    char host[INET_ADDRSTRLEN]; /* "": the address of the control interface */
    uint16_t port;
    char journal_file[YK_USBIP_PATH_MAX];
};

/* Reads the object "driver". False and `why` when it is wrong. */
bool yk_usbip_settings_parse(struct yk_usbip_settings *settings, const json_t *config,
                             const struct yk_driver_site *site, struct yk_refusal *why);

/* Takes host and port from configured media, where the driver's part has none. False and `why` when
 * the two contradict each other. Null is fine: the driver makes it all. */
bool yk_usbip_settings_media(struct yk_usbip_settings *settings, const json_t *media,
                             struct yk_refusal *why);

#endif
