#include "drivers/usbip/journal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "drivers/usbip/journal_file.h"

static const char *const stage_words[] = {[YK_USBIP_INTENT] = "intent",
                                          [YK_USBIP_MADE] = "made",
                                          [YK_USBIP_HELD] = "held",
                                          [YK_USBIP_SUSPECT] = "suspect"};
#define STAGES (sizeof stage_words / sizeof stage_words[0])

/* ---- to text */

static json_t *encode_entry(const struct yk_usbip_entry *entry)
{
    char port[YK_USBIP_PORT_TEXT_MAX];

    yk_usbip_port_text(port, &entry->target);
    return json_pack("{s:s, s:s, s:s, s:s, s:i, s:I, s:I, s:I, s:I}", "stage",
                     stage_words[entry->stage], "host", entry->target.host, "tcp", port, "busid",
                     entry->target.busid, "port", (int)entry->port, "inode",
                     (json_int_t)entry->stamp.inode, "mtime", (json_int_t)entry->stamp.mtime_ns,
                     "devid", (json_int_t)entry->devid, "devnum", (json_int_t)entry->devnum);
}

static json_t *encode_before(const struct yk_usbip_before *before)
{
    return json_pack("{s:i, s:b, s:I, s:I}", "port", (int)before->port, "used", (int)before->in_use,
                     "inode", (json_int_t)before->stamp.inode, "mtime",
                     (json_int_t)before->stamp.mtime_ns);
}

char *yk_usbip_journal_encode(const struct yk_usbip_journal *journal, const char *node_id,
                              const char *boot_id)
{
    json_t *entries = json_array(), *before = json_array();
    json_t *root;
    char *text = NULL;
    bool ok = entries != NULL && before != NULL;

    for (size_t i = 0; ok && i < journal->count; i++) {
        ok = json_array_append_new(entries, encode_entry(&journal->entries[i])) == 0;
    }
    for (size_t i = 0; ok && i < journal->before_count; i++) {
        ok = json_array_append_new(before, encode_before(&journal->before[i])) == 0;
    }
    root = json_pack("{s:i, s:s, s:s, s:o, s:o}", "v", YK_USBIP_JOURNAL_VERSION, "node", node_id,
                     "boot", boot_id, "before", before, "entries", entries);
    if (ok && root != NULL) {
        text = json_dumps(root, JSON_COMPACT);
    }
    json_decref(root);
    return text;
}

/* ---- from text */

/* The member as a number of 0 to `most`; false when it is none. */
static bool take_count(const json_t *object, const char *name, json_int_t most, json_int_t *value)
{
    const json_t *member = json_object_get(object, name);

    *value = json_integer_value(member);
    return json_is_integer(member) && *value >= 0 && *value <= most;
}

static bool decode_stamp(struct yk_usbip_stamp *stamp, const json_t *object)
{
    json_int_t inode, mtime;

    if (!take_count(object, "inode", INT64_MAX, &inode) ||
        !take_count(object, "mtime", INT64_MAX, &mtime)) {
        return false;
    }
    stamp->inode = (uint64_t)inode;
    stamp->mtime_ns = mtime;
    return true;
}

/* A target is what its record would be. */
static bool decode_target(struct yk_usbip_target *target, const json_t *object)
{
    const char *host = json_string_value(json_object_get(object, "host"));
    const char *busid = json_string_value(json_object_get(object, "busid"));
    char record[YK_USBIP_RECORD_MAX + 1];
    const char *port = json_string_value(json_object_get(object, "tcp"));
    int size;

    if (host == NULL || port == NULL || busid == NULL) {
        return false;
    }
    size = snprintf(record, sizeof record, "%s %s %s\n", host, port, busid);
    return size > 0 && (size_t)size < sizeof record &&
           yk_usbip_record_parse(target, yk_slice_of(record));
}

static enum yk_usbip_stage decode_stage(const json_t *object)
{
    const char *word = json_string_value(json_object_get(object, "stage"));

    for (size_t i = YK_USBIP_INTENT; word != NULL && i < STAGES; i++) {
        if (strcmp(stage_words[i], word) == 0) {
            return (enum yk_usbip_stage)i;
        }
    }
    return 0;
}

static bool decode_entry(struct yk_usbip_entry *entry, const json_t *object)
{
    json_int_t port, devid, devnum;

    memset(entry, 0, sizeof *entry);
    entry->stage = decode_stage(object);
    if (entry->stage == 0 || !decode_target(&entry->target, object) ||
        !decode_stamp(&entry->stamp, object) ||
        !take_count(object, "port", YK_USBIP_NUMBER_MAX, &port) ||
        !take_count(object, "devid", UINT32_MAX, &devid) ||
        !take_count(object, "devnum", UINT32_MAX, &devnum)) {
        return false;
    }
    entry->port = (unsigned)port;
    entry->devid = (uint32_t)devid;
    entry->devnum = (uint32_t)devnum;
    return true;
}

static bool decode_before(struct yk_usbip_before *before, const json_t *object)
{
    const json_t *used = json_object_get(object, "used");
    json_int_t port;

    if (!json_is_boolean(used) || !decode_stamp(&before->stamp, object) ||
        !take_count(object, "port", YK_USBIP_NUMBER_MAX, &port)) {
        return false;
    }
    before->port = (unsigned)port;
    before->in_use = json_is_true(used);
    return true;
}

static bool decode(void *into, const json_t *root)
{
    struct yk_usbip_journal *journal = into;
    const json_t *entries = json_object_get(root, "entries");
    const json_t *before = json_object_get(root, "before");
    size_t intents = 0;

    if (!json_is_array(entries) || json_array_size(entries) > YK_USBIP_ENTRIES_MAX ||
        !json_is_array(before) || json_array_size(before) > YK_USBIP_PORTS_MAX) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(entries); i++) {
        if (!decode_entry(&journal->entries[i], json_array_get(entries, i))) {
            return false;
        }
        intents += journal->entries[i].stage == YK_USBIP_INTENT;
    }
    for (size_t i = 0; i < json_array_size(before); i++) {
        if (!decode_before(&journal->before[i], json_array_get(before, i))) {
            return false;
        }
    }
    journal->count = json_array_size(entries);
    journal->before_count = json_array_size(before);
    return intents <= 1;
}

static const struct yk_usbip_journal_form form = {
    .size = sizeof(struct yk_usbip_journal),
    .text_max = YK_USBIP_JOURNAL_MAX,
    .no_journal =
        "is no journal of imports; see with \"usbip port\" what is imported, detach what yoke "
        "made, and remove the file",
    .meanwhile = "nothing is attached or detached",
    .decode = decode,
};

bool yk_usbip_journal_decode(struct yk_usbip_journal *journal, struct yk_slice text,
                             const char *path, const char *node_id, const char *boot_id,
                             struct yk_refusal *why)
{
    return yk_usbip_journal_file_decode(&form, journal, text, path, node_id, boot_id, why);
}

bool yk_usbip_journal_load(struct yk_usbip_journal *journal, const char *path, const char *node_id,
                           const char *boot_id, struct yk_refusal *why)
{
    return yk_usbip_journal_file_load(&form, journal, path, node_id, boot_id, why);
}

void yk_usbip_journal_drop(struct yk_usbip_journal *journal, size_t entry)
{
    journal->count--;
    memmove(&journal->entries[entry], &journal->entries[entry + 1],
            (journal->count - entry) * sizeof journal->entries[0]);
}
