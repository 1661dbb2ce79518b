/* What the consumer reports, in words. */
#include <stdarg.h>
#include <stdio.h>

#include "drivers/usbip/reconcile_internal.h"

struct words {
    char *text;
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct words *words, const char *format, ...)
{
    va_list arguments;
    int size;

    if (words->used < YK_USBIP_TEXT_MAX - 1) {
        va_start(arguments, format);
        size = vsnprintf(words->text + words->used, YK_USBIP_TEXT_MAX - words->used, format,
                         arguments);
        va_end(arguments);
        words->used += size > 0 ? (size_t)size : 0;
    }
}

static const struct yk_usbip_entry *find_entry(const struct yk_usbip_mind *mind,
                                               const struct yk_usbip_target *target)
{
    for (size_t i = 0; i < mind->journal.count; i++) {
        const struct yk_usbip_entry *entry = &mind->journal.entries[i];

        if (entry->stage != YK_USBIP_SUSPECT && yk_usbip_target_equal(&entry->target, target)) {
            return entry;
        }
    }
    return NULL;
}

static bool is_up(const struct yk_usbip_entry *entry)
{
    return entry != NULL && entry->stage == YK_USBIP_HELD && !entry->now.spoilt &&
           entry->now.missing == 0;
}

bool yk_usbip_all_are_up(const struct yk_usbip_mind *mind)
{
    for (size_t i = 0; i < mind->wanted.count; i++) {
        if (!is_up(find_entry(mind, &mind->wanted.targets[i]))) {
            return false;
        }
    }
    return mind->wanted.count > 0;
}

/* The entry that is to go and has not gone, or NULL. */
static const struct yk_usbip_entry *find_leaving(const struct yk_usbip_mind *mind)
{
    for (size_t i = 0; i < mind->journal.count; i++) {
        const struct yk_usbip_entry *entry = &mind->journal.entries[i];

        if (entry->stage != YK_USBIP_SUSPECT &&
            (entry->now.spoilt || !yk_usbip_media_has(&mind->wanted, &entry->target))) {
            return entry;
        }
    }
    return NULL;
}

static void add_recovery(struct words *words, const struct yk_usbip_mind *mind)
{
    const char *gap = words->used > 0 ? "; " : "";

    for (size_t i = 0; i < mind->journal.count; i++) {
        if (mind->journal.entries[i].stage == YK_USBIP_SUSPECT) {
            add(words, "%smanual recovery required: port %u (%s)", gap,
                mind->journal.entries[i].port, mind->journal.entries[i].target.busid);
            gap = ", ";
        }
    }
}

static void add_evidence(struct words *words, const struct yk_usbip_mind *mind,
                         const struct yk_usbip_seen *seen)
{
    for (size_t i = 0; i < mind->wanted.count; i++) {
        const struct yk_usbip_entry *entry = find_entry(mind, &mind->wanted.targets[i]);
        const struct yk_usbip_port *port;

        if (entry == NULL) {
            continue;
        }
        port = yk_usbip_seen_port(seen, entry->port);
        add(words, "%s%s on port %u as %s", i > 0 ? ", " : "", entry->target.busid, entry->port,
            port != NULL && port->status.local[0] != 0 ? port->status.local : "a lost device");
    }
}

static void add_progress(struct words *words, const struct yk_usbip_mind *mind)
{
    for (size_t i = 0; i < mind->wanted.count; i++) {
        const struct yk_usbip_target *target = &mind->wanted.targets[i];
        const struct yk_usbip_entry *entry = find_entry(mind, target);

        if (is_up(entry)) {
            continue;
        }
        if (entry != NULL && entry->stage == YK_USBIP_MADE) {
            add(words, "%s of %s:%u: imported on port %u, its device is not there yet",
                target->busid, target->host, target->port, entry->port);
        } else if (entry != NULL && entry->now.missing != 0) {
            add(words, "%s: the device at port %u is missing", target->busid, entry->port);
        } else if (mind->lock_since != 0) {
            add(words, "%s of %s:%u: waiting for another usbip call on this host", target->busid,
                target->host, target->port);
        } else {
            add(words, "%s of %s:%u: being imported", target->busid, target->host, target->port);
        }
        return;
    }
    add(words, "all is imported, and being written down");
}

enum yk_report yk_usbip_verdict(const struct yk_usbip_mind *mind, const struct yk_usbip_seen *seen,
                                char text[YK_USBIP_TEXT_MAX])
{
    struct words words = {.text = text};
    const struct yk_usbip_entry *leaving = find_leaving(mind);
    enum yk_report verdict = YK_REPORT_PENDING;

    text[0] = 0;
    if (leaving == NULL && mind->wanted.count == 0) {
        return YK_REPORT_IDLE;
    }
    if (mind->failure[0] != 0 &&
        (leaving == NULL || leaving->stage == YK_USBIP_INTENT || mind->wanted.count == 0)) {
        add(&words, "%s", mind->failure);
        verdict = YK_REPORT_ERROR;
    } else if (leaving != NULL) {
        add(&words, "%s: letting go", leaving->target.busid);
    } else if (!mind->trying && yk_usbip_all_are_up(mind)) {
        add_evidence(&words, mind, seen);
        verdict = YK_REPORT_ACTIVE;
    } else if (mind->trying || mind->drift[0] == 0) {
        add_progress(&words, mind);
    } else {
        add(&words, "%s", mind->drift);
    }
    add_recovery(&words, mind);
    return verdict;
}
