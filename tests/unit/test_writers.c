/* What the tools print, for people and for programs; and the way from a status answer to it. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/media.h"
#include "cli/node_parse.h"
#include "cli/say.h"
#include "cli/trouble.h"
#include "cli/writer.h"
#include "cli_rig.h"
#include "lib/suite.h"

static struct cli_rig rig;
static struct yk_site site;
static char *printed;
static size_t printed_size;

/* All peers of the rig, in the order of ids, as the writer prints them. */
static void print_roster(const struct yk_writer *writer)
{
    const struct yk_peer *peers[64];
    struct yk_roster roster = {.site = &site, .peers = peers, .now = rig.now};
    const struct yk_peer *peer = NULL;
    FILE *out = open_memstream(&printed, &printed_size);

    site.knowledge = rig.knowledge;
    site.network = YK_NETWORK_DEFAULT;
    while ((peer = yk_peers_next(&site.knowledge.peers, peer)) != NULL) {
        size_t at = roster.count++;

        for (; at > 0 && yk_id_compare(&peer->entry.id, &peers[at - 1]->entry.id) < 0; at--) {
            peers[at] = peers[at - 1];
        }
        peers[at] = peer;
    }
    writer->roster(out, &roster);
    fclose(out);
}

static void print_result(const struct yk_writer *writer, const struct yk_operation *operation)
{
    FILE *out = open_memstream(&printed, &printed_size);

    writer->result(out, operation);
    fclose(out);
}

static void expect(const char *wanted)
{
    ck_assert_str_eq(printed, wanted);
    free(printed);
}

START_TEST(a_node_line_has_the_members_of_the_contract)
{
    struct yk_frame frame = cli_consumer("dec-1", "Room 3", YK_STATE_ERROR, "enc-1", 7, "op-a");

    frame.as.ann.has_err = true;
    frame.as.ann.err = yk_slice_of("no \"signal\"");
    frame.as.ann.has_evidence = true;
    frame.as.ann.evidence = yk_slice_of("joined");
    cli_rig_init(&rig);
    cli_hear(&rig, frame);
    rig.now += 1250 * YK_MS;
    print_roster(&yk_writer_json);
    expect("{\"v\":1,\"type\":\"node\",\"id\":\"dec-1\",\"role\":\"consumer\",\"kind\":\"hdmi\","
           "\"name\":\"Room 3\",\"state\":\"error\",\"err\":\"no \\\"signal\\\"\","
           "\"pairing\":{\"producer\":\"enc-1\",\"version\":[7,\"op-a\"]},\"media\":null,"
           "\"driver_status\":{\"detail\":\"joined\"},\"live\":true,\"age_ms\":1250,"
           "\"address\":\"10.0.0.1\",\"also_at\":null,\"key\":null,\"clock_ahead_ms\":null}\n");
}
END_TEST

START_TEST(what_is_unknown_is_null_and_an_array_stays_an_array)
{
    cli_rig_init(&rig);
    rig.from = (struct yk_address){.port = 0};
    cli_hear(&rig, cli_consumer("dec-1", "", YK_STATE_IDLE, NULL, 0, ""));
    print_roster(&yk_writer_json);
    expect("{\"v\":1,\"type\":\"node\",\"id\":\"dec-1\",\"role\":\"consumer\",\"kind\":\"hdmi\","
           "\"name\":\"\",\"state\":\"idle\",\"err\":null,"
           "\"pairing\":{\"producer\":null,\"version\":[0,\"\"]},\"media\":null,"
           "\"driver_status\":null,\"live\":true,\"age_ms\":0,\"address\":null,\"also_at\":null,"
           "\"key\":null,\"clock_ahead_ms\":null}\n");
}
END_TEST

START_TEST(media_comes_out_as_it_was_announced)
{
    cli_rig_init(&rig);
    cli_hear(&rig, cli_producer("enc-1", "\x1b[2J", YK_KIND_HDMI,
                                "{\"big\":123456789012345678901234567890,\"real\":1e+16}"));
    print_roster(&yk_writer_json);
    ck_assert_ptr_nonnull(
        strstr(printed, "\"media\":{\"big\":123456789012345678901234567890,\"real\":1e+16}"));
    ck_assert_ptr_nonnull(strstr(printed, "\"name\":\"\\u001b[2J\""));
    ck_assert_ptr_nonnull(strstr(printed, "\"pairing\":null"));
    free(printed);
}
END_TEST

START_TEST(the_worst_announcement_still_makes_one_whole_line)
{
    char controls[YK_FRAME_MAX - 16];
    struct yk_frame frame = cli_consumer("dec-1", "", YK_STATE_ERROR, NULL, 0, "");
    json_t *line;

    memset(controls, 1, sizeof controls);
    frame.as.ann.has_err = true;
    frame.as.ann.err = (struct yk_slice){(uint8_t *)controls, sizeof controls};
    cli_rig_init(&rig);
    cli_hear(&rig, frame);
    print_roster(&yk_writer_json);
    line = json_loads(printed, 0, NULL);
    ck_assert_ptr_nonnull(line);
    ck_assert_uint_eq(json_string_length(json_object_get(line, "err")), sizeof controls);
    json_decref(line);
    free(printed);
}
END_TEST

START_TEST(the_table_is_aligned_by_display_columns_and_escaped)
{
    cli_rig_init(&rig);
    cli_hear(&rig,
             cli_consumer("dec-1", "\u6a5f\u6750 \x1b[31m", YK_STATE_PENDING, "enc-9", 3, "op-a"));
    cli_hear(&rig,
             cli_producer("enc-lobby", "", YK_KIND_HDMI, "{\"group\":\"\u6a5f\",\"port\":5004}"));
    rig.now += 400 * YK_MS;
    print_roster(&yk_writer_text);
    expect("ID         ROLE      KIND  STATE    SHOWS / MEDIA  HEARD   ADDRESS   NAME\n"
           "dec-1      consumer  hdmi  pending  enc-9          400 ms  10.0.0.1  "
           "\u6a5f\u6750 \\x1b[31m\n"
           "    enc-9 is not heard\n"
           "enc-lobby  producer  hdmi  active   \u6a5f:5004        400 ms  "
           "10.0.0.1  \n"
           "2 of 2 nodes live at 239.121.111.107:9753 on the default interface, key \n");
}
END_TEST

START_TEST(an_open_site_says_so_in_the_table)
{
    cli_rig_init(&rig);
    site.open = true;
    print_roster(&yk_writer_text);
    expect("0 of 0 nodes live at 239.121.111.107:9753 on the default interface, OPEN (not "
           "signed)\n");
}
END_TEST

START_TEST(two_senders_of_one_id_are_shown_with_their_addresses)
{
    cli_rig_init(&rig);
    for (uint8_t host = 1; host <= 3; host++) {
        rig.from.ip[3] = host % 2;
        cli_hear(&rig, cli_consumer("dec-1", "", YK_STATE_IDLE, NULL, 0, ""));
    }
    print_roster(&yk_writer_text);
    ck_assert_ptr_nonnull(strstr(printed, "two nodes use this id, at 10.0.0.1 and at 10.0.0.0;"));
    free(printed);
    print_roster(&yk_writer_json);
    ck_assert_ptr_nonnull(strstr(printed, "\"address\":\"10.0.0.1\",\"also_at\":\"10.0.0.0\""));
    free(printed);
}
END_TEST

static struct yk_operation operation_of(enum yk_outcome outcome)
{
    struct yk_operation operation = {.options.op = YK_OP_PAIR,
                                     .knowledge = &rig.knowledge,
                                     .started = rig.now,
                                     .ended = rig.now + 42 * YK_MS,
                                     .authored = 1,
                                     .outcome = outcome};

    operation.consumer.id = operation.intent.consumer = cli_id("dec-1");
    operation.producer.id = operation.intent.producer = cli_id("enc-1");
    operation.intent.version = (struct yk_version){.n = 7, .author = cli_id("op-a")};
    return operation;
}

START_TEST(a_result_line_has_the_members_of_the_contract)
{
    struct yk_operation operation;

    cli_rig_init(&rig);
    operation = operation_of(YK_OUTCOME_NOT_ACTIVE);
    operation.reason = YK_REASON_APPLIED;
    operation.consumer_heard = operation.has_err = true;
    operation.state = YK_STATE_ERROR;
    operation.err_size = 4;
    memcpy(operation.err, "boom", 4);
    print_result(&yk_writer_json, &operation);
    expect("{\"v\":1,\"type\":\"result\",\"op\":\"pair\",\"consumer\":\"dec-1\","
           "\"producer\":\"enc-1\",\"version\":[7,\"op-a\"],\"authored\":\"known\","
           "\"outcome\":\"not-active\",\"reason\":\"applied\",\"state\":\"error\","
           "\"err\":\"boom\",\"elapsed_ms\":42}\n");
}
END_TEST

START_TEST(a_result_without_answer_has_nulls)
{
    struct yk_operation operation;

    cli_rig_init(&rig);
    operation = operation_of(YK_OUTCOME_UNANSWERED);
    operation.options.op = YK_OP_UNPAIR;
    memset(&operation.producer.id, 0, sizeof operation.producer.id);
    operation.blind = true;
    print_result(&yk_writer_json, &operation);
    expect("{\"v\":1,\"type\":\"result\",\"op\":\"unpair\",\"consumer\":\"dec-1\","
           "\"producer\":null,\"version\":[7,\"op-a\"],\"authored\":\"blind\","
           "\"outcome\":\"unanswered\",\"reason\":null,\"state\":null,\"err\":null,"
           "\"elapsed_ms\":42}\n");
}
END_TEST

START_TEST(text_tells_saved_from_active)
{
    struct yk_operation operation;

    cli_rig_init(&rig);
    cli_hear(&rig, cli_consumer("dec-1", "Room\n3", YK_STATE_IDLE, NULL, 0, ""));
    operation = operation_of(YK_OUTCOME_APPLIED);
    print_result(&yk_writer_text, &operation);
    expect("applied: dec-1 \"Room\\n3\" is paired with enc-1 (version 7, 42 ms)\n");
    operation = operation_of(YK_OUTCOME_ACTIVE);
    print_result(&yk_writer_text, &operation);
    expect("active: dec-1 \"Room\\n3\" is paired with enc-1 (version 7, 42 ms)\n");
    operation = operation_of(YK_OUTCOME_REFUSED);
    operation.reason = YK_REASON_KIND_MISMATCH;
    print_result(&yk_writer_text, &operation);
    expect("refused: dec-1 \"Room\\n3\" said kind-mismatch to version 7\n");
}
END_TEST

static const char *trouble_of(const char *id_text)
{
    static char out[YK_TROUBLE_MAX];
    struct yk_id id = cli_id(id_text);
    const struct yk_peer *peer = yk_peers_find(&rig.knowledge.peers, &id);

    return yk_trouble_of(out, &rig.knowledge.peers, peer, rig.now) ? out : "";
}

START_TEST(a_pending_consumer_is_explained_by_its_producer)
{
    cli_rig_init(&rig);
    cli_hear(&rig, cli_consumer("dec-1", "", YK_STATE_PENDING, "enc-1", 1, "op-a"));
    ck_assert_str_eq(trouble_of("dec-1"), "enc-1 is not heard");
    cli_hear(&rig, cli_producer("enc-1", "Lobby", YK_KIND_HDMI, NULL));
    ck_assert_str_eq(trouble_of("dec-1"), "enc-1 \"Lobby\" announces no media");
    cli_hear(&rig, cli_producer("enc-1", "Lobby", YK_KIND_USB, NULL));
    ck_assert_str_eq(trouble_of("dec-1"), "enc-1 \"Lobby\" is usb, this is hdmi");
    cli_hear(&rig, cli_producer("enc-1", "Lobby", YK_KIND_HDMI, "{}"));
    ck_assert_str_eq(trouble_of("dec-1"), "its driver has not confirmed the picture yet");
    cli_hear(&rig, cli_bye("enc-1"));
    rig.now += 3 * YK_SECOND;
    ck_assert_str_eq(trouble_of("dec-1"), "enc-1 \"Lobby\" is not heard since 3.0 s");
}
END_TEST

START_TEST(an_announced_error_goes_before_our_guess)
{
    struct yk_frame frame = cli_consumer("dec-1", "", YK_STATE_ERROR, "enc-1", 1, "op-a");

    frame.as.ann.has_err = true;
    frame.as.ann.err = yk_slice_of("no such device");
    cli_rig_init(&rig);
    cli_hear(&rig, frame);
    ck_assert_str_eq(trouble_of("dec-1"), "no such device");
}
END_TEST

START_TEST(a_node_that_is_well_has_no_trouble)
{
    cli_rig_init(&rig);
    cli_hear(&rig, cli_consumer("dec-1", "", YK_STATE_IDLE, NULL, 0, ""));
    ck_assert_str_eq(trouble_of("dec-1"), "");
}
END_TEST

START_TEST(a_silent_node_says_since_when_and_how_it_was)
{
    cli_rig_init(&rig);
    cli_hear(&rig, cli_consumer("dec-1", "", YK_STATE_ACTIVE, "enc-1", 1, "op-a"));
    rig.now += 90 * YK_SECOND;
    yk_knowledge_expire(&rig.knowledge, rig.now);
    ck_assert_str_eq(trouble_of("dec-1"), "last heard 90 s ago; it was active then");
}
END_TEST

START_TEST(a_node_object_comes_back_as_the_announcement_it_was)
{
    static const char text[] =
        "{\"id\":\"dec-1\",\"role\":\"consumer\",\"kind\":\"hdmi\",\"name\":\"a\\u0000b\","
        "\"state\":\"error\",\"err\":\"boom\",\"pairing\":{\"producer\":\"enc-1\",\"version\":"
        "[7,\"op-a\"]},\"media\":null,\"driver_status\":{\"detail\":\"x\"},\"live\":false,"
        "\"age_ms\":1500,\"address\":\"10.0.0.7\",\"key\":\"0123abcd\"}";
    json_t *object = json_loads(text, JSON_ALLOW_NUL, NULL);
    struct yk_node_parsed node;

    ck_assert_ptr_nonnull(object);
    ck_assert(yk_node_parse(&node, object));
    ck_assert_str_eq(node.frame.origin.text, "dec-1");
    ck_assert_int_eq(node.frame.as.ann.role, YK_ROLE_CONSUMER);
    ck_assert_int_eq(node.frame.as.ann.state, YK_STATE_ERROR);
    ck_assert_uint_eq(node.frame.as.ann.name.size, 3);
    ck_assert(node.frame.as.ann.has_err && node.frame.as.ann.has_evidence);
    ck_assert_uint_eq(node.frame.as.ann.pairing.version.n, 7);
    ck_assert_str_eq(node.frame.as.ann.pairing.producer.text, "enc-1");
    ck_assert(!node.live);
    ck_assert_uint_eq(node.age, 1500 * YK_MS);
    ck_assert_uint_eq(node.address.ip[3], 7);
    ck_assert_str_eq(node.key, "0123abcd");
    json_decref(object);
}
END_TEST

#define PRODUCER_WITH(more)                                                                       \
    "{\"id\":\"enc-1\",\"role\":\"producer\",\"kind\":\"hdmi\",\"name\":\"\",\"state\":\"idle\"," \
    "\"media\":{\"a\":1}," more "}"

START_TEST(media_is_taken_from_its_text_where_there_is_one)
{
    static const struct {
        const char *text, *media;
    } cases[] = {
        {PRODUCER_WITH("\"live\":true"), "{\"a\":1}"},
        {PRODUCER_WITH("\"media_text\":\"{\\\"a\\\":12345678901234567890123}\""),
         "{\"a\":12345678901234567890123}"},
        {PRODUCER_WITH("\"media_text\":\"{}\\n{\\\"type\\\":\\\"node\\\"}\""), "{\"a\":1}"},
        {PRODUCER_WITH("\"media_text\":\"7\""), "{\"a\":1}"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        json_t *object = json_loads(cases[i].text, 0, NULL);
        struct yk_node_parsed node;

        ck_assert_ptr_nonnull(object);
        ck_assert(yk_node_parse(&node, object));
        ck_assert_str_eq(node.media, cases[i].media);
        free(node.media);
        json_decref(object);
    }
}
END_TEST

START_TEST(a_zero_character_hides_nothing_behind_it)
{
    struct yk_frame frame = cli_consumer("dec-1", "", YK_STATE_ERROR, NULL, 0, "");
    char label[YK_LABEL_MAX];

    frame.as.ann.name = (struct yk_slice){(const uint8_t *)"a\0b", 3};
    frame.as.ann.has_err = true;
    frame.as.ann.err = (struct yk_slice){(const uint8_t *)"\0reason", 7};
    cli_rig_init(&rig);
    cli_hear(&rig, frame);
    ck_assert_str_eq(trouble_of("dec-1"), "\u2400reason");
    ck_assert_str_eq(yk_label(label, &rig.knowledge.peers, &frame.origin), "dec-1 \"a\u2400b\"");
}
END_TEST

START_TEST(a_node_object_of_another_shape_is_refused)
{
    static const char *const bad[] = {
        "{}",
        "[]",
        "{\"id\":\"bad id\",\"role\":\"producer\",\"kind\":\"hdmi\",\"name\":\"\",\"state\":"
        "\"idle\"}",
        "{\"id\":\"a\",\"role\":\"boss\",\"kind\":\"hdmi\",\"name\":\"\",\"state\":\"idle\"}",
        "{\"id\":\"a\",\"role\":\"consumer\",\"kind\":\"hdmi\",\"name\":\"\",\"state\":\"idle\"}",
        "{\"id\":\"a\",\"role\":\"consumer\",\"kind\":\"hdmi\",\"name\":\"\",\"state\":\"idle\","
        "\"pairing\":{\"producer\":null,\"version\":[-1,\"op\"]}}",
        "{\"id\":\"a\",\"role\":\"consumer\",\"kind\":\"hdmi\",\"name\":\"\",\"state\":\"idle\","
        "\"pairing\":{\"producer\":null,\"version\":[1,\"\"]}}",
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        json_t *object = json_loads(bad[i], 0, NULL);
        struct yk_node_parsed node;

        ck_assert_ptr_nonnull(object);
        ck_assert_msg(!yk_node_parse(&node, object), "taken: %s", bad[i]);
        json_decref(object);
    }
}
END_TEST

START_TEST(texts_beyond_a_frame_are_refused)
{
    char err[YK_FRAME_MAX + 1];
    json_t *object = json_loads(PRODUCER_WITH("\"live\":true"), 0, NULL);
    struct yk_node_parsed node;

    memset(err, 'e', sizeof err);
    json_object_set_new(object, "err", json_stringn(err, sizeof err - 1));
    ck_assert(yk_node_parse(&node, object));
    free(node.media);
    json_object_set_new(object, "err", json_stringn(err, sizeof err));
    ck_assert(!yk_node_parse(&node, object));
    json_decref(object);
}
END_TEST

START_TEST(media_of_known_shape_is_shown_in_few_words)
{
    static const struct {
        const char *media, *shown;
    } cases[] = {
        {"{\"group\":\"239.10.0.5\",\"port\":5004}", "239.10.0.5:5004"},
        {"{\"channel\":7,\"group\":\"239.10.0.5\"}", "channel 7 (239.10.0.5)"},
        {"{\"busids\":[\"1-1.2\",\"1-1.3\"],\"host\":\"10.0.5.3\",\"port\":3240}",
         "10.0.5.3: 1-1.2 1-1.3"},
        {"{\"busids\":[[1],{\"a\":2}],\"host\":\"h\",\"port\":1}", "h: [1] {\"a\":2}"},
        {"{\"group\":\"239.10.0.5\",\"more\":1,\"port\":5004}",
         "{\"group\":\"239.10.0.5\",\"more\":1,\"port\":5004}"},
        {"{\"group\":5004,\"port\":\"x\"}", "{\"group\":5004,\"port\":\"x\"}"},
        {"{}", "{}"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char shown[YK_MEDIA_TEXT_MAX];

        yk_media_brief(shown, yk_slice_of(cases[i].media));
        ck_assert_str_eq(shown, cases[i].shown);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_node_line_has_the_members_of_the_contract,
        what_is_unknown_is_null_and_an_array_stays_an_array,
        media_comes_out_as_it_was_announced,
        the_worst_announcement_still_makes_one_whole_line,
        the_table_is_aligned_by_display_columns_and_escaped,
        an_open_site_says_so_in_the_table,
        two_senders_of_one_id_are_shown_with_their_addresses,
        a_result_line_has_the_members_of_the_contract,
        a_result_without_answer_has_nulls,
        text_tells_saved_from_active,
        a_pending_consumer_is_explained_by_its_producer,
        an_announced_error_goes_before_our_guess,
        a_node_that_is_well_has_no_trouble,
        a_silent_node_says_since_when_and_how_it_was,
        a_node_object_comes_back_as_the_announcement_it_was,
        media_is_taken_from_its_text_where_there_is_one,
        a_zero_character_hides_nothing_behind_it,
        texts_beyond_a_frame_are_refused,
        media_of_known_shape_is_shown_in_few_words,
        a_node_object_of_another_shape_is_refused,
        NULL,
    };

    return suite_main("writers", tests);
}
