#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "lib/suite.h"

static const struct {
    const char *text;
    const char *canonical; /* "": overflows */
} cases[] = {
#include "number_cases.inc"
};
#define CASES (sizeof(cases) / sizeof(cases[0]))

static bool is_real(const char *text)
{
    return strpbrk(text, ".eE") != NULL;
}

START_TEST(a_real_is_spelled_by_its_shortest_digits)
{
    char out[YK_REAL_MAX];

    for (size_t i = 0; i < CASES; i++) {
        size_t size = yk_real_write(yk_slice_of(cases[i].text), out);

        ck_assert_msg(size == strlen(cases[i].canonical) &&
                          memcmp(out, cases[i].canonical, size) == 0,
                      "%s: %.*s", cases[i].text, (int)size, out);
    }
}
END_TEST

START_TEST(only_the_canonical_spelling_is_canonical)
{
    for (size_t i = 0; i < CASES; i++) {
        struct yk_slice text = yk_slice_of(cases[i].text);
        bool same = yk_slice_equal(text, yk_slice_of(cases[i].canonical));

        ck_assert(is_real(cases[i].text));
        ck_assert_msg(yk_real_is_canonical(text) == same, "%s", cases[i].text);
        if (cases[i].canonical[0] != '\0') {
            ck_assert_msg(yk_real_is_canonical(yk_slice_of(cases[i].canonical)), "%s",
                          cases[i].canonical);
        }
    }
}
END_TEST

START_TEST(a_sign_changes_nothing_but_the_sign)
{
    char out[YK_REAL_MAX];
    char text[1024];

    for (size_t i = 0; i < CASES; i++) {
        if (cases[i].text[0] == '-' || cases[i].canonical[0] == '\0') {
            continue;
        }
        snprintf(text, sizeof(text), "-%s", cases[i].text);
        ck_assert_uint_eq(yk_real_write(yk_slice_of(text), out), strlen(cases[i].canonical) + 1);
        ck_assert_int_eq(out[0], '-');
        ck_assert_mem_eq(out + 1, cases[i].canonical, strlen(cases[i].canonical));
    }
}
END_TEST

static void expect_ms(const char *text, int64_t ms)
{
    ck_assert_msg(yk_seconds_to_ms(yk_slice_of(text)) == ms, "%s: %lld", text,
                  (long long)yk_seconds_to_ms(yk_slice_of(text)));
}

START_TEST(seconds_are_rounded_to_milliseconds)
{
    expect_ms("0", 0);
    expect_ms("-0", 0);
    expect_ms("1796018523", INT64_C(1796018523000));
    expect_ms("1796018523.123", INT64_C(1796018523123));
    expect_ms("1.0004", 1000);
    expect_ms("1.0005", 1001);
    expect_ms("-1.0005", -1001);
    expect_ms("0.0004999999999999999999999", 0);
    expect_ms("0.0005", 1);
    expect_ms("1e3", 1000000);
    expect_ms("123e-3", 123);
    expect_ms("1E+2", 100000);
    expect_ms("0e999999", 0);
    expect_ms("1e-999999", 0);
}
END_TEST

START_TEST(seconds_beyond_the_range_are_clamped)
{
    expect_ms("999999999999999.999", INT64_C(999999999999999999));
    expect_ms("1e15", INT64_MAX);
    expect_ms("-1e15", INT64_MIN);
    expect_ms("99999999999999999999999999", INT64_MAX);
    expect_ms("1e300", INT64_MAX);
    expect_ms("-1e999999", INT64_MIN);
}
END_TEST

static void expect_seconds(int64_t ms, const char *text)
{
    char out[YK_REAL_MAX];
    size_t size = yk_seconds_write(ms, out);

    ck_assert_msg(size == strlen(text) && memcmp(out, text, size) == 0, "%.*s for %s", (int)size,
                  out, text);
}

START_TEST(seconds_are_written_with_up_to_three_digits_and_always_a_point)
{
    expect_seconds(0, "0.0");
    expect_seconds(1, "0.001");
    expect_seconds(-1, "-0.001");
    expect_seconds(1000, "1.0");
    expect_seconds(INT64_C(1796018523120), "1796018523.12");
    expect_seconds(INT64_C(1796018523123), "1796018523.123");
    expect_seconds(YK_SECONDS_MS_MAX, "999999999999.999");
    expect_seconds(INT64_MAX, "999999999999.999");
    expect_seconds(INT64_MIN, "-999999999999.999");
}
END_TEST

/* Needs a locale that writes a comma; where none is installed there is nothing to see. */
START_TEST(the_locale_has_no_say)
{
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8",
                                          "ps_AF.UTF-8"};
    char out[YK_REAL_MAX];

    for (size_t i = 0; i < sizeof(locales) / sizeof(locales[0]); i++) {
        if (setlocale(LC_ALL, locales[i]) != NULL) {
            break;
        }
    }
    ck_assert_uint_eq(yk_real_write(yk_slice_of("9007199254740993.0"), out), 18);
    ck_assert_mem_eq(out, "9007199254740992.0", 18);
    ck_assert_uint_eq(yk_real_write(yk_slice_of("2.2250738585072011e-308"), out), 22);
    ck_assert_mem_eq(out, "2.225073858507201e-308", 22);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_real_is_spelled_by_its_shortest_digits,
        only_the_canonical_spelling_is_canonical,
        a_sign_changes_nothing_but_the_sign,
        seconds_are_rounded_to_milliseconds,
        seconds_beyond_the_range_are_clamped,
        seconds_are_written_with_up_to_three_digits_and_always_a_point,
        the_locale_has_no_say,
        NULL,
    };

    return suite_main("number", tests);
}
