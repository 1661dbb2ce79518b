#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/module.h"
#include "files.h"
#include "lib/suite.h"

#define TABLE_SIZE (4 * sizeof(int))

static struct yk_refusal why;

/* Where the build put the sample: beside this program, in modules/. */
static const char *sample(const char *name)
{
    static char path[1024];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);

    ck_assert_int_gt(size, 0);
    path[size] = 0;
    *strrchr(path, '/') = 0;
    snprintf(path + strlen(path), sizeof path - strlen(path), "/modules/%s.so", name);
    return path;
}

static void refused(const char *path, const char *cause, const char *remedy)
{
    ck_assert_ptr_null(yk_module_load(path, TABLE_SIZE, &why));
    ck_assert_int_eq(why.exit, YK_EXIT_CONFIG);
    ck_assert_msg(strncmp(why.text, path, strlen(path)) == 0, "%s", why.text);
    ck_assert_msg(strstr(why.text, cause) != NULL, "no \"%s\" in: %s", cause, why.text);
    ck_assert_msg(strstr(why.text, remedy) != NULL, "no \"%s\" in: %s", remedy, why.text);
    ck_assert_ptr_null(strchr(why.text, '\n'));
}

START_TEST(a_module_gives_its_table)
{
    const int *table = yk_module_load(sample("good"), TABLE_SIZE, &why);

    ck_assert_msg(table != NULL, "%s", why.text);
    ck_assert_int_eq(table[1], 7);
    ck_assert_ptr_eq(yk_module_load(sample("good"), TABLE_SIZE, &why), table);
}
END_TEST

START_TEST(a_module_of_another_version_is_refused)
{
    refused(sample("other_version"), "yoke 0.0.9", "this is yoke " YK_VERSION);
}
END_TEST

START_TEST(a_module_with_another_table_is_refused)
{
    refused(sample("other_table"), "other sources", "build both anew");
}
END_TEST

START_TEST(a_shared_object_of_others_is_refused)
{
    refused(sample("stranger"), "is no module of yoke", "install the one of yoke");
}
END_TEST

START_TEST(a_module_that_is_not_there_is_named_with_its_place)
{
    refused("/nowhere/yoke-x.so", "No such file", "install it there, from yoke " YK_VERSION);
}
END_TEST

START_TEST(what_is_no_shared_object_is_said_to_be_none)
{
    refused(files_text("yoke-x.so", "hello\n"), "cannot be loaded", "install");
}
END_TEST

START_TEST(a_module_lies_beside_the_program)
{
    char place[1024];

    ck_assert_ptr_null(yk_module_table("nosuch", TABLE_SIZE, &why));
    snprintf(place, sizeof place,
             "%.*s/yoke-nosuch.so: ", (int)(strstr(sample("x"), "/modules/") - sample("x")),
             sample("x"));
    ck_assert_msg(strncmp(why.text, place, strlen(place)) == 0, "%s", why.text);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_module_gives_its_table,
        a_module_of_another_version_is_refused,
        a_module_with_another_table_is_refused,
        a_shared_object_of_others_is_refused,
        a_module_that_is_not_there_is_named_with_its_place,
        what_is_no_shared_object_is_said_to_be_none,
        a_module_lies_beside_the_program,
        NULL,
    };

    return suite_main("module", tests);
}
