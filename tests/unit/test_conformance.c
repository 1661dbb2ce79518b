/* What holds for all rules of conformance.def; each rule's cases are in test_conformance_*.c. */
#include <stdio.h>
#include <string.h>

#include "conformance_rig.h"
#include "lib/suite.h"

START_TEST(every_rule_is_in_one_group)
{
    static const enum yk_rule borders[][2] = {
        {CONF_FRAME_RULES}, {CONF_BODY_RULES}, {CONF_CONDUCT_RULES}, {CONF_PAIRING_RULES}};
    int before = YK_RULE_NONE;

    for (size_t i = 0; i < sizeof borders / sizeof borders[0]; i++) {
        ck_assert_int_eq((int)borders[i][0], before + 1);
        ck_assert_int_ge((int)borders[i][1], (int)borders[i][0]);
        before = (int)borders[i][1];
    }
    ck_assert_int_eq(before + 1, YK_RULE_END);
}
END_TEST

START_TEST(every_rule_has_an_id_of_its_own_a_section_and_a_sentence)
{
    ck_assert_int_ge(YK_RULE_END - 1, 20);
    for (int rule = YK_RULE_NONE + 1; rule < YK_RULE_END; rule++) {
        const struct yk_rule_text *text = yk_rule_text((enum yk_rule)rule);

        ck_assert_uint_gt(strlen(text->section), 0);
        ck_assert_uint_gt(strlen(text->sentence), 0);
        for (int other = YK_RULE_NONE + 1; other < rule; other++) {
            ck_assert_str_ne(text->word, yk_rule_text((enum yk_rule)other)->word);
        }
    }
}
END_TEST

START_TEST(what_does_not_verify_says_nothing_about_its_origin)
{
    conf_start_keys("another", "site");
    conf_idle();
    conf_bye();
    conf_idle();
    ck_assert_str_eq(conf.told, "signature signature signature ");
    ck_assert(!conf.last.verified);
    ck_assert_uint_eq(conf.check.totals[YK_RULE_SIGNATURE], 3);
    ck_assert_uint_eq(conf.check.totals[YK_RULE_NONE], 3);
    ck_assert_uint_eq(conf.check.senders.count, 0);
}
END_TEST

START_TEST(a_violation_names_the_sender_and_its_address)
{
    conf_start();
    conf.rig.from = conf_away;
    conf_consumer(YK_STATE_IDLE, "enc", 1, "op");
    ck_assert_str_eq(conf.told, "idle-paired ");
    ck_assert_str_eq(conf.last.id.text, "dec");
    ck_assert(conf.last.verified);
    ck_assert_mem_eq(conf.last.from.ip, conf_away.ip, 4);
    ck_assert_str_eq(conf.last.detail, "idle with the producer enc");
}
END_TEST

/* However many senders there are, the table holds the latest. */
START_TEST(memory_is_bounded_and_what_is_not_kept_is_counted)
{
    static char ids[3 * SNOOP_TRACKED][16];

    conf_start();
    for (size_t i = 0; i < 3 * SNOOP_TRACKED; i++) {
        struct yk_frame frame = conf_producing(YK_KIND_HDMI);

        frame.seq = (uint64_t)SNOOP_WALL_NS;
        snprintf(ids[i], sizeof ids[i], "enc-%zu", i);
        conf_say(ids[i], frame);
    }
    ck_assert_uint_eq(conf.check.senders.count, SNOOP_TRACKED);
    ck_assert_uint_eq(conf.check.not_kept, 2 * SNOOP_TRACKED);
    conf_pass(6 * YK_SECOND);
    for (uint64_t n = 1; n <= YK_ACKS_WAITING_MAX + 5; n++) {
        conf_applied(n, "op");
    }
    ck_assert_uint_eq(conf.check.unasked_count, YK_ACKS_WAITING_MAX);
    conf_pass(9 * YK_SECOND);
    ck_assert_uint_eq(conf.check.unasked_count, 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {every_rule_is_in_one_group,
                                  every_rule_has_an_id_of_its_own_a_section_and_a_sentence,
                                  what_does_not_verify_says_nothing_about_its_origin,
                                  a_violation_names_the_sender_and_its_address,
                                  memory_is_bounded_and_what_is_not_kept_is_counted,
                                  NULL};

    return suite_main("conformance", tests);
}
