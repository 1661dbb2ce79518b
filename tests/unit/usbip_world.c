#include "usbip_world.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#define HANG YK_TIME_NEVER

uint64_t world_random(struct world *world, uint64_t below)
{
    /* splitmix64 */
    uint64_t z = world->seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) % below;
}

static bool chance(struct world *world, unsigned percent)
{
    return world->clumsy && world_random(world, 100) < percent;
}

#define TRACE(world, ...)                                                \
    do {                                                                 \
        if ((world)->trace) {                                            \
            fprintf(stderr, "%8.3f ", (double)(world)->now / YK_SECOND); \
            fprintf(stderr, __VA_ARGS__);                                \
            fputc('\n', stderr);                                         \
        }                                                                \
    } while (0)

struct yk_usbip_target world_target(unsigned device)
{
    struct yk_usbip_target target = {.host = "10.77.0.1", .port = 3240};

    snprintf(target.busid, sizeof target.busid, "1-%u", device + 1);
    return target;
}

/* ---- kernel and producer */

static void free_port(struct world *world, unsigned number)
{
    struct world_port *port = &world->ports[number];

    if (!port->dead && port->who != WORLD_NOBODY &&
        world->devices[port->device].holder == port->who) {
        world->devices[port->device].holder = WORLD_NOBODY;
    }
    port->state = YK_USBIP_FREE;
    port->who = WORLD_NOBODY;
    port->dead = port->lost = port->swapped = false;
}

/* A record of ours whose import nobody has proven yet: what others attach to that port now, without
 * a record, could not be told from ours by anybody. That much luck is not simulated. */
static bool is_unproven(const struct world *world, unsigned number)
{
    const struct world_port *port = &world->ports[number];
    char held[96];

    if (!port->has_record || !port->record_is_ours || port->who == WORLD_US) {
        return false;
    }
    snprintf(held, sizeof held, "\"inode\":%u,", (unsigned)port->stamp.inode);
    for (const char *at = world->saved; at != NULL && (at = strstr(at, "\"stage\":\"")) != NULL;
         at++) {
        const char *end = strchr(at, '}');

        if (strncmp(at, "\"stage\":\"held\"", 14) == 0) {
            const char *found = strstr(at, held);

            if (found != NULL && found < end) {
                return false;
            }
        }
    }
    return true;
}

/* And a port that others held since we began is not given to us: without a record, it would look like
 * theirs. */
static int find_free(struct world *world, enum world_who who)
{
    for (unsigned i = 0; i < WORLD_PORTS; i++) {
        if (world->ports[i].state == YK_USBIP_FREE &&
            (who == WORLD_US ? !world->was_in_use[i] : !is_unproven(world, i))) {
            return (int)i;
        }
    }
    return -1;
}

static void import(struct world *world, struct world_tool *tool, unsigned number)
{
    struct world_port *port = &world->ports[number];

    world->was_in_use[number] |= tool->who == WORLD_OTHERS;
    port->state = YK_USBIP_INITIALIZING;
    port->who = tool->who;
    port->device = tool->device;
    port->dead = port->lost = false;
    port->up_at = chance(world, 3) ? HANG : world->now + YK_MS * (50 + world_random(world, 300));
    port->there_at = port->up_at == HANG ? HANG : port->up_at + YK_MS * world_random(world, 200);
    port->devnum = world->next_devnum++;
    tool->port = number;
    TRACE(world, "  port %u: %s imports device %u", number, tool->who == WORLD_US ? "we" : "others",
          tool->device);
}

static void record(struct world *world, const struct world_tool *tool)
{
    struct world_port *port = &world->ports[tool->port];

    if (!port->has_record) {
        port->stamp.inode = world->next_inode++;
    } else if (tool->who == WORLD_US || port->record_is_ours) {
        port->stamp.inode = world->next_inode++; /* the world tells them apart by it */
    }
    port->has_record = port->record_is_whole = true;
    port->stamp.mtime_ns = (int64_t)world->now;
    port->record_device = tool->device;
    port->record_mark = tool->mark;
    port->record_is_ours = tool->who == WORLD_US;
}

static void kernel_goes_on(struct world *world)
{
    for (unsigned i = 0; i < WORLD_PORTS; i++) {
        struct world_port *port = &world->ports[i];

        if (port->state == YK_USBIP_INITIALIZING && world->now >= port->up_at) {
            port->state = YK_USBIP_IN_USE;
        }
    }
}

static void look(struct world *world, struct yk_usbip_seen *seen)
{
    seen->sight = YK_USBIP_CLEAR;
    seen->cause[0] = 0;
    seen->may_attach = seen->may_record = true;
    seen->count = 0;
    for (unsigned i = 0; i < WORLD_PORTS; i++) {
        const struct world_port *port = &world->ports[i];
        struct yk_usbip_port *out = &seen->ports[seen->count];

        if (port->state == YK_USBIP_FREE && !port->has_record) {
            continue;
        }
        memset(out, 0, sizeof *out);
        out->status.number = i;
        out->status.state = port->state;
        if (port->state == YK_USBIP_IN_USE) {
            out->status.devid = 1 << 16 | (2 + port->device); /* of bus 1 */
            snprintf(out->status.local, sizeof out->status.local, "3-%u", i + 1);
            out->devnum = port->lost || world->now < port->there_at ? 0 : port->devnum;
        }
        if (port->has_record) {
            out->stamp = port->stamp;
            out->has_target = port->record_is_whole;
            out->target = world_target(port->record_device);
            out->target.mark = port->record_mark;
        }
        seen->count++;
    }
}

/* ---- tools */

static void start_tool(struct world *world, struct world_tool *tool, enum world_who who,
                       unsigned device)
{
    *tool = (struct world_tool){.runs = true,
                                .who = who,
                                .device = device,
                                .next_at = world->now + YK_MS * (5 + world_random(world, 30)),
                                .alarm = world->now + 15 * YK_SECOND};
    if (chance(world, 6)) {
        tool->next_at = HANG;
    }
    tool->skips_record = chance(world, who == WORLD_US ? 4 : 20);
}

static void tool_ends(struct world *world, struct world_tool *tool, enum yk_usbip_way way,
                      int number, const char *words)
{
    struct yk_usbip_end end = {.way = way, .number = number, .output = yk_slice_of(words)};
    struct yk_usbip_target target = world_target(tool->device);
    struct yk_usbip_outcome outcome;

    tool->runs = false;
    TRACE(world, "  tool of %s ends: %d %d %s", tool->who == WORLD_US ? "us" : "others", way,
          number, words);
    if (tool->who != WORLD_US) {
        return;
    }
    if (world->tool_is_ours) {
        world->tool_is_ours = false;
        yk_usbip_outcome_read(&outcome, &end, &target);
        yk_usbip_attached(&world->mind, &outcome);
    } else {
        world->locked = false; /* its agent is gone */
    }
}

static void tool_step(struct world *world, struct world_tool *tool)
{
    unsigned device = tool->device;
    int number;

    tool->next_at = world->now + YK_MS * (1 + world_random(world, 20));
    switch (tool->step++) {
    case 0: /* ask the producer, which takes the device */
        if (!world->devices[device].plugged) {
            tool_ends(world, tool, YK_USBIP_EXITED, 1, "Device not found");
        } else if (world->devices[device].holder != WORLD_NOBODY) {
            tool_ends(world, tool, YK_USBIP_EXITED, 1, "Device busy (exported)");
        } else {
            world->devices[device].holder = tool->who;
        }
        break;
    case 1: /* tell the kernel */
        number = find_free(world, tool->who);
        if (number < 0 || chance(world, 3)) {
            world->devices[device].holder = WORLD_NOBODY;
            tool_ends(world, tool, YK_USBIP_EXITED, 1, "open vhci_driver");
        } else {
            import(world, tool, (unsigned)number);
        }
        break;
    case 2: /* write the record */
        if (tool->skips_record && !(tool->who == WORLD_OTHERS && is_unproven(world, tool->port))) {
            tool_ends(world, tool, YK_USBIP_EXITED, 1, "record connection");
        } else {
            record(world, tool);
        }
        break;
    default:
        tool_ends(world, tool, YK_USBIP_EXITED, chance(world, 1) ? 1 : 0, "");
        break;
    }
}

static void tool_goes_on(struct world *world, struct world_tool *tool)
{
    yk_time limit = tool->alarm - (world->tool_is_ours ? YK_USBIP_ORPHAN_S * YK_SECOND : 0);

    if (!tool->runs) {
        return;
    }
    if (world->now >= (tool->who == WORLD_US ? limit : tool->alarm)) {
        if (tool->step == 1 && world->devices[tool->device].holder == tool->who) {
            world->devices[tool->device].holder = WORLD_NOBODY;
        }
        tool_ends(world, tool, YK_USBIP_SIGNALLED, 15, "");
    } else if (world->now >= tool->next_at) {
        tool_step(world, tool);
    }
}

/* ---- the consumer */

static const char *boot_id(const struct world *world)
{
    static char text[YK_USBIP_BOOT_ID_MAX + 1];

    snprintf(text, sizeof text, "%036u", world->boots);
    return text;
}

static void take_line(void *owner, const char *line)
{
    struct world *world = owner;

    TRACE(world, "  log: %s", line);
    ck_assert_uint_gt(strlen(line), 0);
}

static void start_consumer(struct world *world)
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
    TRACE(world, "crash");
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
    start_consumer(world);
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
    yk_usbip_listed(&world->mind, yk_slice_of(chance(world, 20) ? "" : text));
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
        TRACE(world, "attach %s", action->target->busid);
        world->attaches++;
        for (unsigned i = 0; i < WORLD_PORTS; i++) {
            world->was_in_use[i] = world->ports[i].state != YK_USBIP_FREE;
        }
        for (size_t i = 0; i < world->mind.journal.before_count; i++) {
            world->was_in_use[world->mind.journal.before[i].port] |=
                world->mind.journal.before[i].in_use;
        }
        start_tool(world, &world->ours, WORLD_US, device);
        world->ours.mark = action->target->mark;
        ck_assert_uint_gt(world->ours.mark, 0);
        world->tool_is_ours = true;
        return false;
    case YK_USBIP_LIST:
        world->lists = true;
        return false;
    case YK_USBIP_DETACH:
        TRACE(world, "detach %u", action->port);
        check_detach(world, action->port);
        world->detaches++;
        if (!chance(world, 5)) {
            free_port(world, action->port);
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
        TRACE(world, "verdict %d: %s", world->verdict, text);
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
        look(world, &seen);
        action = yk_usbip_next(&world->mind, &seen, world->has_lock, world->now);
        if (!action.keep_lock) {
            let_lock_go(world);
        }
        world->again = YK_TIME_NEVER;
        more = perform(world, &action);
    }
    look(world, &seen);
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

static void consumer_goes_on(struct world *world)
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

/* ---- what happens */

void world_step(struct world *world)
{
    world->now += YK_MS * (1 + world_random(world, 60));
    kernel_goes_on(world);
    tool_goes_on(world, &world->others);
    if (world->ours.runs) {
        tool_goes_on(world, &world->ours);
        if (!world->ours.runs) {
            world->again = world->now;
        }
    }
    consumer_goes_on(world);
}

static void reboot(struct world *world)
{
    TRACE(world, "reboot");
    for (unsigned i = 0; i < WORLD_PORTS; i++) {
        struct world_port *port = &world->ports[i];

        port->dead |= port->who != WORLD_NOBODY; /* the producer goes on to count it as imported */
        free_port(world, i);
        port->has_record = false;
    }
    for (unsigned i = 0; i < WORLD_DEVICES; i++) { /* of a tool that was half way, too */
        if (world->devices[i].holder != WORLD_NOBODY) {
            world->devices[i].holder = WORLD_OTHER_HOST;
        }
    }
    world->ours.runs = world->others.runs = false;
    world->boots++;
    world->tool_is_ours = false;
    world_crash(world);
    world->locked = false;
}

static void others_let_go(struct world *world, bool by_tool)
{
    for (unsigned i = 0; i < WORLD_PORTS; i++) {
        struct world_port *port = &world->ports[i];

        if (port->who == WORLD_OTHERS && !(world->others.runs && world->others.port == i)) {
            TRACE(world, "others detach %u", i);
            if (by_tool) {
                port->has_record = false;
            }
            free_port(world, i);
        }
    }
}

static void producer_reboots(struct world *world)
{
    TRACE(world, "producer reboots");
    for (unsigned i = 0; i < WORLD_PORTS; i++) {
        world->ports[i].dead |= world->ports[i].who != WORLD_NOBODY;
    }
    for (unsigned i = 0; i < WORLD_DEVICES; i++) {
        world->devices[i].holder = WORLD_NOBODY;
        world->devices[i].plugged = true;
    }
}

/* The producer drops ours, and between two looks others import on the same port; their tool is killed
 * before its record. What is there says: our port, our record, in use. (That it loses its device
 * between the same two looks is more luck than is simulated.) */
static void swap(struct world *world, unsigned number)
{
    struct world_tool tool = {.who = WORLD_OTHERS};

    if (world->ports[number].who != WORLD_US || world->ports[number].dead ||
        (world->ours.runs && world->ours.port == number)) {
        return;
    }
    tool.device = world->ports[number].device;
    free_port(world, number);
    if (!is_unproven(world, number)) {
        TRACE(world, "port %u is swapped", number);
        world->devices[tool.device].holder = WORLD_OTHERS;
        import(world, &tool, number);
        world->ports[number].up_at = world->ports[number].there_at = world->now;
        world->ports[number].state = YK_USBIP_IN_USE;
        world->ports[number].swapped = true;
        world->swaps++;
    }
}

void world_trouble(struct world *world)
{
    unsigned number = (unsigned)world_random(world, WORLD_PORTS);
    unsigned device = (unsigned)world_random(world, WORLD_DEVICES);
    struct world_port *port = &world->ports[number];

    switch (world_random(world, 15)) {
    case 0:
    case 1:
        if (!world->others.runs) {
            start_tool(world, &world->others, WORLD_OTHERS, device);
        }
        break;
    case 2:
        others_let_go(world, world_random(world, 2) == 0);
        break;
    case 3: /* the producer lets go */
        if (port->state >= YK_USBIP_INITIALIZING && !port->dead) {
            TRACE(world, "drop of port %u", number);
            free_port(world, number);
        }
        break;
    case 4:
        producer_reboots(world);
        break;
    case 5:
        if (port->state == YK_USBIP_IN_USE && world->now >= port->there_at && !port->swapped) {
            TRACE(world, "port %u loses its device", number);
            port->lost = true;
        }
        break;
    case 6:
        world->save_fails = world_random(world, 3) == 0;
        break;
    case 7:
    case 8:
        world_desire(world, (unsigned)world_random(world, 1 << WORLD_DEVICES));
        break;
    case 9:
    case 10:
        world_crash(world);
        break;
    case 11:
        if (world_random(world, 4) == 0) {
            reboot(world);
        }
        break;
    case 13:
        swap(world, number);
        break;
    case 12:
        if (world->devices[device].holder == WORLD_NOBODY ||
            world->devices[device].holder == WORLD_OTHER_HOST) {
            world->devices[device].plugged = world_random(world, 3) > 0;
            world->devices[device].holder = WORLD_NOBODY;
        }
        break;
    default: /* a person cleans up, or breaks a record */
        if (port->has_record && port->who == WORLD_NOBODY) {
            port->has_record = false;
        } else if (port->has_record && world_random(world, 4) == 0) {
            port->record_is_whole = false;
        }
        break;
    }
}

void world_desire(struct world *world, unsigned devices)
{
    memset(&world->desired, 0, sizeof world->desired);
    for (unsigned i = 0; i < WORLD_DEVICES; i++) {
        if ((devices & 1u << i) != 0) {
            world->desired.targets[world->desired.count++] = world_target(i);
        }
    }
    TRACE(world, "desired: %u", devices);
}

void world_calm(struct world *world)
{
    TRACE(world, "calm");
    world->clumsy = world->save_fails = false;
    world->others.runs = false;
    for (unsigned i = 0; i < WORLD_PORTS; i++) {
        struct world_port *port = &world->ports[i];

        if (port->up_at == HANG || port->there_at == HANG) {
            port->up_at = port->there_at = 0;
        }
        if (port->who == WORLD_OTHERS) {
            free_port(world, i);
        }
    }
    for (unsigned i = 0; i < WORLD_DEVICES; i++) {
        world->devices[i].plugged = true;
        if (world->devices[i].holder != WORLD_US) {
            world->devices[i].holder = WORLD_NOBODY;
        }
    }
}

void world_init(struct world *world, uint64_t seed)
{
    memset(world, 0, sizeof *world);
    world->seed = seed;
    world->now = 1000 * YK_SECOND;
    world->next_devnum = 2;
    world->next_inode = 100;
    world->clumsy = true;
    for (unsigned i = 0; i < WORLD_PORTS; i++) {
        world->ports[i].state = YK_USBIP_FREE;
    }
    for (unsigned i = 0; i < WORLD_DEVICES; i++) {
        world->devices[i].plugged = true;
    }
    world->trace = getenv("WORLD_TRACE") != NULL;
    start_consumer(world);
}

void world_fini(struct world *world)
{
    free(world->saved);
    free(world->to_save);
}
