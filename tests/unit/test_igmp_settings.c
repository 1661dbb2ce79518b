#include "drivers/igmp/settings.h"

#include <stdio.h>
#include <string.h>

#include "driver_rig.h"
#include "drivers/igmp/igmp.h"
#include "lib/suite.h"

static const char *const values[YK_PLACEHOLDER_END] = {
    [YK_PLACEHOLDER_GROUP] = "239.10.0.5",
    [YK_PLACEHOLDER_PORT] = "5004",
    [YK_PLACEHOLDER_ADDRESS] = "10.0.0.2",
    [YK_PLACEHOLDER_ID] = "dec-1",
};

static void parse(struct yk_igmp_settings *settings, const char *config)
{
    struct yk_refusal why;
    json_t *json = json_loads(config, 0, NULL);

    ck_assert_ptr_nonnull(json);
    ck_assert_msg(yk_igmp_settings_parse(settings, json, &why), "%s", why.text);
    json_decref(json);
}

/* What the only argument behind the program becomes. */
static void expect_argument(const char *argument, const char *wanted)
{
    struct yk_igmp_settings settings;
    char config[256];
    const char **argv;

    snprintf(config, sizeof config, "{\"command\": [\"play\", \"%s\"]}", argument);
    parse(&settings, config);
    argv = yk_command_expand(&settings.command, values);
    ck_assert_ptr_nonnull(argv);
    ck_assert_str_eq(argv[0], "play");
    ck_assert_str_eq(argv[1], wanted);
    ck_assert_ptr_null(argv[2]);
    free(argv);
    yk_igmp_settings_fini(&settings);
}

static const char *refusal(const char *config)
{
    return rig_refusal(&yk_driver_igmp, config);
}

START_TEST(everything_but_the_type_is_optional)
{
    struct yk_igmp_settings settings;

    parse(&settings, "{\"type\": \"igmp\"}");
    ck_assert_str_eq(settings.interface, "");
    ck_assert_uint_eq(settings.command.count, 0);
    yk_igmp_settings_fini(&settings);
}
END_TEST

START_TEST(an_interface_is_a_name_or_an_address)
{
    struct yk_igmp_settings settings;

    parse(&settings, "{\"interface\": \"eth1\"}");
    ck_assert_str_eq(settings.interface, "eth1");
    parse(&settings, "{\"interface\": \"192.168.100.200\"}");
    ck_assert_str_eq(settings.interface, "192.168.100.200");
    parse(&settings, "{\"interface\": \"0.0.0.0\"}");
    ck_assert_str_eq(settings.interface, "");
}
END_TEST

START_TEST(an_interface_the_kernel_cannot_have_is_refused)
{
    ck_assert_ptr_nonnull(
        strstr(refusal("{\"interface\": \"sixteen-letters-\"}"), "driver.interface"));
    ck_assert_ptr_nonnull(strstr(refusal("{\"interface\": \"eth 1\"}"), "\"eth 1\""));
    ck_assert_ptr_nonnull(strstr(refusal("{\"interface\": \"a/b\"}"), "\"a/b\""));
    ck_assert_ptr_nonnull(strstr(refusal("{\"interface\": 1}"), "driver.interface"));
    ck_assert_ptr_nonnull(strstr(refusal("{\"interface\": \"\"}"), "driver.interface"));
}
END_TEST

START_TEST(an_unknown_member_gets_the_nearest_known_name)
{
    ck_assert_str_eq(refusal("{\"type\": \"igmp\", \"comand\": []}"),
                     "driver.comand: unknown member; did you mean \"command\"?");
}
END_TEST

START_TEST(placeholders_are_replaced_inside_arguments)
{
    expect_argument("udp://{group}:{port}?localaddr={address}",
                    "udp://239.10.0.5:5004?localaddr=10.0.0.2");
    expect_argument("{id}{id}", "dec-1dec-1");
    expect_argument("", "");
}
END_TEST

START_TEST(other_braces_are_plain_text)
{
    expect_argument("{", "{");
    expect_argument("{}", "{}");
    expect_argument("{{port}}", "{5004}");
    expect_argument("{0} {A} {por", "{0} {A} {por");
    expect_argument("a}{group", "a}{group");
}
END_TEST

START_TEST(an_unknown_placeholder_is_refused_with_the_known_ones)
{
    ck_assert_str_eq(refusal("{\"command\": [\"play\", \"-x\", \"{port}{grop}\"]}"),
                     "driver.command[2]: {grop} is no placeholder; known here: {group}, {port}, "
                     "{address} and {id}");
}
END_TEST

START_TEST(only_a_used_address_is_needed)
{
    struct yk_igmp_settings settings;

    parse(&settings, "{\"command\": [\"play\", \"{group}\"]}");
    ck_assert(!settings.command.uses_address);
    yk_igmp_settings_fini(&settings);
    parse(&settings, "{\"command\": [\"play\", \"{group}\", \"{address}\"]}");
    ck_assert(settings.command.uses_address);
    yk_igmp_settings_fini(&settings);
}
END_TEST

START_TEST(a_command_is_an_array_of_strings)
{
    ck_assert_ptr_nonnull(
        strstr(refusal("{\"command\": \"ffplay -fs\"}"), "driver.command: \"ffplay -fs\""));
    ck_assert_ptr_nonnull(strstr(refusal("{\"command\": []}"), "driver.command: []"));
    ck_assert_ptr_nonnull(strstr(refusal("{\"command\": null}"), "driver.command: null"));
    ck_assert_ptr_nonnull(strstr(refusal("{\"command\": [\"a\", 7]}"), "driver.command[1]: 7"));
    ck_assert_ptr_nonnull(strstr(refusal("{\"command\": [\"\"]}"), "driver.command[0]: \"\""));
}
END_TEST

START_TEST(a_command_is_bounded)
{
    struct yk_igmp_settings settings;
    struct yk_refusal why;
    json_t *args = json_array();
    json_t *config = json_pack("{s:o}", "command", args);
    char longest[YK_COMMAND_ARG_BYTES_MAX + 2];

    for (int i = 0; i < YK_COMMAND_ARGS_MAX; i++) {
        json_array_append_new(args, json_string("x"));
    }
    ck_assert(yk_igmp_settings_parse(&settings, config, &why));
    yk_igmp_settings_fini(&settings);
    json_array_append_new(args, json_string("x"));
    ck_assert(!yk_igmp_settings_parse(&settings, config, &why));

    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    json_array_clear(args);
    json_array_append_new(args, json_string(longest + 1));
    ck_assert(yk_igmp_settings_parse(&settings, config, &why));
    yk_igmp_settings_fini(&settings);
    json_array_append_new(args, json_string(longest));
    ck_assert(!yk_igmp_settings_parse(&settings, config, &why));
    ck_assert_ptr_nonnull(strstr(why.text, "driver.command[1]: "));
    json_decref(config);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        everything_but_the_type_is_optional,
        an_interface_is_a_name_or_an_address,
        an_interface_the_kernel_cannot_have_is_refused,
        an_unknown_member_gets_the_nearest_known_name,
        placeholders_are_replaced_inside_arguments,
        other_braces_are_plain_text,
        an_unknown_placeholder_is_refused_with_the_known_ones,
        only_a_used_address_is_needed,
        a_command_is_an_array_of_strings,
        a_command_is_bounded,
        NULL,
    };

    return suite_main("igmp settings", tests);
}
