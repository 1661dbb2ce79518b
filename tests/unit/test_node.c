/* What every node does, whatever its role: announcements, peers, anti-entropy. */
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

static struct yk_slice media_now(void)
{
    struct yk_node_view view;

    yk_node_view(rig.node, &view);
    return view.options->media;
}

START_TEST(a_producers_new_media_is_announced_at_once_and_the_same_not_again)
{
    static const char media[] = "{\"busids\":[\"1-1\"]}";

    started(YK_ROLE_PRODUCER);
    rig_media(&rig, media);
    rig_expect(&rig, "ann active evidence=\"streaming\"\n");
    ck_assert(yk_slice_equal(media_now(), yk_slice_of(media)));
    rig_media(&rig, media);
    rig_expect(&rig, "");
    rig_media(&rig, "");
    rig_expect(&rig, "ann active evidence=\"streaming\"\n");
    ck_assert_uint_eq(media_now().size, 0);
}
END_TEST

START_TEST(media_that_no_frame_can_carry_is_announced_as_none)
{
    static char media[2 * YK_FRAME_MAX];

    for (size_t size = YK_FRAME_MAX - 100; size < sizeof media; size += YK_FRAME_MAX - 100) {
        started(YK_ROLE_PRODUCER);
        memset(media, 'x', size);
        memcpy(media, "{\"x\":\"", 6);
        memcpy(media + size - 2, "\"}", 3);
        rig_media(&rig, media);
        ck_assert_uint_eq(media_now().size, 0);
        rig_fini(&rig);
    }
    started(YK_ROLE_PRODUCER);
}
END_TEST

START_TEST(a_consumer_has_no_media)
{
    started(YK_ROLE_CONSUMER);
    rig_media(&rig, "{}");
    rig_expect(&rig, "");
    ck_assert_uint_eq(media_now().size, 0);
}
END_TEST

/* --- announcements --------------------------------------------------------------------------- */

START_TEST(announcement_comes_every_2_seconds_with_a_quarter_of_jitter)
{
    yk_time last;

    started(YK_ROLE_PRODUCER);
    last = rig.now;
    for (int i = 0; i < 50; i++) {
        rig_forget(&rig);
        while (rig_count(&rig, "ann") == 0) {
            rig_pass(&rig, YK_MS);
        }
        ck_assert_uint_ge(rig.now - last, 1500 * YK_MS - 1);
        ck_assert_uint_le(rig.now - last, 2501 * YK_MS);
        last = rig.now;
    }
}
END_TEST

START_TEST(announcement_always_encodes_evidence_goes_first_then_the_error_is_cut)
{
    static char name[65], text[YK_REPORT_DETAIL_MAX + 1];
    char media[900];

    rig_init(&rig, YK_ROLE_PRODUCER);
    memset(name, 1, 64); /* six bytes each on the wire */
    memset(text, 2, YK_REPORT_DETAIL_MAX);
    memset(media, 'x', sizeof media - 1);
    memcpy(media, "{\"a\":\"", 6);
    rig.options.name = yk_slice_of(name);
    for (size_t size = 880; size > 0; size--) { /* the largest that fits */
        size_t over;

        memcpy(media + size - 2, "\"}", 3);
        rig.options.media = yk_slice_of(media);
        if (yk_node_fits(&rig.options, &over)) {
            break;
        }
        ck_assert_uint_gt(over, 0);
        media[size - 2] = media[size - 1] = media[size] = 'x';
    }
    rig_start(&rig);
    rig_report(&rig, YK_REPORT_ACTIVE, text);
    rig_expect_has(&rig, "ann active\n");
    rig_report(&rig, YK_REPORT_ERROR, text);
    rig_expect_has(&rig, "ann error err=\"\"\n");
}
END_TEST

START_TEST(media_that_cannot_fit_names_how_much_is_too_much)
{
    char media[1200];
    size_t over;

    rig_init(&rig, YK_ROLE_PRODUCER);
    memset(media, 'x', sizeof media - 1);
    media[sizeof media - 1] = '\0';
    memcpy(media, "{\"a\":\"", 6);
    memcpy(media + 1197, "\"}", 3);
    rig.options.media = yk_slice_of(media);
    ck_assert(!yk_node_fits(&rig.options, &over));
    memcpy(media + 1197 - over, "\"}", 3);
    rig.options.media = yk_slice_of(media);
    ck_assert(yk_node_fits(&rig.options, &over));
}
END_TEST

START_TEST(rx_drop_is_said_at_most_once_an_interval_with_counts_since_start)
{
    started(YK_ROLE_PRODUCER);
    rig_bytes(&rig, "", 0);
    rig_expect_has(&rig, "evt rx-drop\n");
    for (int i = 0; i < 19; i++) {
        rig_bytes(&rig, "junk", 4);
        rig_pass(&rig, 100 * YK_MS);
    }
    ck_assert_uint_eq(rig_count(&rig, "evt rx-drop\n"), 1);
    rig_pass(&rig, 100 * YK_MS);
    ck_assert_uint_eq(rig_count(&rig, "evt rx-drop\n"), 2);
    rig_forget(&rig);
    rig_pass(&rig, 10 * YK_SECOND);
    rig_expect_not(&rig, "rx-drop");
}
END_TEST

START_TEST(own_frames_that_the_kernel_loops_back_count_nowhere)
{
    struct yk_input input = {.kind = YK_INPUT_TICK};
    static struct yk_effects effects;
    struct yk_node_view view;
    bool looped = false;

    started(YK_ROLE_PRODUCER);
    input.now = rig.now + 3 * YK_SECOND;
    yk_node_step(rig.node, &input, &effects);
    rig.now = input.now;
    for (size_t i = 0; i < effects.count; i++) {
        if (effects.list[i].kind == YK_EFFECT_SEND) {
            rig_bytes(&rig, (const char *)effects.list[i].as.send.bytes.data,
                      effects.list[i].as.send.bytes.size);
            looped = true;
        }
    }
    ck_assert(looped);
    rig_expect(&rig, "");
    yk_node_view(rig.node, &view);
    ck_assert_uint_eq(view.accepted, 0);
    for (int drop = 1; drop < YK_DROP_END; drop++) {
        ck_assert_uint_eq(view.drops[drop], 0);
    }
    ck_assert(!view.id_conflict);
}
END_TEST

START_TEST(newer_frames_under_our_id_are_a_conflict_and_older_ones_a_replay)
{
    struct yk_frame frame = {.type = YK_TYPE_BYE, .seq = 5};
    struct yk_node_view view;

    started(YK_ROLE_PRODUCER);
    rig_hear(&rig, "enc-1", &frame);
    rig_expect(&rig, "");
    frame.seq = rig.disk.seq + 10;
    rig_hear(&rig, "enc-1", &frame);
    rig_expect(&rig, "note id-conflict\n");
    yk_node_view(rig.node, &view);
    ck_assert(view.id_conflict);
    ck_assert_uint_eq(view.conflict_from.ip[0], 192);
}
END_TEST

START_TEST(a_twin_that_counts_below_us_is_a_conflict_and_our_own_past_is_not)
{
    struct yk_frame frame = {.type = YK_TYPE_BYE, .seq = 5};
    struct yk_node_view view;

    started(YK_ROLE_PRODUCER);
    rig.wall_ns -= 3600 * (int64_t)YK_SECOND; /* stamped in an earlier life, and sent again */
    rig_pass(&rig, 4 * YK_SECOND);
    rig_forget(&rig);
    rig_hear(&rig, "enc-1", &frame);
    rig_expect(&rig, "");
    rig.wall_ns += 3600 * (int64_t)YK_SECOND;
    frame.seq = 4; /* stale, and stamped now: nothing of ours */
    rig_hear(&rig, "enc-1", &frame);
    rig_expect_has(&rig, "note id-conflict\n");
    yk_node_view(rig.node, &view);
    ck_assert(view.id_conflict);
    ck_assert_uint_eq(view.drops[YK_DROP_STALE], 1);
    ck_assert_uint_eq(view.stale_own, 1);
}
END_TEST

START_TEST(a_twin_among_our_own_numbers_is_a_conflict_and_a_late_echo_is_not)
{
    struct yk_frame frame = {.type = YK_TYPE_BYE};
    struct yk_node_view view;

    started(YK_ROLE_PRODUCER);
    yk_node_view(rig.node, &view);
    frame.seq = view.seq_bound - view.seq_left - 1; /* our announcement's own */
    rig_hear(&rig, "enc-1", &frame);
    yk_node_view(rig.node, &view);
    ck_assert(!view.id_conflict);
    for (int i = 0; i < 40 && !view.id_conflict; i++) { /* each round is a third of an interval */
        frame.seq = view.seq_bound - view.seq_left - 2;
        rig_pass(&rig, 700 * YK_MS);
        rig_hear(&rig, "enc-1", &frame);
        yk_node_view(rig.node, &view);
    }
    ck_assert(view.id_conflict);
}
END_TEST

START_TEST(our_past_under_a_clock_that_was_ahead_is_no_twin)
{
    struct yk_frame frame = {.type = YK_TYPE_BYE, .seq = 5};
    struct yk_input set = {.kind = YK_INPUT_WALL};
    static struct yk_effects effects;
    struct yk_node_view view;

    started(YK_ROLE_PRODUCER);
    rig_pass(&rig, 4 * YK_SECOND);
    set.now = rig.now;
    set.as.wall.wall_ns = rig.wall_ns + (int64_t)rig.now - 600 * (int64_t)YK_SECOND;
    yk_node_step(rig.node, &set, &effects);
    rig_hear(&rig, "enc-1", &frame); /* stamped before the clock was set back */
    yk_node_view(rig.node, &view);
    ck_assert(!view.id_conflict);
}
END_TEST

/* --- peers ----------------------------------------------------------------------------------- */

START_TEST(peer_that_changes_its_name_for_one_of_the_same_length_is_shown_by_the_new_one)
{
    static const char *const names[] = {"left", "rear"};
    struct yk_frame frame = {.type = YK_TYPE_ANN};
    struct yk_peer_text text;
    struct yk_node_view view;
    struct yk_id id;

    started(YK_ROLE_PRODUCER);
    ck_assert(yk_id_parse(&id, yk_slice_of("enc-2")));
    frame.as.ann.role = YK_ROLE_PRODUCER;
    frame.as.ann.kind = YK_KIND_HDMI;
    frame.as.ann.state = YK_STATE_ACTIVE;
    for (int i = 0; i < 2; i++) {
        frame.as.ann.name = yk_slice_of(names[i]);
        frame.seq = 0; /* the next */
        rig_hear(&rig, "enc-2", &frame);
        yk_node_view(rig.node, &view);
        yk_peers_text(view.peers, yk_peers_find(view.peers, &id), &text);
        ck_assert(yk_slice_equal(text.name, yk_slice_of(names[i])));
    }
    rig_fini(&rig);
}
END_TEST

START_TEST(peer_of_others_is_lost_and_returns_in_the_log_alone)
{
    started(YK_ROLE_PRODUCER);
    rig_hear_producer(&rig, "enc-2", YK_KIND_HDMI, MEDIA_6);
    rig_expect(&rig, "note peer-new\n");
    rig_pass(&rig, YK_PEER_TIMEOUT);
    rig_expect_has(&rig, "note node-lost\n");
    rig_expect_not(&rig, "evt peer-lost");
    rig_forget(&rig);
    rig_hear_producer(&rig, "enc-2", YK_KIND_HDMI, MEDIA_6);
    rig_expect(&rig, "note node-returned\n");
    rig_bye(&rig, "enc-2");
    rig_expect(&rig, "note peer-gone\n");
    rig_pass(&rig, YK_PEER_TIMEOUT);
    rig_expect_not(&rig, "note node-lost\n");
}
END_TEST

START_TEST(full_table_keeps_the_paired_producers_sequence_too)
{
    struct yk_frame replayed = {.type = YK_TYPE_BYE};
    char id[8] = "enc-A0";

    started(YK_ROLE_CONSUMER);
    rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, MEDIA_5);
    replayed.seq = rig.peer_seq; /* not above what was heard */
    rig_intent(&rig, "dec-1", "enc-1", 1, "op-a");
    for (unsigned i = 0; i < 3 * YK_TRACKED_MIN; i++) {
        id[4] = (char)('A' + i / 10);
        id[5] = (char)('0' + i % 10);
        rig_hear_producer(&rig, id, YK_KIND_HDMI, MEDIA_6);
    }
    rig_forget(&rig);
    rig_hear(&rig, "enc-1", &replayed);
    rig_expect_not(&rig, "peer-gone");
}
END_TEST

START_TEST(full_table_forgets_the_least_recent_but_never_the_paired_producer)
{
    struct yk_node_view view;
    char id[8] = "enc-A0";

    started(YK_ROLE_CONSUMER);
    rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, MEDIA_5);
    rig_intent(&rig, "dec-1", "enc-1", 1, "op-a");
    rig_report(&rig, YK_REPORT_ACTIVE, "joined");
    for (unsigned i = 0; i < 3 * YK_TRACKED_MIN; i++) {
        id[4] = (char)('A' + i / 10);
        id[5] = (char)('0' + i % 10);
        rig_hear_producer(&rig, id, YK_KIND_HDMI, MEDIA_6);
    }
    yk_node_view(rig.node, &view);
    ck_assert_uint_eq(view.peers->table.count, YK_TRACKED_MIN);
    ck_assert(yk_peers_is_live(view.peers, &rig.disk.pairing.producer));
    ck_assert(view.state == YK_STATE_ACTIVE);
}
END_TEST

START_TEST(id_used_from_two_addresses_in_turn_is_said_and_one_that_moved_is_not)
{
    started(YK_ROLE_PRODUCER);
    rig_hear_producer(&rig, "enc-2", YK_KIND_HDMI, MEDIA_6);
    rig.peer_ip = 2; /* a new lease */
    rig_hear_producer(&rig, "enc-2", YK_KIND_HDMI, MEDIA_6);
    rig_expect(&rig, "note peer-new\n");
    rig.peer_ip = 1; /* and back: two of them */
    rig_hear_producer(&rig, "enc-2", YK_KIND_HDMI, MEDIA_6);
    rig_expect(&rig, "note two-senders\n");
    rig.peer_ip = 2;
    rig_hear_producer(&rig, "enc-2", YK_KIND_HDMI, MEDIA_6);
    rig_expect(&rig, "");
}
END_TEST

START_TEST(two_senders_are_one_again_when_only_one_was_heard_for_a_minute)
{
    struct yk_node_view view;
    struct yk_id id;

    started(YK_ROLE_PRODUCER);
    for (int i = 0; i < 4; i++) {
        rig.peer_ip = (uint8_t)(1 + i % 2);
        rig_hear_producer(&rig, "enc-2", YK_KIND_HDMI, MEDIA_6);
    }
    yk_node_view(rig.node, &view);
    ck_assert(yk_id_parse(&id, yk_slice_of("enc-2")));
    ck_assert(yk_peers_find(view.peers, &id)->place.is_two);
    rig_pass(&rig, YK_PLACE_MEMORY);
    rig_hear_producer(&rig, "enc-2", YK_KIND_HDMI, MEDIA_6);
    ck_assert(!yk_peers_find(view.peers, &id)->place.is_two);
}
END_TEST

/* --- anti-entropy ---------------------------------------------------------------------------- */

START_TEST(consumer_that_is_behind_is_offered_the_cached_intent_after_200_to_1200_ms)
{
    started(YK_ROLE_PRODUCER);
    rig_intent(&rig, "dec-9", "enc-1", 7, "op-a");
    rig_hear_consumer(&rig, "dec-9", "", 0, "");
    rig_forget(&rig);
    rig_pass(&rig, 200 * YK_MS - 1);
    rig_expect_not(&rig, "int");
    rig_pass(&rig, YK_SECOND + 1);
    rig_expect_has(&rig, "int pair dec-9 enc-1 7/op-a\nnote reissued\n");
    ck_assert_uint_eq(rig_count(&rig, "int "), 1);
}
END_TEST

START_TEST(reissue_is_a_fresh_frame_under_our_origin_each_time)
{
    started(YK_ROLE_PRODUCER);
    rig_intent(&rig, "dec-9", "enc-1", 7, "op-a");
    for (int i = 0; i < 3; i++) {
        rig_hear_consumer(&rig, "dec-9", "", 0, "");
        rig_pass(&rig, 1200 * YK_MS);
    }
    /* the rig asserts origin and seq of each; the reservation would run dry were they reused */
    ck_assert_uint_eq(rig_count(&rig, "int pair dec-9 enc-1 7/op-a\n"), 3);
}
END_TEST

START_TEST(reissue_is_suppressed_by_an_intent_of_that_or_a_higher_version)
{
    started(YK_ROLE_PRODUCER);
    rig_intent(&rig, "dec-9", "enc-1", 7, "op-a");
    rig_hear_consumer(&rig, "dec-9", "", 0, "");
    rig_intent(&rig, "dec-9", "enc-1", 7, "op-a");
    rig_pass(&rig, 2 * YK_SECOND);
    rig_expect_not(&rig, "int");
    rig_hear_consumer(&rig, "dec-9", "", 0, "");
    rig_intent(&rig, "dec-9", "enc-2", 8, "op-b");
    rig_pass(&rig, 2 * YK_SECOND);
    rig_expect_not(&rig, "int");
    rig_hear_consumer(&rig, "dec-9", "", 0, "");
    rig_intent(&rig, "dec-9", "enc-1", 7, "op-a"); /* lower: no reason to be silent */
    rig_pass(&rig, 2 * YK_SECOND);
    rig_expect_has(&rig, "int pair dec-9 enc-2 8/op-b\n");
}
END_TEST

START_TEST(reissue_is_cancelled_by_an_announcement_that_has_caught_up_not_by_an_ack)
{
    started(YK_ROLE_PRODUCER);
    rig_intent(&rig, "dec-9", "enc-1", 7, "op-a");
    rig_hear_consumer(&rig, "dec-9", "", 0, "");
    rig_hear_consumer(&rig, "dec-9", "enc-1", 7, "op-a");
    rig_pass(&rig, 2 * YK_SECOND);
    rig_expect_not(&rig, "int");
    rig_hear_consumer(&rig, "dec-9", "", 0, "");
    rig_ack(&rig, "dec-9", 7, "op-a", true, YK_REASON_APPLIED);
    rig_pass(&rig, 2 * YK_SECOND);
    rig_expect_has(&rig, "int pair dec-9 enc-1 7/op-a\n");
}
END_TEST

START_TEST(rejection_evicts_exactly_that_version_and_marks_it)
{
    static const enum yk_reason rejections[] = {YK_REASON_SELF_PAIR, YK_REASON_KIND_MISMATCH,
                                                YK_REASON_UNKNOWN_PRODUCER};

    started(YK_ROLE_PRODUCER);
    for (uint64_t i = 0; i < 3; i++) {
        rig_intent(&rig, "dec-9", "enc-1", 7 + i, "op-a");
        rig_ack(&rig, "dec-9", 7 + i, "op-a", false, rejections[i]);
        rig_intent(&rig, "dec-9", "enc-1", 7 + i, "op-a"); /* offered again: marked */
        rig_hear_consumer(&rig, "dec-9", "", 0, "");
        rig_pass(&rig, 2 * YK_SECOND);
        rig_expect_not(&rig, "int");
    }
}
END_TEST

START_TEST(rejection_that_comes_before_its_intent_marks_it)
{
    started(YK_ROLE_PRODUCER);
    rig_ack(&rig, "dec-9", 7, "op-a", false, YK_REASON_SELF_PAIR);
    rig_intent(&rig, "dec-9", "enc-1", 7, "op-a");
    rig_hear_consumer(&rig, "dec-9", "", 0, "");
    rig_pass(&rig, 2 * YK_SECOND);
    rig_expect_not(&rig, "int");
}
END_TEST

START_TEST(superseded_driver_error_and_other_versions_evict_nothing)
{
    started(YK_ROLE_PRODUCER);
    rig_intent(&rig, "dec-9", "enc-1", 7, "op-a");
    rig_ack(&rig, "dec-9", 7, "op-a", false, YK_REASON_SUPERSEDED);
    rig_ack(&rig, "dec-9", 7, "op-a", false, YK_REASON_DRIVER_ERROR);
    rig_ack(&rig, "dec-9", 6, "op-a", false, YK_REASON_SELF_PAIR);
    rig_ack(&rig, "dec-8", 7, "op-a", false, YK_REASON_SELF_PAIR); /* another consumer */
    rig_hear_consumer(&rig, "dec-9", "", 0, "");
    rig_pass(&rig, 2 * YK_SECOND);
    rig_expect_has(&rig, "int pair dec-9 enc-1 7/op-a\n");
}
END_TEST

START_TEST(intent_with_a_malformed_producer_is_never_cached)
{
    started(YK_ROLE_PRODUCER);
    rig_intent(&rig, "dec-9", "!", 7, "op-a");
    rig_hear_consumer(&rig, "dec-9", "", 0, "");
    rig_pass(&rig, 2 * YK_SECOND);
    rig_expect_not(&rig, "int");
}
END_TEST

START_TEST(consumer_that_comes_a_day_later_converges_within_24_hours_and_not_after)
{
    started(YK_ROLE_PRODUCER);
    rig_intent(&rig, "dec-9", NULL, 7, "op-a");
    rig_pass(&rig, 24 * YK_HOUR - 2 * YK_SECOND);
    rig_forget(&rig);
    rig_hear_consumer(&rig, "dec-9", "enc-1", 6, "op-z");
    rig_pass(&rig, 1200 * YK_MS);
    rig_expect_has(&rig, "int unpair dec-9 - 7/op-a\n");
    rig_pass(&rig, YK_SECOND);
    rig_forget(&rig);
    rig_hear_consumer(&rig, "dec-9", "enc-1", 6, "op-z");
    rig_pass(&rig, 2 * YK_SECOND);
    rig_expect_not(&rig, "int");
}
END_TEST

START_TEST(producer_applies_no_intent_addressed_to_it)
{
    started(YK_ROLE_PRODUCER);
    rig_intent(&rig, "enc-1", "enc-2", 7, "op-a");
    rig_expect(&rig, "");
}
END_TEST

START_TEST(producer_reports_its_drivers_health_and_retries)
{
    started(YK_ROLE_PRODUCER);
    rig_report(&rig, YK_REPORT_ERROR, "player died");
    rig_expect(&rig, "evt driver-error\nann error err=\"player died\"\n");
    rig_pass(&rig, YK_SECOND);
    rig_expect_has(&rig, "evt driver-retry\nattach " MEDIA_5 "\n");
    rig_report(&rig, YK_REPORT_ACTIVE, "streaming");
    rig_expect_has(&rig, "evt media-up\nann active evidence=\"streaming\"\n");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_producers_new_media_is_announced_at_once_and_the_same_not_again,
        media_that_no_frame_can_carry_is_announced_as_none,
        a_consumer_has_no_media,
        announcement_comes_every_2_seconds_with_a_quarter_of_jitter,
        announcement_always_encodes_evidence_goes_first_then_the_error_is_cut,
        rx_drop_is_said_at_most_once_an_interval_with_counts_since_start,
        own_frames_that_the_kernel_loops_back_count_nowhere,
        newer_frames_under_our_id_are_a_conflict_and_older_ones_a_replay,
        a_twin_that_counts_below_us_is_a_conflict_and_our_own_past_is_not,
        a_twin_among_our_own_numbers_is_a_conflict_and_a_late_echo_is_not,
        our_past_under_a_clock_that_was_ahead_is_no_twin,
        media_that_cannot_fit_names_how_much_is_too_much,
        peer_that_changes_its_name_for_one_of_the_same_length_is_shown_by_the_new_one,
        peer_of_others_is_lost_and_returns_in_the_log_alone,
        full_table_forgets_the_least_recent_but_never_the_paired_producer,
        full_table_keeps_the_paired_producers_sequence_too,
        id_used_from_two_addresses_in_turn_is_said_and_one_that_moved_is_not,
        two_senders_are_one_again_when_only_one_was_heard_for_a_minute,
        consumer_that_is_behind_is_offered_the_cached_intent_after_200_to_1200_ms,
        reissue_is_a_fresh_frame_under_our_origin_each_time,
        reissue_is_suppressed_by_an_intent_of_that_or_a_higher_version,
        reissue_is_cancelled_by_an_announcement_that_has_caught_up_not_by_an_ack,
        rejection_evicts_exactly_that_version_and_marks_it,
        rejection_that_comes_before_its_intent_marks_it,
        superseded_driver_error_and_other_versions_evict_nothing,
        intent_with_a_malformed_producer_is_never_cached,
        consumer_that_comes_a_day_later_converges_within_24_hours_and_not_after,
        producer_applies_no_intent_addressed_to_it,
        producer_reports_its_drivers_health_and_retries,
        NULL,
    };

    return suite_main("node", tests);
}
