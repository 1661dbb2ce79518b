/* journal.h - what the consumer has made or may have made on this host: the proof of ownership that
 * survives the agent. Kept apart from the pairing state; of no meaning after a reboot, which takes all
 * imports with it. */
#ifndef YK_DRIVERS_USBIP_JOURNAL_H
#define YK_DRIVERS_USBIP_JOURNAL_H

#include "base/refusal.h"
#include "drivers/usbip/media.h"
#include "drivers/usbip/seen.h"

#define YK_USBIP_ENTRIES_MAX \
    (2 * YK_USBIP_BUSIDS_MAX)            /* a whole set, and as many to be recovered */
#define YK_USBIP_JOURNAL_MAX (64 * 1024) /* bytes of its text */

enum yk_usbip_stage {
    YK_USBIP_INTENT = 1, /* an attach is about to be asked for, or was; at most one entry */
    YK_USBIP_MADE,       /* its port and record are known; the device is not there yet */
    YK_USBIP_HELD,       /* all is known */
    YK_USBIP_SUSPECT     /* the port may be ours, and nothing proves it: never touched */
};

struct yk_usbip_entry {
    struct yk_usbip_target target;
    enum yk_usbip_stage stage;
    unsigned port;               /* from MADE on */
    struct yk_usbip_stamp stamp; /* of its record, likewise */
    uint32_t devid, devnum;      /* HELD */
    /* Not written: of this life only. */
    struct {
        uint64_t attempt; /* that made it; 0: one of a former life */
        yk_time since;    /* when it came to this stage, or was loaded */
        yk_time missing;  /* since when its local device is not seen; 0: it is */
        yk_time asked;    /* when its detach was asked for first and last; 0: not */
        yk_time asked_again;
        bool met;    /* it was proven, device and all */
        bool swept;  /* its record, once the port was free */
        bool spoilt; /* it is to go though it is wanted: dead, broken, or of a failed set */
    } now;
};

/* A port as it was before an attach. */
struct yk_usbip_before {
    unsigned port;
    bool in_use;
    struct yk_usbip_stamp stamp;
};

struct yk_usbip_journal {
    size_t count;
    struct yk_usbip_entry entries[YK_USBIP_ENTRIES_MAX];
    size_t before_count; /* how the ports were before the intent */
    struct yk_usbip_before before[YK_USBIP_PORTS_MAX];
};

/* The journal as text (to be freed), for the node and boot it is of; NULL without memory. */
char *yk_usbip_journal_encode(const struct yk_usbip_journal *journal, const char *node_id,
                              const char *boot_id);

/* Reads such a text. One of another boot gives an empty journal. False and `why` when it is no journal
 * or another node's; `path` is for the words. */
bool yk_usbip_journal_decode(struct yk_usbip_journal *journal, struct yk_slice text,
                             const char *path, const char *node_id, const char *boot_id,
                             struct yk_refusal *why);

/* The same from the file; one that is not there is empty. Blocks: for the start. */
bool yk_usbip_journal_load(struct yk_usbip_journal *journal, const char *path, const char *node_id,
                           const char *boot_id, struct yk_refusal *why);

void yk_usbip_journal_drop(struct yk_usbip_journal *journal, size_t entry);

#endif
