/* usbip - any bytes to everything that the usbip driver reads of kernel, tool, disk and network: a
 * value within its bounds that is spelled as it was read, or a refusal with its place. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "drivers/usbip/binder_journal.h"
#include "drivers/usbip/binder_sysfs.h"
#include "drivers/usbip/journal.h"
#include "drivers/usbip/list.h"
#include "drivers/usbip/outcome.h"
#include "fuzz/promises.h"

#define BOOT_ID "01234567-89ab-cdef-0123-456789abcdef"

static bool ends(const char *text, size_t capacity)
{
    return memchr(text, 0, capacity) != NULL;
}

/* What reaches a command line. */
static void check_target(const struct yk_usbip_target *target)
{
    FUZZ_CHECK(ends(target->host, sizeof target->host) && target->host[0] > ' ', "there is a host");
    FUZZ_CHECK(target->port > 0 && target->mark <= YK_USBIP_MARK_MAX, "a port, a mark");
    FUZZ_CHECK(ends(target->busid, sizeof target->busid) && target->busid[0] >= '1' &&
                   target->busid[0] <= '9' &&
                   strspn(target->busid, "0123456789-.") == strlen(target->busid) &&
                   strstr(target->busid, "..") == NULL,
               "a busid is numbers");
}

static void try_record(struct yk_slice text)
{
    char again[2 * YK_USBIP_RECORD_MAX], port[YK_USBIP_PORT_TEXT_MAX];
    struct yk_usbip_target target;

    if (!yk_usbip_record_parse(&target, text)) {
        return;
    }
    check_target(&target);
    yk_usbip_port_text(port, &target);
    snprintf(again, sizeof again, "%s %s %s\n", target.host, port, target.busid);
    FUZZ_CHECK(strlen(again) == text.size && memcmp(again, text.data, text.size) == 0,
               "a record is spelled in one way");
}

static bool take_status(void *owner, const struct yk_usbip_status *status)
{
    unsigned *next = owner;

    FUZZ_CHECK(status->number >= *next, "ports come in order");
    FUZZ_CHECK(status->state >= YK_USBIP_FREE && status->state <= YK_USBIP_BROKEN, "a state");
    FUZZ_CHECK(strspn(status->local, "0123456789-.") == strlen(status->local), "a local busid");
    *next = status->number + 1;
    return true;
}

static void try_media(struct yk_slice text)
{
    struct yk_usbip_media media;
    struct yk_refusal why = {.text = ""};

    if (yk_usbip_media_read(&media, text, &why)) {
        FUZZ_CHECK(media.count > 0 && media.count <= YK_USBIP_BUSIDS_MAX, "a few devices");
        for (size_t i = 0; i < media.count; i++) {
            check_target(&media.targets[i]);
            FUZZ_CHECK(yk_usbip_host_is_valid(media.targets[i].host), "an address");
            FUZZ_CHECK(yk_usbip_record_fits(&media.targets[i]), "its record is not cut");
        }
    } else {
        FUZZ_CHECK(media.count == 0 && strncmp(why.text, "media", 5) == 0,
                   "refused media are none, and the place is named");
    }
}

static void try_journal(struct yk_slice text)
{
    static struct yk_usbip_journal journal, again;
    struct yk_refusal why = {.text = ""};
    char *spelled, *spelled_again;

    if (!yk_usbip_journal_decode(&journal, text, "journal", "usb-1", BOOT_ID, &why)) {
        FUZZ_CHECK(journal.count == 0 && why.text[0] != 0, "a refused journal proves nothing");
        return;
    }
    for (size_t i = 0; i < journal.count; i++) {
        check_target(&journal.entries[i].target);
    }
    spelled = yk_usbip_journal_encode(&journal, "usb-1", BOOT_ID);
    FUZZ_CHECK(spelled != NULL && strlen(spelled) < YK_USBIP_JOURNAL_MAX, "it can be saved");
    FUZZ_CHECK(
        yk_usbip_journal_decode(&again, yk_slice_of(spelled), "journal", "usb-1", BOOT_ID, &why),
        "what is saved can be read");
    spelled_again = yk_usbip_journal_encode(&again, "usb-1", BOOT_ID);
    FUZZ_CHECK(spelled_again != NULL && strcmp(spelled, spelled_again) == 0, "as the same");
    free(spelled_again);
    free(spelled);
}

/* The journal of a producer. */
static void try_bindings(struct yk_slice text)
{
    static struct yk_usbip_binder binder, again;
    struct yk_refusal why = {.text = ""};
    char *spelled, *spelled_again;

    if (!yk_usbip_binder_decode(&binder, text, "journal", "usb-1", BOOT_ID, &why)) {
        FUZZ_CHECK(binder.count == 0 && why.text[0] != 0, "a refused journal holds nothing");
        return;
    }
    FUZZ_CHECK(binder.count <= YK_USBIP_HELD_MAX, "no more than can be held");
    spelled = yk_usbip_binder_encode(&binder, "usb-1", BOOT_ID);
    FUZZ_CHECK(spelled != NULL && strlen(spelled) < YK_USBIP_BINDER_JOURNAL_MAX, "it can be saved");
    FUZZ_CHECK(
        yk_usbip_binder_decode(&again, yk_slice_of(spelled), "journal", "usb-1", BOOT_ID, &why),
        "what is saved can be read");
    spelled_again = yk_usbip_binder_encode(&again, "usb-1", BOOT_ID);
    FUZZ_CHECK(spelled_again != NULL && strcmp(spelled, spelled_again) == 0, "as the same");
    free(spelled_again);
    free(spelled);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct yk_usbip_target target = {
        .host = "10.77.0.1", .port = 3240, .busid = "1-1"};
    struct yk_slice text = {data, size};
    struct yk_usbip_end end = {.way = YK_USBIP_EXITED, .number = 1, .output = text};
    struct yk_usbip_outcome outcome;
    unsigned next = 0;
    size_t words;

    try_record(text);
    (void)yk_usbip_status_parse(text, &next, take_status);
    (void)yk_usbip_list_has(text, "1-1");
    try_media(text);
    try_journal(text);
    try_bindings(text);
    (void)yk_usbip_table_has(text, "1-1", &words);
    FUZZ_CHECK(words <= size, "words of the table");
    yk_usbip_outcome_read(&outcome, &end, &target);
    FUZZ_CHECK(outcome.text[0] != 0 && ends(outcome.text, sizeof outcome.text), "words that end");
    return 0;
}
