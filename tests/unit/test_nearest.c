#include "base/nearest.h"

#include <string.h>

#include "lib/suite.h"

static const char *const known[] = {"config", "commission", "check", "log-level", "id"};

static const char *nearest(const char *word)
{
    return yk_nearest(word, known, sizeof known / sizeof *known);
}

START_TEST(a_slip_of_the_keyboard_finds_the_word)
{
    ck_assert_str_eq(nearest("confg"), "config");
    ck_assert_str_eq(nearest("confiig"), "config");
    ck_assert_str_eq(nearest("konfig"), "config");
    ck_assert_str_eq(nearest("ocnfig"), "config");
    ck_assert_str_eq(nearest("comission"), "commission");
    ck_assert_str_eq(nearest("loglevel"), "log-level");
    ck_assert_str_eq(nearest("di"), "id");
    ck_assert_str_eq(nearest("check"), "check");
}
END_TEST

START_TEST(the_fewest_edits_win)
{
    static const char *const close[] = {"state_fil", "state_file"};

    ck_assert_str_eq(yk_nearest("state_files", close, 2), "state_file");
}
END_TEST

START_TEST(what_is_like_none_of_them_finds_nothing)
{
    ck_assert_ptr_null(nearest("zebra"));
    ck_assert_ptr_null(nearest(""));
    ck_assert_ptr_null(nearest("xy"));
    ck_assert_ptr_null(nearest("configuration"));
}
END_TEST

START_TEST(a_word_beyond_the_bound_is_near_nothing)
{
    char word[YK_NEAREST_MAX + 2];
    const char *const same[] = {word};

    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = 0;
    ck_assert_ptr_null(yk_nearest(word, same, 1));
    word[YK_NEAREST_MAX] = 0;
    ck_assert_ptr_eq(yk_nearest(word, same, 1), word);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {a_slip_of_the_keyboard_finds_the_word, the_fewest_edits_win,
                                  what_is_like_none_of_them_finds_nothing,
                                  a_word_beyond_the_bound_is_near_nothing, NULL};

    return suite_main("nearest", tests);
}
