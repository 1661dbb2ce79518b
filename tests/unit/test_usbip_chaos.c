/* The reconciler in a simulated world of faults, thousands of seeds.
 *
 *   WORLD_TRACE=1 CK_FORK=no build/tests/test_usbip_chaos 2>trace    each step of each seed
 *   WORLD_SEEDS=50000 CK_DEFAULT_TIMEOUT=3000 build/tests/test_usbip_chaos    more of them
 */
#include <stdio.h>
#include <stdlib.h>

#include "lib/suite.h"
#include "usbip_world.h"

#define SEEDS 500 /* of one test */
#define BLOCKS 4
#define STEPS 600
#define CALM_STEPS 4000

static bool is_suspect(const struct world *world, unsigned port)
{
    for (size_t i = 0; i < world->mind.journal.count; i++) {
        if (world->mind.journal.entries[i].stage == YK_USBIP_SUSPECT &&
            world->mind.journal.entries[i].port == port) {
            return true;
        }
    }
    return false;
}

/* What only a person may free is freed by one, as the message says. */
static void recover(struct world *world)
{
    for (unsigned i = 0; i < WORLD_PORTS; i++) {
        if (is_suspect(world, i)) {
            world->ports[i].state = YK_USBIP_FREE;
            world->ports[i].has_record = false;
            if (world->devices[world->ports[i].device].holder == world->ports[i].who) {
                world->devices[world->ports[i].device].holder = WORLD_NOBODY;
            }
            world->ports[i].who = WORLD_NOBODY;
        }
    }
}

static void expect_soon(struct world *world, enum yk_report verdict, uint64_t seed)
{
    for (unsigned i = 0; i < CALM_STEPS; i++) {
        world_step(world);
        if (world->verdict == verdict &&
            memcmp(&world->asked, &world->desired, sizeof world->asked) == 0) {
            return;
        }
        if (i % 500 == 499) {
            recover(world);
        }
    }
    ck_abort_msg("seed %lu: never came to %d: %s", (unsigned long)seed, verdict, world->text);
}

static void check_nothing_is_left(const struct world *world, uint64_t seed)
{
    for (unsigned i = 0; i < WORLD_PORTS; i++) {
        ck_assert_msg(world->ports[i].who != WORLD_US || is_suspect(world, i),
                      "seed %lu: port %u of ours is left behind, untold", (unsigned long)seed, i);
    }
}

static void run(uint64_t seed, struct world *world)
{
    world_init(world, seed);
    if (getenv("WORLD_TRACE") != NULL) {
        fprintf(stderr, "seed %lu\n", (unsigned long)seed);
    }
    for (unsigned i = 0; i < STEPS; i++) {
        if (world_random(world, 8) == 0) {
            world_trouble(world);
        }
        world_step(world);
    }
    world_calm(world);
    world_desire(world, 0);
    expect_soon(world, YK_REPORT_IDLE, seed);
    for (unsigned i = 0; i < 500; i++) {
        world_step(world); /* tools that outlived an agent end */
    }
    expect_soon(world, YK_REPORT_IDLE, seed);
    check_nothing_is_left(world, seed);
    recover(world);
    world_desire(world, (1 << WORLD_DEVICES) - 1);
    expect_soon(world, YK_REPORT_ACTIVE, seed);
    world_desire(world, 0);
    expect_soon(world, YK_REPORT_IDLE, seed);
    check_nothing_is_left(world, seed);
    world_fini(world);
}

/* A block of seeds. */
static void run_block(uint64_t block)
{
    static struct world world;
    unsigned long attaches = 0, detaches = 0, crashes = 0, swaps = 0;
    const char *more = getenv("WORLD_SEEDS");
    uint64_t count = more != NULL ? strtoull(more, NULL, 10) / BLOCKS : SEEDS;

    for (uint64_t seed = 1 + block * count; seed <= (block + 1) * count; seed++) {
        run(seed, &world);
        attaches += world.attaches;
        detaches += world.detaches;
        crashes += world.crashes;
        swaps += world.swaps;
    }
    /* The world is as rough as it claims. */
    ck_assert_uint_gt(attaches, 10 * count);
    ck_assert_uint_gt(detaches, 5 * count);
    ck_assert_uint_gt(crashes, 5 * count);
    ck_assert_uint_gt(swaps, count / 20);
}

START_TEST(it_never_touches_what_is_not_its_own_leaves_nothing_and_converges_1)
{
    run_block(0);
}
END_TEST

START_TEST(it_never_touches_what_is_not_its_own_leaves_nothing_and_converges_2)
{
    run_block(1);
}
END_TEST

START_TEST(it_never_touches_what_is_not_its_own_leaves_nothing_and_converges_3)
{
    run_block(2);
}
END_TEST

START_TEST(it_never_touches_what_is_not_its_own_leaves_nothing_and_converges_4)
{
    run_block(3);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        it_never_touches_what_is_not_its_own_leaves_nothing_and_converges_1,
        it_never_touches_what_is_not_its_own_leaves_nothing_and_converges_2,
        it_never_touches_what_is_not_its_own_leaves_nothing_and_converges_3,
        it_never_touches_what_is_not_its_own_leaves_nothing_and_converges_4,
        NULL,
    };

    return suite_main("usbip-chaos", tests);
}
