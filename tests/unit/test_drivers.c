#include <string.h>

#include "drivers/driver.h"
#include "lib/suite.h"

static struct yk_refusal why;

START_TEST(every_driver_is_found_by_its_name)
{
    ck_assert_str_eq(yk_driver_find("igmp", &why)->name, "igmp");
    ck_assert_str_eq(yk_driver_find("null", &why)->name, "null");
}
END_TEST

START_TEST(other_names_are_refused)
{
    ck_assert_ptr_null(yk_driver_find("igpm", &why));
    ck_assert_str_eq(why.text, "driver.type: \"igpm\" is unknown; did you mean \"igmp\"?");
    ck_assert_ptr_null(yk_driver_find("vnc", &why));
    ck_assert_str_eq(why.text,
                     "driver.type: \"vnc\" is unknown; write one of: igmp, jap, null, usbip");
    ck_assert_ptr_null(yk_driver_find("", &why));
    ck_assert_int_eq(why.exit, YK_EXIT_CONFIG);
}
END_TEST

START_TEST(a_driver_whose_module_is_missing_says_where_it_was_looked_for)
{
    ck_assert_ptr_null(yk_driver_find("jap", &why)); /* it is not beside this program */
    ck_assert_int_eq(why.exit, YK_EXIT_CONFIG);
    ck_assert_ptr_nonnull(strstr(why.text, "driver.type: \"jap\" is a module: /"));
    ck_assert_ptr_nonnull(strstr(why.text, "/tests/yoke-jap.so: No such file"));
    ck_assert_ptr_nonnull(strstr(why.text, "; install"));
}
END_TEST

START_TEST(messages_can_list_the_drivers)
{
    ck_assert_str_eq(yk_driver_names(), "igmp, jap, null, usbip");
    ck_assert_str_eq(yk_driver_names(), "igmp, jap, null, usbip");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        every_driver_is_found_by_its_name,
        other_names_are_refused,
        a_driver_whose_module_is_missing_says_where_it_was_looked_for,
        messages_can_list_the_drivers,
        NULL,
    };

    return suite_main("drivers", tests);
}
