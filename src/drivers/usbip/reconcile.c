#include "drivers/usbip/reconcile_internal.h"

#include <stdio.h>

#include "drivers/usbip/claim.h"
#include "drivers/usbip/list.h"

static bool has_stage(const struct yk_usbip_journal *journal, enum yk_usbip_stage stage)
{
    for (size_t i = 0; i < journal->count; i++) {
        if (journal->entries[i].stage == stage) {
            return true;
        }
    }
    return false;
}

/* ---- the steps */

static void wait_until(struct yk_usbip_action *action, yk_time until)
{
    if (until < action->until) {
        action->until = until;
    }
}

/* Asks for the lock. That it cannot be had is a failure only of a release: an attach waits. */
static void want_lock(struct yk_usbip_mind *mind, struct yk_usbip_action *action, yk_time now)
{
    action->what = YK_USBIP_LOCK;
    if (mind->lock_since == 0) {
        mind->lock_since = now;
    }
    if (now - mind->lock_since >= YK_USBIP_LOCK_WAIT && mind->wanted.count == 0) {
        yk_usbip_fail(mind,
                      "another usbip call on this host does not end; what a former life began is "
                      "cleared behind it");
    }
}

static bool is_wanted(const struct yk_usbip_mind *mind, const struct yk_usbip_entry *entry)
{
    return !entry->now.spoilt && yk_usbip_media_has(&mind->wanted, &entry->target);
}

static void step_intent(struct yk_usbip_mind *mind, const struct yk_usbip_seen *seen, bool locked,
                        struct yk_usbip_action *action, yk_time now)
{
    size_t intent = yk_usbip_find_intent(&mind->journal);

    if (intent == mind->journal.count || mind->intent == YK_USBIP_RUNNING) {
        return;
    }
    if (mind->intent == YK_USBIP_PREPARED) {
        if (!mind->trying || !is_wanted(mind, &mind->journal.entries[intent])) {
            yk_usbip_drop(mind, intent);
        }
        return;
    }
    if (mind->intent == YK_USBIP_INHERITED && !locked) {
        want_lock(mind, action, now);
        return;
    }
    if (mind->resolved_since == 0) {
        mind->resolved_since = now;
    }
    yk_usbip_resolve_intent(mind, intent, seen, now);
    wait_until(action, now + YK_USBIP_LOOK);
}

/* Is it proven to be ours right now, so that it may be detached? */
static bool may_detach(const struct yk_usbip_entry *entry, const struct yk_usbip_seen *seen,
                       yk_time now)
{
    switch (yk_usbip_claim(entry, yk_usbip_seen_port(seen, entry->port))) {
    case YK_USBIP_OURS:
    case YK_USBIP_COMING:
        return true;
    case YK_USBIP_LOST:
        return entry->now.missing != 0 && now - entry->now.missing >= YK_USBIP_MISSING;
    case YK_USBIP_GONE:
    case YK_USBIP_OTHERS:
    case YK_USBIP_DOUBTFUL:
        break;
    }
    return false;
}

/* Lets go what is not wanted. True while something of it is left. */
static bool step_release(struct yk_usbip_mind *mind, const struct yk_usbip_seen *seen,
                         struct yk_usbip_action *action, yk_time now)
{
    bool left = false, overdue = false;
    unsigned port = 0;

    for (size_t i = 0; i < mind->journal.count && action->what == YK_USBIP_WAIT; i++) {
        struct yk_usbip_entry *entry = &mind->journal.entries[i];

        if ((entry->stage != YK_USBIP_MADE && entry->stage != YK_USBIP_HELD) ||
            is_wanted(mind, entry)) {
            continue;
        }
        left = true;
        wait_until(action, now + YK_USBIP_LOOK);
        if (entry->now.asked != 0 && now - entry->now.asked >= YK_USBIP_FREEING) {
            overdue = true;
            port = entry->port;
        }
        if (may_detach(entry, seen, now) &&
            (entry->now.asked == 0 || now - entry->now.asked_again >= YK_SECOND)) {
            entry->now.asked_again = now;
            entry->now.asked = entry->now.asked == 0 ? now : entry->now.asked;
            action->what = YK_USBIP_DETACH;
            action->port = entry->port;
        }
    }
    if (overdue) {
        yk_usbip_fail(mind, "port %u does not become free; see the kernel's log", port);
    }
    return left;
}

/* The first target that has no entry yet, or NULL. */
static const struct yk_usbip_target *find_missing(const struct yk_usbip_mind *mind)
{
    for (size_t t = 0; t < mind->wanted.count; t++) {
        bool there = false;

        for (size_t i = 0; i < mind->journal.count && !there; i++) {
            there =
                mind->journal.entries[i].stage != YK_USBIP_SUSPECT &&
                yk_usbip_target_equal(&mind->journal.entries[i].target, &mind->wanted.targets[t]);
        }
        if (!there) {
            return &mind->wanted.targets[t];
        }
    }
    return NULL;
}

static void prepare(struct yk_usbip_mind *mind, const struct yk_usbip_target *target,
                    const struct yk_usbip_seen *seen)
{
    struct yk_usbip_journal *journal = &mind->journal;

    if (journal->count == YK_USBIP_ENTRIES_MAX) {
        yk_usbip_fail(
            mind, "the journal is full of ports that need manual recovery; see the log, and usbip "
                  "port");
        return;
    }
    journal->entries[journal->count] = (struct yk_usbip_entry){
        .target = *target, .stage = YK_USBIP_INTENT, .now = {.attempt = mind->attempt}};
    mind->mark = (mind->mark + 1) % YK_USBIP_MARK_MAX;
    journal->entries[journal->count++].target.mark = (uint8_t)(mind->mark + 1);
    yk_usbip_note_before(journal, seen);
    mind->intent = YK_USBIP_PREPARED;
    mind->resolved_since = 0;
    mind->dirty = true;
}

/* One target after the other. */
static void step_attach(struct yk_usbip_mind *mind, const struct yk_usbip_seen *seen, bool locked,
                        struct yk_usbip_action *action, yk_time now)
{
    const struct yk_usbip_target *target = find_missing(mind);
    size_t intent = yk_usbip_find_intent(&mind->journal);

    if (intent < mind->journal.count) {
        if (mind->intent == YK_USBIP_PREPARED && !mind->dirty && locked) {
            mind->intent = YK_USBIP_RUNNING;
            action->what = YK_USBIP_ATTACH;
            action->target = &mind->journal.entries[intent].target;
        } else if (mind->intent == YK_USBIP_PREPARED && !locked) {
            yk_usbip_drop(mind, intent); /* what it noted of the ports may be old */
        }
        wait_until(action, now + YK_USBIP_LOOK);
    } else if (has_stage(&mind->journal, YK_USBIP_MADE)) {
        wait_until(action, now + YK_USBIP_LOOK);
    } else if (target == NULL) {
        if (!mind->dirty) {
            mind->trying = false;
        }
    } else if (mind->dirty) {
        /* First what is known is saved: the intent is to be saved, and acted on, without delay. */
        wait_until(action, now + YK_USBIP_LOOK);
    } else if (mind->try_due > now) {
        wait_until(action, mind->try_due);
    } else if (!seen->may_attach) {
        yk_usbip_fail(mind, "the kernel takes no imports from this user; run the agent as root");
    } else if (!seen->may_record) {
        yk_usbip_fail(mind, "usbip could not record an import, which would then be nobody's; make "
                            "/var/run/vhci_hcd a folder that this agent can write");
    } else if (!locked) {
        want_lock(mind, action, now);
    } else {
        prepare(mind, target, seen);
    }
}

/* Has the producer forgotten our imports? */
static void step_list(struct yk_usbip_mind *mind, bool locked, struct yk_usbip_action *action,
                      yk_time now)
{
    if (mind->wanted.count == 0 || mind->failure[0] != 0 || find_missing(mind) != NULL ||
        now < mind->list_due) {
        return;
    }
    if (!locked) {
        want_lock(mind, action, now);
        return;
    }
    mind->list_started = now;
    mind->list_due = now + YK_USBIP_LIST_EVERY; /* unless something is wanted anew meanwhile */
    action->what = YK_USBIP_LIST;
    action->target = &mind->wanted.targets[0];
}

static void take_save(struct yk_usbip_mind *mind, struct yk_usbip_action *action, yk_time now)
{
    if (action->what == YK_USBIP_WAIT && mind->dirty) {
        if (now >= mind->save_due) {
            action->what = YK_USBIP_SAVE;
        } else {
            wait_until(action, mind->save_due);
        }
    }
}

/* Nothing that can be told for certain: whatever was begun waits for a better look. */
static void be_uncertain(struct yk_usbip_mind *mind, const char *cause)
{
    if (mind->trying || mind->journal.count > 0) {
        yk_usbip_fail(mind, "%s", cause);
    }
    if (yk_usbip_find_intent(&mind->journal) < mind->journal.count) {
        mind->intent = YK_USBIP_INHERITED;
        mind->resolved_since = 0;
    }
}

static void go_through(struct yk_usbip_mind *mind, const struct yk_usbip_seen *seen, bool locked,
                       struct yk_usbip_action *action, yk_time now)
{
    yk_usbip_follow(mind, seen, action, now);
    if (action->what == YK_USBIP_WAIT) {
        step_intent(mind, seen, locked, action, now);
    }
    if (mind->wanted.count > 0) { /* what is to go does not wait for the disk */
        take_save(mind, action, now);
    }
    if (action->what == YK_USBIP_WAIT && !step_release(mind, seen, action, now)) {
        if (mind->trying) {
            step_attach(mind, seen, locked, action, now);
        }
        if (!mind->trying && action->what == YK_USBIP_WAIT) {
            step_list(mind, locked, action, now);
        }
    }
    take_save(mind, action, now);
}

struct yk_usbip_action yk_usbip_next(struct yk_usbip_mind *mind, const struct yk_usbip_seen *seen,
                                     bool locked, yk_time now)
{
    struct yk_usbip_action action = {.what = YK_USBIP_WAIT, .until = YK_TIME_NEVER};

    if (locked) {
        mind->lock_since = 0;
    }
    switch (seen->sight) {
    case YK_USBIP_CLEAR:
        go_through(mind, seen, locked, &action, now);
        break;
    case YK_USBIP_ABSENT: /* the imports went with the module */
        if (mind->journal.count > 0) {
            mind->journal.count = 0;
            mind->dirty = true;
            snprintf(mind->drift, sizeof mind->drift, "%s", seen->cause);
        }
        if (mind->trying) {
            yk_usbip_fail(mind, "%s", seen->cause);
        }
        take_save(mind, &action, now);
        break;
    case YK_USBIP_UNCLEAR:
        be_uncertain(mind, seen->cause);
        return action;
    }
    action.keep_lock = yk_usbip_find_intent(&mind->journal) < mind->journal.count ||
                       has_stage(&mind->journal, YK_USBIP_MADE) || action.what == YK_USBIP_LIST;
    return action;
}

/* ---- what the driver says */

void yk_usbip_mind_init(struct yk_usbip_mind *mind, const struct yk_usbip_journal *journal,
                        unsigned first_mark, void *owner,
                        void (*say_)(void *owner, const char *line))
{
    memset(mind, 0, sizeof *mind);
    mind->journal = *journal;
    mind->intent = YK_USBIP_INHERITED;
    mind->mark = first_mark % YK_USBIP_MARK_MAX;
    mind->owner = owner;
    mind->say = say_;
}

void yk_usbip_want(struct yk_usbip_mind *mind, const struct yk_usbip_media *media, yk_time now)
{
    mind->wanted = *media;
    mind->attempt++;
    mind->trying = media->count > 0 && (mind->dirty || !yk_usbip_all_are_up(mind));
    mind->tries = 0;
    mind->try_due = 0;
    mind->list_due = now;
    mind->lock_since = 0;
    mind->failure[0] = mind->drift[0] = 0;
    for (size_t i = 0; i < mind->journal.count; i++) {
        struct yk_usbip_entry *entry = &mind->journal.entries[i];

        entry->now.asked = 0;
        if (entry->now.since == 0) {
            entry->now.since = now;
        }
        if (entry->stage <= YK_USBIP_MADE && yk_usbip_media_has(media, &entry->target)) {
            entry->now.attempt = mind->attempt; /* what is under way belongs to it */
        }
    }
}

void yk_usbip_saved(struct yk_usbip_mind *mind, const char *path, const char *cause, yk_time now)
{
    if (cause[0] == 0) {
        mind->dirty = false;
        return;
    }
    mind->save_due = now + YK_USBIP_SAVE_AGAIN;
    if (mind->trying) {
        yk_usbip_fail(
            mind,
            "journal_file %.120s: %s; its folder must be writable and have room, until then "
            "nothing is attached",
            path, cause);
    } else if (mind->failure[0] == 0) {
        yk_usbip_say(mind, "journal_file %s: %s; its folder must be writable and have room", path,
                     cause);
    }
}

void yk_usbip_attached(struct yk_usbip_mind *mind, const struct yk_usbip_outcome *outcome)
{
    snprintf(mind->outcome, sizeof mind->outcome, "%s", outcome->text);
    mind->transient = outcome->transient;
    mind->resolved_since = 0; /* from the next look on */
    if (outcome->stuck) {
        mind->intent = YK_USBIP_INHERITED;
        yk_usbip_fail(mind, "%s", outcome->text);
    } else {
        mind->intent = YK_USBIP_ENDED;
    }
}

void yk_usbip_no_lock(struct yk_usbip_mind *mind, const char *path, const char *cause)
{
    yk_usbip_fail(mind, "lock file %.100s: %s; run the agent as root, with a /run it can write",
                  path, cause);
}

void yk_usbip_listed(struct yk_usbip_mind *mind, struct yk_slice output)
{
    for (size_t i = 0; i < mind->journal.count; i++) {
        struct yk_usbip_entry *entry = &mind->journal.entries[i];

        if (entry->stage == YK_USBIP_HELD && entry->now.since < mind->list_started &&
            is_wanted(mind, entry) && yk_usbip_list_has(output, entry->target.busid)) {
            yk_usbip_drifted(
                mind, entry,
                "is a dead import: the producer offers the device again; it is made anew");
            entry->now.spoilt = true;
        }
    }
}
