/* The kernel, the producer, and calls of the tool. */
#include <stdio.h>

#include "usbip_world_internal.h"

uint64_t world_random(struct world *world, uint64_t below)
{
    /* splitmix64 */
    uint64_t z = world->seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) % below;
}

bool world_chance(struct world *world, unsigned percent)
{
    return world->clumsy && world_random(world, 100) < percent;
}

struct yk_usbip_target world_target(unsigned device)
{
    struct yk_usbip_target target = {.host = "10.77.0.1", .port = 3240};

    snprintf(target.busid, sizeof target.busid, "1-%u", device + 1);
    return target;
}

/* ---- kernel and producer */

void world_free_port(struct world *world, unsigned number)
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
bool world_is_unproven(const struct world *world, unsigned number)
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
            (who == WORLD_US ? !world->was_in_use[i] : !world_is_unproven(world, i))) {
            return (int)i;
        }
    }
    return -1;
}

void world_import(struct world *world, struct world_tool *tool, unsigned number)
{
    struct world_port *port = &world->ports[number];

    world->was_in_use[number] |= tool->who == WORLD_OTHERS;
    port->state = YK_USBIP_INITIALIZING;
    port->who = tool->who;
    port->device = tool->device;
    port->dead = port->lost = false;
    port->up_at =
        world_chance(world, 3) ? WORLD_HANG : world->now + YK_MS * (50 + world_random(world, 300));
    port->there_at =
        port->up_at == WORLD_HANG ? WORLD_HANG : port->up_at + YK_MS * world_random(world, 200);
    port->devnum = world->next_devnum++;
    tool->port = number;
    WORLD_TRACE(world, "  port %u: %s imports device %u", number,
                tool->who == WORLD_US ? "we" : "others", tool->device);
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

void world_kernel_goes_on(struct world *world)
{
    for (unsigned i = 0; i < WORLD_PORTS; i++) {
        struct world_port *port = &world->ports[i];

        if (port->state == YK_USBIP_INITIALIZING && world->now >= port->up_at) {
            port->state = YK_USBIP_IN_USE;
        }
    }
}

void world_look(struct world *world, struct yk_usbip_seen *seen)
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

void world_start_tool(struct world *world, struct world_tool *tool, enum world_who who,
                      unsigned device)
{
    *tool = (struct world_tool){.runs = true,
                                .who = who,
                                .device = device,
                                .next_at = world->now + YK_MS * (5 + world_random(world, 30)),
                                .alarm = world->now + 15 * YK_SECOND};
    if (world_chance(world, 6)) {
        tool->next_at = WORLD_HANG;
    }
    tool->skips_record = world_chance(world, who == WORLD_US ? 4 : 20);
}

static void tool_ends(struct world *world, struct world_tool *tool, enum yk_usbip_way way,
                      int number, const char *words)
{
    struct yk_usbip_end end = {.way = way, .number = number, .output = yk_slice_of(words)};
    struct yk_usbip_target target = world_target(tool->device);
    struct yk_usbip_outcome outcome;

    tool->runs = false;
    WORLD_TRACE(world, "  tool of %s ends: %d %d %s", tool->who == WORLD_US ? "us" : "others", way,
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
        if (number < 0 || world_chance(world, 3)) {
            world->devices[device].holder = WORLD_NOBODY;
            tool_ends(world, tool, YK_USBIP_EXITED, 1, "open vhci_driver");
        } else {
            world_import(world, tool, (unsigned)number);
        }
        break;
    case 2: /* write the record */
        if (tool->skips_record &&
            !(tool->who == WORLD_OTHERS && world_is_unproven(world, tool->port))) {
            tool_ends(world, tool, YK_USBIP_EXITED, 1, "record connection");
        } else {
            record(world, tool);
        }
        break;
    default:
        tool_ends(world, tool, YK_USBIP_EXITED, world_chance(world, 1) ? 1 : 0, "");
        break;
    }
}

void world_tool_goes_on(struct world *world, struct world_tool *tool)
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
