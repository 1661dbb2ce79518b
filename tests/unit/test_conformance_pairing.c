/* The rules of intents, acknowledgments and what is announced of them. */
#include <string.h>

#include "conformance_rig.h"
#include "lib/suite.h"

static void producer_answers(void)
{
    conf_say("enc", conf_producing(YK_KIND_HDMI));
    conf_acknowledge("enc", 1, "op", false, YK_REASON_SELF_PAIR);
}

static void asked(void)
{
    conf_intend("cli", "enc", 1, "op");
    conf_applied(1, "op");
}

static void unasked(void)
{
    conf_pass(6 * YK_SECOND);
    conf_applied(1, "op");
    conf_pass(3 * YK_SECOND);
    ck_assert_str_eq(conf.last.id.text, "dec");
}

static void asked_late(void) /* ours came before, or theirs behind */
{
    conf_applied(1, "op");
    conf_pass(9 * YK_SECOND);
    conf_applied(2, "op-2");
    conf_pass(YK_SECOND);
    conf_intend("cli", "enc", 2, "op-2");
    conf_pass(9 * YK_SECOND);
}

static void old_applied(void)
{
    conf_consumer(YK_STATE_PENDING, "enc", 7, "op-7");
    conf_intend("cli", "enc", 3, "op-3");
    conf_applied(3, "op-3");
}

static void old_superseded(void)
{
    conf_consumer(YK_STATE_PENDING, "enc", 7, "op-7");
    conf_intend("cli", "enc", 3, "op-3");
    conf_superseded(3, "op-3");
    conf_applied(7, "op-7");
    conf_consumer(YK_STATE_PENDING, "enc", 7, "op-7");
}

static void applied_unshown(void)
{
    conf_consumer(YK_STATE_PENDING, "enc", 1, "op");
    conf_intend("cli", "enc-2", 2, "op-2");
    conf_applied(2, "op-2");
    conf_consumer(YK_STATE_PENDING, "enc", 1, "op");
}

static void applied_shown(void)
{
    conf_intend("cli", "enc-2", 2, "op-2");
    conf_applied(2, "op-2");
    conf_intend("cli", "enc", 3, "op-3");
    conf_consumer(YK_STATE_PENDING, "enc", 3, "op-3");
}

static void superseded_by_nothing(void)
{
    conf_consumer(YK_STATE_PENDING, "enc", 1, "op");
    conf_intend("cli", "enc-2", 2, "op-2");
    conf_superseded(2, "op-2");
    conf_consumer(YK_STATE_PENDING, "enc", 1, "op");
}

static void versions_back(void)
{
    conf_consumer(YK_STATE_PENDING, "enc", 2, "op-2");
    conf_consumer(YK_STATE_PENDING, "enc", 1, "op");
}

static void versions_forth(void)
{
    conf_consumer(YK_STATE_PENDING, "enc", 1, "op");
    conf_consumer(YK_STATE_ACTIVE, "enc", 1, "op");
    conf_consumer(YK_STATE_PENDING, "enc-2", 1, "op-2");
}

static void one_version_two_pairings(void)
{
    conf_consumer(YK_STATE_PENDING, "enc", 1, "op");
    conf_consumer(YK_STATE_PENDING, "enc-2", 1, "op");
}

static void not_what_was_asked(void)
{
    conf_intend("cli", "enc", 1, "op");
    conf_consumer(YK_STATE_PENDING, "enc-2", 1, "op");
}

static void two_ways_of_two_pairings(void)
{
    one_version_two_pairings();
    ck_assert_str_eq(conf.told, "version-twice ");
    conf_start();
    not_what_was_asked();
}

static void two_intents(void)
{
    conf_intend("cli", "enc", 1, "op");
    conf_intend("cli", "enc-2", 1, "op");
    conf_intend("cli", "enc-2", 1, "op"); /* a retry is no news */
}

static void retried(void)
{
    conf_intend("cli", "enc", 1, "op");
    conf_intend("cli", "enc", 1, "op");
    conf_intend("relay", "enc", 1, "op");
}

static void author_again(void)
{
    conf_intend("cli", "enc", 1, "op");
    conf_intend("cli", "enc-2", 2, "op");
    conf_intend("cli", "enc-2", 2, "op");
}

static void author_fresh(void)
{
    conf_intend("cli", "enc", 1, "op");
    conf_intend("cli", "enc-2", 2, "op-2");
}

static void other_kind(void)
{
    conf_say("enc", conf_producing(YK_KIND_USB));
    conf_consumer(YK_STATE_ACTIVE, "enc", 1, "op");
}

static void other_kind_in_error(void)
{
    conf_say("enc", conf_producing(YK_KIND_USB));
    conf_consumer(YK_STATE_ERROR, "enc", 1, "op");
}

static const struct conf_case cases[YK_RULE_END] = {
    [YK_RULE_ACK_PRODUCER] = {producer_answers, asked},
    [YK_RULE_ACK_UNASKED] = {unasked, asked_late},
    [YK_RULE_ACK_OLD] = {old_applied, old_superseded},
    [YK_RULE_ACK_UNSHOWN] = {applied_unshown, applied_shown},
    [YK_RULE_ACK_BELOW] = {superseded_by_nothing, old_superseded},
    [YK_RULE_VERSION_BACK] = {versions_back, versions_forth},
    [YK_RULE_VERSION_TWICE] = {two_ways_of_two_pairings, versions_forth},
    [YK_RULE_TWO_BODIES] = {two_intents, retried},
    [YK_RULE_AUTHOR_REUSED] = {author_again, author_fresh},
    [YK_RULE_KIND_MISMATCH] = {other_kind, other_kind_in_error},
};

START_TEST(every_rule_of_pairings_speaks_when_it_is_broken_and_no_other_does)
{
    conf_expect_broken(cases, CONF_PAIRING_RULES);
}
END_TEST

START_TEST(no_rule_of_pairings_speaks_when_it_is_kept)
{
    conf_expect_kept(cases, CONF_PAIRING_RULES);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {every_rule_of_pairings_speaks_when_it_is_broken_and_no_other_does,
                                  no_rule_of_pairings_speaks_when_it_is_kept, NULL};

    return suite_main("conformance_pairing", tests);
}
