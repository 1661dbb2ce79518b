/* journal_file.h - what the journals of imports and of bindings are alike in: a JSON file of one node and
 * one boot, that nobody else may write. */
#ifndef YK_DRIVERS_USBIP_JOURNAL_FILE_H
#define YK_DRIVERS_USBIP_JOURNAL_FILE_H

#include <jansson.h>

#include "base/refusal.h"
#include "core/types.h"

#define YK_USBIP_JOURNAL_VERSION 1

/* One kind of journal. */
struct yk_usbip_journal_form {
    size_t size;            /* bytes of what is decoded into; all zero is an empty journal */
    size_t text_max;        /* bytes */
    const char *no_journal; /* what is said of a file that is none, and the remedy */
    const char *meanwhile;  /* what is not done while the file cannot be read */
    bool (*decode)(void *journal, const json_t *root); /* what it holds; false: corrupt */
};

/* Decodes `text`, which came from `path`. One of another boot is an empty journal. False and `why` (78)
 * when it is corrupt or another node's; `journal` is empty then. */
bool yk_usbip_journal_file_decode(const struct yk_usbip_journal_form *form, void *journal,
                                  struct yk_slice text, const char *path, const char *node_id,
                                  const char *boot_id, struct yk_refusal *why);
/* The same of the file; one that is not there is an empty journal. */
bool yk_usbip_journal_file_load(const struct yk_usbip_journal_form *form, void *journal,
                                const char *path, const char *node_id, const char *boot_id,
                                struct yk_refusal *why);

#endif
