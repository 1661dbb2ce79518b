/* The command line. */
#include <string.h>

#include "cli/options.h"
#include "cli/verbs.h"
#include "lib/suite.h"

static struct yk_options options;
static struct yk_refusal why;

static bool parse(const struct yk_verb *verb, const char *const *arguments, size_t count)
{
    return yk_options_parse(&options, verb, (int)count, (char *const *)arguments, &why);
}

#define PARSE(verb, ...)                                       \
    parse(&yk_verb_##verb, (const char *const[]){__VA_ARGS__}, \
          sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* Refused as a usage error whose text has `part` in it. */
#define REFUSES(part, verb, ...)                                                           \
    do {                                                                                   \
        ck_assert(!PARSE(verb, __VA_ARGS__));                                              \
        ck_assert_int_eq(why.exit, YK_EXIT_USAGE);                                         \
        ck_assert_msg(strstr(why.text, part) != NULL, "no \"%s\" in: %s", part, why.text); \
    } while (0)

START_TEST(defaults_are_those_of_the_contract)
{
    ck_assert(PARSE(pair, "dec-1", "enc-1"));
    ck_assert_uint_eq(options.timeout, 5 * YK_SECOND);
    ck_assert_int_eq(options.wait, YK_STATE_NONE);
    ck_assert_uint_eq(options.network.port, 9753);
    ck_assert_mem_eq(options.network.group, ((uint8_t[]){239, 121, 111, 107}), 4);
    ck_assert_str_eq(options.network.interface, "0.0.0.0");
    ck_assert(!options.json && options.config == NULL && options.psk_file == NULL);
    ck_assert(yk_options_parse(&options, &yk_verb_list, 0, NULL, &why));
    ck_assert_uint_eq(options.listen, 3 * YK_SECOND);
}
END_TEST

START_TEST(options_and_words_come_in_any_order_and_values_either_way)
{
    ck_assert(PARSE(pair, "--timeout=0.25", "Room 3", "--json", "enc-1", "--wait", "active",
                    "--port", "1234", "--group=239.1.2.3", "--interface", "eth1", "--psk-file",
                    "k"));
    ck_assert_uint_eq(options.timeout, 250 * YK_MS);
    ck_assert_int_eq(options.wait, YK_STATE_ACTIVE);
    ck_assert_str_eq(options.words[0], "Room 3");
    ck_assert_str_eq(options.words[1], "enc-1");
    ck_assert_uint_eq(options.network.port, 1234);
    ck_assert_str_eq(options.network.interface, "eth1");
    ck_assert(options.json && options.interface_given);
    ck_assert_str_eq(options.psk_file, "k");
}
END_TEST

START_TEST(behind_two_dashes_all_is_words)
{
    ck_assert(PARSE(pair, "--", "--json", "-x"));
    ck_assert_str_eq(options.words[0], "--json");
    ck_assert_str_eq(options.words[1], "-x");
    ck_assert(!options.json);
}
END_TEST

START_TEST(help_wins_over_what_is_missing)
{
    ck_assert(PARSE(pair, "--help"));
    ck_assert(options.help);
    ck_assert(PARSE(keygen, "-h"));
    ck_assert(options.help);
}
END_TEST

START_TEST(an_unknown_option_is_refused_with_the_nearest)
{
    REFUSES("did you mean --timeout?", pair, "--timout", "3", "a", "b");
    REFUSES("did you mean --json?", list, "--jason");
    REFUSES("--help", list, "--quiet");
    REFUSES("no such option", list, "--wait", "active");
    REFUSES("no such option", keygen, "--json", "f");
    REFUSES("no such option", pair, "-v", "a", "b");
}
END_TEST

START_TEST(values_are_where_they_belong)
{
    REFUSES("value is missing", pair, "a", "b", "--timeout");
    REFUSES("takes no value", pair, "a", "b", "--json=yes");
    REFUSES("applied or active", pair, "a", "b", "--wait", "idle");
    REFUSES("applied or idle", unpair, "a", "--wait", "active");
    REFUSES("--psk-file", pair, "a", "b", "--psk-file", "");
}
END_TEST

START_TEST(the_number_of_words_is_checked)
{
    REFUSES("words are missing", pair, "--json");
    REFUSES("a word is missing", pair, "a");
    REFUSES("one word too many", pair, "a", "b", "c");
    REFUSES("one word too many", list, "a");
}
END_TEST

START_TEST(a_configuration_stands_alone)
{
    ck_assert(PARSE(pair, "a", "b", "--config", "f"));
    REFUSES("--psk-file", pair, "a", "b", "--config", "f", "--psk-file", "k");
    REFUSES("--port", pair, "a", "b", "--port", "1", "--config", "f");
}
END_TEST

START_TEST(network_values_are_usage_errors_that_name_the_option)
{
    REFUSES("--group", list, "--group", "10.0.0.1");
    REFUSES("--port", list, "--port", "0");
    REFUSES("--port", list, "--port", "65536");
    REFUSES("--port", list, "--port", "-1");
    REFUSES("--port", list, "--port", "97x");
    REFUSES("--port", list, "--port", "99999999999999999999");
    REFUSES("--port", list, "--port", "");
    REFUSES("--interface", list, "--interface", "");
}
END_TEST

static bool seconds(const char *text, yk_time *value)
{
    return yk_seconds_parse(text, "--for", value, &why);
}

START_TEST(seconds_may_have_a_fraction)
{
    static const struct {
        const char *text;
        yk_time value;
    } good[] = {
        {"0", 0},
        {"5", 5 * YK_SECOND},
        {"0.25", 250 * YK_MS},
        {"007.5", 7500 * YK_MS},
        {"0.000000001", 1},
        {"0.0000000019", 1},
        {"86400", 86400 * YK_SECOND},
        {"86400.0", 86400 * YK_SECOND},
    };

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        yk_time value = 99;

        ck_assert_msg(seconds(good[i].text, &value), "%s: %s", good[i].text, why.text);
        ck_assert_uint_eq(value, good[i].value);
    }
}
END_TEST

START_TEST(anything_else_is_no_number_of_seconds)
{
    static const char *const bad[] = {
        "",      "-1",      "+1", "1e3", "1,5", ".5",      "5.",    "0x5",
        " 5",    "5 ",      "5s", "nan", "inf", "86400.1", "86401", "99999999999999999999",
        "1.2.3", "\xd9\xa1"};

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        yk_time value;

        ck_assert_msg(!seconds(bad[i], &value), "\"%s\" was taken", bad[i]);
        ck_assert_int_eq(why.exit, YK_EXIT_USAGE);
        ck_assert_ptr_nonnull(strstr(why.text, "--for"));
    }
}
END_TEST

static bool keep_value(struct yk_options *into, const struct yk_verb *verb, const char *value,
                       struct yk_refusal *refusal)
{
    (void)verb;
    (void)refusal;
    into->config = value != NULL ? value : "none";
    return true;
}

START_TEST(a_value_in_brackets_may_be_left_out)
{
    static const struct yk_option own[] = {{"--maybe", "[WHO]", "", 0, keep_value}};
    static const struct yk_verb yk_verb_own = {
        .name = "own", .words = "", .takes = YK_TAKES_JSON, .own = own, .own_count = 1};

    ck_assert(PARSE(own, "--maybe"));
    ck_assert_str_eq(options.config, "none");
    ck_assert(PARSE(own, "--maybe", "--json"));
    ck_assert(options.json);
    ck_assert_str_eq(options.config, "none");
    ck_assert(PARSE(own, "--maybe", "enc-1", "--json"));
    ck_assert_str_eq(options.config, "enc-1");
    ck_assert(PARSE(own, "--maybe=-x"));
    ck_assert_str_eq(options.config, "-x");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        defaults_are_those_of_the_contract,
        options_and_words_come_in_any_order_and_values_either_way,
        behind_two_dashes_all_is_words,
        help_wins_over_what_is_missing,
        an_unknown_option_is_refused_with_the_nearest,
        values_are_where_they_belong,
        the_number_of_words_is_checked,
        a_configuration_stands_alone,
        network_values_are_usage_errors_that_name_the_option,
        seconds_may_have_a_fraction,
        anything_else_is_no_number_of_seconds,
        a_value_in_brackets_may_be_left_out,
        NULL,
    };

    return suite_main("options", tests);
}
