/* How time goes on, and what happens in it. */
#include <stdlib.h>
#include <string.h>

#include "usbip_world_internal.h"

void world_step(struct world *world)
{
    world->now += YK_MS * (1 + world_random(world, 60));
    world_kernel_goes_on(world);
    world_tool_goes_on(world, &world->others);
    if (world->ours.runs) {
        world_tool_goes_on(world, &world->ours);
        if (!world->ours.runs) {
            world->again = world->now;
        }
    }
    world_consumer_goes_on(world);
}

static void reboot(struct world *world)
{
    WORLD_TRACE(world, "reboot");
    for (unsigned i = 0; i < WORLD_PORTS; i++) {
        struct world_port *port = &world->ports[i];

        port->dead |= port->who != WORLD_NOBODY; /* the producer goes on to count it as imported */
        world_free_port(world, i);
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
            WORLD_TRACE(world, "others detach %u", i);
            if (by_tool) {
                port->has_record = false;
            }
            world_free_port(world, i);
        }
    }
}

static void producer_reboots(struct world *world)
{
    WORLD_TRACE(world, "producer reboots");
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
    world_free_port(world, number);
    if (!world_is_unproven(world, number)) {
        WORLD_TRACE(world, "port %u is swapped", number);
        world->devices[tool.device].holder = WORLD_OTHERS;
        world_import(world, &tool, number);
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
            world_start_tool(world, &world->others, WORLD_OTHERS, device);
        }
        break;
    case 2:
        others_let_go(world, world_random(world, 2) == 0);
        break;
    case 3: /* the producer lets go */
        if (port->state >= YK_USBIP_INITIALIZING && !port->dead) {
            WORLD_TRACE(world, "drop of port %u", number);
            world_free_port(world, number);
        }
        break;
    case 4:
        producer_reboots(world);
        break;
    case 5:
        if (port->state == YK_USBIP_IN_USE && world->now >= port->there_at && !port->swapped) {
            WORLD_TRACE(world, "port %u loses its device", number);
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
    WORLD_TRACE(world, "desired: %u", devices);
}

void world_calm(struct world *world)
{
    WORLD_TRACE(world, "calm");
    world->clumsy = world->save_fails = false;
    world->others.runs = false;
    for (unsigned i = 0; i < WORLD_PORTS; i++) {
        struct world_port *port = &world->ports[i];

        if (port->up_at == WORLD_HANG || port->there_at == WORLD_HANG) {
            port->up_at = port->there_at = 0;
        }
        if (port->who == WORLD_OTHERS) {
            world_free_port(world, i);
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
    world_start_consumer(world);
}

void world_fini(struct world *world)
{
    free(world->saved);
    free(world->to_save);
}
