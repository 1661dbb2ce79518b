/* What a tool takes from the status sockets of its host, and from which of them. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/local.h"
#include "lib/suite.h"

/* A group of our own: agents that may really run on this host are not meant. */
#define HEAD                                                                                  \
    "{\"v\":1,\"type\":\"status\",\"id\":\"dec-1\",\"group\":\"239.255.77.1\",\"port\":4242," \
    "\"interface\":\"eth7\","
#define SELF                                                                                  \
    "\"self\":{\"id\":\"dec-1\",\"role\":\"consumer\",\"kind\":\"hdmi\",\"name\":\"Room 3\"," \
    "\"state\":\"active\",\"err\":null,\"pairing\":{\"producer\":\"enc-1\",\"version\":"      \
    "[6,\"op-a\"]},\"media\":null,\"driver_status\":null,\"live\":true,\"age_ms\":0,"         \
    "\"address\":null,\"key\":null}"
#define NODE(id, age, live)                                                                   \
    "{\"id\":\"" id "\",\"role\":\"producer\",\"kind\":\"hdmi\",\"name\":\"\",\"state\":"     \
    "\"active\",\"err\":null,\"pairing\":null,\"media\":{\"b\":1,\"a\":2},\"driver_status\":" \
    "null,\"live\":" live ",\"age_ms\":" age ",\"address\":\"10.0.0.9\",\"key\":null}"

static struct yk_site *site;
static struct yk_local local;
static char path[64];

static unsigned turned_away; /* clients that an agent sends off before it answers one */

/* An agent that gives one answer, in a process of its own. */
static pid_t serve(const char *answer)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    pid_t child;

    snprintf(path, sizeof path, "/tmp/yoke-test-%d.sock", (int)getpid());
    strcpy(address.sun_path, path);
    ck_assert_int_eq(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    ck_assert_int_eq(listen(listener, 1), 0);
    child = fork();
    if (child == 0) {
        int client;

        for (unsigned i = 0; i < turned_away; i++) {
            close(accept(listener, NULL, NULL));
        }
        client = accept(listener, NULL, NULL);
        _exit(client < 0 || write(client, answer, strlen(answer)) < 0);
    }
    close(listener);
    return child;
}

static void learn_from(const char *answer)
{
    struct yk_options options = {.network = YK_NETWORK_DEFAULT};
    struct yk_refusal why;
    pid_t child = serve(answer);

    if (site != NULL) {
        yk_local_fini(&local);
        yk_site_close(site);
    }
    ck_assert(yk_network_set_group(&options.network, "239.255.77.1", "", &why));
    options.network.port = 4242;
    site = yk_site_open(&options, &why);
    ck_assert_ptr_nonnull(site);
    strcpy(site->status_socket, path);
    yk_local_learn(&local, site);
    waitpid(child, NULL, 0);
    unlink(path);
}

static const struct yk_peer *peer(const char *text)
{
    struct yk_id id;

    ck_assert(yk_id_parse(&id, yk_slice_of(text)));
    return yk_peers_find(&site->knowledge.peers, &id);
}

START_TEST(an_agent_of_our_group_port_and_key_is_believed)
{
    learn_from(HEAD "\"key\":null,\"up_ms\":9000," SELF ",\"nodes\":[" NODE(
        "enc-1", "1500", "true") "],\"intents\":[],\"warnings\":[\"the disk is full\"]}");
    ck_assert_uint_eq(local.agents, 1);
    ck_assert_ptr_nonnull(peer("dec-1"));
    ck_assert_uint_eq(peer("dec-1")->pairing.version.n, 6);
    ck_assert_int_eq(peer("enc-1")->presence, YK_PRESENCE_LIVE);
    ck_assert_uint_ge(yk_site_now() - peer("enc-1")->last_ann, 1500 * YK_MS);
    ck_assert_uint_eq(peer("enc-1")->place.latest.ip[3], 9);
    ck_assert_uint_eq(local.warning_count, 1);
    ck_assert_str_eq(local.warnings[0], "agent dec-1: the disk is full");
}
END_TEST

START_TEST(the_agents_interface_is_taken_where_none_was_given)
{
    learn_from(HEAD "\"key\":null,\"up_ms\":9000," SELF ",\"nodes\":[]}");
    ck_assert_str_eq(site->network.interface, "eth7");
}
END_TEST

START_TEST(an_agent_up_for_an_interval_knows_everybody)
{
    learn_from(HEAD "\"key\":null,\"up_ms\":2600," SELF ",\"nodes\":[]}");
    ck_assert(site->knowledge.complete);
}
END_TEST

START_TEST(a_young_agent_does_not)
{
    learn_from(HEAD "\"key\":null,\"up_ms\":2599," SELF ",\"nodes\":[]}");
    ck_assert_uint_eq(local.agents, 1);
    ck_assert(!site->knowledge.complete);
}
END_TEST

START_TEST(an_agent_with_another_key_is_not_asked_but_remembered)
{
    learn_from(HEAD "\"key\":\"0123abcd\",\"up_ms\":9000," SELF ",\"nodes\":[]}");
    ck_assert_uint_eq(local.agents, 0);
    ck_assert_ptr_null(peer("dec-1"));
    ck_assert(!site->knowledge.complete);
    ck_assert(site->stranger);
    ck_assert_str_eq(site->stranger_key, "0123abcd");
}
END_TEST

START_TEST(an_agent_of_another_port_is_none_of_ours)
{
    learn_from("{\"v\":1,\"type\":\"status\",\"group\":\"239.255.77.1\",\"port\":4243,\"key\":null,"
               "\"up_ms\":9000," SELF ",\"nodes\":[]}");
    ck_assert_uint_eq(local.agents, 0);
    ck_assert(!site->stranger);
}
END_TEST

START_TEST(who_fell_silent_or_said_goodbye_is_not_live)
{
    learn_from(HEAD "\"key\":null,\"up_ms\":9000," SELF ",\"nodes\":[" NODE(
        "enc-1", "1500", "false") "," NODE("enc-2", "60000", "false") "]}");
    ck_assert_int_eq(peer("enc-1")->presence, YK_PRESENCE_GONE);
    ck_assert_int_eq(peer("enc-2")->presence, YK_PRESENCE_LOST);
}
END_TEST

START_TEST(cached_intents_count_for_the_version)
{
    struct yk_id dec;

    learn_from(HEAD "\"key\":null,\"up_ms\":9000," SELF
                    ",\"nodes\":[],\"intents\":[{\"consumer\":\"dec-1\",\"op\":\"unpair\","
                    "\"producer\":null,\"version\":[9,\"op-z\"]}]}");
    ck_assert(yk_id_parse(&dec, yk_slice_of("dec-1")));
    ck_assert_uint_eq(yk_knowledge_of(&site->knowledge, &dec)->version.n, 9);
}
END_TEST

START_TEST(an_agent_that_answers_others_is_asked_again)
{
    turned_away = 3;
    learn_from(HEAD "\"key\":null,\"up_ms\":9000," SELF ",\"nodes\":[]}");
    ck_assert_uint_eq(local.agents, 1);
}
END_TEST

START_TEST(an_answer_that_is_no_status_is_nothing)
{
    learn_from("{\"v\":1,\"type\":\"stat");
    ck_assert_uint_eq(local.agents, 0);
    learn_from(HEAD "\"key\":null,\"up_ms\":9000,\"self\":[],\"nodes\":7,\"intents\":{}}");
    ck_assert_uint_eq(local.agents, 1);
    ck_assert_uint_eq(site->knowledge.peers.table.count, 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        an_agent_of_our_group_port_and_key_is_believed,
        the_agents_interface_is_taken_where_none_was_given,
        an_agent_up_for_an_interval_knows_everybody,
        a_young_agent_does_not,
        an_agent_with_another_key_is_not_asked_but_remembered,
        an_agent_of_another_port_is_none_of_ours,
        who_fell_silent_or_said_goodbye_is_not_live,
        cached_intents_count_for_the_version,
        an_agent_that_answers_others_is_asked_again,
        an_answer_that_is_no_status_is_nothing,
        NULL,
    };

    return suite_main("local", tests);
}
