/* What became of the imports that the journal names, by what is seen now. */
#include <stdarg.h>
#include <stdio.h>

#include "drivers/usbip/claim.h"
#include "drivers/usbip/reconcile_internal.h"

/* ---- small words */

void yk_usbip_say(struct yk_usbip_mind *mind, const char *format, ...)
{
    char line[YK_USBIP_TEXT_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    mind->say(mind->owner, line);
}

size_t yk_usbip_find_intent(const struct yk_usbip_journal *journal)
{
    size_t i = 0;

    while (i < journal->count && journal->entries[i].stage != YK_USBIP_INTENT) {
        i++;
    }
    return i;
}

void yk_usbip_drop(struct yk_usbip_mind *mind, size_t entry)
{
    yk_usbip_journal_drop(&mind->journal, entry);
    mind->dirty = true;
}

static void drop_prepared(struct yk_usbip_mind *mind)
{
    size_t intent = yk_usbip_find_intent(&mind->journal);

    if (intent < mind->journal.count && mind->intent == YK_USBIP_PREPARED) {
        yk_usbip_drop(mind, intent);
    }
}

/* The attempt has failed: what it made is to go, and then it is said. */
void yk_usbip_fail(struct yk_usbip_mind *mind, const char *format, ...)
{
    va_list arguments;

    if (mind->failure[0] == 0) {
        va_start(arguments, format);
        vsnprintf(mind->failure, sizeof mind->failure, format, arguments);
        va_end(arguments);
    }
    if (mind->trying) {
        mind->trying = false;
        drop_prepared(mind);
        for (size_t i = 0; i < mind->journal.count; i++) {
            mind->journal.entries[i].now.spoilt |=
                mind->journal.entries[i].now.attempt == mind->attempt;
        }
    }
}

void yk_usbip_drifted(struct yk_usbip_mind *mind, const struct yk_usbip_entry *entry,
                      const char *how)
{
    if (!entry->now.spoilt && yk_usbip_media_has(&mind->wanted, &entry->target)) {
        snprintf(mind->drift, sizeof mind->drift, "%s: port %u %s", entry->target.busid,
                 entry->port, how);
        yk_usbip_say(mind, "%s", mind->drift);
    }
}

/* ---- what became of an intent */

#define TOOL_PORT_MAX 255 /* the tool takes 256 for 0 */
#define REMEDY_MAX 64

/* What a person may do to free a port. */
static void say_remedy(char out[REMEDY_MAX], unsigned port)
{
    snprintf(out, REMEDY_MAX,
             port <= TOOL_PORT_MAX ? "usbip detach -p %u"
                                   : "echo %u > /sys/devices/platform/vhci_hcd.0/detach",
             port);
}

static void become_suspect(struct yk_usbip_mind *mind, struct yk_usbip_entry *entry,
                           const struct yk_usbip_port *port)
{
    char remedy[REMEDY_MAX];

    say_remedy(remedy, port->status.number);
    entry->stage = YK_USBIP_SUSPECT;
    entry->port = port->status.number;
    entry->stamp = port->stamp;
    mind->dirty = true;
    yk_usbip_say(
        mind,
        "manual recovery required: port %u may hold %s of %s:%u for us, and no record proves it; "
        "if nothing else uses it: %s",
        entry->port, entry->target.busid, entry->target.host, entry->target.port, remedy);
}

/* All of them: which one is ours, nobody knows. */
static void become_suspects(struct yk_usbip_mind *mind, size_t intent,
                            const struct yk_usbip_seen *seen)
{
    struct yk_usbip_journal *journal = &mind->journal;
    struct yk_usbip_entry template = journal->entries[intent];
    const struct yk_usbip_port *port;
    size_t at = 0;

    yk_usbip_drop(mind, intent);
    while (journal->count < YK_USBIP_ENTRIES_MAX &&
           (port = yk_usbip_suspect(journal, seen, &at)) != NULL) {
        journal->entries[journal->count] = template;
        become_suspect(mind, &journal->entries[journal->count++], port);
    }
}

/* The attach has failed, and left nothing. */
static void give_up_attach(struct yk_usbip_mind *mind, const struct yk_usbip_target *target,
                           const struct yk_usbip_seen *seen, yk_time now)
{
    if (mind->transient && ++mind->tries < YK_USBIP_TRIES) {
        mind->try_due = now + YK_USBIP_TRY_AGAIN;
        return;
    }
    for (size_t i = 0; mind->transient && i < seen->count; i++) { /* busy, so perhaps by us */
        const struct yk_usbip_port *port = &seen->ports[i];
        char remedy[REMEDY_MAX];

        if (port->status.state != YK_USBIP_FREE && port->has_target &&
            yk_usbip_target_equal(&port->target, target)) {
            say_remedy(remedy, port->status.number);
            yk_usbip_fail(mind,
                          "%s is imported here already, at port %u, by another program; let that "
                          "go (%s), and it is attached",
                          target->busid, port->status.number, remedy);
        }
    }
    yk_usbip_fail(mind, "%s", mind->outcome);
}

void yk_usbip_resolve_intent(struct yk_usbip_mind *mind, size_t intent,
                             const struct yk_usbip_seen *seen, yk_time now)
{
    struct yk_usbip_entry *entry = &mind->journal.entries[intent];
    const struct yk_usbip_target target = entry->target;
    const struct yk_usbip_port *port = yk_usbip_fruit(&mind->journal, entry, seen);
    bool tried = mind->trying && entry->now.attempt == mind->attempt;
    size_t at = 0;

    if (port != NULL) {
        mind->tries = 0;
        entry->stage = YK_USBIP_MADE;
        entry->port = port->status.number;
        entry->stamp = port->stamp;
        entry->now.since = now;
        mind->dirty = true;
        return;
    }
    if (yk_usbip_suspect(&mind->journal, seen, &at) == NULL) {
        yk_usbip_drop(mind, intent);
    } else if (now - mind->resolved_since < YK_USBIP_SETTLE) {
        return;
    } else {
        become_suspects(mind, intent, seen);
    }
    if (tried) {
        give_up_attach(mind, &target, seen, now);
    }
}

/* ---- what is seen of the others */

static void follow_coming(struct yk_usbip_mind *mind, struct yk_usbip_entry *entry, yk_time now)
{
    if (now - entry->now.since >= YK_USBIP_APPEAR && !entry->now.spoilt) {
        entry->now.spoilt = true;
        yk_usbip_fail(
            mind,
            "%s of %s:%u was imported at port %u and its device did not appear; see the kernel's "
            "log, and replug it at the producer",
            entry->target.busid, entry->target.host, entry->target.port, entry->port);
    }
}

static void follow_ours(struct yk_usbip_mind *mind, struct yk_usbip_entry *entry,
                        const struct yk_usbip_port *port, yk_time now)
{
    entry->now.missing = 0;
    entry->now.met = true;
    if (entry->stage == YK_USBIP_MADE) {
        entry->stage = YK_USBIP_HELD;
        entry->devid = port->status.devid;
        entry->devnum = port->devnum;
        entry->now.since = now;
        mind->dirty = true;
    }
}

/* True once it has lasted. */
static bool is_missing_for(struct yk_usbip_entry *entry, yk_time least, yk_time now)
{
    if (entry->now.missing == 0) {
        entry->now.missing = now;
    }
    return now - entry->now.missing >= least;
}

/* Follows entry `i`, MADE or HELD; false when it was dropped. An UNLINK may be asked for. */
static bool follow(struct yk_usbip_mind *mind, size_t i, const struct yk_usbip_seen *seen,
                   struct yk_usbip_action *action, yk_time now)
{
    struct yk_usbip_entry *entry = &mind->journal.entries[i];
    const struct yk_usbip_port *port = yk_usbip_seen_port(seen, entry->port);

    switch (yk_usbip_claim(entry, port)) {
    case YK_USBIP_OURS:
        follow_ours(mind, entry, port, now);
        return true;
    case YK_USBIP_COMING:
        follow_coming(mind, entry, now);
        return true;
    case YK_USBIP_LOST:
        if (is_missing_for(entry, YK_USBIP_MISSING, now) && !entry->now.spoilt) {
            yk_usbip_drifted(mind, entry, "has lost its device on this host; it is made anew");
            entry->now.spoilt = true;
        }
        return true;
    case YK_USBIP_DOUBTFUL:
        if (is_missing_for(entry, YK_USBIP_SETTLE, now)) {
            yk_usbip_drifted(mind, entry, "is not provably ours any more");
            become_suspect(mind, entry, port);
        }
        return true;
    case YK_USBIP_GONE:
        if (port != NULL && !entry->now.swept &&
            yk_usbip_stamp_equal(&port->stamp, &entry->stamp)) {
            entry->now.swept = true;
            action->what = YK_USBIP_UNLINK;
            action->port = entry->port;
            action->stamp = entry->stamp;
            return true;
        }
        yk_usbip_drifted(mind, entry, "is free: the producer let it go, or it was unplugged there");
        break;
    case YK_USBIP_OTHERS:
        yk_usbip_drifted(mind, entry, "has another import now");
        break;
    }
    if (entry->stage == YK_USBIP_MADE && mind->trying && entry->now.attempt == mind->attempt) {
        yk_usbip_fail(mind, "%s of %s:%u came and went again; see the producer's log",
                      entry->target.busid, entry->target.host, entry->target.port);
    }
    yk_usbip_drop(mind, i);
    return false;
}

/* Somebody has freed the port, or an import with a record of its own took it. */
static bool suspect_is_over(const struct yk_usbip_entry *entry, const struct yk_usbip_seen *seen)
{
    const struct yk_usbip_port *port = yk_usbip_seen_port(seen, entry->port);

    return port == NULL || port->status.state == YK_USBIP_FREE ||
           (port->has_target && !yk_usbip_stamp_equal(&port->stamp, &entry->stamp));
}

void yk_usbip_follow(struct yk_usbip_mind *mind, const struct yk_usbip_seen *seen,
                     struct yk_usbip_action *action, yk_time now)
{
    size_t i = 0;

    while (i < mind->journal.count && action->what == YK_USBIP_WAIT) {
        enum yk_usbip_stage stage = mind->journal.entries[i].stage;

        if (stage == YK_USBIP_SUSPECT && suspect_is_over(&mind->journal.entries[i], seen)) {
            yk_usbip_say(mind, "port %u needs no recovery any more", mind->journal.entries[i].port);
            yk_usbip_drop(mind, i);
        } else if (stage == YK_USBIP_SUSPECT || stage == YK_USBIP_INTENT ||
                   follow(mind, i, seen, action, now)) {
            i++;
        }
    }
}
