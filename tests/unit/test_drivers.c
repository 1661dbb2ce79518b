#include "drivers/driver.h"
#include "lib/suite.h"

START_TEST(every_driver_is_found_by_its_name)
{
    ck_assert_str_eq(yk_driver_find("igmp")->name, "igmp");
    ck_assert_str_eq(yk_driver_find("null")->name, "null");
    ck_assert_ptr_null(yk_driver_find("Igmp"));
    ck_assert_ptr_null(yk_driver_find(""));
}
END_TEST

START_TEST(messages_can_list_the_drivers)
{
    ck_assert_str_eq(yk_driver_names(), "igmp, null");
    ck_assert_str_eq(yk_driver_names(), "igmp, null");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {every_driver_is_found_by_its_name, messages_can_list_the_drivers,
                                  NULL};

    return suite_main("drivers", tests);
}
