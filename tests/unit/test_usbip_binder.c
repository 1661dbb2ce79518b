/* The binder against a small kernel of ours: one that fails where it is told to, and forgets nothing. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/rng.h"
#include "drivers/usbip/binder_journal.h"
#include "lib/suite.h"

#define NODE "devices"
#define BOOT "77fd1c4a-8925-4f12-9d5d-d26dc24f51aa"
#define STEPS_MAX 40

enum owner { NOBODY = 0, US, OTHER };

/* One socket, and usbip-host. */
static struct world {
    struct yk_usbip_device device;
    enum owner bound_by;
    bool loaded;
    size_t others;   /* busids of others in the table */
    uint32_t probed; /* devnum of the device that usbip-host has had, or 0 */
    enum yk_usbip_step failing;
    int error;
    uint32_t next_devnum;
} world;

static struct yk_usbip_binder binder;
static char *journal; /* as on disk */
static char trace[512];
static yk_time now;
static bool paired, disk_full;

static const char *const words[] = {"",     "keep",   "take",   "enter",
                                    "bind", "unbind", "remove", "return"};

static void plug(void)
{
    world.device.present = true;
    world.device.devnum = world.next_devnum++;
    snprintf(world.device.driver, sizeof world.device.driver, "usb");
    world.device.status = 0;
    world.bound_by = NOBODY;
}

static void unplug(void)
{
    bool in_table = world.device.in_table;

    world.device = (struct yk_usbip_device){.in_table = in_table, .vendor = 0x627, .product = 1};
    world.bound_by = NOBODY;
}

static void bind_by(enum owner owner)
{
    snprintf(world.device.driver, sizeof world.device.driver, YK_USBIP_HOST_DRIVER);
    world.device.status = YK_USBIP_EXPORT_FREE;
    world.device.in_table = true;
    world.probed = world.device.devnum;
    world.bound_by = owner;
}

static void unbind(void)
{
    world.device.driver[0] = 0;
    world.device.status = 0;
    world.bound_by = NOBODY;
}

static void unload(void)
{
    world.loaded = world.device.in_table = false;
    world.probed = 0;
    world.others = 0;
    if (world.bound_by != NOBODY) {
        unbind();
        snprintf(world.device.driver, sizeof world.device.driver, "usb");
    }
}

static void begin_life(void)
{
    struct yk_usbip_identity any = {.has_id = false};
    struct yk_refusal why;

    ck_assert_msg(journal == NULL ||
                      yk_usbip_binder_decode(&binder, yk_slice_of(journal), "j", NODE, BOOT, &why),
                  "%s", why.text);
    if (journal == NULL) {
        memset(&binder, 0, sizeof binder);
    }
    ck_assert(yk_usbip_binder_want(&binder, "1-1", &any));
}

static void reset(void)
{
    free(journal);
    journal = NULL;
    memset(&world, 0, sizeof world);
    world.loaded = true;
    world.next_devnum = 2;
    unplug();
    plug();
    trace[0] = 0;
    now = YK_SECOND;
    paired = disk_full = false;
    begin_life();
}

static void look(void)
{
    binder.loaded = world.loaded;
    binder.table_used = world.others + world.device.in_table;
    binder.items[0].seen = world.device;
    yk_usbip_binder_see(&binder, paired, now);
}

static int apply(enum yk_usbip_step step)
{
    struct yk_usbip_device *device = &world.device;

    if (step == world.failing) {
        return world.error;
    }
    if (!device->present) {
        ck_assert_msg(step != YK_USBIP_REMOVE, "oops: %s", trace);
        return ENODEV;
    }
    switch (step) {
    case YK_USBIP_ENTER:
        ck_assert_uint_lt(world.others + device->in_table, YK_USBIP_TABLE_MAX);
        device->in_table = true;
        break;
    case YK_USBIP_TAKE:
        ck_assert(!device->hub && !device->imported && world.bound_by == NOBODY);
        device->driver[0] = 0;
        break;
    case YK_USBIP_BIND:
        ck_assert(device->driver[0] == 0 && device->in_table);
        bind_by(US);
        break;
    case YK_USBIP_UNBIND:
        ck_assert_msg(world.bound_by == US, "unbinds what somebody else bound: %s", trace);
        unbind();
        break;
    case YK_USBIP_REMOVE: /* the kernel follows a pointer to what it had */
        ck_assert_msg(device->in_table && world.probed == device->devnum, "oops: %s", trace);
        /* fall through */
    case YK_USBIP_RETURN:
        device->in_table = device->in_table && step == YK_USBIP_RETURN;
        if (device->present && device->driver[0] == 0) {
            snprintf(device->driver, sizeof device->driver, "usb");
        }
        break;
    default:
        ck_abort_msg("no such step");
    }
    return 0;
}

/* Up to `most` steps; true when there is nothing more to do. */
static bool go(unsigned most)
{
    for (unsigned i = 0; i < most; i++) {
        struct yk_usbip_item *item = NULL;
        enum yk_usbip_step step;
        int error = 0;

        look();
        step = yk_usbip_binder_next(&binder, &item);
        if (step == YK_USBIP_REST) {
            return true;
        }
        snprintf(trace + strlen(trace), sizeof trace - strlen(trace), "%s ", words[step]);
        if (step == YK_USBIP_KEEP && disk_full) {
            binder.dirty = binder.unwritable = true;
            snprintf(trace + strlen(trace) - 1, 3, "! ");
        } else if (step == YK_USBIP_KEEP) {
            free(journal);
            journal = yk_usbip_binder_encode(&binder, NODE, BOOT);
            binder.dirty = false;
        } else {
            error = apply(step);
            yk_usbip_binder_done(&binder, item, step, error);
        }
        if (error != 0) {
            snprintf(trace + strlen(trace) - 1, 3, "! ");
        }
    }
    return false;
}

static void expect(const char *wanted)
{
    ck_assert(go(STEPS_MAX));
    ck_assert_str_eq(trace, wanted);
    trace[0] = 0;
}

static void expect_problem(const char *part)
{
    char text[512] = "";

    look();
    ck_assert_msg(yk_usbip_item_problem(&binder, &binder.items[0], text, sizeof text) &&
                      strstr(text, part) != NULL,
                  "\"%s\" is not in \"%s\"", part, text);
}

static void expect_fine(void)
{
    char text[512];

    look();
    ck_assert(!yk_usbip_item_problem(&binder, &binder.items[0], text, sizeof text));
}

static void bound(void)
{
    reset();
    yk_usbip_binder_begin(&binder, true);
    expect("keep take enter bind keep ");
    expect_fine();
}

static void expect_given_back(void)
{
    ck_assert(yk_usbip_binder_is_empty(&binder));
    ck_assert_str_eq(world.device.driver, "usb");
    ck_assert(!world.device.in_table);
}

START_TEST(a_device_is_written_down_entered_taken_from_its_driver_and_bound)
{
    bound();
    ck_assert_int_eq(binder.items[0].hold, YK_USBIP_BOUND);
}
END_TEST

START_TEST(a_release_gives_back_what_we_bound)
{
    bound();
    yk_usbip_binder_begin(&binder, false);
    expect("unbind remove keep ");
    expect_given_back();
}
END_TEST

START_TEST(what_another_bound_is_exported_and_not_released)
{
    reset();
    bind_by(OTHER);
    yk_usbip_binder_begin(&binder, true);
    expect("");
    expect_fine();
    yk_usbip_binder_begin(&binder, false);
    expect("");
    ck_assert_int_eq(world.bound_by, OTHER);
}
END_TEST

START_TEST(a_bind_that_fails_half_way_gives_the_device_back_and_is_tried_at_the_next_attempt)
{
    reset();
    world.failing = YK_USBIP_BIND;
    world.error = EIO;
    yk_usbip_binder_begin(&binder, true);
    expect("keep take enter bind! return keep ");
    ck_assert_str_eq(world.device.driver, "usb");
    expect_problem("1-1: binding it to usbip-host: Input/output error");
    expect("");
    world.failing = YK_USBIP_REST;
    yk_usbip_binder_begin(&binder, true);
    expect("keep take bind keep "); /* its name is in the table since */
}
END_TEST

START_TEST(a_return_that_fails_is_not_repeated_and_the_first_cause_is_said)
{
    reset();
    world.failing = YK_USBIP_BIND;
    world.error = EIO;
    yk_usbip_binder_begin(&binder, true);
    ck_assert(!go(4));
    world.failing = YK_USBIP_RETURN;
    world.error = EBUSY;
    trace[0] = 0;
    expect("return! ");
    expect_problem("Input/output error");
}
END_TEST

START_TEST(who_is_not_root_touches_nothing_and_is_told)
{
    reset();
    world.failing = YK_USBIP_TAKE;
    world.error = EACCES;
    yk_usbip_binder_begin(&binder, true);
    expect("keep take! ");
    expect_problem("run the agent as root");
}
END_TEST

START_TEST(without_the_module_nothing_is_taken)
{
    reset();
    unload();
    yk_usbip_binder_begin(&binder, true);
    expect("");
    expect_problem("modprobe usbip-host");
}
END_TEST

START_TEST(with_a_full_disk_nothing_is_taken_and_all_is_given_back)
{
    reset();
    disk_full = true;
    yk_usbip_binder_begin(&binder, true);
    expect("keep! ");
    ck_assert_str_eq(world.device.driver, "usb");
    yk_usbip_binder_begin(&binder, true);
    expect("keep! ");
    bound();
    disk_full = true;
    yk_usbip_binder_begin(&binder, false);
    expect("unbind remove keep! ");
    expect_given_back();
}
END_TEST

START_TEST(a_full_table_is_found_before_anything_is_taken)
{
    reset();
    world.others = YK_USBIP_TABLE_MAX;
    yk_usbip_binder_begin(&binder, true);
    expect("");
    expect_problem("usbip-host remembers 16 busids and no more");
    world.others--;
    expect("keep take enter bind keep ");
}
END_TEST

START_TEST(a_hub_and_an_import_are_never_taken)
{
    reset();
    world.device.hub = true;
    yk_usbip_binder_begin(&binder, true);
    expect("");
    expect_problem("is a hub");
    world.device.hub = false;
    world.device.imported = true;
    expect("");
    expect_problem("imports it itself");
}
END_TEST

START_TEST(a_replugged_device_is_bound_again)
{
    bound();
    unplug();
    expect("keep ");
    expect_problem("1-1: not plugged in");
    plug();
    expect("keep take bind keep ");
    yk_usbip_binder_begin(&binder, false);
    expect("unbind remove keep ");
    expect_given_back();
}
END_TEST

START_TEST(a_device_that_is_being_reset_is_still_ours)
{
    bound();
    world.device.unsettled = true; /* a reset follows each import */
    expect("");
    yk_usbip_binder_begin(&binder, false);
    expect("");
    ck_assert(yk_usbip_binder_is_unsettled(&binder) && !yk_usbip_binder_is_empty(&binder));
    world.device.unsettled = false;
    expect("unbind remove keep ");
    expect_given_back();
}
END_TEST

START_TEST(the_place_of_an_unplugged_device_in_the_table_is_left_for_removing_it_crashes_the_kernel)
{
    bound();
    unplug();
    yk_usbip_binder_begin(&binder, false);
    expect("keep keep ");
    ck_assert(yk_usbip_binder_is_empty(&binder));
    bound();
    unplug();
    look();
    plug();
    yk_usbip_binder_begin(&binder, false);
    expect("keep keep ");
    ck_assert_str_eq(world.device.driver, "usb");
}
END_TEST

START_TEST(a_stop_before_the_binding_leaves_nothing)
{
    reset();
    yk_usbip_binder_begin(&binder, true);
    ck_assert(!go(2)); /* kept and taken */
    trace[0] = 0;
    yk_usbip_binder_begin(&binder, false);
    expect("return keep ");
    expect_given_back();
    reset();
    yk_usbip_binder_begin(&binder, true);
    ck_assert(!go(3)); /* and entered: the way back is a binding */
    trace[0] = 0;
    yk_usbip_binder_begin(&binder, false);
    expect("bind keep unbind remove keep ");
    expect_given_back();
}
END_TEST

START_TEST(a_stop_before_a_binding_that_fails_gives_the_device_back)
{
    reset();
    yk_usbip_binder_begin(&binder, true);
    ck_assert(!go(3));
    world.failing = YK_USBIP_BIND;
    world.error = EIO;
    trace[0] = 0;
    yk_usbip_binder_begin(&binder, false);
    expect("bind! return keep ");
    ck_assert_str_eq(world.device.driver, "usb");
    ck_assert(yk_usbip_binder_is_empty(&binder));
}
END_TEST

START_TEST(another_device_in_the_socket_is_not_exported)
{
    static const struct yk_usbip_identity wrong[] = {
        {.has_id = true, .vendor = 0x46d, .product = 1},
        {.has_id = true, .vendor = 0x627, .product = 2},
        {.serial = "B2"},
    };
    static const struct yk_usbip_identity right = {
        .has_id = true, .vendor = 0x627, .product = 1, .serial = "A1"};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        reset();
        snprintf(world.device.serial, sizeof world.device.serial, "A1");
        yk_usbip_binder_want(&binder, "1-1", &wrong[i]);
        yk_usbip_binder_begin(&binder, true);
        expect("");
        expect_problem("another device is there (0627:0001, serial A1)");
    }
    yk_usbip_binder_want(&binder, "1-1", &right);
    expect("keep take enter bind keep ");
}
END_TEST

START_TEST(what_a_changed_configuration_does_not_want_any_more_is_given_back)
{
    struct yk_usbip_identity wrong = {.has_id = true};

    bound();
    binder.items[0].wanted = false;
    expect("unbind remove keep ");
    expect_given_back();
    bound();
    yk_usbip_binder_want(&binder, "1-1", &wrong);
    expect("unbind remove keep ");
    expect_given_back();
}
END_TEST

START_TEST(an_explicit_unbind_by_somebody_is_not_repaired_until_the_device_is_plugged_in_anew)
{
    bound();
    unbind();
    snprintf(world.device.driver, sizeof world.device.driver, "usb");
    expect("keep ");
    expect_problem("somebody unbound it");
    yk_usbip_binder_begin(&binder, true);
    expect("");
    unplug();
    look();
    plug();
    expect("keep take bind keep ");
}
END_TEST

START_TEST(a_restart_binds_again_what_was_unbound_meanwhile)
{
    bound();
    unbind();
    begin_life();
    yk_usbip_binder_begin(&binder, true);
    expect("keep bind keep ");
}
END_TEST

START_TEST(unloading_the_module_is_no_explicit_unbind)
{
    bound();
    unload();
    expect("keep ");
    world.loaded = true;
    expect("keep take enter bind keep ");
}
END_TEST

START_TEST(a_binding_of_a_former_life_is_ours_and_of_a_former_boot_is_not)
{
    struct yk_refusal why;

    bound();
    begin_life();
    yk_usbip_binder_begin(&binder, false);
    expect("unbind remove keep ");
    bound();
    ck_assert(yk_usbip_binder_decode(&binder, yk_slice_of(journal), "j", NODE, "another", &why));
    ck_assert_uint_eq(binder.count, 0);
}
END_TEST

START_TEST(a_device_in_error_state_is_bound_anew_when_it_is_ours_and_reported_when_not)
{
    bound();
    world.device.status = YK_USBIP_EXPORT_BROKEN;
    expect("unbind bind keep ");
    ck_assert_int_eq(world.device.status, YK_USBIP_EXPORT_FREE);
    reset();
    bind_by(OTHER);
    world.device.status = YK_USBIP_EXPORT_BROKEN;
    yk_usbip_binder_begin(&binder, true);
    expect("");
    expect_problem("error state");
}
END_TEST

/* Used since now, without traffic. */
static void stuck(bool reclaim)
{
    bound();
    binder.reclaim = reclaim;
    world.device.status = YK_USBIP_EXPORT_USED;
    expect("");
    now += YK_USBIP_QUIET - 1;
    expect("");
    ck_assert(!binder.items[0].quiet);
}

START_TEST(a_quiet_import_is_freed_when_configured_and_nobody_is_paired)
{
    stuck(true);
    now++;
    expect("unbind bind keep ");
    ck_assert_int_eq(world.device.status, YK_USBIP_EXPORT_FREE);
}
END_TEST

START_TEST(a_quiet_import_is_left_when_not_configured_or_with_traffic_or_paired)
{
    stuck(false);
    now++;
    expect("");
    ck_assert(binder.items[0].quiet);
    stuck(true);
    world.device.urbs++;
    now++;
    expect("");
    stuck(true);
    paired = true;
    now += 10 * YK_USBIP_QUIET;
    expect("");
    paired = false;
    now += YK_USBIP_QUIET - 1;
    expect("");
}
END_TEST

START_TEST(an_import_of_what_another_bound_is_never_cut)
{
    reset();
    bind_by(OTHER);
    binder.reclaim = true;
    world.device.status = YK_USBIP_EXPORT_USED;
    yk_usbip_binder_begin(&binder, true);
    expect("");
    now += 10 * YK_USBIP_QUIET;
    expect("");
}
END_TEST

START_TEST(killed_after_any_step_the_next_life_binds_and_gives_back)
{
    for (unsigned on = 0; on < 2; on++) {
        for (unsigned kill = 0; kill < 6; kill++) {
            if (on) {
                reset();
            } else {
                bound();
            }
            yk_usbip_binder_begin(&binder, on);
            go(kill);
            begin_life();
            yk_usbip_binder_begin(&binder, true);
            ck_assert(go(STEPS_MAX));
            ck_assert_int_eq(world.bound_by, US);
            begin_life();
            yk_usbip_binder_begin(&binder, false);
            ck_assert(go(STEPS_MAX));
            expect_given_back();
        }
    }
}
END_TEST

/* Something happens to the device, to the module or to us. */
static void misfortune(struct yk_rng *rng)
{
    switch (yk_rng_next(rng) % 9) {
    case 0:
        unplug();
        break;
    case 1:
        if (!world.device.present) {
            plug();
        }
        break;
    case 2:
        if (world.device.present && world.loaded && world.bound_by == NOBODY) {
            bind_by(OTHER);
        }
        break;
    case 3:
        if (world.bound_by == OTHER) {
            unbind();
            snprintf(world.device.driver, sizeof world.device.driver, "usb");
        }
        break;
    case 4:
        begin_life();
        /* What the journal has and the kernel shows bound counts as ours: nobody could tell. */
        if (binder.items[0].hold != YK_USBIP_NOT_OURS && world.bound_by == OTHER &&
            world.device.devnum == binder.items[0].devnum) {
            world.bound_by = US;
        }
        break;
    case 5:
        unload();
        break;
    case 6:
        world.loaded = true;
        break;
    case 7:
        world.failing = (enum yk_usbip_step)(yk_rng_next(rng) % (YK_USBIP_RETURN + 1));
        world.error = EIO;
        break;
    default:
        world.failing = YK_USBIP_REST;
        break;
    }
    look(); /* once a second: what happens between two looks, nobody sees */
    yk_usbip_binder_begin(&binder, yk_rng_next(rng) % 4 != 0);
}

START_TEST(whatever_happens_nothing_of_ours_is_left_and_nothing_of_others_is_touched)
{
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        struct yk_rng rng = {.state = seed};

        reset();
        yk_usbip_binder_begin(&binder, true);
        for (int i = 0; i < 30; i++) {
            trace[0] = 0;
            go((unsigned)(yk_rng_next(&rng) % 6));
            misfortune(&rng);
        }
        world.failing = YK_USBIP_REST;
        world.loaded = true;
        yk_usbip_binder_begin(&binder, false);
        trace[0] = 0;
        ck_assert_msg(go(STEPS_MAX), "seed %" PRIu64 " does not end: %s", seed, trace);
        ck_assert_msg(yk_usbip_binder_is_empty(&binder) && world.bound_by != US &&
                          (!world.device.present || world.device.driver[0] != 0),
                      "seed %" PRIu64 ": %s", seed, trace);
    }
}
END_TEST

START_TEST(a_journal_of_another_node_or_of_nothing_is_refused_and_says_so)
{
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "{\"v\":2,\"node\":\"devices\",\"boot\":\"b\",\"held\":[]}",
        "{\"v\":1,\"node\":\"devices\",\"boot\":\"" BOOT "\",\"held\":{}}",
        "{\"v\":1,\"node\":\"devices\",\"boot\":\"" BOOT "\",\"held\":[{\"busid\":\"../x\"}]}",
        "{\"v\":1,\"node\":\"devices\",\"boot\":\"" BOOT
        "\",\"held\":[{\"busid\":\"1-1\",\"hold\":7}]}",
        "{\"v\":1,\"node\":\"devices\",\"boot\":\"" BOOT
        "\",\"held\":[{\"busid\":\"1-1\",\"hold\":1},{\"busid\":\"1-1\",\"hold\":1}]}",
        "{\"v\":1,\"node\":\"devices\",\"boot\":\"" BOOT
        "\",\"held\":[{\"busid\":\"1-1\",\"hold\":1,\"devnum\":-1}]}",
    };
    struct yk_refusal why;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ck_assert(!yk_usbip_binder_decode(&binder, yk_slice_of(texts[i]), "/j", NODE, BOOT, &why));
        ck_assert_ptr_nonnull(strstr(why.text, "/j: is no journal of bindings"));
        ck_assert_uint_eq(binder.count, 0);
    }
    ck_assert(!yk_usbip_binder_decode(
        &binder, yk_slice_of("{\"v\":1,\"node\":\"other\",\"boot\":\"b\",\"held\":[]}"), "/j", NODE,
        BOOT, &why));
    ck_assert_ptr_nonnull(strstr(why.text, "is that of node \"other\""));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_device_is_written_down_entered_taken_from_its_driver_and_bound,
        a_release_gives_back_what_we_bound,
        what_another_bound_is_exported_and_not_released,
        a_bind_that_fails_half_way_gives_the_device_back_and_is_tried_at_the_next_attempt,
        a_return_that_fails_is_not_repeated_and_the_first_cause_is_said,
        who_is_not_root_touches_nothing_and_is_told,
        without_the_module_nothing_is_taken,
        with_a_full_disk_nothing_is_taken_and_all_is_given_back,
        a_full_table_is_found_before_anything_is_taken,
        a_hub_and_an_import_are_never_taken,
        a_replugged_device_is_bound_again,
        a_device_that_is_being_reset_is_still_ours,
        the_place_of_an_unplugged_device_in_the_table_is_left_for_removing_it_crashes_the_kernel,
        a_stop_before_the_binding_leaves_nothing,
        a_stop_before_a_binding_that_fails_gives_the_device_back,
        another_device_in_the_socket_is_not_exported,
        what_a_changed_configuration_does_not_want_any_more_is_given_back,
        an_explicit_unbind_by_somebody_is_not_repaired_until_the_device_is_plugged_in_anew,
        a_restart_binds_again_what_was_unbound_meanwhile,
        unloading_the_module_is_no_explicit_unbind,
        a_binding_of_a_former_life_is_ours_and_of_a_former_boot_is_not,
        a_device_in_error_state_is_bound_anew_when_it_is_ours_and_reported_when_not,
        a_quiet_import_is_freed_when_configured_and_nobody_is_paired,
        a_quiet_import_is_left_when_not_configured_or_with_traffic_or_paired,
        an_import_of_what_another_bound_is_never_cut,
        killed_after_any_step_the_next_life_binds_and_gives_back,
        whatever_happens_nothing_of_ours_is_left_and_nothing_of_others_is_touched,
        a_journal_of_another_node_or_of_nothing_is_refused_and_says_so,
        NULL,
    };

    return suite_main("usbip binder", tests);
}
