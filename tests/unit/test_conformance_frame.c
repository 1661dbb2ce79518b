/* The rules of one datagram. */
#include <stdio.h>
#include <string.h>

#include "conformance_rig.h"
#include "lib/suite.h"

static void too_big(void)
{
    uint8_t bytes[YK_FRAME_MAX + 1] = {0};

    conf_hear(bytes, sizeof bytes);
}

static void largest(void) /* a frame of 1200 bytes */
{
    char body[YK_FRAME_MAX];
    int room = YK_FRAME_MAX;

    conf_say_text("a", "bye", "{}", NULL);
    room -= (int)conf.rig.size - 2;
    snprintf(body, sizeof body, "{\"x\":\"%0*d\"}", room - 8, 0);
    conf_say_text("a", "bye", body, NULL);
    ck_assert_uint_eq(conf.rig.size, YK_FRAME_MAX);
}

static void no_json(void)
{
    conf_hear("{\"v\":1", 6);
}

static void good(void)
{
    conf_say_text("a", "bye", "{\"x\":[1,\"\\n\"]}", NULL);
}

static void spaced(void)
{
    char bytes[YK_FRAME_MAX];
    size_t size;

    good();
    size = conf.rig.size;
    memcpy(bytes, conf.rig.bytes, size);
    bytes[size] = ' ';
    conf_start();
    conf_hear(bytes, size + 1);
    ck_assert_ptr_nonnull(strstr(conf.last.detail, "byte"));
}

static void real_in_body(void)
{
    conf_say_text("a", "bye", "{\"x\":[{\"y\":1.5}]}", NULL);
}

static void real_ts(void) /* that of every frame is one */
{
    conf_bye();
    ck_assert_ptr_nonnull(memmem(conf.rig.bytes, conf.rig.size, "\"ts\":1796018524.0,", 18));
}

static void v_text(void)
{
    conf_hear("{\"v\":\"1\"}", 9);
}

static void v_missing(void)
{
    conf_hear("{\"w\":1}", 7);
}

static void v_two(void)
{
    conf_hear("{\"v\":2}", 7);
}

static void sig_large(void)
{
    conf_say_text("a", "bye", "{}",
                  "ABCDEF6789012345678901234567890123456789012345678901234567890123");
}

static void sig_short(void)
{
    conf_say_text("a", "bye", "{}", "abcdef");
}

static void sig_wrong(void)
{
    conf_say_text("a", "bye", "{}",
                  "abcdef6789012345678901234567890123456789012345678901234567890123");
}

static void sig_empty(void)
{
    conf_say_text("a", "bye", "{}", "");
}

static void open_unsigned(void)
{
    conf_start_keys("", "");
    good();
}

static void open_signed(void)
{
    conf_start_keys("site", "");
    good();
}

static void far_ahead(void)
{
    conf_say("a", (struct yk_frame){.type = YK_TYPE_BYE,
                                    .seq = (uint64_t)SNOOP_WALL_NS + YK_HOUR + YK_SECOND});
}

static void nearly_far_ahead(void)
{
    conf_say("a", (struct yk_frame){.type = YK_TYPE_BYE,
                                    .seq = (uint64_t)SNOOP_WALL_NS + YK_HOUR - YK_SECOND});
}

static const struct conf_case cases[YK_RULE_END] = {
    [YK_RULE_OVERSIZE] = {too_big, largest},
    [YK_RULE_JSON] = {no_json, good},
    [YK_RULE_CANONICAL] = {spaced, good},
    [YK_RULE_NON_INTEGER] = {real_in_body, real_ts},
    [YK_RULE_VERSION_FORM] = {v_text, v_two},
    [YK_RULE_VERSION_OTHER] = {v_two, v_text},
    [YK_RULE_ENVELOPE] = {v_missing, v_text},
    [YK_RULE_SIG_FORM] = {sig_short, sig_wrong},
    [YK_RULE_UNSIGNED] = {sig_empty, open_unsigned},
    [YK_RULE_SIGNED_OPEN] = {open_signed, good},
    [YK_RULE_SIGNATURE] = {sig_wrong, sig_large},
    [YK_RULE_FUTURE] = {far_ahead, nearly_far_ahead},
};

START_TEST(every_rule_of_datagrams_speaks_when_it_is_broken_and_no_other_does)
{
    conf_expect_broken(cases, CONF_FRAME_RULES);
}
END_TEST

START_TEST(no_rule_of_datagrams_speaks_when_it_is_kept)
{
    conf_expect_kept(cases, CONF_FRAME_RULES);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        every_rule_of_datagrams_speaks_when_it_is_broken_and_no_other_does,
        no_rule_of_datagrams_speaks_when_it_is_kept, NULL};

    return suite_main("conformance_frame", tests);
}
