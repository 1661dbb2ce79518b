#include <string.h>

#include "drivers/jap/firmware.h"
#include "drivers/jap/media.h"
#include "drivers/jap/settings.h"
#include "lib/suite.h"

static const uint8_t control[4] = {239, 92, 50, 50};
static struct yk_refusal why;

/* The refusal of announced media, and of the same media when configured: they must agree. */
static const char *refusal(const char *text)
{
    struct yk_refusal configured;
    struct yk_jap_media media;
    json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);

    ck_assert_ptr_nonnull(json);
    ck_assert_msg(!yk_jap_media_read(&media, yk_slice_of(text), control, &why), "taken: %s", text);
    ck_assert(!yk_jap_media_check(json, control, &configured));
    ck_assert_str_eq(why.text, configured.text);
    json_decref(json);
    return why.text;
}

static void refused(const char *text, const char *with)
{
    ck_assert_msg(strstr(refusal(text), with) != NULL, "no \"%s\" in: %s", with, why.text);
    ck_assert_msg(strchr(why.text, ';') != NULL, "no remedy: %s", why.text);
}

static const char *taken(const char *text)
{
    static struct yk_jap_media media;

    ck_assert_msg(yk_jap_media_read(&media, yk_slice_of(text), control, &why), "%s", why.text);
    return media.text;
}

START_TEST(a_channel_is_two_decimal_digits_an_octet)
{
    static const struct {
        uint8_t group[4];
        int channel;
    } cases[] = {
        {{239, 92, 0, 0}, 0},     {{239, 92, 0, 7}, 7},    {{239, 92, 0, 99}, 99},
        {{239, 92, 1, 0}, 100},   {{239, 92, 1, 44}, 144}, {{239, 92, 10, 0}, 1000},
        {{239, 92, 10, 1}, 1001}, {{225, 2, 30, 1}, 3001}, {{239, 92, 99, 99}, 9999},
        {{239, 92, 0, 100}, -1},  {{239, 92, 100, 0}, -1}, {{239, 92, 255, 255}, -1},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(yk_jap_channel_of(cases[i].group), cases[i].channel);
    }
}
END_TEST

START_TEST(channel_and_group_are_read)
{
    ck_assert_str_eq(taken("{\"channel\":7,\"group\":\"239.92.0.7\"}"), "channel 7 (239.92.0.7)");
    ck_assert_str_eq(taken("{\"channel\":0,\"group\":\"239.92.0.0\"}"), "channel 0 (239.92.0.0)");
    ck_assert_str_eq(taken("{\"a\":[],\"channel\":9999,\"group\":\"225.2.99.99\",\"z\":1}"),
                     "channel 9999 (225.2.99.99)");
}
END_TEST

START_TEST(padded_octets_are_decimal_when_announced_and_refused_when_configured)
{
    json_t *json = json_loads("{\"channel\":108,\"group\":\"239.92.01.08\"}", 0, NULL);

    ck_assert_str_eq(taken("{\"channel\":108,\"group\":\"239.92.01.08\"}"),
                     "channel 108 (239.92.1.8)");
    ck_assert(!yk_jap_media_check(json, control, &why));
    ck_assert_str_eq(why.text, "media.group: \"239.92.01.08\" is padded, which others cannot read; "
                               "write \"239.92.1.8\"");
    json_decref(json);
}
END_TEST

START_TEST(where_the_two_disagree_both_numbers_are_named)
{
    ck_assert_str_eq(refusal("{\"channel\":300,\"group\":\"239.92.1.44\"}"),
                     "media: channel 300 and group \"239.92.1.44\" disagree, for that group is "
                     "channel 144; write the encoder's own");
}
END_TEST

START_TEST(what_is_no_channel_or_group_is_refused_with_its_place)
{
    refused("null", "media: no object");
    refused("[]", "media: no object");
    refused("{\"group\":\"239.92.0.7\"}", "media.channel");
    refused("{\"channel\":7}", "media.group");
    refused("{\"channel\":-1,\"group\":\"239.92.0.7\"}", "media.channel: -1");
    refused("{\"channel\":10000,\"group\":\"239.92.0.7\"}", "media.channel: 10000");
    refused("{\"channel\":\"7\",\"group\":\"239.92.0.7\"}", "media.channel: \"7\"");
    refused("{\"channel\":true,\"group\":\"239.92.0.7\"}", "media.channel: true");
    refused("{\"channel\":7,\"group\":7}", "media.group: 7");
    refused("{\"channel\":7,\"group\":\"239.92.0\"}", "media.group");
    refused("{\"channel\":7,\"group\":\"239.92.0.7.\"}", "media.group");
    refused("{\"channel\":7,\"group\":\"239.92.0.0007\"}", "media.group");
    refused("{\"channel\":7,\"group\":\"239.92.0.256\"}", "media.group");
    refused("{\"channel\":7,\"group\":\"239.92..7\"}", "media.group");
    refused("{\"channel\":7,\"group\":\"\"}", "media.group");
    refused("{\"channel\":7,\"group\":\"10.92.0.7\"}", "not a multicast address");
    refused("{\"channel\":100,\"group\":\"239.92.0.100\"}", "has no channel");
    refused("{\"channel\":5050,\"group\":\"239.92.50.50\"}", "is the control group");
}
END_TEST

START_TEST(settings_have_defaults_and_bounds)
{
    struct yk_jap_settings settings;
    json_t *least = json_loads("{\"type\":\"jap\",\"host\":\"10.0.5.20\"}", 0, NULL);
    json_t *all = json_loads(
        "{\"type\":\"jap\",\"host\":\"10.0.5.20\",\"port\":8080,\"park_channel\":0}", 0, NULL);

    ck_assert_msg(yk_jap_settings_parse(&settings, least, YK_ROLE_CONSUMER, &why), "%s", why.text);
    ck_assert_str_eq(settings.host, "10.0.5.20");
    ck_assert_uint_eq(settings.port, 80);
    ck_assert_uint_eq(settings.park_channel, 9999);
    ck_assert_msg(yk_jap_settings_parse(&settings, all, YK_ROLE_CONSUMER, &why), "%s", why.text);
    ck_assert_uint_eq(settings.port, 8080);
    ck_assert_uint_eq(settings.park_channel, 0);
    ck_assert(!yk_jap_settings_parse(&settings, all, YK_ROLE_PRODUCER, &why));
    ck_assert_ptr_nonnull(strstr(why.text, "driver.park_channel: 0 on a producer"));
    json_decref(least);
    json_decref(all);
}
END_TEST

START_TEST(wrong_settings_are_refused_with_their_place)
{
    static const struct {
        const char *text, *with;
    } cases[] = {
        {"{\"type\":\"jap\"}", "driver.host: missing"},
        {"{\"type\":\"jap\",\"host\":\"box.example\"}", "driver.host: \"box.example\""},
        {"{\"type\":\"jap\",\"host\":\"239.92.0.7\"}", "driver.host: \"239.92.0.7\""},
        {"{\"type\":\"jap\",\"host\":\"0.0.0.0\"}", "driver.host: \"0.0.0.0\""},
        {"{\"type\":\"jap\",\"host\":\"255.255.255.255\"}", "driver.host"},
        {"{\"type\":\"jap\",\"host\":\"::1\"}", "driver.host: \"::1\""},
        {"{\"type\":\"jap\",\"host\":7}", "driver.host"},
        {"{\"type\":\"jap\",\"host\":\"10.0.5.20\",\"port\":0}", "driver.port"},
        {"{\"type\":\"jap\",\"host\":\"10.0.5.20\",\"port\":65536}", "driver.port"},
        {"{\"type\":\"jap\",\"host\":\"10.0.5.20\",\"park_channel\":10000}", "driver.park_channel"},
        {"{\"type\":\"jap\",\"host\":\"10.0.5.20\",\"park_channel\":-1}", "driver.park_channel"},
        {"{\"type\":\"jap\",\"host\":\"10.0.5.20\",\"parkchannel\":1}", "driver.parkchannel"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_jap_settings settings;
        json_t *json = json_loads(cases[i].text, 0, NULL);

        ck_assert_msg(!yk_jap_settings_parse(&settings, json, YK_ROLE_CONSUMER, &why), "taken: %s",
                      cases[i].text);
        ck_assert_msg(strstr(why.text, cases[i].with) != NULL, "no \"%s\" in: %s", cases[i].with,
                      why.text);
        ck_assert_int_eq(why.exit, YK_EXIT_CONFIG);
        json_decref(json);
    }
}
END_TEST

START_TEST(firmware_below_the_floor_is_warned_of)
{
    static const struct {
        const char *firmware;
        const char *oldest; /* NULL: no warning */
    } cases[] = {
        {"\"B2.3.9\"", NULL},
        {"\"B2.1.0\"", NULL},
        {"\"B2.0.9\"", "B2.1.0"},
        {"\"B1.9.9\"", "B2.1.0"},
        {"\"B10.0.0\"", NULL},
        {"\"B3.0.0\"", NULL},
        {"\"A6.5.9\"", "no HTTP API"},
        {"\"MAX v4.5.0\"", NULL},
        {"\"MAX v3.5.2\"", NULL},
        {"\"MAX v3.5.1\"", "v3.5.2"},
        {"\"v3.4.9\"", "v3.5.2"},
        {"\"v3.6.0\"", NULL},
        {"", NULL},
        {"\"C1.0.0\"", NULL},
        {"\"B2\"", NULL},
        {"\"B2.x.0\"", NULL},
        {"\"Build\"", NULL},
    };
    char warning[YK_JAP_REASON_MAX];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool warned = yk_jap_firmware_warning(cases[i].firmware, warning);

        ck_assert_msg(warned == (cases[i].oldest != NULL), "%s", cases[i].firmware);
        ck_assert_msg(!warned || strstr(warning, cases[i].oldest) != NULL, "%s: %s",
                      cases[i].firmware, warning);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_channel_is_two_decimal_digits_an_octet,
        channel_and_group_are_read,
        padded_octets_are_decimal_when_announced_and_refused_when_configured,
        where_the_two_disagree_both_numbers_are_named,
        what_is_no_channel_or_group_is_refused_with_its_place,
        settings_have_defaults_and_bounds,
        wrong_settings_are_refused_with_their_place,
        firmware_below_the_floor_is_warned_of,
        NULL,
    };

    return suite_main("jap media", tests);
}
