/* What is a datagram to the group among the packets that others captured. */
#include <string.h>

#include "capture_rig.h"
#include "lib/suite.h"

/* A packet under a link's header, whose type field says `type`; then `rest`, then IP. */
static void put_linked(uint32_t link, unsigned type, const void *rest, size_t rest_size,
                       const char *text)
{
    struct capture_packet packet = {.size = 0};
    static const uint8_t zeros[20];

    if (link == CAPTURE_LINK_ETHERNET) {
        capture_add(&packet, zeros, 12);
        capture_add_be16(&packet, type);
    } else if (link == CAPTURE_LINK_COOKED) {
        capture_add(&packet, zeros, 14);
        capture_add_be16(&packet, type);
    } else {
        capture_add_be16(&packet, type);
        capture_add(&packet, zeros, 18);
    }
    capture_add(&packet, rest, rest_size);
    capture_add_ip(&packet, text, capture_group.port, 0, 0);
    capture_put_packet(1796018523, 0, packet.bytes, packet.size, packet.size);
}

START_TEST(ethernet_and_cooked_captures_are_read)
{
    static const uint32_t links[] = {CAPTURE_LINK_ETHERNET, CAPTURE_LINK_COOKED,
                                     CAPTURE_LINK_COOKED_V2};

    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        capture_begin(links[i]);
        put_linked(links[i], 0x0800, "", 0, "one");
        put_linked(links[i], 0x0806, "", 0, "no IPv4 by its type");
        put_linked(links[i], 0x8100, "\x00\x05\x08\x00", 4, "tagged");
        put_linked(links[i], 0x88a8, "\x00\x05\x81\x00\x00\x06\x08\x00", 8, "twice");
        capture_put_packet(1796018523, 0, "\x08\x00", 2, 2);
        capture_open_file();
        capture_expect("one");
        capture_expect("tagged");
        capture_expect("twice");
        capture_expect_end();
    }
}
END_TEST

START_TEST(endless_vlan_tags_are_no_datagram)
{
    uint8_t tags[200];

    for (size_t i = 0; i < sizeof tags; i += 4) {
        memcpy(tags + i, "\x00\x05\x81\x00", 4);
    }
    capture_begin(CAPTURE_LINK_ETHERNET);
    put_linked(CAPTURE_LINK_ETHERNET, 0x8100, tags, sizeof tags, "deep");
    capture_open_file();
    capture_expect_end();
}
END_TEST

START_TEST(only_datagrams_to_the_group_and_port_are_given)
{
    struct capture_packet other = {.size = 0}, mine = capture_plain("unicast"),
                          tcp = capture_plain("tcp");

    capture_add_ip(&other, "port", 9754, 0, 0);
    mine.bytes[16] = 10;
    tcp.bytes[9] = 6;
    capture_begin(CAPTURE_LINK_RAW);
    capture_put_packet(1, 0, other.bytes, other.size, other.size);
    capture_put_packet(1, 0, mine.bytes, mine.size, mine.size);
    capture_put_packet(1, 0, tcp.bytes, tcp.size, tcp.size);
    capture_put_raw(1, 0, "ours");
    capture_open_file();
    capture_expect("ours");
    ck_assert_uint_eq(yk_capture_counts(capture.reader)->packets, 4);
    ck_assert_uint_eq(yk_capture_counts(capture.reader)->datagrams, 1);
    capture_expect_end();
}
END_TEST

START_TEST(ip_options_are_stepped_over)
{
    struct capture_packet packet = {.size = 0};

    capture_add_ip(&packet, "behind options", capture_group.port, 0, 6); /* router alert and more */
    capture_begin(CAPTURE_LINK_RAW);
    capture_put_packet(1, 0, packet.bytes, packet.size, packet.size);
    capture_open_file();
    capture_expect("behind options");
    capture_expect_end();
}
END_TEST

START_TEST(fragments_are_counted_and_skipped)
{
    struct capture_packet head = {.size = 0}, tail = {.size = 0}, unfragmented = {.size = 0};

    capture_add_ip(&head, "more to come", capture_group.port, 0x2000, 0);
    capture_add_ip(&tail, "an offset", capture_group.port, 0x0010, 0);
    capture_add_ip(&unfragmented, "may not be", capture_group.port, 0x4000, 0);
    capture_begin(CAPTURE_LINK_RAW);
    capture_put_packet(1, 0, head.bytes, head.size, head.size);
    capture_put_packet(1, 0, tail.bytes, tail.size, tail.size);
    capture_put_packet(1, 0, unfragmented.bytes, unfragmented.size, unfragmented.size);
    capture_open_file();
    capture_expect("may not be");
    ck_assert_uint_eq(yk_capture_counts(capture.reader)->fragments, 2);
    capture_expect_end();
}
END_TEST

START_TEST(a_datagram_captured_in_part_is_counted_and_skipped)
{
    struct capture_packet packet = capture_plain("cut by the snapshot length");

    capture_begin(CAPTURE_LINK_RAW);
    capture_put_packet(1, 0, packet.bytes, 40, packet.size);
    capture_put_packet(1, 0, packet.bytes, 24, packet.size);
    capture_put_packet(1, 0, packet.bytes, 10, packet.size);
    capture_open_file();
    ck_assert_int_eq(yk_capture_next(capture.reader, &capture.got, &capture.why), YK_CAPTURE_END);
    ck_assert_uint_eq(yk_capture_counts(capture.reader)->cut, 2);
    ck_assert_uint_eq(yk_capture_counts(capture.reader)->packets, 3);
    yk_capture_close(capture.reader);
}
END_TEST

/* Ethernet pads short frames: the datagram's own length counts. */
START_TEST(padding_is_not_part_of_a_datagram)
{
    struct capture_packet packet = capture_plain("{}");

    capture_add(&packet, "\0\0\0\0\0\0", 6);
    capture_begin(CAPTURE_LINK_RAW);
    capture_put_packet(1, 0, packet.bytes, packet.size, packet.size);
    capture_open_file();
    capture_expect("{}");
    capture_expect_end();
}
END_TEST

START_TEST(lengths_that_lie_are_no_datagram)
{
    struct capture_packet udp_short = capture_plain("abc"), udp_long = capture_plain("abc"),
                          ip_short = capture_plain("abc"), version = capture_plain("abc"),
                          header = capture_plain("abc");

    udp_short.bytes[25] = 7;
    udp_long.bytes[25] = 200;
    ip_short.bytes[3] = 19;
    version.bytes[0] = 0x65;
    header.bytes[0] = 0x44;
    capture_begin(CAPTURE_LINK_RAW);
    capture_put_packet(1, 0, udp_short.bytes, udp_short.size, udp_short.size);
    capture_put_packet(1, 0, udp_long.bytes, udp_long.size, udp_long.size);
    capture_put_packet(1, 0, ip_short.bytes, ip_short.size, ip_short.size);
    capture_put_packet(1, 0, version.bytes, version.size, version.size);
    capture_put_packet(1, 0, header.bytes, header.size, header.size);
    capture_open_file();
    capture_expect_end();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        ethernet_and_cooked_captures_are_read,
        endless_vlan_tags_are_no_datagram,
        only_datagrams_to_the_group_and_port_are_given,
        ip_options_are_stepped_over,
        fragments_are_counted_and_skipped,
        a_datagram_captured_in_part_is_counted_and_skipped,
        padding_is_not_part_of_a_datagram,
        lengths_that_lie_are_no_datagram,
        NULL,
    };

    return suite_main("capture_packets", tests);
}
