#include "drivers/igmp/media.h"

#include <arpa/inet.h>
#include <string.h>

#include "lib/suite.h"

static const uint8_t control[4] = {239, 121, 111, 107};

/* The refusal of announced media, and of the same media when configured: they must agree. */
static const char *refusal(const char *text)
{
    static struct yk_refusal announced;
    struct yk_refusal configured;
    struct yk_igmp_media media;
    json_t *json = json_loads(text, 0, NULL);

    ck_assert_ptr_nonnull(json);
    ck_assert(!yk_igmp_media_read(&media, yk_slice_of(text), control, &announced));
    ck_assert(!yk_igmp_media_check(json, control, &configured));
    ck_assert_str_eq(announced.text, configured.text);
    ck_assert_int_eq(configured.exit, YK_EXIT_CONFIG);
    json_decref(json);
    return announced.text;
}

static bool is_taken(const char *text, struct yk_igmp_media *media)
{
    struct yk_refusal why;

    return yk_igmp_media_read(media, yk_slice_of(text), control, &why);
}

START_TEST(group_and_port_are_read)
{
    struct yk_igmp_media media;

    ck_assert(is_taken("{\"group\":\"239.10.0.5\",\"port\":5004}", &media));
    ck_assert_uint_eq(ntohl(media.group.s_addr), 0xef0a0005);
    ck_assert_uint_eq(media.port, 5004);
    ck_assert_str_eq(media.text, "239.10.0.5:5004");
}
END_TEST

START_TEST(members_with_other_names_are_ignored)
{
    struct yk_igmp_media media;

    ck_assert(is_taken("{\"a\":[{\"group\":1},29.97],\"group\":\"239.1.2.3\",\"port\":1,"
                       "\"x\":123456789012345678901234567890}",
                       &media));
    ck_assert_str_eq(media.text, "239.1.2.3:1");
}
END_TEST

START_TEST(a_group_that_is_not_multicast_is_refused)
{
    static const char *const groups[] = {"10.0.0.5", "223.255.255.255", "240.0.0.0", "0.0.0.0",
                                         "255.255.255.255"};
    char text[128], wanted[64];

    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        snprintf(text, sizeof text, "{\"group\":\"%s\",\"port\":5004}", groups[i]);
        snprintf(wanted, sizeof wanted, "media.group: \"%s\" is not a multicast address",
                 groups[i]);
        ck_assert_ptr_nonnull(strstr(refusal(text), wanted));
    }
}
END_TEST

START_TEST(a_link_local_group_is_refused)
{
    struct yk_igmp_media media;

    ck_assert_ptr_nonnull(strstr(refusal("{\"group\":\"224.0.0.0\",\"port\":5004}"), "224.0.0.0"));
    ck_assert_ptr_nonnull(
        strstr(refusal("{\"group\":\"224.0.0.255\",\"port\":5004}"), "224.0.0.0/24"));
    ck_assert(is_taken("{\"group\":\"224.0.1.0\",\"port\":5004}", &media));
}
END_TEST

START_TEST(the_control_group_is_refused)
{
    ck_assert_ptr_nonnull(
        strstr(refusal("{\"group\":\"239.121.111.107\",\"port\":5004}"), "the control group"));
}
END_TEST

START_TEST(what_is_no_address_is_refused)
{
    static const char *const groups[] = {
        "\"\"", "\"239.1.1\"", "\"239.01.1.1\"", "\"239.1.1.1 \"", "\"239.1.1.1.1\"", "\"ff02::1\"",
        "null", "239",         "[\"239.1.1.1\"]"};
    char text[128];

    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        snprintf(text, sizeof text, "{\"group\":%s,\"port\":5004}", groups[i]);
        ck_assert_ptr_nonnull(strstr(refusal(text), "is not an IPv4 address"));
        ck_assert_ptr_nonnull(strstr(refusal(text), groups[i]));
    }
}
END_TEST

START_TEST(what_is_no_port_is_refused)
{
    static const char *const ports[] = {"0",    "65536", "-1",   "\"5004\"",
                                        "true", "null",  "29.5", "99999999999999999"};
    struct yk_igmp_media media;
    char text[128];

    for (size_t i = 0; i < sizeof ports / sizeof ports[0]; i++) {
        snprintf(text, sizeof text, "{\"group\":\"239.1.1.1\",\"port\":%s}", ports[i]);
        ck_assert_ptr_nonnull(strstr(refusal(text), ports[i]));
    }
    ck_assert(is_taken("{\"group\":\"239.1.1.1\",\"port\":65535}", &media));
    ck_assert(!is_taken("{\"group\":\"239.1.1.1\",\"port\":5004.0}", &media));
}
END_TEST

START_TEST(what_is_missing_is_named)
{
    ck_assert_ptr_nonnull(strstr(refusal("{\"port\":5004}"), "media.group: missing"));
    ck_assert_ptr_nonnull(strstr(refusal("{\"group\":\"239.1.1.1\"}"), "media.port: missing"));
    ck_assert_ptr_nonnull(strstr(refusal("{}"), "media.group: missing"));
    ck_assert_ptr_nonnull(strstr(refusal("[]"), "media: no object"));
}
END_TEST

START_TEST(no_media_at_all_is_refused)
{
    struct yk_igmp_media media;
    struct yk_refusal why;
    json_t *null = json_null();

    ck_assert(!yk_igmp_media_read(&media, (struct yk_slice){NULL, 0}, control, &why));
    ck_assert(!yk_igmp_media_read(&media, yk_slice_of("{\"group\":"), control, &why));
    ck_assert(!yk_igmp_media_check(null, control, &why));
}
END_TEST

START_TEST(a_refused_value_cannot_carry_terminal_controls)
{
    struct yk_igmp_media media;
    struct yk_refusal why;

    ck_assert(!yk_igmp_media_read(&media,
                                  yk_slice_of("{\"group\":\"\xc2\x9b"
                                              "2J\x7f\xe2\x80\xae\",\"port\":1}"),
                                  control, &why));
    ck_assert_ptr_null(strpbrk(why.text, "\x7f\x9b"));
    ck_assert_ptr_null(strstr(why.text, "\xe2\x80\xae"));
}
END_TEST

START_TEST(a_long_value_is_cut_and_stays_refused)
{
    struct yk_igmp_media media;
    struct yk_refusal why;
    char text[YK_FRAME_MAX];
    char digits[901];

    memset(digits, '1', 900);
    digits[900] = 0;
    snprintf(text, sizeof text, "{\"group\":\"239.1.1.1\",\"port\":%s}", digits);
    ck_assert(!yk_igmp_media_read(&media, yk_slice_of(text), control, &why));
    ck_assert_uint_lt(strlen(why.text), 200);
    snprintf(text, sizeof text, "{\"group\":\"239.1.1.1%s\",\"port\":1}", digits);
    ck_assert(!yk_igmp_media_read(&media, yk_slice_of(text), control, &why));
    ck_assert_uint_lt(strlen(why.text), 200);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        group_and_port_are_read,
        members_with_other_names_are_ignored,
        a_group_that_is_not_multicast_is_refused,
        a_link_local_group_is_refused,
        the_control_group_is_refused,
        what_is_no_address_is_refused,
        what_is_no_port_is_refused,
        what_is_missing_is_named,
        no_media_at_all_is_refused,
        a_refused_value_cannot_carry_terminal_controls,
        a_long_value_is_cut_and_stays_refused,
        NULL,
    };

    return suite_main("igmp media", tests);
}
