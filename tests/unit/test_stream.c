#include <string.h>

#include "lib/suite.h"
#include "snooper/stream.h"

static const uint8_t control[4] = {239, 121, 111, 107};

static enum yk_stream_media read_media(const char *text, struct yk_stream_target *target)
{
    return yk_stream_target_read(target, yk_slice_of(text), control);
}

static void expect_group(const char *text, uint8_t last, uint16_t port)
{
    struct yk_stream_target target;
    const uint8_t group[4] = {239, 10, 0, last};

    ck_assert_msg(read_media(text, &target) == YK_STREAM_GROUP, "%s", text);
    ck_assert_msg(memcmp(target.group, group, 4) == 0 && target.port == port, "%s", text);
}

static void expect(const char *text, enum yk_stream_media media)
{
    struct yk_stream_target target;

    ck_assert_msg(read_media(text, &target) == media, "%s", text);
}

START_TEST(media_of_igmp_names_group_and_port)
{
    expect_group("{\"group\":\"239.10.0.5\",\"port\":5004}", 5, 5004);
    expect_group("{\"group\":\"239.10.0.6\",\"port\":65535,\"x\":[1]}", 6, 65535);
}
END_TEST

START_TEST(media_of_jap_names_a_group_whatever_the_port)
{
    expect_group("{\"channel\":7,\"group\":\"239.10.0.7\"}", 7, 0);
}
END_TEST

START_TEST(other_media_has_no_group)
{
    expect("", YK_STREAM_NO_GROUP);
    expect("{}", YK_STREAM_NO_GROUP);
    expect("{\"busids\":[\"1-1\"],\"host\":\"10.0.0.1\",\"port\":3240}", YK_STREAM_NO_GROUP);
}
END_TEST

START_TEST(what_nobody_should_join_is_unfit)
{
    expect("{\"group\":\"10.0.0.1\",\"port\":5004}", YK_STREAM_UNFIT);
    expect("{\"group\":\"240.0.0.1\",\"port\":5004}", YK_STREAM_UNFIT);
    expect("{\"group\":\"224.0.0.251\",\"port\":5004}", YK_STREAM_UNFIT);
    expect("{\"group\":\"239.121.111.107\",\"port\":5004}", YK_STREAM_UNFIT);
    expect("{\"group\":\"239.10.0.5 \",\"port\":5004}", YK_STREAM_UNFIT);
    expect("{\"group\":\"239.10.0.5.239.10.0.5\",\"port\":5004}", YK_STREAM_UNFIT);
    expect("{\"group\":7,\"port\":5004}", YK_STREAM_UNFIT);
}
END_TEST

START_TEST(a_port_must_be_one)
{
    expect("{\"group\":\"239.10.0.5\"}", YK_STREAM_UNFIT);
    expect("{\"group\":\"239.10.0.5\",\"port\":0}", YK_STREAM_UNFIT);
    expect("{\"group\":\"239.10.0.5\",\"port\":65536}", YK_STREAM_UNFIT);
    expect("{\"group\":\"239.10.0.5\",\"port\":\"5004\"}", YK_STREAM_UNFIT);
    expect("{\"channel\":7,\"group\":\"239.10.0.5\",\"port\":-1}", YK_STREAM_UNFIT);
}
END_TEST

/* One packet of 1000 bytes. */
static enum yk_meter_change packet(struct yk_meter *meter, yk_time now, yk_time *gap)
{
    return yk_meter_count(meter, 1, 1000, now, gap);
}

START_TEST(before_the_first_packet_there_is_no_gap)
{
    struct yk_meter meter = {.packets = 0};
    yk_time gap;

    ck_assert(yk_meter_deadline(&meter) == YK_TIME_NEVER);
    ck_assert_int_eq(yk_meter_pass(&meter, YK_HOUR), YK_METER_SAME);
    ck_assert_int_eq(packet(&meter, YK_HOUR, &gap), YK_METER_STARTED);
    ck_assert_uint_eq(meter.gaps, 0);
    ck_assert_uint_eq(yk_meter_longest(&meter, YK_HOUR), 0);
}
END_TEST

START_TEST(silence_longer_than_the_stated_time_is_a_gap_and_as_long_is_none)
{
    struct yk_meter meter = {.packets = 0};
    yk_time gap, now = YK_SECOND;

    packet(&meter, now, &gap);
    ck_assert_int_eq(packet(&meter, now += YK_STREAM_GAP, &gap), YK_METER_SAME);
    ck_assert_int_eq(yk_meter_pass(&meter, now + YK_STREAM_GAP), YK_METER_SAME);
    ck_assert(yk_meter_deadline(&meter) == now + YK_STREAM_GAP + 1);
    ck_assert_int_eq(yk_meter_pass(&meter, now + YK_STREAM_GAP + 1), YK_METER_SILENT);
    ck_assert_int_eq(yk_meter_pass(&meter, now + YK_HOUR), YK_METER_SAME);
    ck_assert_uint_eq(yk_meter_longest(&meter, now + YK_SECOND), YK_SECOND);
    ck_assert_int_eq(packet(&meter, now + 3 * YK_SECOND, &gap), YK_METER_RESUMED);
    ck_assert_uint_eq(gap, 3 * YK_SECOND);
    ck_assert_uint_eq(meter.gaps, 1);
    ck_assert_uint_eq(yk_meter_longest(&meter, now + 3 * YK_SECOND), 3 * YK_SECOND);
}
END_TEST

START_TEST(a_gap_that_nobody_saw_begin_counts_once)
{
    struct yk_meter meter = {.packets = 0};
    yk_time gap;

    packet(&meter, YK_SECOND, &gap);
    ck_assert_int_eq(packet(&meter, 2 * YK_SECOND, &gap), YK_METER_RESUMED);
    ck_assert_uint_eq(meter.gaps, 1);
    ck_assert_int_eq(packet(&meter, 2 * YK_SECOND + 1, &gap), YK_METER_SAME);
}
END_TEST

START_TEST(reading_nothing_is_no_packet)
{
    struct yk_meter meter = {.packets = 0};
    yk_time gap;

    ck_assert_int_eq(yk_meter_count(&meter, 0, 0, YK_SECOND, &gap), YK_METER_SAME);
    ck_assert_uint_eq(meter.last, 0);
}
END_TEST

START_TEST(rates_are_of_the_time_since_they_were_last_taken)
{
    struct yk_meter meter = {.window_since = YK_SECOND};
    struct yk_meter_rates rates;
    yk_time gap;

    yk_meter_count(&meter, 500, 625000, 2 * YK_SECOND, &gap);
    rates = yk_meter_take_rates(&meter, 3 * YK_SECOND);
    ck_assert_uint_eq(rates.packets, 250);
    ck_assert_uint_eq(rates.bits, 2500000);
    rates = yk_meter_take_rates(&meter, 4 * YK_SECOND);
    ck_assert_uint_eq(rates.packets + rates.bits, 0);
    rates = yk_meter_take_rates(&meter, 4 * YK_SECOND);
    ck_assert_uint_eq(rates.packets + rates.bits, 0);
    ck_assert_uint_eq(meter.packets, 500);
    ck_assert_uint_eq(meter.bytes, 625000);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        media_of_igmp_names_group_and_port,
        media_of_jap_names_a_group_whatever_the_port,
        other_media_has_no_group,
        what_nobody_should_join_is_unfit,
        a_port_must_be_one,
        before_the_first_packet_there_is_no_gap,
        silence_longer_than_the_stated_time_is_a_gap_and_as_long_is_none,
        a_gap_that_nobody_saw_begin_counts_once,
        reading_nothing_is_no_packet,
        rates_are_of_the_time_since_they_were_last_taken,
        NULL,
    };

    return suite_main("stream", tests);
}
