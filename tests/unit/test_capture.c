/* Capture files: what we write is read back, and what others write is read as far as it goes. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "lib/suite.h"
#include "snooper/capture.h"

#define WALL INT64_C(1796018523000000000)
#define LINK_ETHERNET 1
#define LINK_COOKED 113
#define LINK_COOKED_V2 276
#define LINK_RAW 101

static const struct yk_capture_group group = {{239, 121, 111, 107}, 9753};
static struct yk_refusal why;

/* ---- a file under construction */

static uint8_t file[4 * 1024 * 1024];
static size_t used;

static void put(const void *bytes, size_t size)
{
    ck_assert_uint_le(used + size, sizeof file);
    memcpy(file + used, bytes, size);
    used += size;
}

static void put_u32(uint32_t value)
{
    put(&value, sizeof value);
}

static void put_u16(uint16_t value)
{
    put(&value, sizeof value);
}

static void begin_pcap(uint32_t link)
{
    used = 0;
    put_u32(0xa1b2c3d4);
    put_u16(2);
    put_u16(4);
    put_u32(0);
    put_u32(0);
    put_u32(65535);
    put_u32(link);
}

static void put_packet(uint32_t seconds, uint32_t us, const void *bytes, size_t size, size_t whole)
{
    put_u32(seconds);
    put_u32(us);
    put_u32((uint32_t)size);
    put_u32((uint32_t)whole);
    put(bytes, size);
}

/* ---- packets */

struct packet {
    uint8_t bytes[2048];
    size_t size;
};

static void add(struct packet *packet, const void *bytes, size_t size)
{
    ck_assert_uint_le(packet->size + size, sizeof packet->bytes);
    memcpy(packet->bytes + packet->size, bytes, size);
    packet->size += size;
}

static void add_be16(struct packet *packet, unsigned value)
{
    add(packet, (uint8_t[]){(uint8_t)(value >> 8), (uint8_t)value}, 2);
}

/* IPv4 and UDP from 10.0.0.7:4000 to the group; `options` words of IP options. */
static void add_ip(struct packet *packet, const char *text, unsigned port, unsigned fragment,
                   size_t options)
{
    size_t header = 20 + 4 * options, size = strlen(text);

    add(packet, (uint8_t[]){(uint8_t)(0x40 | header / 4), 0}, 2);
    add_be16(packet, (unsigned)(header + 8 + size));
    add_be16(packet, 1);
    add_be16(packet, fragment);
    add(packet, (uint8_t[]){1, 17, 0, 0, 10, 0, 0, 7}, 8);
    add(packet, group.ip, 4);
    for (size_t i = 0; i < options; i++) {
        add(packet, (uint8_t[]){1, 1, 1, 1}, 4);
    }
    add_be16(packet, 4000);
    add_be16(packet, port);
    add_be16(packet, (unsigned)(8 + size));
    add_be16(packet, 0);
    add(packet, text, size);
}

static struct packet plain(const char *text)
{
    struct packet packet = {.size = 0};

    add_ip(&packet, text, group.port, 0, 0);
    return packet;
}

static void put_raw(uint32_t seconds, uint32_t us, const char *text)
{
    struct packet packet = plain(text);

    put_packet(seconds, us, packet.bytes, packet.size, packet.size);
}

/* A packet under a link's header, whose type field says `type`; then `rest`, then IP. */
static void put_linked(uint32_t link, unsigned type, const void *rest, size_t rest_size,
                       const char *text)
{
    struct packet packet = {.size = 0};
    static const uint8_t zeros[20];

    if (link == LINK_ETHERNET) {
        add(&packet, zeros, 12);
        add_be16(&packet, type);
    } else if (link == LINK_COOKED) {
        add(&packet, zeros, 14);
        add_be16(&packet, type);
    } else {
        add_be16(&packet, type);
        add(&packet, zeros, 18);
    }
    add(&packet, rest, rest_size);
    add_ip(&packet, text, group.port, 0, 0);
    put_packet(1796018523, 0, packet.bytes, packet.size, packet.size);
}

/* ---- reading */

static struct yk_capture_reader *reader;
static struct yk_captured got;

static void open_file(void)
{
    reader = yk_capture_open(files_write("c.pcap", file, used, 0600), group, &why);
    ck_assert_msg(reader != NULL, "%s", why.text);
}

static void expect(const char *text)
{
    ck_assert_int_eq(yk_capture_next(reader, &got, &why), YK_CAPTURE_DATAGRAM);
    ck_assert_uint_eq(got.datagram.bytes.size, strlen(text));
    ck_assert_mem_eq(got.datagram.bytes.data, text, strlen(text));
}

static void expect_end(void)
{
    ck_assert_int_eq(yk_capture_next(reader, &got, &why), YK_CAPTURE_END);
    yk_capture_close(reader);
}

static void expect_broken(const char *word)
{
    ck_assert_int_eq(yk_capture_next(reader, &got, &why), YK_CAPTURE_BROKEN);
    ck_assert_msg(strstr(why.text, word) != NULL && strchr(why.text, ';') != NULL, "%s", why.text);
    ck_assert_int_eq(why.exit, YK_EXIT_CONFIG);
    yk_capture_close(reader);
}

static void expect_not_opened(const char *path, const char *word)
{
    ck_assert_ptr_null(yk_capture_open(path, group, &why));
    ck_assert_msg(strstr(why.text, word) != NULL && strchr(why.text, ';') != NULL, "%s", why.text);
    ck_assert_int_eq(why.exit, YK_EXIT_CONFIG);
}

START_TEST(what_is_written_is_read_back)
{
    static uint8_t big[YK_FRAME_MAX + 1];
    const char *path = files_path("w.pcap");
    struct yk_datagram small = {yk_slice_of("{}"), {{10, 1, 2, 3}, 4567}};
    struct yk_datagram empty = {{NULL, 0}, {{10, 1, 2, 3}, 1}};
    struct yk_datagram large = {{big, sizeof big}, {{10, 1, 2, 4}, 65535}};
    struct yk_capture_writer *writer = yk_capture_create(path, group, &why);
    struct stat status;

    ck_assert_ptr_nonnull(writer);
    yk_capture_add(writer, &small, WALL + 1);
    yk_capture_add(writer, &empty, WALL + 2);
    yk_capture_add(writer, &large, WALL + 3);
    ck_assert_uint_eq(yk_capture_written(writer), 3);
    ck_assert(yk_capture_finish(writer, &why));
    ck_assert_int_eq(stat(path, &status), 0);
    ck_assert_uint_eq(status.st_mode & 0777, 0600);

    reader = yk_capture_open(path, group, &why);
    ck_assert_ptr_nonnull(reader);
    expect("{}");
    ck_assert_mem_eq(got.datagram.from.ip, small.from.ip, 4);
    ck_assert_uint_eq(got.datagram.from.port, 4567);
    ck_assert_int_eq(got.wall.unix_ns, WALL + 1);
    ck_assert(got.stepped);
    expect("");
    ck_assert_int_eq(yk_capture_next(reader, &got, &why), YK_CAPTURE_DATAGRAM);
    ck_assert_uint_eq(got.datagram.bytes.size, sizeof big);
    ck_assert_uint_eq(got.now - got.wall.at, 2);
    expect_end();
}
END_TEST

/* One's complement sum over a header with its checksum is 0xffff (RFC 791). */
START_TEST(written_ip_headers_have_their_checksum)
{
    struct yk_capture_writer *writer = yk_capture_create(files_path("w.pcap"), group, &why);
    struct yk_datagram datagram = {yk_slice_of("{}"), {{255, 254, 253, 252}, 4567}};
    uint8_t content[256];
    unsigned sum = 0;

    yk_capture_add(writer, &datagram, WALL);
    ck_assert(yk_capture_finish(writer, &why));
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

    ck_assert_ptr_null(yk_capture_create(path, group, &why));
    ck_assert_int_eq(why.exit, YK_EXIT_CANNOT_MAKE);
    ck_assert_ptr_nonnull(strstr(why.text, "is there already"));
    ck_assert_uint_eq(files_read("old.pcap", content, sizeof content), strlen("precious"));
    ck_assert_ptr_null(yk_capture_create("/nowhere/c.pcap", group, &why));
    ck_assert_int_eq(why.exit, YK_EXIT_CANNOT_MAKE);
}
END_TEST

START_TEST(an_abandoned_file_is_removed_if_it_was_made)
{
    struct yk_capture_writer *writer = yk_capture_create(files_path("w.pcap"), group, &why);
    struct stat status;

    ck_assert_ptr_nonnull(writer);
    yk_capture_abandon(writer);
    ck_assert_int_ne(stat(files_path("w.pcap"), &status), 0);
    writer = yk_capture_create("/dev/null", group, &why);
    ck_assert_ptr_nonnull(writer);
    yk_capture_abandon(writer);
    ck_assert_int_eq(stat("/dev/null", &status), 0);
}
END_TEST

START_TEST(a_full_disk_is_said_once_it_is_full)
{
    struct yk_capture_writer *writer = yk_capture_create("/dev/full", group, &why);
    struct yk_datagram datagram = {yk_slice_of("{}"), {{10, 1, 2, 3}, 4567}};

    ck_assert_ptr_nonnull(writer);
    yk_capture_add(writer, &datagram, WALL);
    ck_assert(!yk_capture_flush(writer, &why));
    ck_assert_int_eq(why.exit, YK_EXIT_CANNOT_MAKE);
    ck_assert_ptr_nonnull(strstr(why.text, "No space left"));
    yk_capture_add(writer, &datagram, WALL);
    ck_assert(!yk_capture_finish(writer, &why));
}
END_TEST

START_TEST(ethernet_and_cooked_captures_are_read)
{
    static const uint32_t links[] = {LINK_ETHERNET, LINK_COOKED, LINK_COOKED_V2};

    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        begin_pcap(links[i]);
        put_linked(links[i], 0x0800, "", 0, "one");
        put_linked(links[i], 0x0806, "", 0, "no IPv4 by its type");
        put_linked(links[i], 0x8100, "\x00\x05\x08\x00", 4, "tagged");
        put_linked(links[i], 0x88a8, "\x00\x05\x81\x00\x00\x06\x08\x00", 8, "twice");
        put_packet(1796018523, 0, "\x08\x00", 2, 2);
        open_file();
        expect("one");
        expect("tagged");
        expect("twice");
        expect_end();
    }
}
END_TEST

START_TEST(endless_vlan_tags_are_no_datagram)
{
    uint8_t tags[200];

    for (size_t i = 0; i < sizeof tags; i += 4) {
        memcpy(tags + i, "\x00\x05\x81\x00", 4);
    }
    begin_pcap(LINK_ETHERNET);
    put_linked(LINK_ETHERNET, 0x8100, tags, sizeof tags, "deep");
    open_file();
    expect_end();
}
END_TEST

START_TEST(only_datagrams_to_the_group_and_port_are_given)
{
    struct packet other = {.size = 0}, mine = plain("unicast"), tcp = plain("tcp");

    add_ip(&other, "port", 9754, 0, 0);
    mine.bytes[16] = 10;
    tcp.bytes[9] = 6;
    begin_pcap(LINK_RAW);
    put_packet(1, 0, other.bytes, other.size, other.size);
    put_packet(1, 0, mine.bytes, mine.size, mine.size);
    put_packet(1, 0, tcp.bytes, tcp.size, tcp.size);
    put_raw(1, 0, "ours");
    open_file();
    expect("ours");
    ck_assert_uint_eq(yk_capture_counts(reader)->packets, 4);
    ck_assert_uint_eq(yk_capture_counts(reader)->datagrams, 1);
    expect_end();
}
END_TEST

START_TEST(ip_options_are_stepped_over)
{
    struct packet packet = {.size = 0};

    add_ip(&packet, "behind options", group.port, 0, 6); /* router alert and more */
    begin_pcap(LINK_RAW);
    put_packet(1, 0, packet.bytes, packet.size, packet.size);
    open_file();
    expect("behind options");
    expect_end();
}
END_TEST

START_TEST(fragments_are_counted_and_skipped)
{
    struct packet head = {.size = 0}, tail = {.size = 0}, unfragmented = {.size = 0};

    add_ip(&head, "more to come", group.port, 0x2000, 0);
    add_ip(&tail, "an offset", group.port, 0x0010, 0);
    add_ip(&unfragmented, "may not be", group.port, 0x4000, 0);
    begin_pcap(LINK_RAW);
    put_packet(1, 0, head.bytes, head.size, head.size);
    put_packet(1, 0, tail.bytes, tail.size, tail.size);
    put_packet(1, 0, unfragmented.bytes, unfragmented.size, unfragmented.size);
    open_file();
    expect("may not be");
    ck_assert_uint_eq(yk_capture_counts(reader)->fragments, 2);
    expect_end();
}
END_TEST

START_TEST(a_datagram_captured_in_part_is_counted_and_skipped)
{
    struct packet packet = plain("cut by the snapshot length");

    begin_pcap(LINK_RAW);
    put_packet(1, 0, packet.bytes, 40, packet.size);
    put_packet(1, 0, packet.bytes, 24, packet.size);
    put_packet(1, 0, packet.bytes, 10, packet.size);
    open_file();
    ck_assert_int_eq(yk_capture_next(reader, &got, &why), YK_CAPTURE_END);
    ck_assert_uint_eq(yk_capture_counts(reader)->cut, 2);
    ck_assert_uint_eq(yk_capture_counts(reader)->packets, 3);
    yk_capture_close(reader);
}
END_TEST

/* Ethernet pads short frames: the datagram's own length counts. */
START_TEST(padding_is_not_part_of_a_datagram)
{
    struct packet packet = plain("{}");

    add(&packet, "\0\0\0\0\0\0", 6);
    begin_pcap(LINK_RAW);
    put_packet(1, 0, packet.bytes, packet.size, packet.size);
    open_file();
    expect("{}");
    expect_end();
}
END_TEST

START_TEST(lengths_that_lie_are_no_datagram)
{
    struct packet udp_short = plain("abc"), udp_long = plain("abc"), ip_short = plain("abc"),
                  version = plain("abc"), header = plain("abc");

    udp_short.bytes[25] = 7;
    udp_long.bytes[25] = 200;
    ip_short.bytes[3] = 19;
    version.bytes[0] = 0x65;
    header.bytes[0] = 0x44;
    begin_pcap(LINK_RAW);
    put_packet(1, 0, udp_short.bytes, udp_short.size, udp_short.size);
    put_packet(1, 0, udp_long.bytes, udp_long.size, udp_long.size);
    put_packet(1, 0, ip_short.bytes, ip_short.size, ip_short.size);
    put_packet(1, 0, version.bytes, version.size, version.size);
    put_packet(1, 0, header.bytes, header.size, header.size);
    open_file();
    expect_end();
}
END_TEST

START_TEST(the_captures_clock_is_the_clock)
{
    begin_pcap(LINK_RAW);
    put_raw(1796018523, 250000, "a");
    put_raw(1796018530, 750000, "b");
    open_file();
    expect("a");
    ck_assert_int_eq(got.wall.unix_ns, WALL + 250 * (int64_t)YK_MS);
    ck_assert_uint_eq(got.wall.at, got.now);
    ck_assert(got.stepped);
    {
        yk_time first = got.now;

        expect("b");
        ck_assert_uint_eq(got.now - first, 7500 * YK_MS);
        ck_assert(!got.stepped);
    }
    expect_end();
}
END_TEST

START_TEST(time_never_goes_back_and_a_step_is_told)
{
    yk_time then;

    begin_pcap(LINK_RAW);
    put_raw(5000, 0, "a");
    put_raw(4999, 999000, "another interface");
    put_raw(3000, 0, "set back");
    put_raw(3001, 0, "and on");
    open_file();
    expect("a");
    then = got.now;
    expect("another interface");
    ck_assert_uint_eq(got.now, then);
    ck_assert(!got.stepped);
    expect("set back");
    ck_assert_uint_eq(got.now, then);
    ck_assert(got.stepped);
    ck_assert_int_eq(got.wall.unix_ns, 3000 * (int64_t)YK_SECOND);
    expect("and on");
    ck_assert_uint_eq(got.now - then, YK_SECOND);
    expect_end();
}
END_TEST

/* pcapng counts 64 bits; a file may claim any of them. */
START_TEST(no_time_in_a_file_overflows_ours)
{
    static const uint32_t highs[] = {0x000662e4, 0xffffffff, 0x7fffffff, 0, 0xffffffff, 0};

    used = 0;
    put_u32(0x0a0d0d0a); /* section header */
    put_u32(28);
    put_u32(0x1a2b3c4d);
    put_u16(1);
    put_u16(0);
    put_u32(0xffffffff);
    put_u32(0xffffffff);
    put_u32(28);
    put_u32(1); /* interface description */
    put_u32(20);
    put_u16(LINK_RAW);
    put_u16(0);
    put_u32(0);
    put_u32(20);
    for (size_t i = 0; i < sizeof highs / sizeof highs[0]; i++) {
        struct packet packet = plain("abcd");

        put_u32(6); /* enhanced packet */
        put_u32((uint32_t)(32 + packet.size));
        put_u32(0);
        put_u32(highs[i]);
        put_u32(0x12345678);
        put_u32((uint32_t)packet.size);
        put_u32((uint32_t)packet.size);
        put(packet.bytes, packet.size);
        put_u32((uint32_t)(32 + packet.size));
    }
    open_file();
    {
        yk_time last = 0;

        for (size_t i = 0; i < sizeof highs / sizeof highs[0]; i++) {
            expect("abcd");
            ck_assert_uint_ge(got.now, last);
            ck_assert_uint_le(got.now, INT64_MAX);
            ck_assert_int_ge(got.wall.unix_ns, 0);
            last = got.now;
        }
    }
    expect_end();
}
END_TEST

START_TEST(no_part_of_a_second_is_negative_or_more_than_one)
{
    begin_pcap(LINK_RAW);
    put_raw(0, UINT32_MAX, "a");
    put_raw(0, 5000000, "b");
    open_file();
    expect("a");
    ck_assert_int_ge(got.wall.unix_ns, 0);
    ck_assert_int_lt(got.wall.unix_ns, (int64_t)YK_SECOND);
    expect("b");
    ck_assert_uint_lt(got.now, 3 * YK_SECOND);
    expect_end();
}
END_TEST

START_TEST(of_a_truncated_file_what_could_be_read_is_given)
{
    size_t whole;

    begin_pcap(LINK_RAW);
    put_raw(1, 0, "first");
    whole = used;
    put_raw(2, 0, "second");
    for (size_t size = whole + 1; size < used; size++) {
        reader = yk_capture_open(files_write("c.pcap", file, size, 0600), group, &why);
        ck_assert_ptr_nonnull(reader);
        expect("first");
        expect_broken("broken behind packet 1");
    }
}
END_TEST

START_TEST(a_packet_of_absurd_size_is_an_error)
{
    begin_pcap(LINK_RAW);
    put_raw(1, 0, "first");
    put_u32(1);
    put_u32(0);
    put_u32(0x7fffffff);
    put_u32(0x7fffffff);
    put("rest", 4);
    open_file();
    expect("first");
    expect_broken("broken behind packet 1");
}
END_TEST

START_TEST(what_is_no_capture_is_refused)
{
    expect_not_opened("/nowhere/c.pcap", "/nowhere/c.pcap");
    expect_not_opened(files_text("text", "Dear diary, today I captured nothing at all."), "text");
    expect_not_opened(files_text("empty", ""), "empty");
    begin_pcap(LINK_RAW);
    expect_not_opened(files_write("short", file, 10, 0600), "short");
    begin_pcap(105); /* 802.11 */
    expect_not_opened(files_write("radio", file, used, 0600), "link type");
}
END_TEST

/* However long a capture is, one packet at a time is held. */
START_TEST(an_enormous_file_takes_no_memory)
{
    struct rusage before, after;
    unsigned count = 0;
    FILE *out = fopen(files_path("big.pcap"), "wb");

    begin_pcap(LINK_RAW);
    fwrite(file, 1, used, out);
    used = 0;
    for (int i = 0; i < 20000; i++) {
        put_raw((uint32_t)i, 0, "one of very many, with a text of some length in it");
    }
    for (int i = 0; i < 20; i++) { /* 37 MiB */
        ck_assert_uint_eq(fwrite(file, 1, used, out), used);
    }
    ck_assert_int_eq(fclose(out), 0);
    getrusage(RUSAGE_SELF, &before);
    reader = yk_capture_open(files_path("big.pcap"), group, &why);
    while (yk_capture_next(reader, &got, &why) == YK_CAPTURE_DATAGRAM) {
        count++;
    }
    getrusage(RUSAGE_SELF, &after);
    ck_assert_uint_eq(count, 20 * 20000);
    ck_assert_int_lt(after.ru_maxrss - before.ru_maxrss, 4096); /* KiB */
    yk_capture_close(reader);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {what_is_written_is_read_back,
                                  written_ip_headers_have_their_checksum,
                                  nobodys_capture_is_overwritten,
                                  an_abandoned_file_is_removed_if_it_was_made,
                                  a_full_disk_is_said_once_it_is_full,
                                  ethernet_and_cooked_captures_are_read,
                                  endless_vlan_tags_are_no_datagram,
                                  only_datagrams_to_the_group_and_port_are_given,
                                  ip_options_are_stepped_over,
                                  fragments_are_counted_and_skipped,
                                  a_datagram_captured_in_part_is_counted_and_skipped,
                                  padding_is_not_part_of_a_datagram,
                                  lengths_that_lie_are_no_datagram,
                                  the_captures_clock_is_the_clock,
                                  time_never_goes_back_and_a_step_is_told,
                                  no_time_in_a_file_overflows_ours,
                                  no_part_of_a_second_is_negative_or_more_than_one,
                                  of_a_truncated_file_what_could_be_read_is_given,
                                  a_packet_of_absurd_size_is_an_error,
                                  what_is_no_capture_is_refused,
                                  an_enormous_file_takes_no_memory,
                                  NULL};

    return suite_main("capture", tests);
}
