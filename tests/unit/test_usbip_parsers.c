/* What the usbip driver reads: busids, records, the kernel's status, the tool's list, and the words of
 * an attach that ended. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/usbip/list.h"
#include "drivers/usbip/outcome.h"
#include "drivers/usbip/status.h"
#include "lib/suite.h"

#define HEADING "hub port sta spd dev      sockfd local_busid\n"
#define FIXTURE_MAX (64 * 1024)

/* A copy of exactly that size, so that a sanitizer sees a read beyond it. */
static uint8_t *copy_of(const void *text, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);

    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text, size);
    return copy;
}

/* ---- busids */

static bool is_busid(const char *text)
{
    char out[YK_USBIP_BUSID_MAX + 1];
    bool ok = yk_usbip_busid_parse(out, yk_slice_of(text));

    ck_assert_str_eq(out, ok ? text : "");
    return ok;
}

START_TEST(busids_are_numbers_of_bus_port_and_hubs)
{
    ck_assert(is_busid("1-1"));
    ck_assert(is_busid("1-5.1"));
    ck_assert(is_busid("12-34.56.7.8"));
}
END_TEST

START_TEST(what_could_mean_anything_else_is_no_busid)
{
    static const char *const others[] = {"",
                                         "1",
                                         "1-",
                                         "-1",
                                         "-r",
                                         "--help",
                                         "0-0",
                                         "1-0",
                                         "01-1",
                                         "1-01",
                                         "1-1.",
                                         "1-1..2",
                                         "1-1.0",
                                         "1-1 ",
                                         " 1-1",
                                         "1-1\n",
                                         "../1-1",
                                         "1-1/x",
                                         "usb1",
                                         "1-1:1.0",
                                         "1-1;ls",
                                         "$(ls)",
                                         "1-1234567890",
                                         "a-b",
                                         "1-1,",
                                         "1_1",
                                         "1-1.1x1",
                                         "1-1-1",
                                         "1-1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1"};

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        ck_assert_msg(!is_busid(others[i]), "%s", others[i]);
    }
}
END_TEST

/* ---- records */

static bool parse_record(struct yk_usbip_target *target, const char *text)
{
    size_t size = strlen(text);
    uint8_t *copy = copy_of(text, size);
    bool ok = yk_usbip_record_parse(target, (struct yk_slice){copy, size});

    free(copy);
    return ok;
}

START_TEST(a_record_is_host_port_and_busid_as_they_were_given)
{
    struct yk_usbip_target target;

    ck_assert(parse_record(&target, "10.77.0.1 3240 1-5.1\n"));
    ck_assert_str_eq(target.host, "10.77.0.1");
    ck_assert_uint_eq(target.port, 3240);
    ck_assert_uint_eq(target.mark, 0);
    ck_assert_str_eq(target.busid, "1-5.1");
    ck_assert(parse_record(&target, "producer 3999 1-2\n"));
    ck_assert_str_eq(target.host, "producer");
}
END_TEST

START_TEST(zeros_in_front_of_the_port_are_a_mark_of_ours)
{
    struct yk_usbip_target target;
    char text[YK_USBIP_PORT_TEXT_MAX];

    ck_assert(parse_record(&target, "10.77.0.1 0003240 1-1\n"));
    ck_assert_uint_eq(target.mark, 3);
    ck_assert_uint_eq(target.port, 3240);
    yk_usbip_port_text(text, &target);
    ck_assert_str_eq(text, "0003240");
    target.mark = YK_USBIP_MARK_MAX;
    target.port = 65535;
    yk_usbip_port_text(text, &target);
    ck_assert_uint_eq(strlen(text), YK_USBIP_MARK_MAX + 5);
}
END_TEST

START_TEST(a_record_that_is_cut_or_changed_is_none)
{
    static const char whole[] = "10.77.0.1 3240 1-1\n";
    static const char *const others[] = {
        "\n",
        "10.77.0.1 3240 1-1",
        "10.77.0.1 3240 1-1\n\n",
        "10.77.0.1 3240 1-1 \n",
        "10.77.0.1  3240 1-1\n",
        "10.77.0.1 3240  1-1\n",
        " 10.77.0.1 3240 1-1\n",
        "10.77.0.1 0 1-1\n",
        "10.77.0.1 65536 1-1\n",
        "10.77.0.1 32x0 1-1\n",
        "10.77.0.1 000000000000000000000000000000000000003240 1-1\n",
        "10.77.0.1\t3240 1-1\n",
        "10.77.0.1 3240 0-0\n",
        "10.77.0.1 3240 1-1\n10.77.0.1 3240 1-1\n"};
    struct yk_usbip_target target;

    for (size_t cut = 0; cut < sizeof whole - 1; cut++) {
        uint8_t *copy = copy_of(whole, cut);

        ck_assert(!yk_usbip_record_parse(&target, (struct yk_slice){copy, cut}));
        free(copy);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        ck_assert_msg(!parse_record(&target, others[i]), "%s", others[i]);
    }
}
END_TEST

START_TEST(a_target_whose_record_would_be_cut_does_not_fit)
{
    struct yk_usbip_target target = {.host = "10.77.0.1", .port = 3240, .busid = "1-1"};

    ck_assert(yk_usbip_record_fits(&target));
    memset(target.host, 'a', YK_USBIP_HOST_MAX);
    ck_assert(!yk_usbip_record_fits(&target));
}
END_TEST

/* ---- status */

struct taken {
    unsigned lines, in_use;
    struct yk_usbip_status last;
};

static bool take(void *owner, const struct yk_usbip_status *status)
{
    struct taken *taken = owner;

    taken->lines++;
    taken->in_use += status->state == YK_USBIP_IN_USE;
    taken->last = *status;
    return true;
}

static size_t parse_status(struct taken *taken, const void *text, size_t size)
{
    uint8_t *copy = copy_of(text, size);
    size_t wrong;

    memset(taken, 0, sizeof *taken);
    wrong = yk_usbip_status_parse((struct yk_slice){copy, size}, taken, take);
    free(copy);
    return wrong;
}

START_TEST(a_line_of_status_tells_of_a_port)
{
    static const char text[] = HEADING "hs  0000 004 000 00000000 000000 0-0\n"
                                       "ss  0015 006 005 00020002 000003 4-1.2\n";
    struct taken taken;

    ck_assert_uint_eq(parse_status(&taken, text, strlen(text)), 0);
    ck_assert_uint_eq(taken.lines, 2);
    ck_assert_uint_eq(taken.last.number, 15);
    ck_assert_int_eq(taken.last.state, YK_USBIP_IN_USE);
    ck_assert_uint_eq(taken.last.speed, 5);
    ck_assert_uint_eq(taken.last.devid, 0x20002);
    ck_assert_str_eq(taken.last.local, "4-1.2");
}
END_TEST

START_TEST(a_controller_that_is_not_ready_is_read)
{
    static const char text[] = HEADING "hs  0000 005 000 00000000 0000000000000000 0-0\n";
    struct taken taken;

    ck_assert_uint_eq(parse_status(&taken, text, strlen(text)), 0);
    ck_assert_int_eq(taken.last.state, YK_USBIP_INITIALIZING);
    ck_assert_str_eq(taken.last.local, "");
}
END_TEST

START_TEST(a_status_that_is_cut_within_a_line_or_doubled_is_none)
{
    static const char text[] = HEADING "hs  0000 006 003 00010002 000003 3-1\n"
                                       "hs  0001 004 000 00000000 000000 0-0\n";
    static const char doubled[] = HEADING "hs  0000 004 000 00000000 000000 0-0\n"
                                          "hs  0000 004 000 00000000 000000 0-0\n";
    struct taken taken;

    for (size_t cut = 0; cut < sizeof text - 1; cut++) {
        bool at_end = cut > 0 && text[cut - 1] == '\n';

        ck_assert((parse_status(&taken, text, cut) == 0) == at_end);
    }
    ck_assert_uint_eq(parse_status(&taken, doubled, strlen(doubled)), 3);
    ck_assert_uint_eq(parse_status(&taken, HEADING HEADING, 2 * strlen(HEADING)), 2);
}
END_TEST

START_TEST(a_line_of_another_form_is_named)
{
    static const char *const lines[] = {"xs  0000 004 000 00000000 000000 0-0\n",
                                        "hs  000x 004 000 00000000 000000 0-0\n",
                                        "hs  0000 003 000 00000000 000000 0-0\n",
                                        "hs  0000 008 000 00000000 000000 0-0\n",
                                        "hs  0000 004 000 0000000g 000000 0-0\n",
                                        "hs  0000 004 000 000000000 00000\n",
                                        "hs  0000 006 003 00010002 000003 ../1\n",
                                        "hs  70000 004 000 00000000 000000 0-0\n",
                                        "\n"};

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char text[256];
        struct taken taken;

        snprintf(text, sizeof text, HEADING "%s", lines[i]);
        ck_assert_msg(parse_status(&taken, text, strlen(text)) == 2, "%s", lines[i]);
    }
}
END_TEST

/* ---- list */

#define LISTED                                                            \
    "Exportable USB devices\n======================\n"                    \
    " - 10.77.0.1\n"                                                      \
    "        1-2: Adomax Technology Co., Ltd : QEMU Tablet (0627:0001)\n" \
    "           : /sys/devices/pci0000:00/0000:00:01.0/usb1/1-2\n"        \
    "           :  0 - Human Interface Device / 1-3: none (03/01/02)\n\n" \
    "      1-5.1: QEMU : unknown product (46f4:0001)\n"

START_TEST(a_listed_device_is_found_by_its_whole_busid)
{
    struct yk_slice list = yk_slice_of(LISTED);

    ck_assert(yk_usbip_list_has(list, "1-2"));
    ck_assert(yk_usbip_list_has(list, "1-5.1"));
    ck_assert(!yk_usbip_list_has(list, "1-3"));
    ck_assert(!yk_usbip_list_has(list, "1-5"));
    ck_assert(!yk_usbip_list_has(list, "5.1"));
    ck_assert(!yk_usbip_list_has((struct yk_slice){NULL, 0}, "1-2"));
}
END_TEST

START_TEST(a_list_cut_anywhere_names_nothing_that_was_not_in_it)
{
    for (size_t cut = 0; cut < sizeof LISTED - 1; cut++) {
        uint8_t *copy = copy_of(LISTED, cut);
        struct yk_slice list = {copy, cut};

        ck_assert(!yk_usbip_list_has(list, "1-1"));
        ck_assert(!yk_usbip_list_has(list, "1-3"));
        free(copy);
    }
}
END_TEST

/* ---- outcome */

static const struct yk_usbip_target target_1_1 = {
    .host = "10.77.0.1", .port = 3240, .busid = "1-1"};

static const char *words_of(int status, const char *output)
{
    static struct yk_usbip_outcome outcome;
    struct yk_usbip_end end = {
        .way = YK_USBIP_EXITED, .number = status, .output = yk_slice_of(output)};

    yk_usbip_outcome_read(&outcome, &end, &target_1_1);
    return outcome.text;
}

static void expect_words(const char *output, const char *part)
{
    const char *text = words_of(1, output);

    ck_assert_msg(strstr(text, part) != NULL, "%s", text);
    ck_assert_msg(strncmp(text, "1-1 ", 4) == 0, "%s", text);
}

START_TEST(what_usbip_says_is_told_with_what_helps)
{
    expect_words("usbip: error: Attach Request for 1-1 failed - Device busy (exported)\n\n",
                 "is busy at 10.77.0.1:3240: another host imports it");
    expect_words("usbip: error: Attach Request for 1-1 failed - Device not found\n\n",
                 "is not exported at 10.77.0.1:3240");
    expect_words("usbip: error: tcp connect\n", "no connection to 10.77.0.1:3240");
    expect_words("libusbip: error: udev_device_new_from_subsystem_sysname failed\n"
                 "usbip: error: open vhci_driver\n",
                 "vhci-hcd is not loaded");
    expect_words("usbip: error: open vhci_driver\n", "cannot read the ports");
    expect_words("usbip: error: USBIP Kernel and tool version mismatch: 26725 273:\n"
                 "usbip: error: Attach Request for 1-1 failed - Request Completed Successfully\n",
                 "is not usbipd");
    expect_words("usbip: error: record connection\n", "was imported and not recorded");
    expect_words("usbip: error: import device\n", "run as root");
}
END_TEST

START_TEST(what_usbip_says_otherwise_is_told_as_it_is_without_controls)
{
    expect_words("noise\nusbip: error: \x1b[31mred\n",
                 "usbip failed with \"usbip: error: \\x1b[31mred\"");
    expect_words("", "usbip failed with \"\"");
}
END_TEST

START_TEST(only_what_may_pass_is_called_passing)
{
    struct yk_usbip_outcome outcome;
    struct yk_usbip_end end = {.way = YK_USBIP_EXITED, .number = 1};

    end.output = yk_slice_of("usbip: error: open vhci_driver\n");
    yk_usbip_outcome_read(&outcome, &end, &target_1_1);
    ck_assert(outcome.transient);
    end.output = yk_slice_of("usbip: error: tcp connect\n");
    yk_usbip_outcome_read(&outcome, &end, &target_1_1);
    ck_assert(!outcome.transient);
    end = (struct yk_usbip_end){.way = YK_USBIP_UNSTARTED, .number = ENOENT};
    yk_usbip_outcome_read(&outcome, &end, &target_1_1);
    ck_assert(strstr(outcome.text, "apt install usbip") != NULL);
    end = (struct yk_usbip_end){.way = YK_USBIP_SIGNALLED, .number = 15, .late = true};
    yk_usbip_outcome_read(&outcome, &end, &target_1_1);
    ck_assert(strstr(outcome.text, "no answer in time") != NULL);
    end = (struct yk_usbip_end){.way = YK_USBIP_STUCK};
    yk_usbip_outcome_read(&outcome, &end, &target_1_1);
    ck_assert(outcome.stuck);
}
END_TEST

/* ---- real outputs, in every cut and with every line doubled */

static void feed(const uint8_t *text, size_t size)
{
    uint8_t *copy = copy_of(text, size);
    struct yk_slice slice = {copy, size};
    struct yk_usbip_end end = {.way = YK_USBIP_EXITED, .number = 1, .output = slice};
    struct yk_usbip_outcome outcome;
    struct yk_usbip_target target;
    struct taken taken = {.lines = 0};

    (void)yk_usbip_record_parse(&target, slice);
    (void)yk_usbip_status_parse(slice, &taken, take);
    (void)yk_usbip_list_has(slice, "1-1");
    yk_usbip_outcome_read(&outcome, &end, &target_1_1);
    ck_assert_uint_gt(strlen(outcome.text), 0);
    free(copy);
}

static void feed_doubled(const uint8_t *text, size_t size)
{
    static uint8_t doubled[2 * FIXTURE_MAX];

    for (size_t from = 0; from < size;) {
        const uint8_t *newline = memchr(text + from, '\n', size - from);
        size_t to = newline == NULL ? size : (size_t)(newline - text) + 1;

        memcpy(doubled, text, to);
        memcpy(doubled + to, text + from, size - from);
        feed(doubled, to + size - from);
        from = to;
    }
}

static unsigned feed_folder(const char *folder)
{
    static uint8_t text[FIXTURE_MAX];
    DIR *directory = opendir(folder);
    unsigned count = 0;

    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        char path[1024];
        FILE *file;
        size_t size;

        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || (file = fopen(path, "rb")) == NULL) {
            continue;
        }
        size = fread(text, 1, sizeof text, file);
        fclose(file);
        for (size_t cut = 0; cut <= size; cut++) {
            feed(text, cut);
        }
        feed_doubled(text, size);
        count++;
    }
    if (directory != NULL) {
        closedir(directory);
    }
    return count;
}

START_TEST(every_output_may_be_cut_anywhere_and_doubled)
{
    const char *shared = getenv("YOKE_SHARED");
    char folder[512];

    ck_assert_uint_gt(feed_folder("tests/fuzz/corpus/usbip"), 10);
    snprintf(folder, sizeof folder, "%s/fixtures/usbip", shared != NULL ? shared : "../shared");
    if (feed_folder(folder) == 0) {
        printf("skip: no recorded outputs in %s; those of the corpus were read\n", folder);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {busids_are_numbers_of_bus_port_and_hubs,
                                  what_could_mean_anything_else_is_no_busid,
                                  a_record_is_host_port_and_busid_as_they_were_given,
                                  zeros_in_front_of_the_port_are_a_mark_of_ours,
                                  a_record_that_is_cut_or_changed_is_none,
                                  a_target_whose_record_would_be_cut_does_not_fit,
                                  a_line_of_status_tells_of_a_port,
                                  a_controller_that_is_not_ready_is_read,
                                  a_status_that_is_cut_within_a_line_or_doubled_is_none,
                                  a_line_of_another_form_is_named,
                                  a_listed_device_is_found_by_its_whole_busid,
                                  a_list_cut_anywhere_names_nothing_that_was_not_in_it,
                                  what_usbip_says_is_told_with_what_helps,
                                  what_usbip_says_otherwise_is_told_as_it_is_without_controls,
                                  only_what_may_pass_is_called_passing,
                                  every_output_may_be_cut_anywhere_and_doubled,
                                  NULL};

    return suite_main("usbip parsers", tests);
}
