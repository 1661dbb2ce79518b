/* A node whose network was gone and is back. */
#include <stdio.h>

#include "lib/suite.h"
#include "unit/rig.h"

#define CROWD 1024 /* known nodes, for which the times grow by themselves once more */
#define APART (300 * YK_MS)
#define TIMES 5
#define CATCH_UP (250 * YK_MS)
#define ALL (CATCH_UP + (TIMES - 1) * APART) /* within this they are out */

static struct rig rig;

static void started(enum yk_role role)
{
    rig_init(&rig, role);
    if (role == YK_ROLE_CONSUMER) {
        rig_start_paired(&rig);
    } else {
        rig_start(&rig);
        rig_report(&rig, YK_REPORT_ACTIVE, "streaming");
    }
    rig_forget(&rig);
}

START_TEST(it_announces_at_once_and_again_and_then_as_ever)
{
    for (enum yk_role role = YK_ROLE_PRODUCER; role <= YK_ROLE_CONSUMER; role++) {
        started(role);
        rig_return(&rig);
        rig_pass(&rig, CATCH_UP); /* the start's announcement was just now */
        ck_assert_uint_eq(rig_count(&rig, "ann "), 1);
        rig_pass(&rig, ALL - CATCH_UP);
        ck_assert_uint_eq(rig_count(&rig, "ann "), TIMES);
        rig_pass(&rig, YK_ANN_INTERVAL - YK_ANN_INTERVAL / 4 - CATCH_UP - YK_MS);
        ck_assert_uint_eq(rig_count(&rig, "ann "), TIMES);
        rig_pass(&rig, YK_ANN_INTERVAL);
        ck_assert_uint_le(rig_count(&rig, "ann "), TIMES + 2);
        ck_assert_uint_gt(rig_count(&rig, "ann "), TIMES);
        rig_fini(&rig);
    }
    started(YK_ROLE_PRODUCER);
}
END_TEST

START_TEST(of_thousands_that_come_back_each_takes_its_time)
{
    unsigned early = 0;

    for (uint64_t seed = 1; seed <= 8; seed++) {
        rig_init(&rig, YK_ROLE_PRODUCER);
        rig.options.tracked = YK_TRACKED_DEFAULT;
        rig.options.seed = seed;
        rig_start(&rig);
        for (unsigned i = 0; i < 3 * CROWD; i++) {
            char id[16];

            snprintf(id, sizeof id, "enc-%u", 100 + i);
            rig_hear_producer(&rig, id, YK_KIND_HDMI, MEDIA_6);
            rig_forget(&rig);
        }
        rig_return(&rig);
        rig_pass(&rig, CATCH_UP);
        early += rig_count(&rig, "ann ");
        rig_pass(&rig, ALL - CATCH_UP);
        ck_assert_uint_ge(rig_count(&rig, "ann "), 1);
        ck_assert_uint_le(rig_count(&rig, "ann "), 2); /* 1.2 s apart, not 0.3 */
        rig_fini(&rig);
    }
    ck_assert_uint_le(early, 6); /* within 0.8 s, not 0.2 */
    started(YK_ROLE_PRODUCER);
}
END_TEST

START_TEST(a_link_that_flaps_delays_no_announcement_and_makes_no_flood)
{
    started(YK_ROLE_CONSUMER);
    for (yk_time passed = 0; passed < 10 * YK_SECOND; passed += YK_MS) {
        rig_return(&rig);
        rig_pass(&rig, YK_MS);
    }
    ck_assert_uint_ge(rig_count(&rig, "ann "), 10 * YK_SECOND / APART);
    ck_assert_uint_le(rig_count(&rig, "ann "), 10 * YK_SECOND / CATCH_UP + 1);
}
END_TEST

START_TEST(what_it_missed_ends_it)
{
    started(YK_ROLE_CONSUMER);
    rig_hear_producer(&rig, "enc-2", YK_KIND_HDMI, "{}");
    rig_return(&rig);
    rig_pass(&rig, CATCH_UP);
    rig_intent(&rig, "dec-1", "enc-2", 100, "op-missed");
    rig_expect_has(&rig, "ack 100/op-missed applied\n");
    rig_report(&rig, YK_REPORT_ACTIVE, "");
    rig_forget(&rig);
    rig_pass(&rig, YK_ANN_INTERVAL - YK_ANN_INTERVAL / 4 - YK_MS);
    rig_expect_not(&rig, "ann ");
}
END_TEST

START_TEST(nothing_is_said_before_the_start_is_over)
{
    rig_init(&rig, YK_ROLE_PRODUCER);
    rig.hold_saves = true;
    rig_start(&rig);
    rig_forget(&rig);
    rig_saved(&rig, false);
    rig_return(&rig);
    rig_expect_not(&rig, "ann ");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        it_announces_at_once_and_again_and_then_as_ever,
        of_thousands_that_come_back_each_takes_its_time,
        a_link_that_flaps_delays_no_announcement_and_makes_no_flood,
        what_it_missed_ends_it,
        nothing_is_said_before_the_start_is_over,
        NULL,
    };

    return suite_main("node_return", tests);
}
