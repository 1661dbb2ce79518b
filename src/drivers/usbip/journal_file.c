#include "drivers/usbip/journal_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/document.h"
#include "base/file.h"

static bool refuse_corrupt(const struct yk_usbip_journal_form *form, const char *path,
                           struct yk_refusal *why)
{
    return yk_refuse(why, YK_EXIT_CONFIG, "journal_file %.200s: %s", path, form->no_journal);
}

static bool decode_root(const struct yk_usbip_journal_form *form, void *journal, const json_t *root,
                        const char *path, const char *node_id, const char *boot_id,
                        struct yk_refusal *why)
{
    const char *node = json_string_value(json_object_get(root, "node"));
    const char *boot = json_string_value(json_object_get(root, "boot"));

    if (json_integer_value(json_object_get(root, "v")) != YK_USBIP_JOURNAL_VERSION ||
        node == NULL || boot == NULL) {
        return refuse_corrupt(form, path, why);
    }
    if (strcmp(node, node_id) != 0) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "journal_file %.200s: is that of node \"%.64s\"; give each node its own",
                         path, node);
    }
    if (strcmp(boot, boot_id) == 0 && !form->decode(journal, root)) {
        memset(journal, 0, form->size);
        return refuse_corrupt(form, path, why);
    }
    return true; /* what another boot held went with it */
}

bool yk_usbip_journal_file_decode(const struct yk_usbip_journal_form *form, void *journal,
                                  struct yk_slice text, const char *path, const char *node_id,
                                  const char *boot_id, struct yk_refusal *why)
{
    json_error_t error;
    json_t *root = yk_document_parse((const char *)text.data, text.size, &error);
    bool ok;

    memset(journal, 0, form->size);
    ok = root != NULL ? decode_root(form, journal, root, path, node_id, boot_id, why)
                      : refuse_corrupt(form, path, why);
    json_decref(root);
    return ok;
}

bool yk_usbip_journal_file_load(const struct yk_usbip_journal_form *form, void *journal,
                                const char *path, const char *node_id, const char *boot_id,
                                struct yk_refusal *why)
{
    uint8_t *text = malloc(form->text_max);
    char cause[YK_CAUSE_MAX] = "out of memory";
    struct stat facts;
    size_t size;
    bool ok = false;

    memset(journal, 0, form->size);
    if (text != NULL && yk_file_read(path, false, text, form->text_max, &size, &facts, cause) &&
        yk_file_is_safe(path, &facts, 022, cause)) {
        ok = yk_usbip_journal_file_decode(form, journal, (struct yk_slice){text, size}, path,
                                          node_id, boot_id, why);
    } else if (text != NULL && errno == ENOENT) {
        ok = true;
    } else {
        yk_refuse(why, YK_EXIT_CONFIG, "journal_file %.200s: %s; until it can be read %s", path,
                  cause, form->meanwhile);
    }
    free(text);
    return ok;
}
