/* When a re-issue is sent: between 0.2 and 1.2 s, and in a crowd of relayers mostly late (ADR 22). */
#include <stdio.h>
#include <stdlib.h>

#include "lib/suite.h"
#include "unit/rig.h"

#define BEHIND 60 /* consumers, as many samples; no more than re-issues may wait at a time */

static struct rig rig;
static unsigned sent_in[10]; /* tenths of the time */

/* Of BEHIND consumers that announce an old version at one moment: in which tenth each is served. */
static void serve(unsigned peers)
{
    yk_time begin;
    char id[16];

    rig_init(&rig, YK_ROLE_PRODUCER);
    rig.options.tracked = YK_TRACKED_DEFAULT;
    rig_start(&rig);
    for (unsigned i = 0; i < BEHIND; i++) {
        snprintf(id, sizeof id, "dec-%u", 100 + i);
        rig_intent(&rig, id, "enc-2", 5, "op-b");
    }
    for (unsigned i = 0; i < peers; i++) {
        snprintf(id, sizeof id, "enc-%u", 100 + i);
        rig_hear_producer(&rig, id, YK_KIND_HDMI, MEDIA_6);
        rig_forget(&rig);
    }
    for (unsigned i = 0; i < BEHIND; i++) {
        snprintf(id, sizeof id, "dec-%u", 100 + i);
        rig_hear_consumer(&rig, id, "enc-1", 4, "op-a");
    }
    rig_forget(&rig);
    begin = rig.now;
    rig_pass(&rig, YK_REISSUE_MIN - 1);
    rig_expect_not(&rig, "int ");
    for (unsigned tenth = 0; tenth < 10; tenth++) {
        rig_forget(&rig);
        rig_pass(&rig, begin + YK_REISSUE_MIN + (tenth + 1) * 100 * YK_MS - rig.now);
        sent_in[tenth] = rig_count(&rig, "int pair");
    }
    rig_fini(&rig);
}

static unsigned sum(unsigned from, unsigned to)
{
    unsigned count = 0;

    for (unsigned i = from; i < to; i++) {
        count += sent_in[i];
    }
    return count;
}

START_TEST(a_few_relayers_wait_equally_long)
{
    serve(0);
    ck_assert_uint_eq(sum(0, 10), BEHIND);
    for (unsigned i = 0; i < 10; i += 2) {
        ck_assert_uint_ge(sum(i, i + 2), BEHIND / 5 / 3); /* a fifth is due there */
    }
}
END_TEST

START_TEST(of_a_crowd_half_waits_for_the_last_part_and_hardly_any_is_early)
{
    serve(1000);
    ck_assert_uint_eq(sum(0, 10), BEHIND);
    ck_assert_uint_ge(sum(8, 10), BEHIND / 2);
    ck_assert_uint_le(sum(0, 4), BEHIND / 10); /* a 32nd is due there, equally long would be 24 */
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_few_relayers_wait_equally_long,
        of_a_crowd_half_waits_for_the_last_part_and_hardly_any_is_early,
        NULL,
    };

    return suite_main("re-issue delay", tests);
}
