#include <stdlib.h>
#include <string.h>

#include "core/types.h"
#include "lib/suite.h"

static bool is_id(const char *text, size_t size)
{
    struct yk_id id;

    memset(&id, 0xaa, sizeof(id));
    return yk_id_parse(&id, (struct yk_slice){(const uint8_t *)text, size});
}

static struct yk_id id_of(const char *text)
{
    struct yk_id id;

    ck_assert(yk_id_parse(&id, yk_slice_of(text)));
    return id;
}

START_TEST(id_begins_with_a_letter_or_digit)
{
    ck_assert(is_id("a", 1));
    ck_assert(is_id("Z9._-", 5));
    ck_assert(is_id("0", 1));
    ck_assert(!is_id(".a", 2));
    ck_assert(!is_id("-a", 2));
    ck_assert(!is_id("_a", 2));
}
END_TEST

START_TEST(id_has_only_letters_digits_dot_underscore_dash)
{
    for (int c = 0; c < 256; c++) {
        char text[2] = {'a', (char)c};
        bool good = c != 0 && strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                     "0123456789._-",
                                     c) != NULL;

        ck_assert_msg(is_id(text, 2) == good, "byte %d", c);
    }
}
END_TEST

START_TEST(id_has_1_to_64_bytes)
{
    char text[65];

    memset(text, 'x', sizeof(text));
    ck_assert(!is_id(text, 0));
    ck_assert(is_id(text, 64));
    ck_assert(!is_id(text, 65));
}
END_TEST

START_TEST(id_is_zero_behind_its_end_and_none_after_a_refusal)
{
    static const struct yk_id none;
    struct yk_id id;

    memset(&id, 0xaa, sizeof(id));
    ck_assert(yk_id_parse(&id, yk_slice_of("ab")));
    ck_assert_uint_eq(id.size, 2);
    ck_assert_str_eq(id.text, "ab");
    for (size_t i = 2; i < sizeof(id.text); i++) {
        ck_assert_int_eq(id.text[i], 0);
    }
    ck_assert(!yk_id_parse(&id, yk_slice_of("a b")));
    ck_assert_mem_eq(&id, &none, sizeof(id));
}
END_TEST

START_TEST(ids_order_by_byte)
{
    static const char *const rising[] = {"0", "9", "A", "Z", "a", "a-", "a.", "aZ", "aa", "b"};
    struct yk_id none = {0};

    for (size_t i = 0; i < sizeof(rising) / sizeof(rising[0]); i++) {
        struct yk_id a = id_of(rising[i]);

        ck_assert_int_lt(yk_id_compare(&none, &a), 0);
        for (size_t j = 0; j < sizeof(rising) / sizeof(rising[0]); j++) {
            struct yk_id b = id_of(rising[j]);
            int order = yk_id_compare(&a, &b);

            ck_assert_msg((order > 0) - (order < 0) == (i > j) - (i < j), "%s %s", rising[i],
                          rising[j]);
            ck_assert(yk_id_equal(&a, &b) == (i == j));
        }
    }
}
END_TEST

START_TEST(versions_order_by_counter_then_author)
{
    struct yk_version zero = {0};
    struct yk_version low = {1, id_of("z")};
    struct yk_version tie = {2, id_of("a")};
    struct yk_version high = {2, id_of("b")};
    struct yk_version top = {YK_COUNT_MAX, id_of("a")};

    ck_assert_int_lt(yk_version_compare(&zero, &low), 0);
    ck_assert_int_lt(yk_version_compare(&low, &tie), 0);
    ck_assert_int_lt(yk_version_compare(&tie, &high), 0);
    ck_assert_int_lt(yk_version_compare(&high, &top), 0);
    ck_assert_int_gt(yk_version_compare(&top, &low), 0);
    ck_assert_int_gt(yk_version_compare(&high, &tie), 0);
    ck_assert_int_eq(yk_version_compare(&high, &high), 0);
}
END_TEST

/* At every length, with every byte behind it: what is looked at sixteen at a time and what is not. */
START_TEST(an_id_is_read_as_far_as_it_goes)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    uint8_t text[YK_ID_MAX + 40];
    struct yk_id id;

    for (size_t size = 0; size <= YK_ID_MAX + 1; size++) {
        for (int byte = 0; byte < 256; byte++) {
            bool goes_on = memchr(alphabet, byte, strlen(alphabet)) != NULL;
            size_t expected = size + goes_on;

            if (size == 0 && goes_on) {
                continue; /* the first one has a rule of its own */
            }
            memset(text, 'x', size);
            memset(text + size, '"', sizeof text - size);
            text[size] = (uint8_t)byte;
            expected = expected > YK_ID_MAX ? 0 : expected;
            ck_assert_uint_eq(yk_id_read(&id, (struct yk_slice){text, sizeof text}), expected);
            ck_assert_uint_eq(id.size, expected);
            ck_assert_uint_eq(yk_id_read(&id, (struct yk_slice){text, size + 1}), expected);
        }
    }
    memset(text, 'x', sizeof text);
    ck_assert_uint_eq(yk_id_read(&id, (struct yk_slice){text, sizeof text}), 0);
}
END_TEST

START_TEST(slices_are_equal_when_their_bytes_are)
{
    struct yk_slice nothing = {NULL, 0};

    ck_assert(yk_slice_equal(nothing, yk_slice_of("")));
    ck_assert(yk_slice_equal(yk_slice_of("ab"), yk_slice_of("ab")));
    ck_assert(!yk_slice_equal(yk_slice_of("ab"), yk_slice_of("ac")));
    ck_assert(!yk_slice_equal(yk_slice_of("ab"), yk_slice_of("abc")));
    ck_assert(!yk_slice_equal(nothing, yk_slice_of("a")));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        id_begins_with_a_letter_or_digit,
        id_has_only_letters_digits_dot_underscore_dash,
        id_has_1_to_64_bytes,
        id_is_zero_behind_its_end_and_none_after_a_refusal,
        ids_order_by_byte,
        versions_order_by_counter_then_author,
        an_id_is_read_as_far_as_it_goes,
        slices_are_equal_when_their_bytes_are,
        NULL,
    };

    return suite_main("types", tests);
}
