/* The rules of numbers, places and times. */
#include <string.h>

#include "conformance_rig.h"
#include "lib/suite.h"

static void back_in_numbers(void)
{
    conf_bye();
    conf_restart();
    conf_idle();
    conf_pass(YK_SECOND);
    conf_say("dec", (struct yk_frame){.type = YK_TYPE_BYE, .seq = (uint64_t)SNOOP_WALL_NS + 5});
}

static void overtaken(void)
{
    *conf_number_of("dec") += 5;
    conf_idle();
    conf.ts_shift_ms = -20; /* said before, heard after */
    conf_say("dec", (struct yk_frame){.type = YK_TYPE_BYE, .seq = (uint64_t)SNOOP_WALL_NS + 3});
    ck_assert_int_eq(conf.rig.heard.verdict, YK_DROP_STALE);
}

static void one_number_twice(void)
{
    conf_idle();
    conf_say("dec", (struct yk_frame){.type = YK_TYPE_BYE, .seq = (uint64_t)SNOOP_WALL_NS});
}

static void doubled_on_its_way(void)
{
    conf_idle();
    conf_pass(50 * YK_MS);
    conf_again();
    ck_assert_int_eq(conf.rig.heard.verdict, YK_DROP_DUP);
}

static void said_again(void)
{
    conf_intend("cli", "enc", 1, "op");
    conf_pass(1500 * YK_MS);
    conf_again();
}

static void old_said_again(void)
{
    uint8_t bytes[YK_FRAME_MAX];
    size_t size;

    conf_idle();
    size = conf.rig.size;
    memcpy(bytes, conf.rig.bytes, size);
    conf_pass(3 * YK_SECOND);
    conf_idle();
    conf_hear(bytes, size);
}

static void said_again_both(void)
{
    said_again();
    ck_assert_str_eq(conf.told, "seq-repeated ");
    conf_start();
    old_said_again();
}

static void for_another(void)
{
    conf_intend("cli", "enc", 1, "op");
    conf_pass(50 * YK_MS);
    conf.rig.from = conf_away;
    conf_again();
}

static void relayed(void)
{
    conf_intend("cli", "enc", 1, "op");
    conf.rig.from = conf_away;
    conf_intend("relay", "enc", 1, "op");
}

static void in_turn(struct yk_address first, struct yk_address second)
{
    for (int i = 0; i < 4; i++) {
        conf.rig.from = i % 2 == 0 ? first : second;
        conf_idle();
        conf_pass(2 * YK_SECOND);
    }
}

static void two_under_one(void)
{
    in_turn(conf_home, conf_away);
}

static void a_new_lease(void)
{
    in_turn(conf_home, conf_home);
    conf.rig.from = conf_away;
    conf_idle();
}

static void a_long_pause(void)
{
    conf_idle();
    conf_pass(4 * YK_SECOND);
    conf_idle();
}

static void a_loss(void)
{
    conf_idle();
    conf_pass(4 * YK_SECOND);
    (*conf_number_of("dec"))++;
    conf_idle();
}

/* We were held up, not the sender: its own clock says so. */
static void a_pause_of_ours(void)
{
    conf_idle();
    conf_pass(4 * YK_SECOND);
    conf.ts_shift_ms = -2000;
    conf_idle();
}

static void no_pause(void)
{
    a_loss();
    conf_start();
    a_pause_of_ours();
    conf_start();
    conf_idle();
    conf_pass(2500 * YK_MS);
    conf_idle();
    conf_bye();
    conf_pass(9 * YK_SECOND);
    conf_restart();
    conf_idle();
}

static void hasty(void)
{
    for (int i = 0; i < 4; i++) {
        conf_idle();
        conf_pass(500 * YK_MS);
    }
}

/* ADR 9: who asks under an old version soon hears the one that governs. */
static void hasty_with_cause(void)
{
    conf_consumer(YK_STATE_PENDING, "enc", 7, "op");
    for (uint64_t i = 0; i < 12; i++) {
        conf_intend("cli", "enc", 2, "op-2");
        conf_superseded(2, "op-2");
        conf_pass(250 * YK_MS);
        conf_consumer(YK_STATE_PENDING, "enc", 7, "op");
    }
}

static void changing(void)
{
    for (int i = 0; i < 6; i++) {
        conf_consumer(i % 2 == 0 ? YK_STATE_PENDING : YK_STATE_ACTIVE, "enc", 7, "op");
        conf_pass(100 * YK_MS);
    }
}

/* Announcements that lay waiting for us came together. */
static void read_late(void)
{
    for (int i = 0; i < 6; i++) {
        conf_idle();
        conf.ts_shift_ms += 2000;
    }
}

static void hasty_restart(void)
{
    conf_idle();
    conf_pass(YK_SECOND);
    conf_restart();
    conf_idle();
    conf_pass(2 * YK_SECOND);
    conf_idle();
}

static void not_hasty(void)
{
    hasty_with_cause();
    changing();
    conf_start();
    read_late();
    conf_start();
    hasty_restart();
}

static void drops_after(yk_time pause)
{
    conf_event(YK_EVENT_RX_DROP, CONF_DROPS);
    conf_pass(pause);
    conf_event(YK_EVENT_RX_DROP, CONF_DROPS);
}

static void drops_too_often(void)
{
    drops_after(YK_SECOND);
}

static void drops_at_their_rate(void)
{
    drops_after(2 * YK_SECOND);
    conf_restart();
    conf_event(YK_EVENT_STARTED, "{}");
    conf_event(YK_EVENT_RX_DROP, CONF_DROPS);
}

static void after_bye(void)
{
    conf_bye();
    conf_idle();
}

static void restarted(void)
{
    conf_bye();
    conf_restart();
    conf_idle();
}

static const struct conf_case cases[YK_RULE_END] = {
    [YK_RULE_SEQ_BACK] = {back_in_numbers, overtaken},
    [YK_RULE_SEQ_REUSED] = {one_number_twice, doubled_on_its_way},
    [YK_RULE_REPEATED] = {said_again_both, doubled_on_its_way},
    [YK_RULE_FOREIGN] = {for_another, relayed},
    [YK_RULE_TWO_SENDERS] = {two_under_one, a_new_lease},
    [YK_RULE_SILENT] = {a_long_pause, no_pause},
    [YK_RULE_HASTY] = {hasty, not_hasty},
    [YK_RULE_DROPS_RATE] = {drops_too_often, drops_at_their_rate},
    [YK_RULE_AFTER_BYE] = {after_bye, restarted},
};

START_TEST(every_rule_of_conduct_speaks_when_it_is_broken_and_no_other_does)
{
    conf_expect_broken(cases, CONF_CONDUCT_RULES);
}
END_TEST

START_TEST(no_rule_of_conduct_speaks_when_it_is_kept)
{
    conf_expect_kept(cases, CONF_CONDUCT_RULES);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {every_rule_of_conduct_speaks_when_it_is_broken_and_no_other_does,
                                  no_rule_of_conduct_speaks_when_it_is_kept, NULL};

    return suite_main("conformance_conduct", tests);
}
