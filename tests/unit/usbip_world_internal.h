/* usbip_world_internal.h - what the parts of the simulated world share. */
#ifndef YK_TESTS_USBIP_WORLD_INTERNAL_H
#define YK_TESTS_USBIP_WORLD_INTERNAL_H

#include <stdio.h>

#include "usbip_world.h"

#define WORLD_HANG YK_TIME_NEVER

#define WORLD_TRACE(world, ...)                                          \
    do {                                                                 \
        if ((world)->trace) {                                            \
            fprintf(stderr, "%8.3f ", (double)(world)->now / YK_SECOND); \
            fprintf(stderr, __VA_ARGS__);                                \
            fputc('\n', stderr);                                         \
        }                                                                \
    } while (0)

/* True that often, while the world is clumsy. */
bool world_chance(struct world *world, unsigned percent);

void world_kernel_goes_on(struct world *world);
void world_free_port(struct world *world, unsigned number);
/* The tool's import begins at that port. */
void world_import(struct world *world, struct world_tool *tool, unsigned number);
/* A record of ours whose import nobody has proven yet. */
bool world_is_unproven(const struct world *world, unsigned number);
/* What the consumer can see. */
void world_look(struct world *world, struct yk_usbip_seen *seen);

void world_start_tool(struct world *world, struct world_tool *tool, enum world_who who,
                      unsigned device);
void world_tool_goes_on(struct world *world, struct world_tool *tool);

void world_start_consumer(struct world *world);
void world_consumer_goes_on(struct world *world);

#endif
