/* side.h - the two sides of the driver: the producer, which exports, and the consumer, which imports.
 * A node is one of them. */
#ifndef YK_DRIVERS_USBIP_SIDE_H
#define YK_DRIVERS_USBIP_SIDE_H

#include "drivers/driver.h"
#include "drivers/usbip/places.h"

struct yk_usbip_side {
    struct yk_driver_ops ops;
    void (*use_places)(void *self, const struct yk_usbip_places *places);
};

extern const struct yk_usbip_side yk_usbip_consumer;
extern const struct yk_usbip_side yk_usbip_producer;

/* The member "journal_file", or its default beside the state file. */
bool yk_usbip_journal_path(char *out, size_t capacity, const json_t *config,
                           const struct yk_driver_site *site, struct yk_refusal *why);

#endif
