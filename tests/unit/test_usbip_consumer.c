/* The consumer as the driver host sees it, on a host that is a folder (usbip_rig.h). */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"
#include "lib/suite.h"
#include "usbip_rig.h"

static struct driver_rig rig;

static void start(void)
{
    usbip_make_host();
    usbip_open(&rig);
}

START_TEST(a_device_is_imported_shown_and_let_go)
{
    start();
    rig_attach(&rig, USBIP_MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    ck_assert_str_eq(rig.detail, "1-1 on port 0 as 3-1");
    ck_assert_uint_eq(usbip_port_state(0), 6);
    ck_assert(strstr(usbip_calls(), "attach -r 10.77.0.1 -b 1-1\n") != NULL);
    ck_assert(strncmp(usbip_calls(), "--tcp-port 0", 12) == 0); /* and its mark */
    rig_detach(&rig, YK_DETACH_UNPAIR);
    rig_wait(&rig, YK_REPORT_IDLE);
    ck_assert_uint_eq(usbip_port_state(0), 4);
    ck_assert_int_ne(access(files_path("host/records/port0"), F_OK), 0);
    usbip_close(&rig);
}
END_TEST

START_TEST(a_set_is_imported_one_by_one)
{
    start();
    rig_attach(&rig, USBIP_PAIR);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    ck_assert_str_eq(rig.detail, "1-1 on port 0 as 3-1, 1-2 on port 1 as 3-2");
    usbip_close(&rig);
    ck_assert_uint_eq(usbip_port_state(0), 4);
    ck_assert_uint_eq(usbip_port_state(1), 4);
}
END_TEST

START_TEST(the_same_media_again_touch_nothing)
{
    start();
    rig_attach(&rig, USBIP_MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    rig_attach(&rig, USBIP_MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_ACTIVE);
    ck_assert_ptr_null(strstr(strstr(usbip_calls(), " attach ") + 1, " attach "));
    usbip_close(&rig);
}
END_TEST

START_TEST(hostile_media_are_refused_and_nothing_is_executed)
{
    static const char *const media[] = {
        "{\"busids\":[\"-r\"],\"host\":\"10.77.0.1\",\"port\":3240}",
        "{\"busids\":[\"../../etc\"],\"host\":\"10.77.0.1\",\"port\":3240}",
        "{\"busids\":[\"1-1;reboot\"],\"host\":\"10.77.0.1\",\"port\":3240}",
        "{\"busids\":[\"$(reboot)\"],\"host\":\"10.77.0.1\",\"port\":3240}",
        "{\"busids\":[\"1-1\",\"1-1\"],\"host\":\"10.77.0.1\",\"port\":3240}",
        "{\"busids\":[],\"host\":\"10.77.0.1\",\"port\":3240}",
        "{\"busids\":\"1-1\",\"host\":\"10.77.0.1\",\"port\":3240}",
        "{\"busids\":[1],\"host\":\"10.77.0.1\",\"port\":3240}",
        "{\"busids\":[\"1-1\"],\"host\":\"producer\",\"port\":3240}",
        "{\"busids\":[\"1-1\"],\"host\":\"::1\",\"port\":3240}",
        "{\"busids\":[\"1-1\"],\"host\":\"239.1.2.3\",\"port\":3240}",
        "{\"busids\":[\"1-1\"],\"host\":\"0.0.0.0\",\"port\":3240}",
        "{\"busids\":[\"1-1\"],\"host\":\"10.77.0.1\",\"port\":0}",
        "{\"busids\":[\"1-1\"],\"host\":\"10.77.0.1\",\"port\":65536}",
        "{\"busids\":[\"1-1\"],\"host\":\"10.77.0.1\",\"port\":\"3240\"}",
        "{\"busids\":[\"1-1\"],\"host\":\"10.77.0.1\"}",
        "{}",
        ""};

    start();
    for (size_t i = 0; i < sizeof media / sizeof media[0]; i++) {
        rig_attach(&rig, media[i]);
        ck_assert_int_eq(rig.status, YK_REPORT_ERROR);
        ck_assert_msg(strncmp(rig.detail, "media", 5) == 0, "%s: %s", media[i], rig.detail);
        ck_assert_int_eq(rig_poll(&rig), YK_REPORT_ERROR);
    }
    ck_assert_str_eq(usbip_calls(), "");
    usbip_close(&rig);
}
END_TEST

START_TEST(large_media_are_refused)
{
    char text[YK_FRAME_MAX + 1];
    size_t used;

    start();
    used = (size_t)snprintf(text, sizeof text, "{\"busids\":[\"1-1\"],\"host\":\"");
    memset(text + used, 'a', 1000);
    snprintf(text + used + 1000, sizeof text - used - 1000, "\",\"port\":3240}");
    rig_attach(&rig, text);
    usbip_expect_detail(&rig, "media.host: ");
    used = (size_t)snprintf(text, sizeof text, "{\"busids\":[\"1-1\"");
    for (unsigned i = 2; i < 120; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, ",\"1-%u\"", i);
    }
    snprintf(text + used, sizeof text - used, "],\"host\":\"10.77.0.1\",\"port\":3240}");
    rig_attach(&rig, text);
    usbip_expect_detail(&rig, "media.busids: more than 16");
    ck_assert_str_eq(usbip_calls(), "");
    usbip_close(&rig);
}
END_TEST

START_TEST(refused_media_let_go_what_was_imported)
{
    start();
    rig_attach(&rig, USBIP_MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    rig_attach(&rig, "{}");
    rig_wait(&rig, YK_REPORT_ERROR);
    ck_assert_uint_eq(usbip_port_state(0), 4);
    usbip_close(&rig);
}
END_TEST

START_TEST(busy_is_said_in_words_that_help_and_leaves_nothing)
{
    start();
    usbip_set_mode("busy");
    rig_attach(&rig, USBIP_MEDIA);
    rig_wait(&rig, YK_REPORT_ERROR);
    usbip_expect_detail(&rig, "1-1 is busy at 10.77.0.1:3240: another host imports it");
    usbip_set_mode("ok");
    rig_attach(&rig, USBIP_MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    usbip_close(&rig);
}
END_TEST

START_TEST(a_tool_that_says_yes_and_does_nothing_is_not_believed)
{
    start();
    usbip_set_mode("nothing");
    rig_attach(&rig, USBIP_MEDIA);
    rig_wait(&rig, YK_REPORT_ERROR);
    ck_assert(!rig.was_active);
    usbip_close(&rig);
}
END_TEST

START_TEST(a_mebibyte_of_noise_is_read_and_dropped)
{
    start();
    usbip_set_mode("noise");
    rig_attach(&rig, USBIP_MEDIA);
    rig_wait(&rig, YK_REPORT_ERROR);
    usbip_expect_detail(&rig, "usbip failed with \"y\"");
    usbip_close(&rig);
}
END_TEST

START_TEST(a_tool_that_is_not_there_is_named)
{
    usbip_make_host();
    usbip_host.tool = "no-such-usbip";
    usbip_open(&rig);
    rig_attach(&rig, USBIP_MEDIA);
    rig_wait(&rig, YK_REPORT_ERROR);
    usbip_expect_detail(&rig, "apt install usbip");
    usbip_close(&rig);
}
END_TEST

START_TEST(a_tool_that_hangs_is_ended_when_nothing_is_wanted_any_more)
{
    start();
    usbip_set_mode("hang");
    rig_attach(&rig, USBIP_MEDIA);
    while (usbip_calls()[0] == 0) {
        rig_wait_report(&rig, 20);
    }
    ck_assert_int_eq(rig_poll(&rig), YK_REPORT_PENDING);
    rig_detach(&rig, YK_DETACH_STOP);
    rig_wait(&rig, YK_REPORT_IDLE);
    usbip_close(&rig);
}
END_TEST

START_TEST(an_import_without_a_record_is_left_and_told_and_blocks_nobody)
{
    start();
    usbip_set_mode("unrecorded");
    rig_attach(&rig, USBIP_MEDIA);
    rig_wait(&rig, YK_REPORT_ERROR);
    usbip_expect_detail(&rig, "manual recovery required: port 0 (1-1)");
    ck_assert(strstr(rig.log, "usbip detach -p 0") != NULL);
    rig_detach(&rig, YK_DETACH_REPLACE);
    rig_wait(&rig, YK_REPORT_IDLE);
    ck_assert_uint_eq(usbip_port_state(0), 6);
    usbip_set_mode("ok");
    rig_attach(&rig, "{\"busids\":[\"1-2\"],\"host\":\"10.77.0.1\",\"port\":3240}");
    rig_wait(&rig, YK_REPORT_ACTIVE);
    ck_assert_str_eq(rig.detail, "1-2 on port 1 as 3-2; manual recovery required: port 0 (1-1)");
    usbip_drop(0);
    usbip_wait_log(&rig, "port 0 needs no recovery any more");
    ck_assert_int_eq(rig_poll(&rig), YK_REPORT_ACTIVE);
    usbip_close(&rig);
    ck_assert_uint_eq(usbip_port_state(1), 4);
}
END_TEST

START_TEST(an_import_that_the_producer_drops_is_a_drift)
{
    start();
    rig_attach(&rig, USBIP_MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    usbip_drop(0);
    usbip_poll_until(&rig, YK_REPORT_PENDING);
    usbip_expect_detail(&rig, "1-1: port 0 is free: the producer let it go");
    rig_attach(&rig, USBIP_MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    usbip_close(&rig);
}
END_TEST

START_TEST(an_import_whose_device_is_offered_again_is_dead_and_made_anew)
{
    start();
    rig_attach(&rig, USBIP_MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    usbip_set_list("1-2 1-1");
    rig_attach(&rig, USBIP_MEDIA); /* the producer has come back */
    ck_assert_int_eq(rig.status, YK_REPORT_ACTIVE);
    usbip_wait_log(&rig, "1-1: port 0 is a dead import");
    usbip_set_list("");
    usbip_poll_until(&rig, YK_REPORT_PENDING);
    rig_attach(&rig, USBIP_MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    usbip_close(&rig);
}
END_TEST

START_TEST(the_lock_of_the_host_is_waited_for)
{
    int fd;

    start();
    fd = open(usbip_host.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(flock(fd, LOCK_EX), 0);
    rig_attach(&rig, USBIP_MEDIA);
    usbip_poll_until(&rig, YK_REPORT_PENDING);
    usbip_expect_detail(&rig, "waiting for another usbip call on this host");
    ck_assert_str_eq(usbip_calls(), "");
    close(fd);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    usbip_close(&rig);
}
END_TEST

/* Imports in a process of its own, which is then killed. */
static void import_and_die(void)
{
    pid_t child;
    int status;

    usbip_make_places();
    child = fork();
    if (child == 0) {
        usbip_open(&rig);
        rig_attach(&rig, USBIP_MEDIA);
        rig_wait(&rig, YK_REPORT_ACTIVE);
        raise(SIGKILL);
    }
    usbip_start_kernel();
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

START_TEST(what_a_killed_life_imported_is_found_and_let_go)
{
    import_and_die();
    ck_assert_uint_eq(usbip_port_state(0), 6);
    usbip_open(&rig);
    rig_detach(&rig, YK_DETACH_RESTART);
    rig_wait(&rig, YK_REPORT_IDLE);
    ck_assert_uint_eq(usbip_port_state(0), 4);
    usbip_close(&rig);
}
END_TEST

START_TEST(after_a_reboot_the_journal_means_nothing)
{
    import_and_die();
    files_text("host/boot_id", "ffffffff-89ab-cdef-0123-456789abcdef\n");
    usbip_open(&rig);
    rig_detach(&rig, YK_DETACH_RESTART);
    rig_wait(&rig, YK_REPORT_IDLE);
    ck_assert_uint_eq(usbip_port_state(0), 6);
    usbip_close(&rig);
}
END_TEST

START_TEST(a_journal_that_cannot_be_read_stops_everything_and_is_named)
{
    usbip_make_host();
    files_text("host/journal", "{\"v\":1");
    usbip_open(&rig);
    rig_attach(&rig, USBIP_MEDIA);
    ck_assert_int_eq(rig.status, YK_REPORT_ERROR);
    usbip_expect_detail(&rig, "host/journal: is no journal of imports");
    rig_detach(&rig, YK_DETACH_UNPAIR);
    ck_assert_int_eq(rig.status, YK_REPORT_ERROR);
    ck_assert_str_eq(usbip_calls(), "");
    ck_assert_int_eq(unlink(files_path("host/journal")), 0);
    rig_attach(&rig, USBIP_MEDIA);
    rig_wait(&rig, YK_REPORT_ACTIVE);
    usbip_close(&rig);
}
END_TEST

START_TEST(the_journal_of_another_node_is_refused)
{
    usbip_make_host();
    files_text("host/journal", "{\"v\":1,\"node\":\"usb-7\",\"boot\":\"x\"}");
    usbip_open(&rig);
    rig_attach(&rig, USBIP_MEDIA);
    usbip_expect_detail(&rig, "is that of node \"usb-7\"; give each node its own");
    usbip_close(&rig);
}
END_TEST

START_TEST(without_a_journal_that_can_be_written_nothing_is_attached)
{
    usbip_make_host();
    ck_assert_int_eq(mkdir(files_path("host/journal"), 0700), 0); /* even root cannot replace it */
    usbip_open(&rig);
    rig_attach(&rig, USBIP_MEDIA);
    rig_wait(&rig, YK_REPORT_ERROR);
    usbip_expect_detail(&rig, "journal");
    ck_assert_str_eq(usbip_calls(), "");
    usbip_close(&rig);
}
END_TEST

START_TEST(without_the_kernels_module_it_says_so)
{
    usbip_make_host();
    usbip_host.vhci = files_path("host/no-vhci");
    usbip_open(&rig);
    rig_detach(&rig, YK_DETACH_RESTART);
    ck_assert_int_eq(rig.status, YK_REPORT_IDLE);
    rig_attach(&rig, USBIP_MEDIA);
    rig_wait(&rig, YK_REPORT_ERROR);
    usbip_expect_detail(&rig, "vhci-hcd is not loaded; run \"modprobe vhci-hcd\"");
    usbip_close(&rig);
}
END_TEST

START_TEST(a_file_in_the_place_of_the_records_is_refused_before_anything_is_done)
{
    usbip_make_host();
    files_text("host/records", "");
    usbip_open(&rig);
    rig_attach(&rig, USBIP_MEDIA);
    rig_wait(&rig, YK_REPORT_ERROR);
    usbip_expect_detail(&rig, "usbip needs the folder for its records");
    ck_assert_str_eq(usbip_calls(), "");
    usbip_close(&rig);
}
END_TEST

static unsigned notes;
static char last_note[512];

static void take_note(const char *line)
{
    notes++;
    snprintf(last_note, sizeof last_note, "%s", line);
}

START_TEST(a_check_names_what_is_missing_on_this_host)
{
    start();
    usbip_host.vhci = files_path("host/no-vhci");
    rig.ops->survey(rig.self, take_note);
    ck_assert(notes >= 1);
    ck_assert_ptr_null(strstr(last_note, "are there"));
    usbip_close(&rig);
}
END_TEST

START_TEST(no_descriptor_and_no_child_is_left)
{
    unsigned before;

    usbip_make_host();
    before = rig_descriptors();
    usbip_open(&rig);
    for (unsigned i = 0; i < 5; i++) {
        rig_attach(&rig, USBIP_MEDIA);
        rig_wait(&rig, YK_REPORT_ACTIVE);
        rig_detach(&rig, YK_DETACH_REPLACE);
        rig_wait(&rig, YK_REPORT_IDLE);
    }
    usbip_close(&rig);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_uint_le(rig_descriptors(), before + 4); /* libuv's own, of the first child and work */
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_device_is_imported_shown_and_let_go,
        a_set_is_imported_one_by_one,
        the_same_media_again_touch_nothing,
        hostile_media_are_refused_and_nothing_is_executed,
        large_media_are_refused,
        refused_media_let_go_what_was_imported,
        busy_is_said_in_words_that_help_and_leaves_nothing,
        a_tool_that_says_yes_and_does_nothing_is_not_believed,
        a_mebibyte_of_noise_is_read_and_dropped,
        a_tool_that_is_not_there_is_named,
        a_tool_that_hangs_is_ended_when_nothing_is_wanted_any_more,
        an_import_without_a_record_is_left_and_told_and_blocks_nobody,
        an_import_that_the_producer_drops_is_a_drift,
        an_import_whose_device_is_offered_again_is_dead_and_made_anew,
        the_lock_of_the_host_is_waited_for,
        what_a_killed_life_imported_is_found_and_let_go,
        after_a_reboot_the_journal_means_nothing,
        a_journal_that_cannot_be_read_stops_everything_and_is_named,
        the_journal_of_another_node_is_refused,
        without_a_journal_that_can_be_written_nothing_is_attached,
        without_the_kernels_module_it_says_so,
        a_file_in_the_place_of_the_records_is_refused_before_anything_is_done,
        a_check_names_what_is_missing_on_this_host,
        no_descriptor_and_no_child_is_left,
        NULL,
    };

    return suite_main("usbip consumer", tests);
}
