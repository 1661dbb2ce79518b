/* The consumer, and what stands in for core and driver host. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "usbip_world_internal.h"

static const char *boot_id(const struct world *world)
{
    static char text[YK_USBIP_BOOT_ID_MAX + 1];

    snprintf(text, sizeof text, "%036u", world->boots);
    return text;
}

static void take_line(void *owner, const char *line)
{
    struct world *world = owner;

    WORLD_TRACE(world, "  log: %s", line);
    ck_assert_uint_gt(strlen(line), 0);
}

void world_start_consumer(struct world *world)
{
    struct yk_usbip_journal *journal = calloc(1, sizeof *journal);
    struct yk_refusal why;

    ck_assert_ptr_nonnull(journal);
    if (world->saved != NULL) {
        ck_assert_msg(yk_usbip_journal_decode(journal, yk_slice_of(world->saved), "journal", "usb",
                                              boot_id(world), &why),
                      "%s", why.text);
    }
    yk_usbip_mind_init(&world->mind, journal, (unsigned)world_random(world, 1000), world,
                       take_line);
    free(journal);
    world->has_lock = world->saving = world->tool_is_ours = world->lists = false;
    memset(&world->asked, 0, sizeof world->asked);
    world->released = false;
    yk_usbip_want(&world->mind, &world->asked, world->now);
    world->again = world->retry_at = 0;
}

void world_crash(struct world *world)
{
    WORLD_TRACE(world, "crash");
    world->crashes++;
    if (world->saving) {
        if (world_random(world, 2) == 0 && !world->save_fails) {
            free(world->saved);
            world->saved = world->to_save;
        } else {
            free(world->to_save);
        }
        world->to_save = NULL;
    }
    if (world->has_lock && !(world->ours.runs && world->tool_is_ours)) {
        world->locked = false;
    }
    world_start_consumer(world);
}

static void let_lock_go(struct world *world)
{
    if (world->has_lock) {
        world->has_lock = world->locked = false;
    }
}

static void check_detach(struct world *world, unsigned number)
{
    ck_assert_msg(world->ports[number].who == WORLD_US,
                  "port %u is detached, and is of %d (state %d)", number, world->ports[number].who,
                  world->ports[number].state);
}

static bool is_exported(const struct world *world, unsigned device)
{
    return world->devices[device].plugged && world->devices[device].holder == WORLD_NOBODY;
}

static void list_ends(struct world *world)
{
    char text[256] = "";

    for (unsigned i = 0; i < WORLD_DEVICES; i++) {
        if (is_exported(world, i)) {
            snprintf(text + strlen(text), sizeof text - strlen(text), "        1-%u: a device\n",
                     i + 1);
        }
    }
    world->lists = false;
    yk_usbip_listed(&world->mind, yk_slice_of(world_chance(world, 20) ? "" : text));
}

/* True when there may be more to do at once. */
static bool perform(struct world *world, const struct yk_usbip_action *action)
{
    struct world_port *port = &world->ports[action->port];
    unsigned device;

    switch (action->what) {
    case YK_USBIP_WAIT:
        world->again = action->until;
        return false;
    case YK_USBIP_SAVE:
        world->to_save = yk_usbip_journal_encode(&world->mind.journal, "usb", boot_id(world));
        world->saving = true;
        return false;
    case YK_USBIP_LOCK:
        if (world->locked) {
            world->again = world->now + 100 * YK_MS;
            return false;
        }
        world->locked = world->has_lock = true;
        return true;
    case YK_USBIP_ATTACH:
        ck_assert(world->has_lock && !world->ours.runs);
        device = (unsigned)(action->target->busid[2] - '1');
        WORLD_TRACE(world, "attach %s", action->target->busid);
        world->attaches++;
        for (unsigned i = 0; i < WORLD_PORTS; i++) {
            world->was_in_use[i] = world->ports[i].state != YK_USBIP_FREE;
        }
        for (size_t i = 0; i < world->mind.journal.before_count; i++) {
            world->was_in_use[world->mind.journal.before[i].port] |=
                world->mind.journal.before[i].in_use;
        }
        world_start_tool(world, &world->ours, WORLD_US, device);
        world->ours.mark = action->target->mark;
        ck_assert_uint_gt(world->ours.mark, 0);
        world->tool_is_ours = true;
        return false;
    case YK_USBIP_LIST:
        world->lists = true;
        return false;
    case YK_USBIP_DETACH:
        WORLD_TRACE(world, "detach %u", action->port);
        check_detach(world, action->port);
        world->detaches++;
        if (!world_chance(world, 5)) {
            world_free_port(world, action->port);
        }
        return true;
    case YK_USBIP_UNLINK:
        if (port->has_record && yk_usbip_stamp_equal(&port->stamp, &action->stamp)) {
            ck_assert(port->record_is_ours);
            port->has_record = false;
        }
        return true;
    }
    return false;
}

static void check_verdict(struct world *world, const struct yk_usbip_seen *seen)
{
    char text[YK_USBIP_TEXT_MAX];

    world->verdict = yk_usbip_verdict(&world->mind, seen, text);
    if (strcmp(text, world->text) != 0) {
        WORLD_TRACE(world, "verdict %d: %s", world->verdict, text);
    }
    memcpy(world->text, text, sizeof text);
    ck_assert(world->verdict == YK_REPORT_IDLE || text[0] != 0);
    if (world->verdict != YK_REPORT_ACTIVE) {
        return;
    }
    for (size_t t = 0; t < world->asked.count; t++) {
        unsigned device = (unsigned)(world->asked.targets[t].busid[2] - '1');
        bool there = false;

        for (unsigned i = 0; i < WORLD_PORTS; i++) {
            there |= world->ports[i].who == WORLD_US && world->ports[i].device == device &&
                     world->ports[i].state == YK_USBIP_IN_USE;
        }
        ck_assert_msg(there, "active, and device %u is not imported", device);
    }
}

static void consumer_acts(struct world *world)
{
    static struct yk_usbip_seen seen;
    bool more = true;

    for (unsigned i = 0; more; i++) {
        struct yk_usbip_action action;

        ck_assert_uint_lt(i, 64);
        world_look(world, &seen);
        action = yk_usbip_next(&world->mind, &seen, world->has_lock, world->now);
        if (!action.keep_lock) {
            let_lock_go(world);
        }
        world->again = YK_TIME_NEVER;
        more = perform(world, &action);
    }
    world_look(world, &seen);
    check_verdict(world, &seen);
}

/* As core and driver host do: a change waits for the release, a failure is tried again. */
static void core_acts(struct world *world)
{
    bool same = memcmp(&world->desired, &world->asked, sizeof world->desired) == 0;

    if (world->asked.count == 0 && world->verdict == YK_REPORT_IDLE) {
        world->released = true;
    }
    if (world->asked.count > 0 && !same) {
        memset(&world->asked, 0, sizeof world->asked);
        world->released = false;
        world->verdict = YK_REPORT_PENDING;
        yk_usbip_want(&world->mind, &world->asked, world->now);
        if (world->tool_is_ours) {
            world->ours.alarm = world->now + YK_USBIP_ORPHAN_S * YK_SECOND; /* it is stopped */
        }
    } else if (!same && world->released) {
        world->asked = world->desired;
        world->verdict = YK_REPORT_PENDING;
        yk_usbip_want(&world->mind, &world->asked, world->now);
    } else if (world->now >= world->retry_at &&
               (world->verdict == YK_REPORT_ERROR ||
                (world->verdict == YK_REPORT_PENDING && !world->mind.trying))) {
        yk_usbip_want(&world->mind, &world->asked, world->now);
        world->retry_at = world->now + YK_SECOND * (1 + world_random(world, 3));
    } else {
        return;
    }
    world->again = world->now;
}

void world_consumer_goes_on(struct world *world)
{
    if (world->saving && world_random(world, 3) > 0) {
        bool fails = world->save_fails || world->to_save == NULL;

        world->saving = false;
        if (!fails) {
            free(world->saved);
            world->saved = world->to_save;
        } else {
            free(world->to_save);
        }
        world->to_save = NULL;
        yk_usbip_saved(&world->mind, "journal", fails ? "write: No space left" : "", world->now);
        world->again = world->now;
    }
    if (world->lists && world_random(world, 3) == 0) {
        list_ends(world);
        world->again = world->now;
    }
    core_acts(world);
    if (!world->saving && !world->tool_is_ours && !world->lists &&
        (world->now >= world->again || world_random(world, 10) == 0)) {
        consumer_acts(world);
    }
}
