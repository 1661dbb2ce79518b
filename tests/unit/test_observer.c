#include <stdio.h>

#include "lib/suite.h"
#include "unit/snoop_rig.h"

static struct snoop_rig rig;

static const struct yk_trail *newest_of(const char *consumer)
{
    const struct yk_trail *list[YK_TRAILS_KEPT];
    struct yk_id id;

    ck_assert(yk_id_parse(&id, yk_slice_of(consumer)));
    ck_assert_uint_gt(yk_trails_of(&rig.observer->trails, &id, list), 0);
    return list[0];
}

/* ---- nodes */

START_TEST(nodes_come_fall_silent_and_return)
{
    snoop_init(&rig);
    snoop_producer(&rig, "enc-1", YK_STATE_IDLE);
    snoop_expect(&rig, "node-new enc-1 idle\n");
    snoop_pass(&rig, YK_PEER_TIMEOUT - 1);
    snoop_expect(&rig, "");
    snoop_pass(&rig, 1);
    snoop_expect(&rig, "lost enc-1\n");
    snoop_producer(&rig, "enc-1", YK_STATE_IDLE);
    snoop_expect(&rig, "returned enc-1\n");
    snoop_bye(&rig, "enc-1");
    snoop_bye(&rig, "enc-1");
    snoop_expect(&rig, "node-gone enc-1\n");
    snoop_pass(&rig, 2 * YK_PEER_TIMEOUT);
    snoop_expect(&rig, "");
    snoop_fini(&rig);
}
END_TEST

START_TEST(only_announcements_keep_a_node_live)
{
    snoop_init(&rig);
    snoop_producer(&rig, "enc-1", YK_STATE_IDLE);
    snoop_pass(&rig, YK_PEER_TIMEOUT - YK_SECOND);
    snoop_event(&rig, "enc-1", YK_EVENT_STARTED);
    snoop_pass(&rig, YK_SECOND);
    snoop_expect(&rig, "node-new enc-1 idle\nevent enc-1 started {}\nlost enc-1\n");
    snoop_fini(&rig);
}
END_TEST

START_TEST(a_state_is_told_once_by_event_or_by_announcement)
{
    snoop_init(&rig);
    snoop_consumer(&rig, "dec-1", "enc-1", 1, "op-a", YK_STATE_PENDING);
    snoop_event(&rig, "dec-1", YK_EVENT_MEDIA_UP);
    snoop_consumer(&rig, "dec-1", "enc-1", 1, "op-a", YK_STATE_ACTIVE);
    snoop_expect(&rig, "node-new dec-1 pending\nevent dec-1 media-up {}\n");
    /* The events about these two were lost. */
    snoop_consumer(&rig, "dec-1", "enc-1", 1, "op-a", YK_STATE_ERROR);
    snoop_consumer(&rig, "dec-1", "enc-1", 1, "op-a", YK_STATE_ACTIVE);
    snoop_expect(&rig, "state dec-1 active error\nstate dec-1 error active\n");
    snoop_fini(&rig);
}
END_TEST

START_TEST(nodes_are_forgotten_after_a_day)
{
    snoop_init(&rig);
    snoop_producer(&rig, "enc-1", YK_STATE_IDLE);
    snoop_intent(&rig, "cli-1", "dec-1", "enc-1", 1, "op-a");
    snoop_pass(&rig, YK_PEER_FORGET);
    ck_assert_uint_eq(rig.observer->peers.table.count, 0);
    ck_assert_uint_eq(rig.observer->observed.count, 0);
    ck_assert_uint_eq(rig.observer->trails.table.count, 0);
    ck_assert_uint_eq(yk_observer_not_kept(rig.observer), 0);
    snoop_fini(&rig);
}
END_TEST

START_TEST(two_senders_under_one_id_are_noticed)
{
    struct yk_id id;

    snoop_init(&rig);
    ck_assert(yk_id_parse(&id, yk_slice_of("enc-1")));
    for (int i = 0; i < 3; i++) {
        rig.from.ip[3] = i == 1 ? 2 : 1;
        snoop_producer(&rig, "enc-1", YK_STATE_IDLE);
        ck_assert_int_eq(yk_observer_of(rig.observer, &id)->place.is_two, i == 2);
    }
    snoop_fini(&rig);
}
END_TEST

/* ---- operations */

START_TEST(an_operation_is_followed_to_active)
{
    snoop_init(&rig);
    snoop_consumer(&rig, "dec-1", NULL, 0, "", YK_STATE_IDLE);
    snoop_expect(&rig, "node-new dec-1 idle\n");
    snoop_intent(&rig, "cli-1", "dec-1", "enc-1", 1, "op-a");
    snoop_intent(&rig, "cli-1", "dec-1", "enc-1", 1, "op-a");
    snoop_expect(&rig, "operation dec-1 1/op-a pair enc-1 waiting\n");
    snoop_ack(&rig, "dec-1", 1, "op-a", true, YK_REASON_APPLIED);
    snoop_ack(&rig, "dec-1", 1, "op-a", true, YK_REASON_APPLIED);
    snoop_expect(&rig, "operation dec-1 1/op-a pair enc-1 applied\n");
    snoop_consumer(&rig, "dec-1", "enc-1", 1, "op-a", YK_STATE_PENDING);
    snoop_expect(&rig, "state dec-1 idle pending\n");
    snoop_consumer(&rig, "dec-1", "enc-1", 1, "op-a", YK_STATE_ACTIVE);
    snoop_expect(&rig, "state dec-1 pending active\noperation dec-1 1/op-a pair enc-1 active\n");
    ck_assert_uint_eq(newest_of("dec-1")->intents, 2);
    ck_assert_str_eq(newest_of("dec-1")->sender.text, "cli-1");
    snoop_fini(&rig);
}
END_TEST

START_TEST(an_unpair_is_followed_to_idle)
{
    snoop_init(&rig);
    snoop_consumer(&rig, "dec-1", "enc-1", 1, "op-a", YK_STATE_IDLE);
    snoop_intent(&rig, "cli-1", "dec-1", NULL, 2, "op-b");
    snoop_ack(&rig, "dec-1", 2, "op-b", true, YK_REASON_APPLIED);
    snoop_consumer(&rig, "dec-1", NULL, 2, "op-b", YK_STATE_IDLE);
    snoop_expect(&rig, "node-new dec-1 idle\n"
                       "operation dec-1 2/op-b unpair - waiting\n"
                       "operation dec-1 2/op-b unpair - applied\n"
                       "operation dec-1 2/op-b unpair - idle\n");
    snoop_fini(&rig);
}
END_TEST

START_TEST(an_announcement_proves_what_an_ack_that_was_lost_would_have)
{
    snoop_init(&rig);
    snoop_intent(&rig, "cli-1", "dec-1", "enc-1", 1, "op-a");
    snoop_pass(&rig, YK_TRAIL_PATIENCE);
    snoop_consumer(&rig, "dec-1", "enc-1", 1, "op-a", YK_STATE_PENDING);
    snoop_expect(&rig, "operation dec-1 1/op-a pair enc-1 waiting\n"
                       "operation dec-1 1/op-a pair enc-1 unanswered\n"
                       "node-new dec-1 pending\n"
                       "operation dec-1 1/op-a pair enc-1 applied\n");
    snoop_fini(&rig);
}
END_TEST

START_TEST(a_refusal_has_its_reason)
{
    snoop_init(&rig);
    snoop_intent(&rig, "cli-1", "dec-1", "dec-1", 1, "op-a");
    snoop_ack(&rig, "dec-1", 1, "op-a", false, YK_REASON_SELF_PAIR);
    snoop_expect(&rig, "operation dec-1 1/op-a pair dec-1 waiting\n"
                       "operation dec-1 1/op-a pair dec-1 refused self-pair\n");
    snoop_fini(&rig);
}
END_TEST

START_TEST(a_newer_version_supersedes_what_waits)
{
    snoop_init(&rig);
    snoop_intent(&rig, "cli-1", "dec-1", "enc-1", 1, "op-a");
    snoop_intent(&rig, "cli-1", "dec-2", "enc-1", 1, "op-b");
    snoop_expect(&rig, "operation dec-1 1/op-a pair enc-1 waiting\n"
                       "operation dec-2 1/op-b pair enc-1 waiting\n");
    snoop_consumer(&rig, "dec-1", "enc-2", 2, "op-c", YK_STATE_PENDING);
    snoop_ack(&rig, "dec-2", 1, "op-b", false, YK_REASON_SUPERSEDED);
    snoop_expect(&rig, "node-new dec-1 pending\n"
                       "operation dec-1 1/op-a pair enc-1 superseded\n"
                       "operation dec-2 1/op-b pair enc-1 superseded\n");
    /* An old intent, offered to who has moved on. */
    snoop_intent(&rig, "enc-1", "dec-1", "enc-1", 1, "op-0");
    snoop_expect(&rig, "operation dec-1 1/op-0 pair enc-1 superseded\n");
    snoop_fini(&rig);
}
END_TEST

START_TEST(that_it_governs_is_proof_against_an_ack_about_another_body)
{
    snoop_init(&rig);
    snoop_intent(&rig, "cli-1", "dec-1", "enc-1", 1, "op-a");
    snoop_ack(&rig, "dec-1", 1, "op-a", false, YK_REASON_SUPERSEDED);
    snoop_consumer(&rig, "dec-1", "enc-1", 1, "op-a", YK_STATE_PENDING);
    snoop_expect(&rig, "operation dec-1 1/op-a pair enc-1 waiting\n"
                       "operation dec-1 1/op-a pair enc-1 superseded\n"
                       "node-new dec-1 pending\n"
                       "operation dec-1 1/op-a pair enc-1 applied\n");
    snoop_fini(&rig);
}
END_TEST

START_TEST(an_ack_may_come_before_its_intent)
{
    snoop_init(&rig);
    snoop_ack(&rig, "dec-1", 1, "op-a", true, YK_REASON_APPLIED);
    snoop_expect(&rig, "");
    snoop_intent(&rig, "cli-1", "dec-1", "enc-1", 1, "op-a");
    snoop_expect(&rig, "operation dec-1 1/op-a pair enc-1 applied\n");
    snoop_pass(&rig, 2 * YK_TRAIL_PATIENCE);
    snoop_expect(&rig, "");
    snoop_fini(&rig);
}
END_TEST

START_TEST(two_bodies_of_one_version_are_ambiguous_whatever_is_acked)
{
    snoop_init(&rig);
    snoop_intent(&rig, "cli-1", "dec-1", "enc-1", 1, "op-a");
    snoop_intent(&rig, "cli-2", "dec-1", "enc-2", 1, "op-a");
    snoop_expect(&rig, "operation dec-1 1/op-a pair enc-1 waiting\n"
                       "operation dec-1 1/op-a pair enc-1 ambiguous\n");
    snoop_ack(&rig, "dec-1", 1, "op-a", true, YK_REASON_APPLIED);
    snoop_consumer(&rig, "dec-1", "enc-1", 1, "op-a", YK_STATE_ACTIVE);
    snoop_pass(&rig, YK_SECOND);
    snoop_expect(&rig, "node-new dec-1 active\n");
    snoop_intent(&rig, "cli-1", "dec-1", "enc-1", 2, "op-b");
    snoop_expect(&rig, "operation dec-1 2/op-b pair enc-1 waiting\n");
    snoop_fini(&rig);
}
END_TEST

START_TEST(another_body_than_the_one_heard_that_governs_is_ambiguous)
{
    snoop_init(&rig);
    snoop_intent(&rig, "cli-1", "dec-1", "enc-1", 1, "op-a");
    snoop_consumer(&rig, "dec-1", "enc-2", 1, "op-a", YK_STATE_ACTIVE);
    snoop_expect(&rig, "operation dec-1 1/op-a pair enc-1 waiting\n"
                       "node-new dec-1 active\n"
                       "operation dec-1 1/op-a pair enc-1 ambiguous\n");
    snoop_fini(&rig);
}
END_TEST

START_TEST(the_four_highest_versions_of_a_consumer_are_kept)
{
    const struct yk_trail *list[YK_TRAILS_KEPT];
    struct yk_id id;

    snoop_init(&rig);
    ck_assert(yk_id_parse(&id, yk_slice_of("dec-1")));
    for (uint64_t n = 6; n >= 2; n--) { /* the last one is too old to be kept */
        snoop_intent(&rig, "cli-1", "dec-1", "enc-1", n, "op-a");
    }
    ck_assert_uint_eq(yk_observer_not_kept(rig.observer), 1);
    snoop_intent(&rig, "cli-1", "dec-1", "enc-1", 7, "op-a"); /* pushes the lowest out */
    ck_assert_uint_eq(yk_observer_not_kept(rig.observer), 2);
    ck_assert_uint_eq(yk_trails_of(&rig.observer->trails, &id, list), YK_TRAILS_KEPT);
    for (size_t i = 0; i < YK_TRAILS_KEPT; i++) {
        ck_assert_uint_eq(list[i]->version.n, 7 - i);
    }
    rig.trace[0] = '\0';
    snoop_pass(&rig, YK_TRAIL_PATIENCE); /* those that wait, in the order they were asked */
    snoop_expect(&rig, "operation dec-1 6/op-a pair enc-1 unanswered\n"
                       "operation dec-1 5/op-a pair enc-1 unanswered\n"
                       "operation dec-1 4/op-a pair enc-1 unanswered\n"
                       "operation dec-1 7/op-a pair enc-1 unanswered\n");
    snoop_fini(&rig);
}
END_TEST

/* ---- what changes nothing */

START_TEST(a_bad_signature_is_shown_and_changes_nothing)
{
    snoop_init_keys(&rig, "their-key", "our-key");
    snoop_producer(&rig, "enc-1", YK_STATE_IDLE);
    ck_assert_int_eq(rig.heard.verdict, YK_DROP_AUTH);
    ck_assert(!rig.heard.trusted && rig.heard.has_envelope && rig.heard.has_body);
    ck_assert_str_eq(rig.heard.frame.origin.text, "enc-1");
    ck_assert(rig.heard.frame.as.ann.role == YK_ROLE_PRODUCER);
    snoop_intent(&rig, "cli-1", "dec-1", "enc-1", 1, "op-a");
    snoop_expect(&rig, "");
    ck_assert_uint_eq(rig.observer->peers.table.count, 0);
    ck_assert_uint_eq(rig.observer->observed.count, 0);
    ck_assert_uint_eq(rig.observer->trails.table.count, 0);
    ck_assert_uint_eq(rig.observer->receiver.replay.table.count, 0);
    ck_assert_uint_eq(yk_observer_failing(rig.observer), 2);
    snoop_fini(&rig);
}
END_TEST

START_TEST(one_frame_that_verifies_proves_the_key)
{
    snoop_init(&rig);
    ck_assert_uint_eq(yk_observer_failing(rig.observer), 0);
    snoop_bytes(&rig, "{}", 2);
    ck_assert_uint_eq(yk_observer_failing(rig.observer), 0);
    snoop_producer(&rig, "enc-1", YK_STATE_IDLE);
    rig.bytes[rig.size - 10] ^= 1; /* inside sig, whose value ends the frame but for ts, type, v */
    snoop_again(&rig);
    ck_assert_int_ne(rig.heard.verdict, YK_DROP_NONE);
    ck_assert_uint_eq(yk_observer_failing(rig.observer), 0);
    ck_assert_str_eq(rig.heard.key, "");
    snoop_fini(&rig);
}
END_TEST

START_TEST(the_same_and_older_frames_change_nothing_but_are_trusted)
{
    struct yk_frame old = {.type = YK_TYPE_BYE, .seq = SNOOP_WALL_NS - 1};

    snoop_init(&rig);
    snoop_producer(&rig, "enc-1", YK_STATE_IDLE);
    ck_assert_str_eq(rig.heard.key, rig.auth.key.fingerprint);
    rig.trace[0] = '\0';
    ck_assert_int_eq(snoop_again(&rig), YK_DROP_DUP);
    ck_assert(rig.heard.trusted && rig.heard.has_body);
    ck_assert_int_eq(snoop_frame(&rig, "enc-1", &old), YK_DROP_STALE);
    ck_assert(rig.heard.trusted && rig.heard.has_body);
    snoop_expect(&rig, "");
    snoop_fini(&rig);
}
END_TEST

START_TEST(a_sequence_over_an_hour_ahead_is_refused_as_nodes_do)
{
    struct yk_frame ahead = {.type = YK_TYPE_BYE, .seq = SNOOP_WALL_NS + YK_SEQ_FUTURE + 1};

    snoop_init(&rig);
    ck_assert_int_eq(snoop_frame(&rig, "enc-1", &ahead), YK_DROP_STALE);
    snoop_pass(&rig, 1);
    ck_assert_int_eq(snoop_frame(&rig, "enc-1", &ahead), YK_DROP_NONE);
    ahead.seq += YK_SEQ_FUTURE;
    ck_assert_int_eq(snoop_frame(&rig, "enc-1", &ahead), YK_DROP_STALE);
    yk_observer_wall(rig.observer, (struct yk_wall){SNOOP_WALL_NS + (int64_t)YK_HOUR + 1, rig.now});
    ck_assert_int_eq(snoop_frame(&rig, "enc-1", &ahead), YK_DROP_NONE);
    snoop_fini(&rig);
}
END_TEST

/* ---- what is shown */

START_TEST(another_spelling_is_accepted_and_marked)
{
    static uint8_t spelled[YK_FRAME_MAX + 1];
    size_t size;

    snoop_init(&rig);
    snoop_producer(&rig, "enc-1", YK_STATE_IDLE);
    ck_assert(rig.heard.is_canonical);
    ck_assert(yk_slice_equal(rig.heard.canonical, rig.heard.raw));
    snoop_fini(&rig);
    snoop_init(&rig);
    rig.trace[0] = '\0';
    snoop_bye(&rig, "enc-2");
    size = rig.size;
    spelled[0] = ' ';
    memcpy(spelled + 1, rig.bytes, size);
    snoop_fini(&rig);
    snoop_init(&rig);
    ck_assert_int_eq(snoop_bytes(&rig, spelled, size + 1), YK_DROP_NONE);
    ck_assert(!rig.heard.is_canonical);
    ck_assert_uint_eq(rig.heard.canonical.size, size);
    snoop_fini(&rig);
}
END_TEST

START_TEST(what_is_no_json_has_no_canonical_form)
{
    static const char *const junk[] = {"", "{", "junk", "{\"a\":1,\"a\":2}", "\xff"};

    snoop_init(&rig);
    snoop_producer(&rig, "enc-1", YK_STATE_IDLE);
    for (size_t i = 0; i < sizeof junk / sizeof junk[0]; i++) {
        ck_assert_int_eq(snoop_bytes(&rig, junk[i], strlen(junk[i])), YK_DROP_MALFORMED);
        ck_assert_uint_eq(rig.heard.canonical.size, 0);
        ck_assert(!rig.heard.has_envelope && !rig.heard.is_canonical && !rig.heard.trusted);
    }
    ck_assert_int_eq(snoop_bytes(&rig, "{\"v\":2}", 7), YK_DROP_VERSION);
    ck_assert_uint_eq(rig.heard.canonical.size, 7);
    ck_assert(!rig.heard.has_envelope);
    snoop_fini(&rig);
}
END_TEST

START_TEST(a_bad_body_keeps_its_envelope)
{
    struct yk_frame frame = {.type = YK_TYPE_ACK};
    char *reason;

    snoop_init_keys(&rig, "", "");
    frame.as.ack = (struct yk_ack){{1, {1, "a"}}, true, YK_REASON_APPLIED};
    snoop_frame(&rig, "dec-1", &frame);
    reason = strstr((char *)rig.bytes, "\"applied\",\"version\"");
    ck_assert_ptr_nonnull(reason);
    reason[1] = 'A';
    ck_assert_int_eq(snoop_again(&rig), YK_DROP_MALFORMED);
    ck_assert(rig.heard.has_envelope && !rig.heard.has_body && !rig.heard.trusted);
    ck_assert_int_eq(rig.heard.frame.type, YK_TYPE_ACK);
    snoop_fini(&rig);
}
END_TEST

START_TEST(an_oversize_datagram_is_named_and_not_looked_into)
{
    static uint8_t big[YK_FRAME_MAX + 1];

    snoop_init(&rig);
    memset(big, ' ', sizeof big);
    ck_assert_int_eq(snoop_bytes(&rig, big, sizeof big), YK_DROP_OVERSIZE);
    ck_assert_uint_eq(rig.heard.canonical.size, 0);
    snoop_fini(&rig);
}
END_TEST

START_TEST(the_words_of_changes_are_slugs)
{
    struct yk_change change = {.kind = YK_CHANGE_STATE, .event = YK_EVENT_MEDIA_UP};

    ck_assert(yk_slice_equal(yk_change_word(&change), yk_slice_of("media-up")));
    change.kind = YK_CHANGE_OPERATION;
    ck_assert(yk_slice_equal(yk_change_word(&change), yk_slice_of("operation")));
    for (int outcome = 1; outcome < YK_SEEN_END; outcome++) {
        ck_assert_str_ne(yk_outcome_seen_word((enum yk_outcome_seen)outcome), "");
    }
}
END_TEST

/* ---- bounds */

START_TEST(a_flood_of_origins_stays_within_the_tables_and_is_counted)
{
    char id[32];

    snoop_init(&rig);
    for (unsigned i = 0; i < 10 * SNOOP_TRACKED; i++) {
        snprintf(id, sizeof id, "node-%u", i);
        snoop_producer(&rig, id, YK_STATE_IDLE);
        snoop_intent(&rig, id, id, "enc-1", 1, "op-a");
        rig.trace[0] = '\0';
    }
    ck_assert_uint_eq(rig.observer->peers.table.count, SNOOP_TRACKED);
    ck_assert_uint_eq(rig.observer->observed.count, SNOOP_TRACKED);
    ck_assert_uint_eq(rig.observer->trails.table.count, SNOOP_TRACKED);
    ck_assert_uint_eq(yk_observer_not_kept(rig.observer), 2 * 9 * SNOOP_TRACKED);
    snoop_pass(&rig, YK_PEER_TIMEOUT); /* more is lost and unanswered than one call can tell */
    ck_assert_uint_eq(rig.observer->peers.live_count, 0);
    ck_assert_uint_eq(rig.observer->trails.waiting_first, 0);
    ck_assert_ptr_nonnull(strstr(rig.trace, "lost node-159\n"));
    ck_assert_ptr_nonnull(strstr(rig.trace, "operation node-159 1/op-a pair enc-1 unanswered\n"));
    snoop_fini(&rig);
}
END_TEST

START_TEST(time_never_goes_back)
{
    snoop_init(&rig);
    rig.now = 10 * YK_SECOND;
    snoop_intent(&rig, "cli-1", "dec-1", "enc-1", 1, "op-a");
    rig.now = YK_SECOND;
    snoop_intent(&rig, "cli-1", "dec-2", "enc-1", 1, "op-a");
    ck_assert_uint_eq(newest_of("dec-2")->asked, 10 * YK_SECOND);
    snoop_fini(&rig);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        nodes_come_fall_silent_and_return,
        only_announcements_keep_a_node_live,
        a_state_is_told_once_by_event_or_by_announcement,
        nodes_are_forgotten_after_a_day,
        two_senders_under_one_id_are_noticed,
        an_operation_is_followed_to_active,
        an_unpair_is_followed_to_idle,
        an_announcement_proves_what_an_ack_that_was_lost_would_have,
        a_refusal_has_its_reason,
        a_newer_version_supersedes_what_waits,
        that_it_governs_is_proof_against_an_ack_about_another_body,
        an_ack_may_come_before_its_intent,
        two_bodies_of_one_version_are_ambiguous_whatever_is_acked,
        another_body_than_the_one_heard_that_governs_is_ambiguous,
        the_four_highest_versions_of_a_consumer_are_kept,
        a_bad_signature_is_shown_and_changes_nothing,
        one_frame_that_verifies_proves_the_key,
        the_same_and_older_frames_change_nothing_but_are_trusted,
        a_sequence_over_an_hour_ahead_is_refused_as_nodes_do,
        another_spelling_is_accepted_and_marked,
        what_is_no_json_has_no_canonical_form,
        a_bad_body_keeps_its_envelope,
        an_oversize_datagram_is_named_and_not_looked_into,
        the_words_of_changes_are_slugs,
        a_flood_of_origins_stays_within_the_tables_and_is_counted,
        time_never_goes_back,
        NULL,
    };

    return suite_main("observer", tests);
}
