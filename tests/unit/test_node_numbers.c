/* The numbers of a node: reserved ahead, never used twice, and how far from the clocks (spec, Replay
 * defense). */
#include <stdlib.h>
#include <string.h>

#include "lib/suite.h"
#include "unit/rig.h"

static struct rig rig;

static void started(enum yk_role role)
{
    rig_init(&rig, role);
    rig_start(&rig);
    if (role == YK_ROLE_PRODUCER) {
        rig_report(&rig, YK_REPORT_ACTIVE, "streaming");
    }
    rig_forget(&rig);
}

START_TEST(sequence_starts_above_the_saved_bound_and_above_the_clock)
{
    struct yk_node_view view;

    rig_init(&rig, YK_ROLE_CONSUMER);
    rig.disk.seq = (uint64_t)RIG_WALL_NS + 600 * YK_SECOND;
    rig_start(&rig);
    ck_assert_uint_eq(rig.disk.seq, (uint64_t)RIG_WALL_NS + 600 * YK_SECOND + YK_SEQ_BLOCK);
    rig.wall_ns += INT64_C(7200) * (int64_t)YK_SECOND + 5;
    rig_restart(&rig);
    ck_assert_uint_eq(rig.disk.seq, (uint64_t)RIG_WALL_NS + 7205 * YK_SECOND + YK_SEQ_BLOCK);
    yk_node_view(rig.node, &view);
    ck_assert_uint_eq(view.seq_bound, rig.disk.seq);
}
END_TEST

START_TEST(sequence_is_reserved_by_4096_and_renewed_when_half_is_left)
{
    uint64_t bound;

    started(YK_ROLE_CONSUMER);
    bound = rig.disk.seq;
    for (int i = 0; i < 2000; i++) {
        rig_intent(&rig, "dec-1", "dec-1", 1, "op-a"); /* each is answered */
    }
    ck_assert_uint_eq(rig.disk.seq, bound);
    for (int i = 0; i < 100; i++) {
        rig_intent(&rig, "dec-1", "dec-1", 1, "op-a");
    }
    ck_assert_uint_eq(rig.disk.seq, bound + YK_SEQ_BLOCK);
}
END_TEST

START_TEST(slow_reservation_delays_no_frame_until_the_block_is_used_up)
{
    unsigned sent = 0;

    started(YK_ROLE_CONSUMER);
    rig.hold_saves = true;
    for (int i = 0; i < 5000; i++) {
        rig_forget(&rig);
        rig_intent(&rig, "dec-1", "dec-1", 1, "op-a");
        ck_assert(!yk_node_is_blocked(rig.node));
        sent += rig_count(&rig, "ack ");
    }
    ck_assert_uint_lt(sent, YK_SEQ_BLOCK); /* the rig asserts each number below the bound */
    ck_assert_uint_gt(sent, YK_SEQ_BLOCK - 8);
    rig_forget(&rig);
    rig_saved(&rig, true);
    rig_expect_has(&rig, "ann idle"); /* it says at once that it is there again */
}
END_TEST

START_TEST(failed_reservation_releases_no_frame_and_is_tried_again)
{
    rig_init(&rig, YK_ROLE_PRODUCER);
    rig.hold_saves = true;
    rig_start(&rig);
    rig_forget(&rig);
    rig_saved(&rig, false);
    rig_expect_has(&rig, "note save-failed\n");
    rig_expect_has(&rig, "attach " MEDIA_5); /* the picture does not wait for the disk */
    rig_expect_not(&rig, "ann");
    rig_expect_not(&rig, "evt");
    rig_forget(&rig);
    rig_pass(&rig, YK_SECOND);
    rig_expect_has(&rig, "persist bound+");
    rig_saved(&rig, true);
    rig_expect_has(&rig, "evt started\nevt media-pending\nann pending\n");
}
END_TEST

START_TEST(pairing_that_comes_while_a_reservation_is_saved_waits_for_it)
{
    started(YK_ROLE_CONSUMER);
    rig.hold_saves = true;
    while (rig.request == 0) {
        rig_intent(&rig, "dec-1", "dec-1", 1, "op-a");
    }
    rig_forget(&rig);
    rig_intent(&rig, "dec-1", "enc-1", 2, "op-b");
    ck_assert(yk_node_is_blocked(rig.node));
    rig_expect(&rig, ""); /* no overlapping save */
    rig_saved(&rig, true);
    rig_expect(&rig, "persist bound+0 enc-1 2/op-b\n");
    rig_saved(&rig, true);
    rig_expect_has(&rig, "ack 2/op-b applied\n");
}
END_TEST

START_TEST(a_pairing_whose_save_fails_puts_off_no_reservation)
{
    started(YK_ROLE_CONSUMER);
    rig.hold_saves = true;
    while (rig.request == 0) {
        rig_intent(&rig, "dec-1", "dec-1", 1, "op-a"); /* each is answered */
    }
    rig_saved(&rig, false);
    rig_pass(&rig, YK_SECOND / 2);
    rig_intent(&rig, "dec-1", "enc-1", 2, "op-b");
    rig_saved(&rig, false);
    rig_forget(&rig);
    rig_pass(&rig, YK_SECOND / 2);
    rig_expect_has(&rig, "persist bound+4096 never\n");
}
END_TEST

START_TEST(sequence_at_its_end_is_mute_and_never_wraps)
{
    rig_init(&rig, YK_ROLE_CONSUMER);
    rig.disk.seq = YK_COUNT_MAX;
    rig_start(&rig);
    rig_pass(&rig, 10 * YK_SECOND);
    rig_expect_not(&rig, "ann");
    ck_assert_uint_le(rig.disk.seq, YK_COUNT_MAX);
}
END_TEST

START_TEST(numbers_an_hour_ahead_of_the_clock_are_said)
{
    struct yk_input input = {.kind = YK_INPUT_WALL};
    static struct yk_effects effects;
    struct yk_node_view view;

    rig_init(&rig, YK_ROLE_CONSUMER);
    rig.disk.seq = (uint64_t)RIG_WALL_NS + 2 * YK_HOUR;
    rig_start(&rig);
    rig_expect_has(&rig, "note clock-ahead\n");
    input.now = rig.now;
    input.as.wall.wall_ns = RIG_WALL_NS + 2 * (int64_t)YK_HOUR;
    yk_node_step(rig.node, &input, &effects);
    yk_node_view(rig.node, &view);
    ck_assert(!view.clock_ahead);
}
END_TEST

START_TEST(numbers_an_hour_ahead_of_every_peers_clock_are_said_too)
{
    rig_init(&rig, YK_ROLE_CONSUMER);
    rig.disk.seq = (uint64_t)RIG_WALL_NS + 2 * YK_HOUR;
    rig.wall_ns += 2 * (int64_t)YK_HOUR;
    rig_start(&rig);
    rig_expect_not(&rig, "clock-ahead");
    rig.wall_ns -= 2 * (int64_t)YK_HOUR; /* of the peer that speaks next */
    rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, MEDIA_5);
    rig_expect_has(&rig, "note clock-ahead\n");
}
END_TEST

START_TEST(future_bound_is_never_below_our_own_numbers)
{
    rig_init(&rig, YK_ROLE_CONSUMER);
    rig.disk.seq = (uint64_t)RIG_WALL_NS + 2 * YK_HOUR;
    rig_start(&rig);
    rig_forget(&rig);
    rig.peer_seq = (uint64_t)RIG_WALL_NS + 3 * YK_HOUR;
    rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, MEDIA_5);
    rig_expect_has(&rig, "note peer-new\n");
    rig_forget(&rig);
    rig.peer_seq += YK_SECOND;
    rig_hear_producer(&rig, "enc-2", YK_KIND_HDMI, MEDIA_5);
    rig_expect_has(&rig, "evt rx-drop\n");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        sequence_starts_above_the_saved_bound_and_above_the_clock,
        sequence_is_reserved_by_4096_and_renewed_when_half_is_left,
        slow_reservation_delays_no_frame_until_the_block_is_used_up,
        failed_reservation_releases_no_frame_and_is_tried_again,
        pairing_that_comes_while_a_reservation_is_saved_waits_for_it,
        a_pairing_whose_save_fails_puts_off_no_reservation,
        sequence_at_its_end_is_mute_and_never_wraps,
        numbers_an_hour_ahead_of_the_clock_are_said,
        numbers_an_hour_ahead_of_every_peers_clock_are_said_too,
        future_bound_is_never_below_our_own_numbers,
        NULL,
    };

    return suite_main("node's numbers", tests);
}
