#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "lib/suite.h"

static struct yk_json json;
static uint8_t canonical[YK_CANONICAL_MAX];

/* Both halves of the general path; NULL when the text is refused. */
static const char *canonicalise(struct yk_slice text)
{
    size_t size;

    if (!yk_json_index(&json, text)) {
        return NULL;
    }
    size = yk_json_canonicalise(&json, canonical, sizeof(canonical) - 1);
    canonical[size] = '\0';
    return size == 0 ? NULL : (const char *)canonical;
}

/* `text` has this canonical spelling, which the fast pass takes; it takes `text` only if equal. */
static void expect(const char *text, const char *spelling)
{
    const char *got = canonicalise(yk_slice_of(text));

    ck_assert_msg(got != NULL && strcmp(got, spelling) == 0, "%s: %s", text,
                  got == NULL ? "refused" : got);
    ck_assert_msg(yk_json_index_canonical(&json, yk_slice_of(spelling)), "fast pass: %s", spelling);
    ck_assert_msg(yk_json_index_canonical(&json, yk_slice_of(text)) ==
                      (strcmp(text, spelling) == 0),
                  "fast pass: %s", text);
}

static void refuse_bytes(const void *bytes, size_t size)
{
    struct yk_slice text = {bytes, size};

    ck_assert_msg(canonicalise(text) == NULL, "taken: %.*s", (int)size, (const char *)bytes);
    ck_assert_msg(!yk_json_index_canonical(&json, text), "fast pass: %.*s", (int)size,
                  (const char *)bytes);
}

static void refuse(const char *text)
{
    refuse_bytes(text, strlen(text));
}

START_TEST(a_canonical_text_stays_as_it_is)
{
    static const char *const texts[] = {
        "null",
        "true",
        "false",
        "0",
        "-1",
        "12",
        "1.5",
        "\"\"",
        "\"a\"",
        "[]",
        "{}",
        "[[],{}]",
        "{\"a\":[1,2.0,\"x\"],\"b\":null}",
        "123456789012345678901234567890",
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        expect(texts[i], texts[i]);
    }
}
END_TEST

START_TEST(white_space_is_left_out)
{
    expect(" \t\r\n{ \"a\" : [ 1 , 2 ] , \"b\" : { } } \n", "{\"a\":[1,2],\"b\":{}}");
    expect("[ ]", "[]");
    refuse("\f1");
    refuse("1\v");
    refuse("\xc2\xa0");
}
END_TEST

START_TEST(keys_are_sorted_by_code_point)
{
    expect("{\"b\":1,\"a\":2,\"\":3,\"aa\":4,\"Z\":5}",
           "{\"\":3,\"Z\":5,\"a\":2,\"aa\":4,\"b\":1}");
    /* U+FFFF before U+1F600, unlike in UTF-16 */
    expect("{\"\xf0\x9f\x98\x80\":1,\"\\uffff\":2,\"\xc3\xa9\":3}",
           "{\"\xc3\xa9\":3,\"\xef\xbf\xbf\":2,\"\xf0\x9f\x98\x80\":1}");
    /* by what escapes stand for, not by the backslash */
    expect("{\"]\":1,\"\\\\\":2,\"[\":3,\" \":4,\"\\\"\":5,\"\\n\":6,\"\\u0001\":7}",
           "{\"\\u0001\":7,\"\\n\":6,\" \":4,\"\\\"\":5,\"[\":3,\"\\\\\":2,\"]\":1}");
    expect("[{\"y\":{\"b\":1,\"a\":2},\"x\":0}]", "[{\"x\":0,\"y\":{\"a\":2,\"b\":1}}]");
}
END_TEST

START_TEST(many_keys_in_any_order_are_sorted)
{
    char text[1200];
    char spelling[1200];
    size_t at = 0;
    size_t to = 0;

    for (unsigned i = 0; i < 100; i++) {
        at +=
            (size_t)sprintf(text + at, "%c\"%02u\":%u", i ? ',' : '{', i * 37 % 100, i * 37 % 100);
        to += (size_t)sprintf(spelling + to, "%c\"%02u\":%u", i ? ',' : '{', i, i);
    }
    strcpy(text + at, "}");
    strcpy(spelling + to, "}");
    expect(text, spelling);
}
END_TEST

START_TEST(a_key_twice_is_refused)
{
    refuse("{\"a\":1,\"a\":1}");
    refuse("{\"v\":1,\"\\u0076\":1}");
    refuse("[{\"a\":{\"b\":1,\"c\":0,\"b\":2}}]");
    refuse("{\"\":1,\"\":2}");
    refuse("{\"\xf0\x9f\x98\x80\":1,\"\\ud83d\\ude00\":1}");
    expect("{\"a\":{\"a\":1}}", "{\"a\":{\"a\":1}}");
}
END_TEST

START_TEST(strings_have_their_shortest_escapes)
{
    expect("\"\\u0022\\u005C\\/\\u002f\"", "\"\\\"\\\\//\"");
    expect("\"\\u0008\\u000c\\u000A\\u000d\\u0009\"", "\"\\b\\f\\n\\r\\t\"");
    expect("\"\\u0000\\u001F\\u007f\"", "\"\\u0000\\u001f\x7f\"");
    expect("\"\\u00e9\\u0800\\uFFFF\"", "\"\xc3\xa9\xe0\xa0\x80\xef\xbf\xbf\"");
    expect("\"\\uD83D\\ude00\"", "\"\xf0\x9f\x98\x80\"");
    expect("\"\xe2\x80\xa8/\x7f\"", "\"\xe2\x80\xa8/\x7f\"");
}
END_TEST

START_TEST(a_string_that_is_broken_is_refused)
{
    refuse("\"");
    refuse("\"a");
    refuse("\"\\\"");
    refuse("\"\\");
    refuse("\"\\x\"");
    refuse("\"\\u123\"");
    refuse("\"\\u12g4\"");
    refuse("\"\\U0041\"");
    refuse("\"\n\"");
    refuse("\"\x1f\"");
    refuse_bytes("\"\0\"", 3);
    refuse("'a'");
}
END_TEST

START_TEST(lone_surrogates_are_refused)
{
    refuse("\"\\ud800\"");
    refuse("\"\\udc00\"");
    refuse("\"\\udc00\\ud800\"");
    refuse("\"\\ud800\\ud800\\udc00\"");
    refuse("\"\\ud800x\"");
    refuse("\"\\ud800\\n\"");
    refuse("\"\\ud800\\u0041\"");
    refuse("{\"\\ud800\":1}");
}
END_TEST

START_TEST(invalid_utf8_is_refused)
{
    static const char *const bad[] = {
        "\xff",
        "\x80",
        "\xc3",
        "\xc3(",
        "\xc0\x80",
        "\xc1\xbf",
        "\xe0\x9f\xbf",
        "\xe2\x82",
        "\xed\xa0\x80",
        "\xed\xbf\xbf",
        "\xf0\x8f\xbf\xbf",
        "\xf0\x9f\x98",
        "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80",
        "\xf8\x88\x80\x80\x80",
    };
    char text[16];

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        sprintf(text, "\"%s\"", bad[i]);
        refuse(text);
        sprintf(text, "\"12345%s", bad[i]);
        refuse(text);
        ck_assert(!yk_utf8_valid(yk_slice_of(bad[i]), NULL));
    }
    refuse("\xef\xbb\xbf{}");
}
END_TEST

START_TEST(a_special_character_is_found_at_every_place_of_a_string)
{
    static const char specials[] = "\x01\x1f\"\\\x80\xff";
    char text[64];

    for (size_t size = 1; size < 40; size++) {
        for (size_t at = 0; at < size; at++) {
            for (size_t i = 0; i < sizeof(specials) - 1; i++) {
                memset(text, 'a', sizeof(text));
                text[0] = '"';
                text[1 + at] = specials[i];
                text[1 + size] = '"';
                refuse_bytes(text, size + 2);
            }
        }
    }
}
END_TEST

START_TEST(numbers_keep_their_kind)
{
    expect("-0", "0");
    expect("-0.0", "-0.0");
    expect("1E2", "100.0");
    expect("1.50", "1.5");
    expect("1e16", "1e+16");
    expect("18446744073709551616", "18446744073709551616");
    expect("[-9223372036854775809,1e22]", "[-9223372036854775809,1e+22]");
    expect("1e-400", "0.0");
}
END_TEST

START_TEST(what_is_no_number_is_refused)
{
    static const char *const bad[] = {
        "01",        "-01",   "00",     "+1",    ".5",    "1.",       "1.e1", "-",
        "--1",       "1e",    "1e+",    "1e-",   "0x1",   "1_0",      "NaN",  "Infinity",
        "-Infinity", "1e400", "-1e309", "1.5.5", "1e5.5", "\xd9\xa1", "1 2",
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        refuse(bad[i]);
    }
}
END_TEST

START_TEST(what_is_no_json_is_refused)
{
    static const char *const bad[] = {
        "",         " ",
        "nul",      "nulll",
        "True",     "[",
        "]",        "{",
        "}",        "[1",
        "[1,",      "[1,]",
        "[,1]",     "[1 2]",
        "[1}",      "{]",
        "{,}",      "{\"a\"}",
        "{\"a\":",  "{\"a\":}",
        "{\"a\":1", "{\"a\":1,}",
        "{a:1}",    "{1:1}",
        "{\"a\"1}", "{\"a\":1 \"b\":2}",
        "{}{}",     "[]1",
        "1//",      "/**/1",
        "#",
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        refuse(bad[i]);
    }
    refuse_bytes("{}\0", 3);
    refuse_bytes(NULL, 0);
}
END_TEST

START_TEST(a_text_cut_off_anywhere_is_refused)
{
    static const char text[] = "{\"a\":[1,2.5,-3],\"b\":{\"c\":\"x\\n\xc3\xa9\"},\"d\":null}";

    expect(text, text);
    for (size_t size = 0; size < sizeof(text) - 1; size++) {
        refuse_bytes(text, size);
    }
}
END_TEST

START_TEST(depth_is_at_most_32)
{
    char text[2 * (YK_DEPTH_MAX + 1) + 1] = "";

    memset(text, '[', YK_DEPTH_MAX);
    memset(text + YK_DEPTH_MAX, ']', YK_DEPTH_MAX);
    expect(text, text);
    memset(text, '[', YK_DEPTH_MAX + 1);
    memset(text + YK_DEPTH_MAX + 1, ']', YK_DEPTH_MAX + 1);
    refuse(text);
}
END_TEST

START_TEST(any_frame_has_few_enough_tokens)
{
    char text[YK_FRAME_MAX + 1];

    memset(text, ',', YK_FRAME_MAX);
    for (size_t i = 1; i < YK_FRAME_MAX - 1; i += 2) {
        text[i] = '1';
    }
    text[0] = '[';
    text[YK_FRAME_MAX - 1] = '\0';
    text[YK_FRAME_MAX - 2] = ']';
    expect(text, text);
    ck_assert_uint_lt(json.count, YK_JSON_TOKENS_MAX);
}
END_TEST

START_TEST(the_worst_growth_fits)
{
    char text[YK_FRAME_MAX + 1] = "[";
    size_t at = 1;

    while (at + 6 <= YK_FRAME_MAX) {
        at += (size_t)sprintf(text + at, "%s1e15", at > 1 ? "," : "");
    }
    strcpy(text + at, "]");
    ck_assert(yk_json_index(&json, yk_slice_of(text)));
    ck_assert_uint_gt(yk_json_canonicalise(&json, canonical, sizeof(canonical)), 0);
}
END_TEST

START_TEST(a_capacity_too_small_is_refused)
{
    ck_assert(yk_json_index(&json, yk_slice_of("{\"b\":1,\"a\":\"xy\"}")));
    for (size_t capacity = 0; capacity < 16; capacity++) {
        ck_assert_uint_eq(yk_json_canonicalise(&json, canonical, capacity), 0);
    }
    ck_assert_uint_eq(yk_json_canonicalise(&json, canonical, 16), 16);
}
END_TEST

START_TEST(members_are_found_by_name)
{
    static const char *const names[] = {"a", "aa", "b", "c", "zz"};
    static const char text[] =
        "{\"\\n\":0,\"A\":0,\"a\":{\"b\":0},\"b\":[7,8],\"b\\\"\":0,\"z\":0}";
    size_t values[5];

    ck_assert(yk_json_index_canonical(&json, yk_slice_of(text)));
    yk_json_members(&json, 0, names, 5, values);
    ck_assert(yk_slice_equal(yk_json_spelling(&json, values[0]), yk_slice_of("{\"b\":0}")));
    ck_assert_uint_eq(values[1], 0);
    ck_assert(yk_slice_equal(yk_json_spelling(&json, values[2]), yk_slice_of("[7,8]")));
    ck_assert_uint_eq(values[3], 0);
    ck_assert_uint_eq(values[4], 0);
    for (size_t i = 0; i < 5; i++) {
        ck_assert_uint_eq(yk_json_member(&json, 0, names[i]), values[i]);
    }
    ck_assert_uint_eq(yk_json_member(&json, values[0], "b"), values[0] + 2);
    ck_assert_uint_eq(yk_json_member(&json, values[0], "z"), 0);
}
END_TEST

static bool count_of(const char *text, uint64_t *value)
{
    ck_assert(yk_json_index_canonical(&json, yk_slice_of(text)));
    return yk_json_count(&json, 0, value);
}

START_TEST(a_count_is_an_integer_from_0_to_its_limit)
{
    uint64_t value;

    ck_assert(count_of("0", &value) && value == 0);
    ck_assert(count_of("9223372036854775807", &value) && value == YK_COUNT_MAX);
    ck_assert(!count_of("9223372036854775808", &value));
    ck_assert(!count_of("9999999999999999999", &value));
    ck_assert(!count_of("10000000000000000000", &value));
    ck_assert(!count_of("18446744073709551617", &value));
    ck_assert(!count_of("-1", &value));
    ck_assert(!count_of("1.0", &value));
    ck_assert(!count_of("true", &value));
    ck_assert(!count_of("\"1\"", &value));
}
END_TEST

START_TEST(a_string_is_unescaped)
{
    uint8_t out[64];
    size_t size;

    ck_assert(yk_json_index_canonical(&json, yk_slice_of("\"a\\n\\\"\\\\\\u0001\xc3\xa9\"")));
    ck_assert(json.tokens[0].escaped);
    size = yk_json_unescape(yk_json_raw_string(&json, 0), out);
    ck_assert(yk_slice_equal((struct yk_slice){out, size}, yk_slice_of("a\n\"\\\x01\xc3\xa9")));
    ck_assert(yk_json_index_canonical(&json, yk_slice_of("\"a/\"")));
    ck_assert(!json.tokens[0].escaped);
}
END_TEST

static size_t write_sample(uint8_t *out, size_t capacity)
{
    struct yk_json_writer writer;

    yk_json_writer_init(&writer, out, capacity);
    yk_json_open(&writer, '{');
    yk_json_key(&writer, "a");
    yk_json_open(&writer, '[');
    yk_json_unsigned(&writer, UINT64_MAX);
    yk_json_signed(&writer, INT64_MIN);
    yk_json_string(&writer, yk_slice_of("q\"\n\x01\x7f\xc3\xa9"));
    yk_json_open(&writer, '{');
    yk_json_close(&writer, '}');
    yk_json_close(&writer, ']');
    yk_json_key(&writer, "b");
    yk_json_raw(&writer, yk_slice_of("null"));
    yk_json_close(&writer, '}');
    return writer.full ? 0 : writer.size;
}

START_TEST(the_writer_writes_what_the_fast_pass_takes)
{
    static const char sample[] = "{\"a\":[18446744073709551615,-9223372036854775808,"
                                 "\"q\\\"\\n\\u0001\x7f\xc3\xa9\",{}],\"b\":null}";
    uint8_t out[128];
    size_t size = write_sample(out, sizeof(out));

    ck_assert(yk_slice_equal((struct yk_slice){out, size}, yk_slice_of(sample)));
    ck_assert(yk_json_index_canonical(&json, (struct yk_slice){out, size}));
    for (size_t capacity = 0; capacity < size; capacity++) {
        memset(out, 0xaa, sizeof(out));
        ck_assert_uint_eq(write_sample(out, capacity), 0);
        ck_assert_uint_eq(out[capacity], 0xaa);
    }
    ck_assert_uint_eq(write_sample(out, size), size);
}
END_TEST

START_TEST(the_size_of_a_string_is_known_before)
{
    ck_assert_uint_eq(yk_json_string_size(yk_slice_of("")), 2);
    ck_assert_uint_eq(yk_json_string_size(yk_slice_of("a\xc3\xa9")), 5);
    ck_assert_uint_eq(yk_json_string_size(yk_slice_of("\"\n\x01")), 12);
    ck_assert_uint_eq(yk_json_string_size((struct yk_slice){NULL, 0}), 2);
}
END_TEST

START_TEST(utf8_is_counted_and_cut_between_characters)
{
    struct yk_slice text = yk_slice_of("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    static const size_t cuts[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
    size_t points;

    ck_assert(yk_utf8_valid(text, &points));
    ck_assert_uint_eq(points, 4);
    ck_assert(yk_utf8_valid((struct yk_slice){NULL, 0}, &points));
    ck_assert_uint_eq(points, 0);
    for (size_t most = 0; most < sizeof(cuts) / sizeof(cuts[0]); most++) {
        ck_assert_uint_eq(yk_utf8_cut(text, most), cuts[most]);
    }
}
END_TEST

START_TEST(an_object_is_indexed_in_front_of_anything)
{
    struct yk_slice text = yk_slice_of("{\"a\":[1]},\"b\":2}");

    ck_assert_uint_eq(yk_json_index_object(&json, text, 2).size, 9);
    ck_assert_ptr_eq(yk_json_index_object(&json, text, 2).data, text.data);
    ck_assert_uint_eq(yk_json_index_object(&json, text, 1).size, 0);
    ck_assert_uint_eq(yk_json_index_object(&json, yk_slice_of("{\"a\":1"), 2).size, 0);
    ck_assert_uint_eq(yk_json_index_object(&json, yk_slice_of("[1]"), 2).size, 0);
    ck_assert_uint_eq(yk_json_index_object(&json, yk_slice_of(""), 2).size, 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_canonical_text_stays_as_it_is,
        white_space_is_left_out,
        keys_are_sorted_by_code_point,
        many_keys_in_any_order_are_sorted,
        a_key_twice_is_refused,
        strings_have_their_shortest_escapes,
        a_string_that_is_broken_is_refused,
        lone_surrogates_are_refused,
        invalid_utf8_is_refused,
        a_special_character_is_found_at_every_place_of_a_string,
        numbers_keep_their_kind,
        what_is_no_number_is_refused,
        what_is_no_json_is_refused,
        a_text_cut_off_anywhere_is_refused,
        depth_is_at_most_32,
        any_frame_has_few_enough_tokens,
        the_worst_growth_fits,
        a_capacity_too_small_is_refused,
        members_are_found_by_name,
        a_count_is_an_integer_from_0_to_its_limit,
        a_string_is_unescaped,
        the_writer_writes_what_the_fast_pass_takes,
        the_size_of_a_string_is_known_before,
        utf8_is_counted_and_cut_between_characters,
        an_object_is_indexed_in_front_of_anything,
        NULL,
    };

    return suite_main("json", tests);
}
