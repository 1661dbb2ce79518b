/* What the simulator found, each as the rule it broke (docs/sim-findings.md has the seeds). */
#include <stdlib.h>

#include "unit/rig.h"

static struct rig rig;

static void end(void)
{
    rig_fini(&rig);
}

static void started(enum yk_role role)
{
    rig_init(&rig, role);
    rig_start(&rig);
    rig_forget(&rig);
}

START_TEST(no_retry_is_shown_before_the_first_save)
{
    struct yk_node_view view;

    rig_init(&rig, YK_ROLE_CONSUMER);
    rig.hold_saves = true;
    rig_start(&rig);
    yk_node_view(rig.node, &view);
    ck_assert_uint_eq(view.retry_at, YK_TIME_NEVER);
}
END_TEST

START_TEST(reissue_is_suppressed_by_any_intent_that_is_not_older_cachable_or_not)
{
    started(YK_ROLE_PRODUCER);
    rig_intent(&rig, "dec-9", "enc-1", 7, "op-a");
    rig_hear_consumer(&rig, "dec-9", "", 0, "");
    rig_intent(&rig, "dec-9", "!", 8, "op-b"); /* names no node id: heard, never cached */
    rig_pass(&rig, 2 * YK_SECOND);
    rig_expect_not(&rig, "int");
    rig_ack(&rig, "dec-9", 8, "op-b", false, YK_REASON_UNKNOWN_PRODUCER);
    rig_hear_consumer(&rig, "dec-9", "", 0, "");
    rig_intent(&rig, "dec-9", "enc-1", 8, "op-b"); /* rejected: not cached either */
    rig_pass(&rig, 2 * YK_SECOND);
    rig_expect_not(&rig, "int");
    rig_hear_consumer(&rig, "dec-9", "", 0, "");
    rig_pass(&rig, 2 * YK_SECOND);
    rig_expect_has(&rig, "int pair dec-9 enc-1 7/op-a\n");
}
END_TEST

START_TEST(feedback_of_no_open_save_lets_nothing_out_that_is_due)
{
    struct yk_input input = {.kind = YK_INPUT_PERSISTED};
    static struct yk_effects effects;

    started(YK_ROLE_CONSUMER);
    input.now = rig.now + 2 * YK_ANN_INTERVAL; /* an announcement waits for its tick */
    input.as.persisted.request = 99;
    input.as.persisted.ok = true;
    yk_node_step(rig.node, &input, &effects);
    ck_assert_uint_eq(effects.count, 0);
    input.kind = YK_INPUT_TICK;
    yk_node_step(rig.node, &input, &effects);
    ck_assert_uint_gt(effects.count, 0);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("findings");
    TCase *t = tcase_create("simulator");

    tcase_add_checked_fixture(t, NULL, end);
    tcase_add_test(t, no_retry_is_shown_before_the_first_save);
    tcase_add_test(t, reissue_is_suppressed_by_any_intent_that_is_not_older_cachable_or_not);
    tcase_add_test(t, feedback_of_no_open_save_lets_nothing_out_that_is_due);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    SRunner *runner = srunner_create(suite());
    int failed;

    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
