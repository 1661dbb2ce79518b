#include <string.h>

#include "cli/chain.h"
#include "cli_rig.h"
#include "lib/suite.h"

#define MEDIA "{\"group\":\"239.10.0.5\",\"port\":5004}"
#define WALL ((int64_t)1800000000 * YK_SECOND)

static struct cli_rig rig;
static struct yk_chain_facts facts;
static struct yk_chain chain;

/* A pairing that shows its picture; each test breaks one link of it. */
static void begin(void)
{
    cli_rig_init(&rig);
    cli_hear(&rig, cli_producer("enc", "Player", YK_KIND_HDMI, MEDIA));
    cli_hear(&rig, cli_consumer("dec", "Screen", YK_STATE_ACTIVE, "enc", 3, "op-1"));
    facts = (struct yk_chain_facts){.knowledge = &rig.knowledge,
                                    .consumer = {.id = cli_id("dec"), .has_clock = true},
                                    .producer = {.id = cli_id("enc"), .has_clock = true},
                                    .key = "",
                                    .place = "somewhere",
                                    .now = rig.now,
                                    .wall_ns = WALL,
                                    .built_ns = WALL - 1,
                                    .is_here = true,
                                    .retry_ms = -1,
                                    .warning = "",
                                    .arrival = YK_ARRIVAL_SOME,
                                    .arrived = 20};
}

static const struct yk_link *last(void)
{
    return &chain.links[chain.count - 1];
}

static void expect_whole(void)
{
    ck_assert_msg(yk_chain_walk(&chain, &facts), "%s: %s", last()->name, last()->text);
    for (size_t i = 0; i < chain.count; i++) {
        ck_assert_int_ne(chain.links[i].verdict, YK_LINK_BROKEN);
    }
    cli_rig_fini(&rig);
}

/* This link is the broken one, is the last, says `word` and what to do next. */
static void expect_broken(const char *name, const char *word)
{
    ck_assert(!yk_chain_walk(&chain, &facts));
    ck_assert_msg(strcmp(last()->name, name) == 0, "%s: %s", last()->name, last()->text);
    ck_assert_int_eq(last()->verdict, YK_LINK_BROKEN);
    ck_assert_msg(strstr(last()->text, word) != NULL, "%s", last()->text);
    ck_assert_str_ne(last()->next, "");
    cli_rig_fini(&rig);
}

START_TEST(a_picture_that_comes_is_whole)
{
    begin();
    expect_whole();
}
END_TEST

START_TEST(what_cannot_be_seen_from_here_breaks_nothing)
{
    begin();
    facts.is_here = false;
    facts.arrival = YK_ARRIVAL_ELSEWHERE;
    facts.consumer.has_clock = false;
    expect_whole();
}
END_TEST

START_TEST(an_id_nobody_has_is_not_heard)
{
    begin();
    facts.consumer.id = cli_id("dec-2");
    expect_broken("heard", "not heard at somewhere");
}
END_TEST

START_TEST(frames_of_another_key_say_so)
{
    begin();
    facts.consumer.id = cli_id("dec-2");
    facts.consumer.unverified = 3;
    facts.consumer.from = (struct yk_address){.ip = {10, 0, 0, 9}, .port = 1};
    facts.key = "1692b369";
    expect_broken("heard", "10.0.0.9, but under another key than ours (1692b369)");
}
END_TEST

START_TEST(frames_from_the_future_name_the_clock)
{
    begin();
    facts.consumer.id = cli_id("dec-2");
    facts.consumer.ahead = 3;
    expect_broken("heard", "clock");
}
END_TEST

START_TEST(who_said_goodbye_and_who_fell_silent_differ)
{
    begin();
    cli_hear(&rig, cli_bye("dec"));
    expect_broken("heard", "said goodbye");
    begin();
    facts.now = rig.now + 2 * YK_PEER_TIMEOUT;
    yk_knowledge_expire(&rig.knowledge, facts.now);
    expect_broken("heard", "last heard");
}
END_TEST

START_TEST(two_senders_of_the_id_break_it)
{
    begin();
    yk_knowledge_two(&rig.knowledge, &facts.consumer.id, (const uint8_t[]){10, 0, 0, 1},
                     (const uint8_t[]){10, 0, 0, 2}, rig.now);
    expect_broken("id", "10.0.0.1 and at 10.0.0.2");
}
END_TEST

START_TEST(clocks_over_an_hour_apart_break_it_and_less_does_not)
{
    begin();
    facts.consumer.clock_ahead_ms = -3600001;
    expect_broken("clock", "behind");
    begin();
    facts.consumer.clock_ahead_ms = 3600001;
    expect_broken("clock", "ahead of");
    begin();
    facts.consumer.clock_ahead_ms = -3599999;
    expect_whole();
}
END_TEST

START_TEST(where_several_agree_it_is_this_hosts_clock_that_is_wrong)
{
    begin();
    yk_knowledge_clock(&rig.knowledge, &facts.consumer.id, -7200000);
    yk_knowledge_clock(&rig.knowledge, &facts.producer.id, -7300000);
    expect_broken("clock", "this host's clock is 2 h ahead of those of 2 nodes");
    begin();
    facts.consumer.has_clock = false; /* heard by an agent of this host */
    yk_knowledge_clock(&rig.knowledge, &facts.consumer.id, -7200000);
    expect_broken("clock", "its clock is 2 h behind this host's");
}
END_TEST

/* The last link of a picture that comes. */
static void expect_querier(enum yk_verdict verdict, const char *word)
{
    ck_assert(yk_chain_walk(&chain, &facts));
    ck_assert_str_eq(last()->name, "querier");
    ck_assert_int_eq(last()->verdict, verdict);
    ck_assert_msg(strstr(last()->text, word) != NULL, "%s", last()->text);
    ck_assert_int_eq(last()->next[0] == '\0', verdict == YK_LINK_OK);
    cli_rig_fini(&rig);
}

START_TEST(the_querier_is_told_by_the_agent_where_it_may_listen)
{
    struct yk_querier_seen heard = {.known = true,
                                    .interface = "eth1",
                                    .listened = YK_HOUR,
                                    .heard = true,
                                    .address = "10.0.0.1",
                                    .version = 2,
                                    .age = YK_QUERIER_GONE};

    begin();
    expect_querier(YK_LINK_UNCHECKED, "the consumer's host can tell");
    begin();
    facts.querier = heard;
    expect_querier(YK_LINK_OK, "10.0.0.1 asked 4 min ago on eth1 (IGMPv2)");
    begin();
    facts.querier = heard;
    facts.querier.age += YK_SECOND;
    expect_querier(YK_LINK_UNCHECKED, "none heard on eth1 for 4 min");
    begin();
    facts.querier = heard;
    facts.querier.heard = false;
    expect_querier(YK_LINK_UNCHECKED, "none heard on eth1 for 60 min");
    begin();
    facts.querier = heard;
    facts.querier.heard = false;
    facts.querier.listened = YK_QUERIER_GONE;
    expect_querier(YK_LINK_UNCHECKED, "yet");
    begin();
    facts.querier = (struct yk_querier_seen){
        .known = true, .interface = "eth1", .unheard = "Operation not permitted"};
    expect_querier(YK_LINK_UNCHECKED, "(Operation not permitted); give it the drop-in");
}
END_TEST

START_TEST(a_stream_that_does_not_come_and_no_query_are_said_together)
{
    begin();
    facts.querier =
        (struct yk_querier_seen){.known = true, .interface = "eth1", .listened = YK_HOUR};
    facts.arrival = YK_ARRIVAL_NONE;
    expect_broken("stream", "no IGMP query was heard for 60 min");
}
END_TEST

START_TEST(a_clock_before_the_program_was_made_cannot_be_right)
{
    begin();
    facts.wall_ns = facts.built_ns - 1;
    expect_broken("clock", "this host's clock");
}
END_TEST

START_TEST(a_newer_version_than_its_own_was_not_saved)
{
    begin();
    cli_hear(&rig, cli_intent("cli-x", "dec", 4, "op-2"));
    expect_broken("saved", "version 4 was asked for by op-2, and it is still at 3");
}
END_TEST

START_TEST(who_is_paired_with_nobody_is_told_how)
{
    begin();
    cli_hear(&rig, cli_consumer("dec", "Screen", YK_STATE_IDLE, NULL, 4, "op-2"));
    facts.producer.id = (struct yk_id){.size = 0};
    expect_broken("paired", "nobody");
}
END_TEST

START_TEST(a_producer_shows_nothing)
{
    begin();
    facts.consumer.id = cli_id("enc");
    expect_broken("role", "a producer");
}
END_TEST

START_TEST(the_producer_must_be_there_of_the_kind_and_with_media)
{
    begin();
    cli_hear(&rig, cli_bye("enc"));
    expect_broken("producer", "said goodbye");
    begin();
    cli_hear(&rig, cli_producer("enc", "Player", YK_KIND_USB, MEDIA));
    expect_broken("kind", "enc is usb, dec is hdmi");
    begin();
    cli_hear(&rig, cli_producer("enc", "Player", YK_KIND_HDMI, NULL));
    expect_broken("media", "announces none");
}
END_TEST

START_TEST(a_driver_in_error_names_its_next_try_and_what_its_agent_says)
{
    begin();
    cli_hear(&rig, cli_consumer("dec", "Screen", YK_STATE_ERROR, "enc", 3, "op-1"));
    facts.retry_ms = 4200;
    facts.warning = "the disk is full";
    expect_broken("driver", "asked again in 4.2 s; its agent says: the disk is full");
}
END_TEST

START_TEST(a_stream_that_does_not_come_in_breaks_it)
{
    begin();
    facts.arrival = YK_ARRIVAL_NONE;
    expect_broken("stream", "nothing came in");
}
END_TEST

START_TEST(a_channel_cannot_be_listened_to)
{
    begin();
    cli_hear(&rig, cli_producer("enc", "Player", YK_KIND_HDMI,
                                "{\"channel\":7,\"group\":\"239.1.1.1\"}"));
    facts.arrival = YK_ARRIVAL_NONE;
    expect_whole();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_picture_that_comes_is_whole,
        what_cannot_be_seen_from_here_breaks_nothing,
        an_id_nobody_has_is_not_heard,
        frames_of_another_key_say_so,
        frames_from_the_future_name_the_clock,
        who_said_goodbye_and_who_fell_silent_differ,
        two_senders_of_the_id_break_it,
        clocks_over_an_hour_apart_break_it_and_less_does_not,
        where_several_agree_it_is_this_hosts_clock_that_is_wrong,
        the_querier_is_told_by_the_agent_where_it_may_listen,
        a_stream_that_does_not_come_and_no_query_are_said_together,
        a_clock_before_the_program_was_made_cannot_be_right,
        a_newer_version_than_its_own_was_not_saved,
        who_is_paired_with_nobody_is_told_how,
        a_producer_shows_nothing,
        the_producer_must_be_there_of_the_kind_and_with_media,
        a_driver_in_error_names_its_next_try_and_what_its_agent_says,
        a_stream_that_does_not_come_in_breaks_it,
        a_channel_cannot_be_listened_to,
        NULL,
    };
    return suite_main("chain", tests);
}
