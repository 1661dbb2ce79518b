/* From words to nodes, and what a tool knows of them. */
#include <stdio.h>
#include <string.h>

#include "cli/names.h"
#include "cli_rig.h"
#include "lib/suite.h"

static struct cli_rig rig;
static struct yk_names found;

static void consumer(const char *id, const char *name)
{
    cli_hear(&rig, cli_consumer(id, name, YK_STATE_IDLE, NULL, 0, ""));
}

static void find(const char *word)
{
    yk_names_find(&rig.knowledge.peers, word, &found);
}

START_TEST(an_id_is_its_node)
{
    cli_rig_init(&rig);
    consumer("dec-1", "Room 3");
    find("dec-1");
    ck_assert_int_eq(found.match, YK_MATCH_ID);
    ck_assert_str_eq(found.nodes[0].text, "dec-1");
}
END_TEST

START_TEST(a_name_of_one_node_is_that_node)
{
    cli_rig_init(&rig);
    consumer("dec-1", "Room 3");
    consumer("dec-2", "Room 33");
    find("Room 3");
    ck_assert_int_eq(found.match, YK_MATCH_NAME);
    ck_assert_str_eq(found.nodes[0].text, "dec-1");
}
END_TEST

START_TEST(an_id_goes_before_a_name)
{
    cli_rig_init(&rig);
    consumer("lobby", "Room 3");
    consumer("dec-2", "lobby");
    find("lobby");
    ck_assert_int_eq(found.match, YK_MATCH_ID);
    ck_assert_str_eq(found.nodes[0].text, "lobby");
}
END_TEST

START_TEST(a_name_of_several_nodes_lists_the_first_ids_in_order)
{
    char id[8];

    cli_rig_init(&rig);
    for (int i = 19; i >= 10; i--) {
        snprintf(id, sizeof id, "d%d", i);
        consumer(id, "Room");
    }
    find("Room");
    ck_assert_int_eq(found.match, YK_MATCH_AMBIGUOUS);
    ck_assert_uint_eq(found.count, 10);
    for (int i = 0; i < YK_NAMES_LISTED_MAX; i++) {
        snprintf(id, sizeof id, "d%d", 10 + i);
        ck_assert_str_eq(found.nodes[i].text, id);
    }
}
END_TEST

START_TEST(a_live_node_has_its_name_before_one_that_is_gone)
{
    cli_rig_init(&rig);
    consumer("dec-old", "Room 3");
    cli_hear(&rig, cli_bye("dec-old"));
    find("Room 3");
    ck_assert_int_eq(found.match, YK_MATCH_NAME);
    ck_assert_str_eq(found.nodes[0].text, "dec-old");
    consumer("dec-new", "Room 3");
    find("Room 3");
    ck_assert_int_eq(found.match, YK_MATCH_NAME);
    ck_assert_str_eq(found.nodes[0].text, "dec-new");
}
END_TEST

START_TEST(an_unknown_word_is_nobody)
{
    cli_rig_init(&rig);
    consumer("dec-1", "Room 3");
    find("dec-2");
    ck_assert_int_eq(found.match, YK_MATCH_NONE);
    find("room 3");
    ck_assert_int_eq(found.match, YK_MATCH_NONE);
}
END_TEST

START_TEST(the_nearest_is_of_the_role_asked_for_and_by_id_or_name)
{
    char name[YK_NAME_BYTES_MAX + 1];
    struct yk_id id;

    cli_rig_init(&rig);
    consumer("dec-1", "Seminar left");
    consumer("dec-17", "Hall");
    cli_hear(&rig, cli_producer("dec-i", "Seminar lefd", YK_KIND_HDMI, NULL));
    ck_assert(yk_names_nearest(&rig.knowledge.peers, "dec-l", YK_ROLE_CONSUMER, &id, name));
    ck_assert_str_eq(id.text, "dec-1");
    ck_assert_str_eq(name, "dec-1");
    ck_assert(yk_names_nearest(&rig.knowledge.peers, "Seminar lef", YK_ROLE_CONSUMER, &id, name));
    ck_assert_str_eq(id.text, "dec-1");
    ck_assert_str_eq(name, "Seminar left");
    ck_assert(!yk_names_nearest(&rig.knowledge.peers, "projector", YK_ROLE_CONSUMER, &id, name));
}
END_TEST

START_TEST(a_word_must_be_able_to_be_an_id_or_a_name)
{
    char longest[YK_NAME_MAX + 2];

    memset(longest, 'x', sizeof longest);
    longest[YK_NAME_MAX + 1] = '\0';
    ck_assert(!yk_names_possible(longest));
    longest[YK_NAME_MAX] = '\0';
    ck_assert(yk_names_possible(longest));
    ck_assert(yk_names_possible("R\u00e4um 3"));
    ck_assert(!yk_names_possible(""));
    ck_assert(!yk_names_possible("\xff"));
}
END_TEST

START_TEST(the_highest_version_of_all_that_speaks_of_it_is_kept)
{
    struct yk_id dec = cli_id("dec-1");
    struct yk_version five = {.n = 5, .author = cli_id("op-b")};
    const struct yk_heard *heard;

    cli_rig_init(&rig);
    ck_assert_ptr_null(yk_knowledge_of(&rig.knowledge, &dec));
    cli_hear(&rig, cli_intent("cli-desk", "dec-1", 5, "op-c"));
    cli_hear(&rig, cli_consumer("dec-1", "", YK_STATE_IDLE, NULL, 4, "op-x"));
    cli_hear(&rig, cli_ack("dec-1", &five, false, YK_REASON_SUPERSEDED));
    heard = yk_knowledge_of(&rig.knowledge, &dec);
    ck_assert(heard->has_version);
    ck_assert_uint_eq(heard->version.n, 5);
    ck_assert_str_eq(heard->version.author.text, "op-c");
    ck_assert_str_eq(heard->carrier.text, "cli-desk");
}
END_TEST

static bool in_two_places(const char *id_text)
{
    struct yk_id id = cli_id(id_text);

    return yk_knowledge_of(&rig.knowledge, &id)->place.is_two;
}

static void speak_from(uint8_t host, yk_time later)
{
    rig.now += later;
    rig.from.ip[3] = host;
    consumer("dec-1", "");
}

START_TEST(one_change_of_address_is_a_new_lease)
{
    cli_rig_init(&rig);
    speak_from(1, 0);
    speak_from(2, YK_SECOND);
    speak_from(2, YK_SECOND);
    ck_assert(!in_two_places("dec-1"));
}
END_TEST

START_TEST(alternating_addresses_within_the_timeout_are_two_nodes)
{
    cli_rig_init(&rig);
    speak_from(1, 0);
    speak_from(2, YK_SECOND);
    speak_from(1, YK_SECOND);
    ck_assert(in_two_places("dec-1"));
}
END_TEST

START_TEST(coming_back_to_an_address_after_the_timeout_is_no_conflict)
{
    cli_rig_init(&rig);
    speak_from(1, 0);
    speak_from(2, YK_SECOND);
    speak_from(1, YK_PEER_TIMEOUT + 1);
    ck_assert(!in_two_places("dec-1"));
}
END_TEST

START_TEST(more_ids_than_the_table_holds_forget_the_one_heard_least_recently)
{
    struct yk_id first = cli_id("n0"), last = cli_id("n199");
    char id[8];

    cli_rig_init(&rig);
    for (int i = 0; i < 200; i++) {
        snprintf(id, sizeof id, "n%d", i);
        consumer(id, "");
    }
    ck_assert_ptr_null(yk_knowledge_of(&rig.knowledge, &first));
    ck_assert_ptr_nonnull(yk_knowledge_of(&rig.knowledge, &last));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        an_id_is_its_node,
        a_name_of_one_node_is_that_node,
        an_id_goes_before_a_name,
        a_name_of_several_nodes_lists_the_first_ids_in_order,
        a_live_node_has_its_name_before_one_that_is_gone,
        an_unknown_word_is_nobody,
        the_nearest_is_of_the_role_asked_for_and_by_id_or_name,
        a_word_must_be_able_to_be_an_id_or_a_name,
        the_highest_version_of_all_that_speaks_of_it_is_kept,
        one_change_of_address_is_a_new_lease,
        alternating_addresses_within_the_timeout_are_two_nodes,
        coming_back_to_an_address_after_the_timeout_is_no_conflict,
        more_ids_than_the_table_holds_forget_the_one_heard_least_recently,
        NULL,
    };

    return suite_main("names", tests);
}
