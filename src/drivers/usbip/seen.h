/* seen.h - one look at the imports of this host: the kernel's ports, their records and their local
 * devices. Reads a few small files that need no disk, so it may be called from the loop. */
#ifndef YK_DRIVERS_USBIP_SEEN_H
#define YK_DRIVERS_USBIP_SEEN_H

#include "drivers/usbip/places.h"
#include "drivers/usbip/record.h"
#include "drivers/usbip/status.h"

#define YK_USBIP_PORTS_MAX 256   /* ports with anything to say; what needs more is refused */
#define YK_USBIP_NUMBER_MAX 4095 /* of a port; the kernel can be built with 3840 */
#define YK_USBIP_CAUSE_MAX 256
#define YK_USBIP_BOOT_ID_MAX 36

/* Which writing of a record file it is. An attach gives another, even on the same port. */
struct yk_usbip_stamp {
    uint64_t inode; /* 0: no file */
    int64_t mtime_ns;
};

/* A port that is not free, or has a record. */
struct yk_usbip_port {
    struct yk_usbip_status status;
    uint32_t devnum; /* of the local device; 0 when it is not there */
    struct yk_usbip_stamp stamp;
    bool has_target; /* the record is whole */
    struct yk_usbip_target target;
};

enum yk_usbip_sight {
    YK_USBIP_ABSENT = 1, /* no vhci-hcd, so no imports */
    YK_USBIP_UNCLEAR,    /* it cannot be told; `cause` says why and what to do */
    YK_USBIP_CLEAR
};

struct yk_usbip_seen {
    enum yk_usbip_sight sight;
    char cause[YK_USBIP_CAUSE_MAX];
    bool may_attach; /* the kernel would take an attach of ours */
    bool may_record; /* and the tool could record it */
    size_t count;
    struct yk_usbip_port ports[YK_USBIP_PORTS_MAX]; /* by number */
};

void yk_usbip_look(struct yk_usbip_seen *seen, const struct yk_usbip_places *places);

/* The port of that number, or NULL when it is free and has no record. */
const struct yk_usbip_port *yk_usbip_seen_port(const struct yk_usbip_seen *seen, unsigned number);

bool yk_usbip_stamp_equal(const struct yk_usbip_stamp *a, const struct yk_usbip_stamp *b);

/* The boot id of this host. False and `cause` when it cannot be read. */
bool yk_usbip_boot_id(char out[YK_USBIP_BOOT_ID_MAX + 1], const struct yk_usbip_places *places,
                      char cause[YK_USBIP_CAUSE_MAX]);

#endif
