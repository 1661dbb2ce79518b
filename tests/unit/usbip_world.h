/* usbip_world.h - a host with vhci-hcd, its producer, other programs and one consumer, all simulated:
 * what the reconciler asks for is done here, with faults by a seed. The truth of who made which import
 * is known here alone. */
#ifndef YK_TESTS_USBIP_WORLD_H
#define YK_TESTS_USBIP_WORLD_H

#include "drivers/usbip/reconcile.h"

#define WORLD_PORTS 6
#define WORLD_DEVICES 3

enum world_who { WORLD_NOBODY = 0, WORLD_US, WORLD_OTHERS, WORLD_OTHER_HOST };

struct world_port {
    enum yk_usbip_state state;
    enum world_who who;
    unsigned device;
    bool dead;        /* the other side has forgotten it */
    bool swapped;     /* see swap() */
    bool lost;        /* its local device was removed */
    yk_time up_at;    /* when state 5 becomes 6 */
    yk_time there_at; /* when the local device can be seen */
    uint32_t devnum;
    bool has_record, record_is_whole;
    struct yk_usbip_stamp stamp;
    unsigned record_device;
    uint8_t record_mark;
    bool record_is_ours;
};

/* A `usbip attach`. */
struct world_tool {
    bool runs;
    enum world_who who;
    unsigned device, step, port;
    yk_time next_at; /* of the next step; YK_TIME_NEVER: it hangs */
    yk_time alarm;   /* it ends then, whatever it does */
    bool skips_record;
    uint8_t mark;
};

struct world {
    uint64_t seed;
    yk_time now;
    struct world_port ports[WORLD_PORTS];
    struct {
        uint32_t devnum;
        enum world_who holder; /* as the producer counts */
        bool plugged;
    } devices[WORLD_DEVICES];
    uint32_t next_devnum;
    uint64_t next_inode;
    struct world_tool ours, others;
    bool locked; /* by us, or a tool of ours */
    bool clumsy; /* faults happen */
    bool save_fails;
    /* The consumer's process. */
    struct yk_usbip_mind mind;
    bool was_in_use[WORLD_PORTS];        /* by others, since our intent */
    bool has_lock, saving, tool_is_ours; /* it waits for the end of that tool */
    bool lists;
    char *saved, *to_save; /* the journal's text, durable and under way */
    yk_time again;         /* when it asks again */
    enum yk_report verdict;
    char text[YK_USBIP_TEXT_MAX];
    /* What stands in for the core. */
    struct yk_usbip_media desired, asked;
    bool released; /* idle was reported since `asked` was nothing */
    yk_time retry_at;
    unsigned boots;
    bool trace;
    unsigned attaches, detaches, crashes, swaps; /* how much happened */
};

void world_init(struct world *world, uint64_t seed);
void world_fini(struct world *world);
uint64_t world_random(struct world *world, uint64_t below);

/* Time goes on; tools and devices come along; the consumer acts. Asserts that it never detaches what
 * is not its own, and never claims an import that is not there. */
void world_step(struct world *world);
/* Something happens to the consumer. */
void world_trouble(struct world *world);
void world_desire(struct world *world, unsigned devices); /* a bit for each */
void world_crash(struct world *world);
/* No faults from now on, and whoever holds a device lets it go. */
void world_calm(struct world *world);

/* The target of a device. */
struct yk_usbip_target world_target(unsigned device);

#endif
