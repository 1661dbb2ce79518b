/* The first words of a life: spread over a time, so that a site does not speak as one (ADR 22). */
#include <stdio.h>
#include <stdlib.h>

#include "lib/suite.h"
#include "unit/rig.h"

#define SPREAD (100 * YK_MS)

static struct rig rig;

static void start_spread(enum yk_role role, uint64_t seed)
{
    rig_init(&rig, role);
    rig.options.start_spread = SPREAD;
    rig.options.seed = seed;
    rig.options.tracked = YK_TRACKED_DEFAULT;
    rig_start(&rig);
    rig_forget(&rig);
}

/* How long after its start a node with this seed says its first word, when so many others are heard. */
static yk_time first_word(uint64_t seed, unsigned peers)
{
    yk_time begin;

    start_spread(YK_ROLE_PRODUCER, seed);
    begin = rig.now;
    for (unsigned i = 0; i < peers; i++) {
        char id[16];

        snprintf(id, sizeof id, "enc-%u", 100 + i);
        rig_hear_producer(&rig, id, YK_KIND_HDMI, MEDIA_6);
        rig_expect_has(&rig, "note peer-new\n");
        rig_forget(&rig);
    }
    while (rig_count(&rig, "evt started") == 0 && rig.now < begin + 2 * YK_ANN_INTERVAL) {
        rig_pass(&rig, YK_MS);
    }
    rig_expect_has(&rig, "evt started\nevt media-pending\nann pending\n");
    begin = rig.now - begin;
    rig_fini(&rig);
    return begin;
}

START_TEST(first_words_are_spread_evenly_by_seed)
{
    unsigned halves[2] = {0, 0};

    for (uint64_t seed = 1; seed <= 200; seed++) {
        yk_time word = first_word(seed, 0);

        ck_assert_uint_le(word, SPREAD + YK_MS);
        halves[word > SPREAD / 2]++;
    }
    ck_assert_uint_gt(halves[0], 70);
    ck_assert_uint_gt(halves[1], 70);
    ck_assert_uint_eq(first_word(7, 0), first_word(7, 0));
}
END_TEST

START_TEST(the_wait_grows_with_those_who_are_heard_and_ends_within_an_interval)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        yk_time alone = first_word(seed, 0);
        yk_time among = first_word(seed, YK_START_SPREAD_PEERS);

        ck_assert_uint_ge(among + 2 * YK_MS, 2 * alone);
        ck_assert_uint_le(among, 2 * alone + 2 * YK_MS);
        ck_assert_uint_le(first_word(seed, 30 * YK_START_SPREAD_PEERS), YK_ANN_INTERVAL + YK_MS);
    }
}
END_TEST

START_TEST(the_wait_is_a_deadline_and_not_longer_than_it)
{
    yk_time due;

    start_spread(YK_ROLE_PRODUCER, 1);
    rig_pass(&rig, 1); /* the tables' own first look */
    due = yk_node_deadline(rig.node);
    ck_assert_uint_gt(due, rig.now);
    ck_assert_uint_le(due, rig.now + SPREAD);
    rig_pass(&rig, due - rig.now - 1);
    rig_expect(&rig, "");
    rig_pass(&rig, 1);
    rig_expect(&rig, "evt started\nevt media-pending\nann pending\n");
}
END_TEST

START_TEST(what_came_about_meanwhile_is_said_as_it_is)
{
    struct yk_node_view view;

    start_spread(YK_ROLE_PRODUCER, 1);
    yk_node_view(rig.node, &view);
    ck_assert_int_eq(view.state, YK_STATE_PENDING); /* who asks locally is told at once */
    rig_report(&rig, YK_REPORT_ACTIVE, "streaming");
    rig_expect(&rig, "");
    rig_pass(&rig, SPREAD);
    rig_expect(&rig, "evt started\nevt media-up\nann active evidence=\"streaming\"\n");
}
END_TEST

START_TEST(a_pairing_ends_the_wait)
{
    start_spread(YK_ROLE_CONSUMER, 1);
    rig_intent(&rig, "dec-1", "enc-1", 3, "op-a");
    rig_expect(&rig, "persist bound+0 enc-1 3/op-a\n"
                     "evt started\n"
                     "ack 3/op-a applied\n"
                     "evt pairing-applied\n"
                     "evt media-pending\n"
                     "ann pending enc-1 3/op-a err=\"producer enc-1 is not heard\"\n");
    rig_pass(&rig, SPREAD);
    rig_expect(&rig, "");
}
END_TEST

START_TEST(who_stops_before_its_turn_only_says_so)
{
    start_spread(YK_ROLE_CONSUMER, 1);
    rig_stop(&rig);
    rig_pass(&rig, SPREAD);
    rig_expect_not(&rig, "ann");
    rig_expect_not(&rig, "evt started");
    rig_expect_has(&rig, "bye\nstopped\n");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        first_words_are_spread_evenly_by_seed,
        the_wait_grows_with_those_who_are_heard_and_ends_within_an_interval,
        the_wait_is_a_deadline_and_not_longer_than_it,
        what_came_about_meanwhile_is_said_as_it_is,
        a_pairing_ends_the_wait,
        who_stops_before_its_turn_only_says_so,
        NULL,
    };

    return suite_main("node's start", tests);
}
