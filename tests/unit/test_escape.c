#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "base/escape.h"
#include "base/utf8.h"
#include "lib/suite.h"

static const char *escaped(const char *text, size_t size)
{
    static char out[256];

    ck_assert_uint_eq(yk_escape(out, sizeof out, text, size), strlen(out));
    return out;
}

#define EXPECT(text, wanted) ck_assert_str_eq(escaped(text, sizeof(text) - 1), wanted)

START_TEST(plain_text_of_any_script_stays)
{
    EXPECT("Room 3 \"left\"", "Room 3 \"left\"");
    EXPECT("S\u00e9minaire \u2713 \u6a5f\u6750 \U0001f4fa",
           "S\u00e9minaire \u2713 \u6a5f\u6750 \U0001f4fa");
    EXPECT("", "");
}
END_TEST

START_TEST(every_ascii_control_is_escaped)
{
    for (int c = 0; c <= 0x7f; c++) {
        char text = (char)c;
        bool control = c < 0x20 || c == 0x7f;

        ck_assert_msg((escaped(&text, 1)[0] == '\\') == (control || c == '\\'), "byte %d", c);
    }
    EXPECT("a\x1b[31mb", "a\\x1b[31mb");
    EXPECT("a\nb\r\tc", "a\\nb\\r\\tc");
    EXPECT("a\0b", "a\\x00b");
}
END_TEST

START_TEST(every_c1_control_is_escaped)
{
    for (int c = 0x80; c <= 0x9f; c++) {
        char text[2] = {(char)0xc2, (char)c};
        char wanted[8];

        snprintf(wanted, sizeof wanted, "\\u%04x", (unsigned)c);
        ck_assert_str_eq(escaped(text, 2), wanted);
    }
    EXPECT("\u00a0", "\u00a0");
}
END_TEST

START_TEST(unicode_format_and_separator_characters_are_escaped)
{
    EXPECT("a\u202eb", "a\\u202eb");
    EXPECT("\u2028\u2029", "\\u2028\\u2029");
    EXPECT("\u200b\u200f\u2066\u2069\ufeff", "\\u200b\\u200f\\u2066\\u2069\\ufeff");
    EXPECT("\u00ad\u061c\u180e", "\\u00ad\\u061c\\u180e");
    EXPECT("\U000e0041\U0001d173", "\\U000e0041\\U0001d173");
    EXPECT("\u2027\u202f\u2070", "\u2027\u202f\u2070");
}
END_TEST

START_TEST(bytes_that_are_no_utf8_are_escaped_one_by_one)
{
    EXPECT("\xff", "\\xff");
    EXPECT("\xc0\x80", "\\xc0\\x80");
    EXPECT("\xed\xa0\x80", "\\xed\\xa0\\x80");
    EXPECT("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
    EXPECT("\xe2\x82", "\\xe2\\x82");
    EXPECT("\x9b"
           "31m",
           "\\x9b31m");
}
END_TEST

START_TEST(an_escape_cannot_be_forged)
{
    EXPECT("\\x1b", "\\\\x1b");
}
END_TEST

START_TEST(what_does_not_fit_is_cut_between_characters)
{
    char out[8];

    ck_assert_uint_eq(yk_escape(out, 1, "abc", 3), 0);
    ck_assert_str_eq(out, "");
    ck_assert_uint_eq(yk_escape(out, 5, "abc\n", 4), 3);
    ck_assert_str_eq(out, "abc");
    ck_assert_uint_eq(yk_escape(out, 6, "abc\n", 4), 5);
    ck_assert_uint_eq(yk_escape(out, 3, "a\u00e9", 3), 1);
}
END_TEST

START_TEST(the_stated_room_is_enough_for_the_worst)
{
    char text[64], out[YK_ESCAPED_MAX(64)];

    memset(text, 0x01, sizeof text);
    ck_assert_uint_eq(yk_escape(out, sizeof out, text, sizeof text), 4 * sizeof text);
}
END_TEST

START_TEST(columns_count_wide_characters_twice_and_marks_never)
{
    ck_assert_uint_eq(yk_columns("abc", 3), 3);
    ck_assert_uint_eq(yk_columns("\u00e9", 2), 1);
    ck_assert_uint_eq(yk_columns("e\u0301", 3), 1);
    ck_assert_uint_eq(yk_columns("\u6a5f\u6750", 6), 4);
    ck_assert_uint_eq(yk_columns("\uff21", 3), 2);
    ck_assert_uint_eq(yk_columns("\U0001f4fa", 4), 2);
    ck_assert_uint_eq(yk_columns("", 0), 0);
}
END_TEST

START_TEST(a_cut_never_splits_a_character)
{
    ck_assert_uint_eq(yk_columns_cut("\u6a5f\u6750", 6, 3), 3);
    ck_assert_uint_eq(yk_columns_cut("abc", 3, 2), 2);
    ck_assert_uint_eq(yk_columns_cut("abc", 3, 9), 3);
    ck_assert_uint_eq(yk_columns_cut("\u6a5f", 3, 1), 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        plain_text_of_any_script_stays,
        every_ascii_control_is_escaped,
        every_c1_control_is_escaped,
        unicode_format_and_separator_characters_are_escaped,
        bytes_that_are_no_utf8_are_escaped_one_by_one,
        an_escape_cannot_be_forged,
        what_does_not_fit_is_cut_between_characters,
        the_stated_room_is_enough_for_the_worst,
        columns_count_wide_characters_twice_and_marks_never,
        a_cut_never_splits_a_character,
        NULL,
    };

    return suite_main("escape", tests);
}
