/* Capture files: what we write is read back, and what others write is read as far as it goes. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture_rig.h"
#include "files.h"
#include "lib/suite.h"

static void expect_broken(const char *word)
{
    ck_assert_int_eq(yk_capture_next(capture.reader, &capture.got, &capture.why),
                     YK_CAPTURE_BROKEN);
    ck_assert_msg(strstr(capture.why.text, word) != NULL && strchr(capture.why.text, ';') != NULL,
                  "%s", capture.why.text);
    ck_assert_int_eq(capture.why.exit, YK_EXIT_CONFIG);
    yk_capture_close(capture.reader);
}

static void expect_not_opened(const char *path, const char *word)
{
    ck_assert_ptr_null(yk_capture_open(path, capture_group, &capture.why));
    ck_assert_msg(strstr(capture.why.text, word) != NULL && strchr(capture.why.text, ';') != NULL,
                  "%s", capture.why.text);
    ck_assert_int_eq(capture.why.exit, YK_EXIT_CONFIG);
}

START_TEST(what_is_written_is_read_back)
{
    static uint8_t big[YK_FRAME_MAX + 1];
    const char *path = files_path("w.pcap");
    struct yk_datagram small = {yk_slice_of("{}"), {{10, 1, 2, 3}, 4567}};
    struct yk_datagram empty = {{NULL, 0}, {{10, 1, 2, 3}, 1}};
    struct yk_datagram large = {{big, sizeof big}, {{10, 1, 2, 4}, 65535}};
    struct yk_capture_writer *writer = yk_capture_create(path, capture_group, &capture.why);
    struct stat status;

    ck_assert_ptr_nonnull(writer);
    yk_capture_add(writer, &small, CAPTURE_WALL + 1);
    yk_capture_add(writer, &empty, CAPTURE_WALL + 2);
    yk_capture_add(writer, &large, CAPTURE_WALL + 3);
    ck_assert_uint_eq(yk_capture_written(writer), 3);
    ck_assert(yk_capture_finish(writer, &capture.why));
    ck_assert_int_eq(stat(path, &status), 0);
    ck_assert_uint_eq(status.st_mode & 0777, 0600);

    capture.reader = yk_capture_open(path, capture_group, &capture.why);
    ck_assert_ptr_nonnull(capture.reader);
    capture_expect("{}");
    ck_assert_mem_eq(capture.got.datagram.from.ip, small.from.ip, 4);
    ck_assert_uint_eq(capture.got.datagram.from.port, 4567);
    ck_assert_int_eq(capture.got.wall.unix_ns, CAPTURE_WALL + 1);
    ck_assert(capture.got.stepped);
    capture_expect("");
    ck_assert_int_eq(yk_capture_next(capture.reader, &capture.got, &capture.why),
                     YK_CAPTURE_DATAGRAM);
    ck_assert_uint_eq(capture.got.datagram.bytes.size, sizeof big);
    ck_assert_uint_eq(capture.got.now - capture.got.wall.at, 2);
    capture_expect_end();
}
END_TEST

/* One's complement sum over a header with its checksum is 0xffff (RFC 791). */
START_TEST(written_ip_headers_have_their_checksum)
{
    struct yk_capture_writer *writer =
        yk_capture_create(files_path("w.pcap"), capture_group, &capture.why);
    struct yk_datagram datagram = {yk_slice_of("{}"), {{255, 254, 253, 252}, 4567}};
    uint8_t content[256];
    unsigned sum = 0;

    yk_capture_add(writer, &datagram, CAPTURE_WALL);
    ck_assert(yk_capture_finish(writer, &capture.why));
    ck_assert_uint_eq(files_read("w.pcap", (char *)content, sizeof content), 24 + 16 + 28 + 2);
    for (size_t i = 40; i < 60; i += 2) {
        sum += (unsigned)content[i] << 8 | content[i + 1];
    }
    ck_assert_uint_eq((sum & 0xffff) + (sum >> 16), 0xffff);
}
END_TEST

START_TEST(nobodys_capture_is_overwritten)
{
    const char *path = files_text("old.pcap", "precious");
    char content[16];

    ck_assert_ptr_null(yk_capture_create(path, capture_group, &capture.why));
    ck_assert_int_eq(capture.why.exit, YK_EXIT_CANNOT_MAKE);
    ck_assert_ptr_nonnull(strstr(capture.why.text, "is there already"));
    ck_assert_uint_eq(files_read("old.pcap", content, sizeof content), strlen("precious"));
    ck_assert_ptr_null(yk_capture_create("/nowhere/c.pcap", capture_group, &capture.why));
    ck_assert_int_eq(capture.why.exit, YK_EXIT_CANNOT_MAKE);
}
END_TEST

START_TEST(an_abandoned_file_is_removed_if_it_was_made)
{
    struct yk_capture_writer *writer =
        yk_capture_create(files_path("w.pcap"), capture_group, &capture.why);
    struct stat status;

    ck_assert_ptr_nonnull(writer);
    yk_capture_abandon(writer);
    ck_assert_int_ne(stat(files_path("w.pcap"), &status), 0);
    writer = yk_capture_create("/dev/null", capture_group, &capture.why);
    ck_assert_ptr_nonnull(writer);
    yk_capture_abandon(writer);
    ck_assert_int_eq(stat("/dev/null", &status), 0);
}
END_TEST

START_TEST(a_full_disk_is_said_at_the_beginning)
{
    ck_assert_ptr_null(yk_capture_create("/dev/full", capture_group, &capture.why));
    ck_assert_int_eq(capture.why.exit, YK_EXIT_CANNOT_MAKE);
    ck_assert_ptr_nonnull(strstr(capture.why.text, "No space left"));
}
END_TEST

START_TEST(a_full_disk_is_said_once_it_is_full)
{
    struct rlimit small = {.rlim_cur = 30, .rlim_max = 30}; /* the head of a file, and a little */
    struct yk_capture_writer *writer;
    struct yk_datagram datagram = {yk_slice_of("{}"), {{10, 1, 2, 3}, 4567}};

    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    writer = yk_capture_create(files_path("w.pcap"), capture_group, &capture.why);
    ck_assert_ptr_nonnull(writer);
    yk_capture_add(writer, &datagram, CAPTURE_WALL);
    ck_assert(!yk_capture_flush(writer, &capture.why));
    ck_assert_int_eq(capture.why.exit, YK_EXIT_CANNOT_MAKE);
    ck_assert_ptr_nonnull(strstr(capture.why.text, "File too large"));
    yk_capture_add(writer, &datagram, CAPTURE_WALL);
    ck_assert(!yk_capture_finish(writer, &capture.why));
}
END_TEST

START_TEST(the_captures_clock_is_the_clock)
{
    capture_begin(CAPTURE_LINK_RAW);
    capture_put_raw(1796018523, 250000, "a");
    capture_put_raw(1796018530, 750000, "b");
    capture_open_file();
    capture_expect("a");
    ck_assert_int_eq(capture.got.wall.unix_ns, CAPTURE_WALL + 250 * (int64_t)YK_MS);
    ck_assert_uint_eq(capture.got.wall.at, capture.got.now);
    ck_assert(capture.got.stepped);
    {
        yk_time first = capture.got.now;

        capture_expect("b");
        ck_assert_uint_eq(capture.got.now - first, 7500 * YK_MS);
        ck_assert(!capture.got.stepped);
    }
    capture_expect_end();
}
END_TEST

START_TEST(time_never_goes_back_and_a_step_is_told)
{
    yk_time then;

    capture_begin(CAPTURE_LINK_RAW);
    capture_put_raw(5000, 0, "a");
    capture_put_raw(4999, 999000, "another interface");
    capture_put_raw(3000, 0, "set back");
    capture_put_raw(3001, 0, "and on");
    capture_open_file();
    capture_expect("a");
    then = capture.got.now;
    capture_expect("another interface");
    ck_assert_uint_eq(capture.got.now, then);
    ck_assert(!capture.got.stepped);
    capture_expect("set back");
    ck_assert_uint_eq(capture.got.now, then);
    ck_assert(capture.got.stepped);
    ck_assert_int_eq(capture.got.wall.unix_ns, 3000 * (int64_t)YK_SECOND);
    capture_expect("and on");
    ck_assert_uint_eq(capture.got.now - then, YK_SECOND);
    capture_expect_end();
}
END_TEST

/* pcapng counts 64 bits; a file may claim any of them. */
START_TEST(no_time_in_a_file_overflows_ours)
{
    static const uint32_t highs[] = {0x000662e4, 0xffffffff, 0x7fffffff, 0, 0xffffffff, 0};

    capture.used = 0;
    capture_put_u32(0x0a0d0d0a); /* section header */
    capture_put_u32(28);
    capture_put_u32(0x1a2b3c4d);
    capture_put_u16(1);
    capture_put_u16(0);
    capture_put_u32(0xffffffff);
    capture_put_u32(0xffffffff);
    capture_put_u32(28);
    capture_put_u32(1); /* interface description */
    capture_put_u32(20);
    capture_put_u16(CAPTURE_LINK_RAW);
    capture_put_u16(0);
    capture_put_u32(0);
    capture_put_u32(20);
    for (size_t i = 0; i < sizeof highs / sizeof highs[0]; i++) {
        struct capture_packet packet = capture_plain("abcd");

        capture_put_u32(6); /* enhanced packet */
        capture_put_u32((uint32_t)(32 + packet.size));
        capture_put_u32(0);
        capture_put_u32(highs[i]);
        capture_put_u32(0x12345678);
        capture_put_u32((uint32_t)packet.size);
        capture_put_u32((uint32_t)packet.size);
        capture_put(packet.bytes, packet.size);
        capture_put_u32((uint32_t)(32 + packet.size));
    }
    capture_open_file();
    {
        yk_time last = 0;

        for (size_t i = 0; i < sizeof highs / sizeof highs[0]; i++) {
            capture_expect("abcd");
            ck_assert_uint_ge(capture.got.now, last);
            ck_assert_uint_le(capture.got.now, INT64_MAX);
            ck_assert_int_ge(capture.got.wall.unix_ns, 0);
            last = capture.got.now;
        }
    }
    capture_expect_end();
}
END_TEST

START_TEST(no_part_of_a_second_is_negative_or_more_than_one)
{
    capture_begin(CAPTURE_LINK_RAW);
    capture_put_raw(0, UINT32_MAX, "a");
    capture_put_raw(0, 5000000, "b");
    capture_open_file();
    capture_expect("a");
    ck_assert_int_ge(capture.got.wall.unix_ns, 0);
    ck_assert_int_lt(capture.got.wall.unix_ns, (int64_t)YK_SECOND);
    capture_expect("b");
    ck_assert_uint_lt(capture.got.now, 3 * YK_SECOND);
    capture_expect_end();
}
END_TEST

START_TEST(a_time_beyond_2038_is_no_time_before_1970)
{
    capture_begin(CAPTURE_LINK_RAW);
    capture_put_raw(UINT32_C(0x80000000), 5, "a");
    capture_put_raw(UINT32_C(0x8000000a), 0, "b");
    capture_open_file();
    capture_expect("a");
    ck_assert_int_eq(capture.got.wall.unix_ns / (int64_t)YK_SECOND, INT64_C(0x80000000));
    capture_expect("b");
    ck_assert_uint_eq((capture.got.now - capture.got.wall.at) / YK_SECOND, 9);
    capture_expect_end();
}
END_TEST

START_TEST(of_a_truncated_file_what_could_be_read_is_given)
{
    size_t whole;

    capture_begin(CAPTURE_LINK_RAW);
    capture_put_raw(1, 0, "first");
    whole = capture.used;
    capture_put_raw(2, 0, "second");
    for (size_t size = whole + 1; size < capture.used; size++) {
        capture.reader = yk_capture_open(files_write("c.pcap", capture.file, size, 0600),
                                         capture_group, &capture.why);
        ck_assert_ptr_nonnull(capture.reader);
        capture_expect("first");
        expect_broken("broken behind packet 1");
    }
}
END_TEST

START_TEST(a_packet_of_absurd_size_is_an_error)
{
    capture_begin(CAPTURE_LINK_RAW);
    capture_put_raw(1, 0, "first");
    capture_put_u32(1);
    capture_put_u32(0);
    capture_put_u32(0x7fffffff);
    capture_put_u32(0x7fffffff);
    capture_put("rest", 4);
    capture_open_file();
    capture_expect("first");
    expect_broken("broken behind packet 1");
}
END_TEST

START_TEST(what_is_no_capture_is_refused)
{
    expect_not_opened("/nowhere/c.pcap", "/nowhere/c.pcap");
    expect_not_opened(files_text("text", "Dear diary, today I captured nothing at all."), "text");
    expect_not_opened(files_text("empty", ""), "empty");
    capture_begin(CAPTURE_LINK_RAW);
    expect_not_opened(files_write("short", capture.file, 10, 0600), "short");
    capture_begin(105); /* 802.11 */
    expect_not_opened(files_write("radio", capture.file, capture.used, 0600), "link type");
}
END_TEST

/* However long a capture is, one packet at a time is held. */
START_TEST(an_enormous_file_takes_no_memory)
{
    struct rusage before, after;
    unsigned count = 0;
    FILE *out = fopen(files_path("big.pcap"), "wb");

    capture_begin(CAPTURE_LINK_RAW);
    fwrite(capture.file, 1, capture.used, out);
    capture.used = 0;
    for (int i = 0; i < 20000; i++) {
        capture_put_raw((uint32_t)i, 0, "one of very many, with a text of some length in it");
    }
    for (int i = 0; i < 20; i++) { /* 37 MiB */
        ck_assert_uint_eq(fwrite(capture.file, 1, capture.used, out), capture.used);
    }
    ck_assert_int_eq(fclose(out), 0);
    getrusage(RUSAGE_SELF, &before);
    capture.reader = yk_capture_open(files_path("big.pcap"), capture_group, &capture.why);
    while (yk_capture_next(capture.reader, &capture.got, &capture.why) == YK_CAPTURE_DATAGRAM) {
        count++;
    }
    getrusage(RUSAGE_SELF, &after);
    ck_assert_uint_eq(count, 20 * 20000);
    ck_assert_int_lt(after.ru_maxrss - before.ru_maxrss, 4096); /* KiB */
    yk_capture_close(capture.reader);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        what_is_written_is_read_back,
        written_ip_headers_have_their_checksum,
        nobodys_capture_is_overwritten,
        an_abandoned_file_is_removed_if_it_was_made,
        a_full_disk_is_said_at_the_beginning,
        a_full_disk_is_said_once_it_is_full,
        the_captures_clock_is_the_clock,
        time_never_goes_back_and_a_step_is_told,
        no_time_in_a_file_overflows_ours,
        no_part_of_a_second_is_negative_or_more_than_one,
        a_time_beyond_2038_is_no_time_before_1970,
        of_a_truncated_file_what_could_be_read_is_given,
        a_packet_of_absurd_size_is_an_error,
        what_is_no_capture_is_refused,
        an_enormous_file_takes_no_memory,
        NULL,
    };

    return suite_main("capture", tests);
}
