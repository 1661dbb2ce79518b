#include "drivers/usbip/claim.h"

static bool is_record_of(const struct yk_usbip_port *port, const struct yk_usbip_target *target)
{
    return port->has_target && port->target.mark == target->mark &&
           yk_usbip_target_equal(&port->target, target);
}

static bool record_agrees(const struct yk_usbip_entry *entry, const struct yk_usbip_port *port)
{
    return is_record_of(port, &entry->target) && yk_usbip_stamp_equal(&port->stamp, &entry->stamp);
}

static enum yk_usbip_claim claim_made(const struct yk_usbip_entry *entry,
                                      const struct yk_usbip_port *port)
{
    if (!record_agrees(entry, port)) {
        return port->has_target ? YK_USBIP_OTHERS : YK_USBIP_DOUBTFUL;
    }
    return port->devnum != 0 ? YK_USBIP_OURS : YK_USBIP_COMING;
}

static enum yk_usbip_claim claim_held(const struct yk_usbip_entry *entry,
                                      const struct yk_usbip_port *port)
{
    if (port->status.state == YK_USBIP_IN_USE && port->status.devid != entry->devid) {
        return YK_USBIP_OTHERS;
    }
    if (!record_agrees(entry, port)) {
        return port->has_target ? YK_USBIP_OTHERS : YK_USBIP_DOUBTFUL;
    }
    if (port->status.state != YK_USBIP_IN_USE) {
        return YK_USBIP_DOUBTFUL;
    }
    if (port->devnum == 0) {
        return entry->now.met ? YK_USBIP_LOST : YK_USBIP_DOUBTFUL;
    }
    return port->devnum == entry->devnum ? YK_USBIP_OURS : YK_USBIP_DOUBTFUL;
}

enum yk_usbip_claim yk_usbip_claim(const struct yk_usbip_entry *entry,
                                   const struct yk_usbip_port *port)
{
    if (port == NULL || port->status.state == YK_USBIP_FREE) {
        return YK_USBIP_GONE;
    }
    return entry->stage == YK_USBIP_MADE ? claim_made(entry, port) : claim_held(entry, port);
}

static const struct yk_usbip_before *before_of(const struct yk_usbip_journal *journal,
                                               unsigned port)
{
    static const struct yk_usbip_before nothing;

    for (size_t i = 0; i < journal->before_count; i++) {
        if (journal->before[i].port == port) {
            return &journal->before[i];
        }
    }
    return &nothing;
}

static bool is_claimed(const struct yk_usbip_journal *journal, unsigned port)
{
    for (size_t i = 0; i < journal->count; i++) {
        if (journal->entries[i].stage != YK_USBIP_INTENT && journal->entries[i].port == port) {
            return true;
        }
    }
    return false;
}

static bool has_new_record(const struct yk_usbip_journal *journal, const struct yk_usbip_port *port)
{
    return port->has_target &&
           !yk_usbip_stamp_equal(&port->stamp, &before_of(journal, port->status.number)->stamp);
}

const struct yk_usbip_port *yk_usbip_fruit(const struct yk_usbip_journal *journal,
                                           const struct yk_usbip_entry *intent,
                                           const struct yk_usbip_seen *seen)
{
    for (size_t i = 0; i < seen->count; i++) {
        const struct yk_usbip_port *port = &seen->ports[i];

        if (port->status.state != YK_USBIP_FREE && has_new_record(journal, port) &&
            is_record_of(port, &intent->target) && !is_claimed(journal, port->status.number)) {
            return port;
        }
    }
    return NULL;
}

const struct yk_usbip_port *yk_usbip_suspect(const struct yk_usbip_journal *journal,
                                             const struct yk_usbip_seen *seen, size_t *at)
{
    while (*at < seen->count) {
        const struct yk_usbip_port *port = &seen->ports[(*at)++];

        if (port->status.state != YK_USBIP_FREE && !has_new_record(journal, port) &&
            !before_of(journal, port->status.number)->in_use &&
            !is_claimed(journal, port->status.number)) {
            return port;
        }
    }
    return NULL;
}

void yk_usbip_note_before(struct yk_usbip_journal *journal, const struct yk_usbip_seen *seen)
{
    journal->before_count = seen->count;
    for (size_t i = 0; i < seen->count; i++) {
        journal->before[i] =
            (struct yk_usbip_before){.port = seen->ports[i].status.number,
                                     .in_use = seen->ports[i].status.state != YK_USBIP_FREE,

                                     .stamp = seen->ports[i].stamp};
    }
}
