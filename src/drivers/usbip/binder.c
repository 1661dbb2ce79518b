#include "drivers/usbip/binder.h"

#include <errno.h>
#include <stdio.h>

bool yk_usbip_item_is_bound(const struct yk_usbip_item *item)
{
    return item->seen.present && strcmp(item->seen.driver, YK_USBIP_HOST_DRIVER) == 0;
}

bool yk_usbip_item_is_right(const struct yk_usbip_item *item)
{
    const struct yk_usbip_identity *identity = &item->identity;
    const struct yk_usbip_device *seen = &item->seen;

    return seen->present && !seen->hub && !seen->imported &&
           (!identity->has_id ||
            (identity->vendor == seen->vendor && identity->product == seen->product)) &&
           (identity->serial[0] == 0 || strcmp(identity->serial, seen->serial) == 0);
}

bool yk_usbip_binder_want(struct yk_usbip_binder *binder, const char *busid,
                          const struct yk_usbip_identity *identity)
{
    struct yk_usbip_item *item = NULL;

    for (size_t i = 0; i < binder->count; i++) {
        if (strcmp(binder->items[i].busid, busid) == 0) {
            item = &binder->items[i];
        }
    }
    if (item == NULL) {
        if (binder->count == YK_USBIP_ITEMS_MAX) {
            return false;
        }
        item = &binder->items[binder->count++];
        memset(item, 0, sizeof *item);
        snprintf(item->busid, sizeof item->busid, "%s", busid);
    }
    item->wanted = true;
    item->identity = *identity;
    return true;
}

void yk_usbip_binder_begin(struct yk_usbip_binder *binder, bool on)
{
    binder->on = on;
    binder->unwritable = false;
    for (size_t i = 0; i < binder->count; i++) {
        binder->items[i].failed = YK_USBIP_REST;
        binder->items[i].error = 0;
    }
}

/* ---- what a look says about what is ours */

static bool is_homeless(const struct yk_usbip_item *item)
{
    return item->seen.present && item->seen.driver[0] == 0;
}

static bool is_the_held(const struct yk_usbip_item *item)
{
    return item->seen.present && item->seen.devnum == item->devnum;
}

static void see_hold(struct yk_usbip_binder *binder, struct yk_usbip_item *item)
{
    enum yk_usbip_hold before = item->hold;
    bool bound = yk_usbip_item_is_bound(item);

    item->probed = bound ? item->seen.devnum : binder->loaded ? item->probed : 0;
    if (!binder->loaded && item->entered) {
        item->entered = false; /* the table went with the module */
        binder->dirty = true;
    }
    if (item->hold != YK_USBIP_NOT_OURS && !is_the_held(item)) {
        item->hold = YK_USBIP_NOT_OURS; /* unplugged: the binding went with it */
    } else if (item->hold == YK_USBIP_TAKING && bound) {
        /* Killed between binding and writing it down, or another one's since: then nobody can tell,
         * and ours is far more likely. While we live we know: it is another one's. */
        item->hold = binder->looked ? YK_USBIP_NOT_OURS : YK_USBIP_BOUND;
    } else if (item->hold == YK_USBIP_BOUND && !bound && !binder->looked && is_homeless(item)) {
        item->hold = YK_USBIP_TAKING; /* killed between unbinding and giving it back */
    } else if (item->hold == YK_USBIP_BOUND && !bound) {
        item->hold = YK_USBIP_NOT_OURS;
        /* Not by us, nor by unloading, nor while we were away: an explicit unbind is not repaired. */
        if (binder->loaded && binder->looked) {
            item->let_go = item->seen.devnum;
        }
    }
    if (bound || (item->seen.present && item->seen.devnum != item->let_go)) {
        item->let_go = 0;
    }
    binder->dirty = binder->dirty || item->hold != before;
}

static void see_traffic(struct yk_usbip_item *item, bool paired, yk_time now)
{
    if (!yk_usbip_item_is_bound(item) || item->seen.status != YK_USBIP_EXPORT_USED || paired ||
        item->quiet_since == 0 || item->seen.urbs != item->urbs) {
        item->quiet_since = now;
    }
    item->quiet = now - item->quiet_since >= YK_USBIP_QUIET;
    item->urbs = item->seen.urbs;
}

void yk_usbip_binder_see(struct yk_usbip_binder *binder, bool paired, yk_time now)
{
    for (size_t i = 0; i < binder->count; i++) {
        struct yk_usbip_item *item = &binder->items[i];

        if (item->seen.unsettled) {
            continue;
        }
        see_hold(binder, item);
        see_traffic(item, paired, now);
    }
    binder->looked = true;
}

/* ---- the next step */

static bool table_is_full(const struct yk_usbip_binder *binder, const struct yk_usbip_item *item)
{
    return !item->seen.in_table && binder->table_used >= YK_USBIP_TABLE_MAX;
}

/* May its name be removed from the table? Only while usbip-host has had this very device: the kernel
 * goes by a pointer that is dead after an unplugging, and NULL before the first binding. */
static bool is_removable(const struct yk_usbip_item *item)
{
    return item->seen.in_table && item->seen.present && item->probed == item->seen.devnum;
}

/* The way of a device without a driver back to its own. */
static enum yk_usbip_step home(const struct yk_usbip_item *item)
{
    if (item->failed == YK_USBIP_REMOVE || item->failed == YK_USBIP_RETURN) {
        return YK_USBIP_REST;
    }
    return is_removable(item) ? YK_USBIP_REMOVE : YK_USBIP_RETURN;
}

static enum yk_usbip_step bring(struct yk_usbip_binder *binder, struct yk_usbip_item *item)
{
    bool homeless = is_homeless(item);

    if (item->failed != YK_USBIP_REST) {
        return homeless && item->hold == YK_USBIP_TAKING ? home(item) : YK_USBIP_REST;
    }
    if (table_is_full(binder, item) || item->let_go != 0) {
        return YK_USBIP_REST;
    }
    if (item->hold == YK_USBIP_NOT_OURS || !item->entered) {
        item->hold = YK_USBIP_TAKING;
        item->devnum = item->seen.devnum;
        item->entered = true; /* also what somebody left there: nothing else can use it now */
        binder->dirty = true;
        return YK_USBIP_KEEP;
    }
    if (!homeless) {
        return YK_USBIP_TAKE;
    }
    return item->seen.in_table ? YK_USBIP_BIND : YK_USBIP_ENTER;
}

static bool is_to_be_renewed(const struct yk_usbip_binder *binder, const struct yk_usbip_item *item)
{
    return item->hold == YK_USBIP_BOUND && item->failed == YK_USBIP_REST &&
           (item->seen.status == YK_USBIP_EXPORT_BROKEN || (binder->reclaim && item->quiet));
}

static enum yk_usbip_step give_back(struct yk_usbip_binder *binder, struct yk_usbip_item *item)
{
    bool held = item->hold != YK_USBIP_NOT_OURS, bound = yk_usbip_item_is_bound(item);

    if ((!held && !item->entered) ||
        (item->failed != YK_USBIP_REST && item->failed != YK_USBIP_BIND)) {
        return YK_USBIP_REST;
    }
    if (held && bound) {
        return YK_USBIP_UNBIND;
    }
    if (held && is_homeless(item)) {
        bool stuck = item->seen.in_table && !is_removable(item);

        /* Its name was entered just now: it goes again only once usbip-host had the device. */
        return stuck && item->failed == YK_USBIP_REST ? YK_USBIP_BIND : home(item);
    }
    if (item->entered && !bound && is_removable(item)) {
        return YK_USBIP_REMOVE;
    }
    item->hold = YK_USBIP_NOT_OURS;
    item->entered = false;
    binder->dirty = true;
    return YK_USBIP_KEEP;
}

static enum yk_usbip_step next_of(struct yk_usbip_binder *binder, struct yk_usbip_item *item)
{
    if (item->seen.unsettled) {
        return YK_USBIP_REST;
    }
    if (!binder->on || !item->wanted ||
        (item->hold != YK_USBIP_NOT_OURS && !yk_usbip_item_is_right(item))) {
        return give_back(binder, item);
    }
    if (!binder->loaded || !yk_usbip_item_is_right(item)) {
        return YK_USBIP_REST;
    }
    if (yk_usbip_item_is_bound(item)) {
        return is_to_be_renewed(binder, item) ? YK_USBIP_UNBIND : YK_USBIP_REST;
    }
    return bring(binder, item);
}

enum yk_usbip_step yk_usbip_binder_next(struct yk_usbip_binder *binder, struct yk_usbip_item **item)
{
    if (binder->dirty && !binder->unwritable) {
        return YK_USBIP_KEEP;
    }
    if (binder->on && binder->unwritable) {
        return YK_USBIP_REST;
    }
    for (size_t i = 0; i < binder->count; i++) {
        enum yk_usbip_step step = next_of(binder, &binder->items[i]);

        if (step != YK_USBIP_REST && !(step == YK_USBIP_KEEP && binder->unwritable)) {
            *item = &binder->items[i];
            return step;
        }
    }
    return YK_USBIP_REST;
}

void yk_usbip_binder_done(struct yk_usbip_binder *binder, struct yk_usbip_item *item,
                          enum yk_usbip_step step, int error)
{
    if (error != 0) {
        /* The first cause is the one to tell, not that of a failed return. */
        item->error = item->failed == YK_USBIP_REST ? error : item->error;
        item->failed = step;
    } else if (step == YK_USBIP_BIND) {
        item->hold = YK_USBIP_BOUND;
        binder->dirty = true;
    } else if (step == YK_USBIP_UNBIND) {
        item->hold = YK_USBIP_TAKING;
        item->quiet_since = 0;
    } else if (step == YK_USBIP_REMOVE || step == YK_USBIP_RETURN) {
        item->hold = YK_USBIP_NOT_OURS;
        item->entered = false;
        binder->dirty = true;
    }
}

bool yk_usbip_binder_is_unsettled(const struct yk_usbip_binder *binder)
{
    for (size_t i = 0; i < binder->count; i++) {
        if (binder->items[i].seen.unsettled) {
            return true;
        }
    }
    return false;
}

bool yk_usbip_binder_is_empty(const struct yk_usbip_binder *binder)
{
    for (size_t i = 0; i < binder->count; i++) {
        if (binder->items[i].hold != YK_USBIP_NOT_OURS || binder->items[i].entered) {
            return false;
        }
    }
    return !binder->dirty || binder->unwritable;
}

/* ---- what is wrong */

static const char *step_words(enum yk_usbip_step step)
{
    switch (step) {
    case YK_USBIP_ENTER:
        return "entering it into match_busid of usbip-host";
    case YK_USBIP_TAKE:
        return "taking it from its driver";
    case YK_USBIP_BIND:
        return "binding it to usbip-host";
    case YK_USBIP_UNBIND:
        return "unbinding it from usbip-host";
    case YK_USBIP_REMOVE:
    case YK_USBIP_RETURN:
        return "giving it back to its own driver";
    case YK_USBIP_REST:
    case YK_USBIP_KEEP:
        break;
    }
    return "?";
}

static void say_failure(const struct yk_usbip_item *item, char *text, size_t capacity)
{
    bool denied = item->error == EACCES || item->error == EPERM;

    snprintf(text, capacity, "%s: %s: %s; %s", item->busid, step_words(item->failed),
             strerror(item->error),
             denied ? "run the agent as root" : "it is tried again; \"dmesg\" may say more");
}

static void say_wrong(const struct yk_usbip_item *item, char *text, size_t capacity)
{
    const struct yk_usbip_device *seen = &item->seen;

    if (!seen->present) {
        snprintf(text, capacity, "%s: not plugged in", item->busid);
    } else if (seen->hub) {
        snprintf(text, capacity, "%s: is a hub; name the devices behind it, like %s.1", item->busid,
                 item->busid);
    } else if (seen->imported) {
        snprintf(text, capacity,
                 "%s: this host imports it itself; export it where it is plugged in", item->busid);
    } else {
        snprintf(text, capacity,
                 "%s: another device is there (%04x:%04x%s%.40s); plug in the configured one",
                 item->busid, seen->vendor, seen->product, seen->serial[0] != 0 ? ", serial " : "",
                 seen->serial);
    }
}

bool yk_usbip_item_problem(const struct yk_usbip_binder *binder, const struct yk_usbip_item *item,
                           char *text, size_t capacity)
{
    if (!binder->loaded) {
        snprintf(text, capacity, "kernel module usbip-host is missing; modprobe usbip-host");
    } else if (!yk_usbip_item_is_right(item)) {
        say_wrong(item, text, capacity);
    } else if (item->failed != YK_USBIP_REST) {
        say_failure(item, text, capacity);
    } else if (yk_usbip_item_is_bound(item) && item->seen.status == YK_USBIP_EXPORT_BROKEN &&
               item->hold != YK_USBIP_BOUND) {
        snprintf(text, capacity,
                 "%s: usbip-host has it in error state; usbip unbind -b %s, then usbip bind -b %s",
                 item->busid, item->busid, item->busid);
    } else if (!yk_usbip_item_is_bound(item) && item->let_go != 0) {
        snprintf(text, capacity,
                 "%s: somebody unbound it; usbip bind -b %s, or restart the agent to have it bound",
                 item->busid, item->busid);
    } else if (!yk_usbip_item_is_bound(item) && table_is_full(binder, item)) {
        snprintf(
            text, capacity,
            "%s: usbip-host remembers %d busids and no more; usbip unbind one of them, or load "
            "usbip-host anew, which ends all its exports",
            item->busid, YK_USBIP_TABLE_MAX);
    } else {
        return false;
    }
    return true;
}
