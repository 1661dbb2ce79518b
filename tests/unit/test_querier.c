/* Which packets are IGMP queries, and of which version. */
#include "shell/querier.h"

#include <string.h>

#include "lib/suite.h"

static uint8_t packet[64];

/* An IPv4 header of so many bytes and behind it a message of IGMP. */
static int version_of(size_t head, const char *message, size_t size)
{
    memset(packet, 0, sizeof packet);
    packet[0] = (uint8_t)(0x40 | head / 4);
    memcpy(packet + head, message, size);
    return yk_querier_version(packet, head + size);
}

START_TEST(queries_of_each_version_are_told_apart)
{
    ck_assert_int_eq(version_of(20, "\x11\0\xee\xff\0\0\0", 8), 1);
    ck_assert_int_eq(version_of(20, "\x11\x64\xee\x9b\0\0\0", 8), 2);
    ck_assert_int_eq(version_of(24, "\x11\x64\xec\x1e\0\0\0\0\x02\x7d\0", 12), 3);
    ck_assert_int_eq(version_of(24, "\x11\0\xec\x1e\0\0\0\0\x02\x7d\0", 12), 3);
}
END_TEST

START_TEST(what_is_no_query_is_none)
{
    ck_assert_int_eq(version_of(20, "\x16\0\xee\xff\xef\1\1\1", 8), 0); /* a report */
    ck_assert_int_eq(version_of(20, "\x11\0\xee\xff\0\0", 7), 0);
    ck_assert_int_eq(version_of(20, "", 0), 0);
    ck_assert_int_eq(version_of(4, "\x11\0\xee\xff\0\0\0", 8), 0);
    ck_assert_int_eq(yk_querier_version(packet, 0), 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        queries_of_each_version_are_told_apart,
        what_is_no_query_is_none,
        NULL,
    };

    return suite_main("querier", tests);
}
