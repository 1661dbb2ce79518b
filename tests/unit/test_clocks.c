/* Our clock against those of the peers: who has to be wrong before a word is said, and when it ends. */
#include "core/clocks.h"

#include <stdlib.h>

#include "lib/suite.h"
#include "unit/rig.h"

static struct rig rig;

static void begin(void)
{
    rig_init(&rig, YK_ROLE_CONSUMER);
    rig_start(&rig);
    rig_forget(&rig);
}

/* Peers announce every 2 s, with clocks so many seconds ahead of ours. */
static void live(const int64_t *ahead, unsigned count, unsigned rounds)
{
    static const char *const ids[] = {"a", "b", "c", "d", "e"};

    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned i = 0; i < count; i++) {
            rig.wall_ns += ahead[i] * (int64_t)YK_SECOND;
            rig_hear_producer(&rig, ids[i], YK_KIND_HDMI, MEDIA_6);
            rig.wall_ns -= ahead[i] * (int64_t)YK_SECOND;
        }
        rig_pass(&rig, 2 * YK_SECOND);
    }
}

static struct yk_node_view view(void)
{
    struct yk_node_view seen;

    yk_node_view(rig.node, &seen);
    return seen;
}

static void set_wall(int64_t ahead_s)
{
    static struct yk_effects effects;
    struct yk_input input = {.kind = YK_INPUT_WALL, .now = rig.now};

    input.as.wall.wall_ns = rig.wall_ns + (int64_t)rig.now + ahead_s * (int64_t)YK_SECOND;
    yk_node_step(rig.node, &input, &effects);
}

START_TEST(clock_far_from_every_peers_is_said_once_with_how_far)
{
    begin();
    live((int64_t[]){-100, -130, -90}, 3, 10);
    ck_assert_uint_eq(rig_count(&rig, "note clock-apart\n"), 1);
    ck_assert_ptr_nonnull(view().clocks);
    ck_assert_uint_eq(view().clocks->peers, 3);
    ck_assert_int_eq(view().clocks->ahead_ms, 100000);
    ck_assert_int_eq(view().state, YK_STATE_IDLE);
    rig_fini(&rig);
}
END_TEST

START_TEST(clock_within_the_bound_is_not_said)
{
    begin();
    live((int64_t[]){59, -59, 58}, 3, 10);
    rig_expect_not(&rig, "clock-apart");
    ck_assert_ptr_null(view().clocks);
    rig_fini(&rig);
}
END_TEST

START_TEST(one_liar_among_several_does_not_matter)
{
    begin();
    live((int64_t[]){3000, 0}, 2, 10);
    live((int64_t[]){-100000, 1, 0}, 3, 10);
    live((int64_t[]){-100000, 3000, 1, 0, 2}, 5, 10);
    rig_expect_not(&rig, "clock-apart");
    rig_fini(&rig);
}
END_TEST

START_TEST(two_that_agree_are_believed_and_one_alone_only_differs)
{
    begin();
    live((int64_t[]){-3000}, 1, 10);
    rig_expect_has(&rig, "note clock-apart\n");
    ck_assert_uint_eq(view().clocks->peers, 1);
    live((int64_t[]){-3000, -2000}, 2, 10);
    ck_assert_uint_eq(rig_count(&rig, "note clock-apart\n"), 1);
    ck_assert_uint_eq(view().clocks->peers, 2);
    ck_assert_int_eq(view().clocks->ahead_ms, 2000000);
    rig_fini(&rig);
}
END_TEST

START_TEST(clock_that_was_set_right_is_said_to_be)
{
    begin();
    live((int64_t[]){600, 600}, 2, 6);
    rig_expect_has(&rig, "note clock-apart\n");
    set_wall(600);
    ck_assert_ptr_nonnull(view().clocks); /* nobody was heard since */
    live((int64_t[]){600, 600}, 2, 6);
    ck_assert_uint_eq(rig_count(&rig, "note clock-level\n"), 1);
    ck_assert_ptr_null(view().clocks);
    rig_fini(&rig);
}
END_TEST

START_TEST(clock_that_was_set_wrong_while_running_is_said)
{
    begin();
    live((int64_t[]){0, 0}, 2, 6);
    set_wall(-600);
    live((int64_t[]){0, 0}, 2, 6);
    ck_assert_uint_eq(rig_count(&rig, "note clock-apart\n"), 1);
    ck_assert_int_eq(view().clocks->ahead_ms, -600000);
    rig_fini(&rig);
}
END_TEST

START_TEST(what_was_said_holds_until_the_clocks_are_clearly_near)
{
    begin();
    live((int64_t[]){-70, -70}, 2, 6);
    live((int64_t[]){-50, -50}, 2, 6);
    rig_expect_not(&rig, "clock-level");
    live((int64_t[]){-29, -29}, 2, 3);
    rig_expect_has(&rig, "note clock-level\n");
    rig_fini(&rig);
}
END_TEST

/* A program that was stopped reads what came in meanwhile: old stamps, of clocks that are right. */
START_TEST(frames_that_waited_for_a_stopped_program_accuse_nobody)
{
    begin();
    live((int64_t[]){0, 0}, 2, 3);
    rig_pass(&rig, YK_HOUR);
    live((int64_t[]){-3600, -3600}, 2, 1);
    live((int64_t[]){0, 0}, 2, 6);
    rig_expect_not(&rig, "clock-apart");
    rig_fini(&rig);
}
END_TEST

START_TEST(wall_clock_that_was_set_is_announced_at_once)
{
    static struct yk_effects effects;
    struct yk_input input = {.kind = YK_INPUT_WALL};

    begin();
    input.now = rig.now;
    input.as.wall.wall_ns = rig.wall_ns;
    yk_node_step(rig.node, &input, &effects);
    ck_assert_uint_eq(effects.count, 1);
    ck_assert_int_eq(effects.list[0].kind, YK_EFFECT_SEND);
    rig_fini(&rig);
}
END_TEST

START_TEST(stamps_beyond_all_clocks_are_bounded)
{
    ck_assert_int_gt(yk_clock_ahead(INT64_MAX, INT64_MIN), 0);
    ck_assert_int_lt(yk_clock_ahead(INT64_MIN, INT64_MAX), 0);
    ck_assert_int_eq(yk_clock_ahead(1500, (int64_t)YK_SECOND), 500);
    ck_assert_uint_eq(yk_clock_distance(INT64_MIN), UINT64_MAX);
    ck_assert_uint_eq(yk_clock_distance(-2), 2 * YK_MS);
    ck_assert(yk_clock_is_apart(-60001));
    ck_assert(!yk_clock_is_apart(60000));
}
END_TEST

START_TEST(peer_whose_clock_was_not_compared_has_no_say)
{
    struct yk_ann ann = {.role = YK_ROLE_PRODUCER};
    void *memory = calloc(1, yk_peers_memory(YK_TRACKED_MIN));
    struct yk_peers_change change;
    struct yk_clocks clocks;
    struct yk_peers peers;
    struct yk_id id;

    ck_assert_ptr_nonnull(memory);
    ck_assert(yk_id_parse(&id, yk_slice_of("enc-1")));
    yk_peers_init(&peers, memory, YK_TRACKED_MIN, 1);
    yk_peers_announce(&peers, &id, &ann, (struct yk_address){0}, (char[YK_FINGERPRINT_SIZE]){0}, 1,
                      &change);
    yk_clocks_compare(&clocks, &peers, 0);
    ck_assert_uint_eq(clocks.peers, 0);
    free(memory);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        clock_far_from_every_peers_is_said_once_with_how_far,
        clock_within_the_bound_is_not_said,
        one_liar_among_several_does_not_matter,
        two_that_agree_are_believed_and_one_alone_only_differs,
        clock_that_was_set_right_is_said_to_be,
        clock_that_was_set_wrong_while_running_is_said,
        what_was_said_holds_until_the_clocks_are_clearly_near,
        frames_that_waited_for_a_stopped_program_accuse_nobody,
        wall_clock_that_was_set_is_announced_at_once,
        stamps_beyond_all_clocks_are_bounded,
        peer_whose_clock_was_not_compared_has_no_say,
        NULL,
    };

    return suite_main("clocks", tests);
}
