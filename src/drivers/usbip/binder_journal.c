#include "drivers/usbip/binder_journal.h"

#include <stdlib.h>

#include "drivers/usbip/journal_file.h"

char *yk_usbip_binder_encode(const struct yk_usbip_binder *binder, const char *node_id,
                             const char *boot_id)
{
    json_t *held = json_array(), *root;
    char *text = NULL;
    bool ok = held != NULL;

    for (size_t i = 0; ok && i < binder->count; i++) {
        const struct yk_usbip_item *item = &binder->items[i];

        if (item->hold != YK_USBIP_NOT_OURS || item->entered) {
            ok = json_array_append_new(held, json_pack("{s:s, s:i, s:b, s:I}", "busid", item->busid,
                                                       "hold", (int)item->hold, "entered",
                                                       (int)item->entered, "devnum",
                                                       (json_int_t)item->devnum)) == 0;
        }
    }
    root = json_pack("{s:i, s:s, s:s, s:o}", "v", YK_USBIP_JOURNAL_VERSION, "node", node_id, "boot",
                     boot_id, "held", held);
    if (ok && root != NULL) {
        text = json_dumps(root, JSON_COMPACT);
    }
    json_decref(root);
    return text;
}

static bool decode_item(struct yk_usbip_item *item, const json_t *object)
{
    const char *busid = json_string_value(json_object_get(object, "busid"));
    json_int_t hold = json_integer_value(json_object_get(object, "hold"));
    json_int_t devnum = json_integer_value(json_object_get(object, "devnum"));

    if (busid == NULL || !yk_usbip_busid_parse(item->busid, yk_slice_of(busid)) || hold < 0 ||
        hold > YK_USBIP_BOUND || devnum < 0 || devnum > UINT32_MAX) {
        return false;
    }
    item->hold = (enum yk_usbip_hold)hold;
    item->entered = json_is_true(json_object_get(object, "entered"));
    item->devnum = (uint32_t)devnum;
    return true;
}

static bool decode_items(struct yk_usbip_binder *binder, const json_t *held)
{
    if (!json_is_array(held) || json_array_size(held) > YK_USBIP_HELD_MAX) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(held); i++) {
        if (!decode_item(&binder->items[i], json_array_get(held, i))) {
            return false;
        }
        for (size_t j = 0; j < i; j++) {
            if (strcmp(binder->items[j].busid, binder->items[i].busid) == 0) {
                return false;
            }
        }
    }
    binder->count = json_array_size(held);
    return true;
}

static bool decode(void *binder, const json_t *root)
{
    return decode_items(binder, json_object_get(root, "held"));
}

static const struct yk_usbip_journal_form form = {
    .size = sizeof(struct yk_usbip_binder),
    .text_max = YK_USBIP_BINDER_JOURNAL_MAX,
    .no_journal =
        "is no journal of bindings; unbind with \"usbip unbind\" what yoke bound, and remove "
        "the file",
    .meanwhile = "nothing is bound or unbound",
    .decode = decode,
};

bool yk_usbip_binder_decode(struct yk_usbip_binder *binder, struct yk_slice text, const char *path,
                            const char *node_id, const char *boot_id, struct yk_refusal *why)
{
    return yk_usbip_journal_file_decode(&form, binder, text, path, node_id, boot_id, why);
}

bool yk_usbip_binder_load(struct yk_usbip_binder *binder, const char *path, const char *node_id,
                          const char *boot_id, struct yk_refusal *why)
{
    return yk_usbip_journal_file_load(&form, binder, path, node_id, boot_id, why);
}
