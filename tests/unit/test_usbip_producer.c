/* A usbip producer's configuration, and the driver around the binder against a tree of files of ours. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver_rig.h"
#include "drivers/usbip/binder_sysfs.h"
#include "drivers/usbip/producer_settings.h"
#include "drivers/usbip/side.h"
#include "lib/suite.h"

static const struct yk_driver_site site = {.role = YK_ROLE_PRODUCER,
                                           .kind = YK_KIND_USB,
                                           .node_id = "devices",
                                           .control_group = {239, 121, 111, 107},
                                           .control_interface = "127.0.0.1",
                                           .state_file = "/var/lib/yoke/devices.json"};
static struct yk_usbip_settings settings;
static struct yk_refusal why;

static bool parse(const char *config)
{
    json_t *json = json_loads(config, 0, NULL);
    bool ok;

    ck_assert_ptr_nonnull(json);
    ok = yk_usbip_settings_parse(&settings, json, &site, &why);
    json_decref(json);
    return ok;
}

static bool take_media(const char *media)
{
    json_t *json = json_loads(media, JSON_DECODE_ANY, NULL);
    bool ok = yk_usbip_settings_media(&settings, json, &why);

    json_decref(json);
    return ok;
}

START_TEST(only_busids_are_required)
{
    ck_assert(parse("{\"type\":\"usbip\",\"busids\":[\"1-1.2\"]}"));
    ck_assert(take_media("null"));
    ck_assert_uint_eq(settings.count, 1);
    ck_assert_str_eq(settings.exports[0].busid, "1-1.2");
    ck_assert(!settings.usbipd && !settings.reclaim && !settings.exports[0].identity.has_id);
    ck_assert_str_eq(settings.host, "");
    ck_assert_uint_eq(settings.port, 3240);
    ck_assert_str_eq(settings.journal_file, "/var/lib/yoke/devices.json.usbip");
}
END_TEST

START_TEST(a_device_may_have_vendor_product_and_serial)
{
    ck_assert(parse("{\"type\":\"usbip\",\"busids\":[{\"busid\":\"1-1.3\",\"id\":\"046d:C31c\","
                    "\"serial\":\"A1\"}],\"usbipd\":true,\"reclaim\":true,\"host\":\"10.0.5.3\","
                    "\"port\":3241,\"journal_file\":\"/j\"}"));
    ck_assert_uint_eq(settings.exports[0].identity.vendor, 0x46d);
    ck_assert_uint_eq(settings.exports[0].identity.product, 0xc31c);
    ck_assert_str_eq(settings.exports[0].identity.serial, "A1");
    ck_assert(settings.usbipd && settings.reclaim && settings.port == 3241);
}
END_TEST

START_TEST(what_is_wrong_is_refused_with_place_value_and_remedy)
{
    static const char *const wrong[][2] = {
        {"{}", "driver.busids"},
        {"{\"busids\":[]}", "driver.busids: [] is no list of 1 to 16 devices"},
        {"{\"busids\":\"1-1\"}", "driver.busids: \"1-1\" is no list"},
        {"{\"busids\":[\"-r\"]}", "driver.busids[0]: \"-r\" is no busid"},
        {"{\"busids\":[\"1-1\",\"../2\"]}", "driver.busids[1]: \"../2\" is no busid"},
        {"{\"busids\":[\"1-1\",\"1-1\"]}", "driver.busids[1]: \"1-1\" is there twice"},
        {"{\"busids\":[7]}", "driver.busids[0]"},
        {"{\"busids\":[{\"id\":\"046d:c31c\"}]}", "driver.busids[0].busid"},
        {"{\"busids\":[{\"busid\":\"1-1\",\"id\":\"46d:c31c\"}]}", "is no vendor and product"},
        {"{\"busids\":[{\"busid\":\"1-1\",\"id\":\"046d:c31g\"}]}", "is no vendor and product"},
        {"{\"busids\":[{\"busid\":\"1-1\",\"id\":7}]}", "driver.busids[0].id"},
        {"{\"busids\":[{\"busid\":\"1-1\",\"serail\":\"A\"}]}", "serial"},
        {"{\"busids\":[\"1-1\"],\"usbipd\":1}", "driver.usbipd: 1 is neither true nor false"},
        {"{\"busids\":[\"1-1\"],\"host\":\"example.org\"}", "driver.host: \"example.org\""},
        {"{\"busids\":[\"1-1\"],\"host\":\"239.1.1.1\"}", "driver.host"},
        {"{\"busids\":[\"1-1\"],\"port\":70000}", "driver.port"},
        {"{\"busids\":[\"1-1\"],\"reclam\":true}", "reclaim"},
        {"{\"busids\":[\"1-1\"],\"journal_file\":\"/x/\"}", "driver.journal_file"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_msg(!parse(wrong[i][0]), "%s", wrong[i][0]);
        ck_assert_msg(strstr(why.text, wrong[i][1]) != NULL && strstr(why.text, ";") != NULL,
                      "\"%s\" is not in \"%s\"", wrong[i][1], why.text);
    }
}
END_TEST

START_TEST(configured_media_must_be_what_the_driver_would_make)
{
    static const char config[] = "{\"busids\":[\"1-1\",\"1-2\"],\"port\":3241}";

    ck_assert(parse(config));
    ck_assert(take_media("{\"busids\":[\"1-2\",\"1-1\"],\"host\":\"10.0.5.3\",\"port\":3241}"));
    ck_assert_str_eq(settings.host, "10.0.5.3");
    ck_assert(parse(config));
    ck_assert(!take_media("{\"busids\":[\"1-1\"],\"host\":\"10.0.5.3\",\"port\":3241}"));
    ck_assert_ptr_nonnull(strstr(why.text, "media.busids"));
    ck_assert(!take_media("{\"busids\":[\"1-2\",\"1-1\"],\"host\":\"10.0.5.3\",\"port\":3240}"));
    ck_assert_ptr_nonnull(strstr(why.text, "media.port"));
    ck_assert(!take_media("{\"group\":\"239.1.2.3\"}"));
}
END_TEST

START_TEST(the_table_is_read_by_words)
{
    static const char text[] = "1-1 1-2 2-4 1-5.1 \n";
    size_t count;

    ck_assert(yk_usbip_table_has(yk_slice_of(text), "1-5.1", &count));
    ck_assert_uint_eq(count, 4);
    ck_assert(!yk_usbip_table_has(yk_slice_of(text), "1-5", &count));
    ck_assert(!yk_usbip_table_has(yk_slice_of(""), "1-1", &count));
    ck_assert_uint_eq(count, 0);
}
END_TEST

/* ---- a tree of files */

static char root[] = "/tmp/yoke-test-XXXXXX";
static char devices[64], host_driver[64], boot_id[64], journal[64], tool[64];
static const struct yk_usbip_places places = {.devices = devices,
                                              .host_driver = host_driver,
                                              .boot_id = boot_id,
                                              .tool = tool,
                                              .daemon = "/nonexistent/usbipd"};

static void put(const char *name, const char *text, mode_t mode)
{
    char path[128];
    int fd;

    snprintf(path, sizeof path, "%s/%s", root, name);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static void folder(const char *name)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", root, name);
    ck_assert_int_eq(mkdir(path, 0700), 0);
}

static void link_driver(const char *target)
{
    char path[128];

    snprintf(path, sizeof path, "%s/devices/1-1/driver", root);
    unlink(path);
    ck_assert_int_eq(symlink(target, path), 0);
}

static void make_tree(void)
{
    char path[128];

    ck_assert_ptr_nonnull(mkdtemp(root));
    snprintf(devices, sizeof devices, "%s/devices", root);
    snprintf(host_driver, sizeof host_driver, "%s/drivers/usbip-host", root);
    snprintf(boot_id, sizeof boot_id, "%s/boot", root);
    snprintf(journal, sizeof journal, "%s/journal", root);
    snprintf(tool, sizeof tool, "%s/usbip", root);
    folder("devices");
    folder("real");
    folder("real/1-1");
    snprintf(path, sizeof path, "%s/1-1", devices);
    ck_assert_int_eq(symlink("../real/1-1", path), 0);
    folder("drivers");
    folder("drivers/usb");
    folder("drivers/usbip-host");
    put("boot", "77fd1c4a-8925-4f12-9d5d-d26dc24f51aa\n", 0600);
    put("drivers/usbip-host/match_busid", "1-1 \n", 0600);
    put("devices/1-1/devnum", "2\n", 0600);
    put("devices/1-1/bDeviceClass", "00\n", 0600);
    put("devices/1-1/idVendor", "0627\n", 0600);
    put("devices/1-1/idProduct", "0001\n", 0600);
    put("devices/1-1/serial", "A1\n", 0600);
    put("devices/1-1/urbnum", "11\n", 0600);
    put("devices/1-1/usbip_status", "1\n", 0600);
    link_driver("../../drivers/usbip-host");
}

static void remove_tree(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%s'", root);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(a_device_is_seen_as_it_stands_in_sysfs)
{
    static const struct yk_usbip_identity any;
    static struct yk_usbip_binder binder;
    const struct yk_usbip_device *seen = &binder.items[0].seen;

    make_tree();
    yk_usbip_binder_want(&binder, "1-1", &any);
    yk_usbip_binder_want(&binder, "1-2", &any);
    yk_usbip_binder_look(&binder, &places);
    ck_assert(binder.loaded && binder.table_used == 1);
    ck_assert(seen->present && !seen->hub && !seen->imported && seen->in_table);
    ck_assert_str_eq(seen->driver, "usbip-host");
    ck_assert_str_eq(seen->serial, "A1");
    ck_assert(seen->vendor == 0x627 && seen->product == 1 && seen->devnum == 2 &&
              seen->urbs == 11 && seen->status == YK_USBIP_EXPORT_FREE);
    ck_assert(!binder.items[1].seen.present && !binder.items[1].seen.in_table);
    put("devices/1-1/bDeviceClass", "09\n", 0600);
    link_driver("../../drivers/usb");
    put("devices/1-1/devnum", "0\n", 0600); /* as during a reset */
    yk_usbip_binder_look(&binder, &places);
    ck_assert(seen->unsettled && seen->present && !seen->hub && seen->devnum == 2);
    put("devices/1-1/devnum", "2\n", 0600);
    yk_usbip_binder_look(&binder, &places);
    ck_assert(!seen->unsettled && seen->hub && seen->status == 0);
    remove_tree();
}
END_TEST

static char announced[YK_FRAME_MAX];
static enum yk_report status;
static char detail[YK_REFUSAL_MAX];
static bool is_closed;

static void on_announce(void *host, const char *media)
{
    (void)host;
    snprintf(announced, sizeof announced, "%s", media);
}

static void on_report(void *host, uint64_t generation, enum yk_report now, const char *text)
{
    (void)host;
    (void)generation;
    status = now;
    snprintf(detail, sizeof detail, "%s", text);
}

static bool nobody(void *host)
{
    (void)host;
    return false;
}

__attribute__((format(printf, 3, 4))) static void on_log(void *host, enum yk_log_level level,
                                                         const char *format, ...)
{
    (void)host;
    (void)level;
    (void)format;
}

static void on_closed(void *host)
{
    (void)host;
    is_closed = true;
}

static uv_loop_t loop;
static void *driver;

static void open_producer(const char *config)
{
    const struct yk_driver_env env = {.site = site,
                                      .loop = &loop,
                                      .report = on_report,
                                      .announce = on_announce,
                                      .is_paired = nobody,
                                      .log = on_log};
    json_t *json = json_loads(config, 0, NULL);

    ck_assert_int_eq(uv_loop_init(&loop), 0);
    json_object_set_new(json, "journal_file", json_string(journal));
    driver = yk_usbip_producer.ops.parse(json, &site, &why);
    ck_assert_msg(driver != NULL, "%s", why.text);
    ck_assert(yk_usbip_producer.ops.check_media(driver, json_null(), &why));
    yk_usbip_producer.use_places(driver, &places);
    ck_assert(yk_usbip_producer.ops.open(driver, &env, &why));
    json_decref(json);
    yk_usbip_producer.ops.attach(driver, 1, (struct yk_slice){NULL, 0});
}

static void wait_status(enum yk_report wanted)
{
    for (unsigned i = 0; i < 500 && status != wanted; i++) {
        uv_run(&loop, UV_RUN_NOWAIT);
        usleep(20000);
        yk_usbip_producer.ops.poll(driver);
    }
    ck_assert_msg(status == wanted, "status %d: %s", status, detail);
}

static void close_producer(void)
{
    yk_usbip_producer.ops.close(driver, on_closed);
    while (!is_closed) {
        uv_run(&loop, UV_RUN_ONCE);
    }
    yk_usbip_producer.ops.free(driver);
    ck_assert_int_eq(uv_run(&loop, UV_RUN_DEFAULT), 0);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    remove_tree();
}

START_TEST(what_is_bound_and_listed_is_ready_and_announced)
{
    make_tree();
    put("usbip",
        "#!/bin/sh\n[ \"$*\" = '--tcp-port 3240 list -r 127.0.0.1' ] || exit 1\n"
        "echo '        1-1: QEMU : Tablet (0627:0001)'\n",
        0700);
    open_producer("{\"busids\":[\"1-1\"],\"host\":\"10.0.5.3\"}");
    wait_status(YK_REPORT_ACTIVE);
    ck_assert_str_eq(detail, "1-1 bound, usbipd at 10.0.5.3:3240");
    ck_assert_str_eq(announced, "{\"busids\":[\"1-1\"],\"host\":\"10.0.5.3\",\"port\":3240}");
    close_producer();
    ck_assert_str_eq(announced, "{\"busids\":[\"1-1\"],\"host\":\"10.0.5.3\",\"port\":3240}");
}
END_TEST

START_TEST(what_is_missing_is_said_device_by_device)
{
    make_tree();
    put("usbip", "#!/bin/sh\nexit 1\n", 0700);
    open_producer("{\"busids\":[\"1-1\",\"1-9\"],\"host\":\"10.0.5.3\"}");
    wait_status(YK_REPORT_ERROR);
    ck_assert_str_eq(detail, "1-9: not plugged in; no usbipd at port 3240; start usbipd -D, or set "
                             "\"usbipd\": true");
    ck_assert_str_eq(announced, "{\"busids\":[\"1-1\"],\"host\":\"10.0.5.3\",\"port\":3240}");
    close_producer();
}
END_TEST

START_TEST(an_imported_device_is_ready_though_usbipd_hides_it)
{
    make_tree();
    put("devices/1-1/usbip_status", "2\n", 0600);
    put("usbip", "#!/bin/sh\nexit 1\n", 0700);
    open_producer("{\"busids\":[\"1-1\"],\"host\":\"10.0.5.3\"}");
    wait_status(YK_REPORT_ACTIVE);
    ck_assert_str_eq(detail, "1-1 (in use) bound, usbipd at 10.0.5.3:3240");
    close_producer();
}
END_TEST

START_TEST(a_usbipd_that_cannot_be_started_is_said)
{
    make_tree();
    put("usbip", "#!/bin/sh\nexit 1\n", 0700);
    open_producer("{\"busids\":[\"1-1\"],\"host\":\"10.0.5.3\",\"usbipd\":true}");
    wait_status(YK_REPORT_ERROR);
    ck_assert_msg(strstr(detail, "usbipd") != NULL && strstr(detail, "port 3240") != NULL, "%s",
                  detail);
    close_producer();
}
END_TEST

START_TEST(with_a_journal_that_cannot_be_read_nothing_is_touched)
{
    make_tree();
    put("journal", "rubbish", 0600);
    put("usbip", "#!/bin/sh\nexit 1\n", 0700);
    open_producer("{\"busids\":[\"1-1\"],\"host\":\"10.0.5.3\"}");
    wait_status(YK_REPORT_ERROR);
    ck_assert_ptr_nonnull(strstr(detail, "is no journal of bindings"));
    close_producer();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        only_busids_are_required,
        a_device_may_have_vendor_product_and_serial,
        what_is_wrong_is_refused_with_place_value_and_remedy,
        configured_media_must_be_what_the_driver_would_make,
        the_table_is_read_by_words,
        a_device_is_seen_as_it_stands_in_sysfs,
        what_is_bound_and_listed_is_ready_and_announced,
        what_is_missing_is_said_device_by_device,
        an_imported_device_is_ready_though_usbipd_hides_it,
        a_usbipd_that_cannot_be_started_is_said,
        with_a_journal_that_cannot_be_read_nothing_is_touched,
        NULL,
    };

    return suite_main("usbip producer", tests);
}
