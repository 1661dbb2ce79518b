#include <stdio.h>
#include <stdlib.h>

#include "lib/suite.h"
#include "snooper/face_json.h"
#include "snooper/topology.h"
#include "snooper/words.h"
#include "unit/snoop_rig.h"

/* Escape sequence, right-to-left override, zero width, HTML, quotes, line end, control, astral. */
#define HOSTILE "\x1b[2J\u202e\u200b<b>&\"\\\n\x07\U0001f600"

static struct snoop_rig rig;
static struct yk_snoop_options options;
static struct yk_snoop snoop;
static const struct yk_moment noon = {.now = YK_SECOND, .unix_ns = SNOOP_WALL_NS};

static void start(void)
{
    snoop_init(&rig);
    snoop = (struct yk_snoop){.options = &options, .observer = rig.observer};
}

static void stop(void)
{
    snoop_fini(&rig);
}

static void announce(const char *id, enum yk_role role, const char *name, const char *err)
{
    struct yk_frame frame = {.type = YK_TYPE_ANN};

    frame.as.ann = (struct yk_ann){.role = role,
                                   .kind = YK_KIND_HDMI,
                                   .state = YK_STATE_ERROR,
                                   .name = yk_slice_of(name),
                                   .has_err = err != NULL,
                                   .err = yk_slice_of(err != NULL ? err : "")};
    snoop_frame(&rig, id, &frame);
}

static const char *frame_words(void)
{
    static char words[YK_WORDS_MAX_BYTES];

    yk_frame_words(words, &rig.heard);
    return words;
}

static const char *change_words(void)
{
    static char words[YK_WORDS_MAX_BYTES];

    ck_assert_uint_ge(rig.observer->change_count, 1);
    yk_change_words(words, &snoop, &rig.observer->changes[0]);
    return words;
}

static const char *frame_json(void)
{
    static uint8_t bytes[YK_SNOOP_LINE_MAX + 1];
    struct yk_slice line = yk_frame_json(bytes, noon, &rig.heard);

    bytes[line.size] = '\0';
    return (const char *)bytes;
}

static const char *change_json(void)
{
    static uint8_t bytes[YK_SNOOP_LINE_MAX + 1];
    struct yk_slice line;

    ck_assert_uint_ge(rig.observer->change_count, 1);
    line = yk_change_json(bytes, &snoop, noon, &rig.observer->changes[0]);
    bytes[line.size] = '\0';
    return (const char *)bytes;
}

/* What a form of the graph prints; to be freed. */
static char *graph(void (*print)(const struct yk_topology *topology, FILE *out))
{
    struct yk_topology topology;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    ck_assert_ptr_nonnull(out);
    ck_assert(yk_topology_init(&topology, &snoop, rig.now));
    print(&topology, out);
    yk_topology_fini(&topology);
    fclose(out);
    return text;
}

START_TEST(each_frame_says_what_it_means)
{
    start();
    snoop_producer(&rig, "enc-1", YK_STATE_ACTIVE);
    ck_assert_str_eq(frame_words(), "hdmi producer active, 239.10.0.5:5004, \"enc-1\"");
    ck_assert_str_eq(change_words(), "new: hdmi producer active, \"enc-1\"");
    snoop_consumer(&rig, "dec-1", "enc-1", 7, "op-a", YK_STATE_PENDING);
    ck_assert_str_eq(frame_words(), "hdmi consumer pending, shows enc-1 (7/op-a), \"dec-1\"");
    snoop_consumer(&rig, "dec-1", NULL, 8, "op-b", YK_STATE_IDLE);
    ck_assert_str_eq(frame_words(), "hdmi consumer idle, shows nothing (8/op-b), \"dec-1\"");
    ck_assert_str_eq(change_words(), "idle, was pending");
    snoop_intent(&rig, "cli-1", "dec-1", "enc-1", 9, "op-c");
    ck_assert_str_eq(frame_words(), "dec-1: pair with enc-1 (9/op-c)");
    ck_assert_str_eq(change_words(), "waiting: pair with enc-1 (9/op-c), by cli-1");
    snoop_ack(&rig, "dec-1", 9, "op-c", false, YK_REASON_KIND_MISMATCH);
    ck_assert_str_eq(frame_words(), "refused: kind-mismatch (9/op-c)");
    ck_assert_str_eq(change_words(), "refused: pair with enc-1 (9/op-c), kind-mismatch, by cli-1");
    snoop_intent(&rig, "cli-1", "dec-1", NULL, 10, "op-d");
    ck_assert_str_eq(frame_words(), "dec-1: unpair (10/op-d)");
    snoop_event(&rig, "dec-1", YK_EVENT_MEDIA_DOWN);
    ck_assert_str_eq(frame_words(), "media-down");
    snoop_bye(&rig, "dec-1");
    ck_assert_str_eq(frame_words(), "");
    ck_assert_str_eq(change_words(), "gone: said goodbye");
    stop();
}
END_TEST

START_TEST(what_is_no_frame_is_shown_by_its_beginning)
{
    char junk[100];

    start();
    memset(junk, 'x', sizeof junk);
    memcpy(junk, "\x1b[31m\xff\0", 7);
    snoop_bytes(&rig, junk, sizeof junk);
    ck_assert_str_eq(frame_words(),
                     "100 bytes: \\x1b[31m\\xff\\x00xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...");
    snoop_bytes(&rig, " {\"v\": 2}", 9);
    ck_assert_str_eq(frame_words(), "9 bytes:  {\"v\": 2} (not spelled canonically)");
    stop();
}
END_TEST

/* No character of the text may do more to a terminal than be read. */
static void check_tame(const char *text)
{
    static const char *const wild[] = {"\x1b", "\x07", "\u202e", "\u200b", "\r"};

    for (size_t i = 0; i < sizeof wild / sizeof wild[0]; i++) {
        ck_assert_msg(strstr(text, wild[i]) == NULL, "wild character %zu in: %s", i, text);
    }
}

START_TEST(hostile_text_is_escaped_for_people)
{
    char *text;

    start();
    announce("enc-1", YK_ROLE_PRODUCER, HOSTILE, HOSTILE);
    check_tame(frame_words());
    ck_assert_ptr_null(strchr(frame_words(), '\n'));
    ck_assert_ptr_nonnull(strstr(frame_words(), "\\x1b[2J\\u202e\\u200b<b>&\"\\\\\\n\\x07"));
    check_tame(change_words());
    text = graph(yk_topology_text);
    check_tame(text);
    free(text);
    stop();
}
END_TEST

START_TEST(hostile_text_stays_inside_its_label)
{
    /* Quotes and backslashes escaped once more for the language, the ampersand as a reference. */
    static const char label[] = "label=\"\\\\x1b[2J\\\\u202e\\\\u200b<b>&amp;"
                                "\\\"\\\\\\\\\\\\n\\\\x07\U0001f600\\nenc-1, hdmi error\"];\n";
    char *text;

    start();
    announce("enc-1", YK_ROLE_PRODUCER, HOSTILE, NULL);
    text = graph(yk_topology_dot);
    check_tame(text);
    ck_assert_ptr_nonnull(strstr(text, label));
    free(text);
    stop();
}
END_TEST

START_TEST(programs_get_the_original_data)
{
    start();
    announce("enc-1", YK_ROLE_PRODUCER, HOSTILE, NULL);
    ck_assert_ptr_nonnull(strstr(
        frame_json(), "\"name\":\"\\u001b[2J\u202e\u200b<b>&\\\"\\\\\\n\\u0007\U0001f600\""));
    ck_assert_ptr_nonnull(strstr(
        change_json(), "\"name\":\"\\u001b[2J\u202e\u200b<b>&\\\"\\\\\\n\\u0007\U0001f600\""));
    stop();
}
END_TEST

START_TEST(a_frame_line_has_the_members_of_the_contract)
{
    char expected[YK_SNOOP_LINE_MAX];

    start();
    snoop_bye(&rig, "dec-1");
    snprintf(
        expected, sizeof expected,
        "{\"v\":1,\"type\":\"frame\",\"time\":1796018523.000000,\"from\":\"10.0.0.1:4000\","
        "\"size\":%zu,\"verdict\":\"accept\",\"trusted\":true,\"key\":\"%s\",\"canonical\":true,"
        "\"frame\":%.*s,\"raw\":null}",
        rig.size, rig.auth.key.fingerprint, (int)rig.size, (const char *)rig.bytes);
    ck_assert_str_eq(frame_json(), expected);
    snoop_bytes(&rig, "\x01\xfe", 2);
    ck_assert_str_eq(frame_json(),
                     "{\"v\":1,\"type\":\"frame\",\"time\":1796018523.000000,"
                     "\"from\":\"10.0.0.1:4000\",\"size\":2,\"verdict\":\"malformed\","
                     "\"trusted\":false,\"key\":null,\"canonical\":false,\"frame\":null,"
                     "\"raw\":\"01fe\"}");
    snoop_bytes(&rig, "42", 2); /* JSON, but nothing a frame could be */
    ck_assert_ptr_nonnull(strstr(frame_json(), "\"frame\":null,\"raw\":\"3432\"}"));
    stop();
}
END_TEST

START_TEST(the_largest_datagrams_fit_their_line)
{
    static uint8_t big[YK_FRAME_MAX + 1];

    start();
    memset(big, 0xff, sizeof big);
    snoop_bytes(&rig, big, sizeof big);
    ck_assert_uint_eq(strlen(strstr(frame_json(), "\"raw\":")), 2 * sizeof big + 9);
    memset(big, ' ', YK_FRAME_MAX); /* numbers grow most when they are spelled canonically */
    big[0] = '{';
    memcpy(big + 1, "\"a\":[1e15", 9);
    for (size_t at = 10; at + 6 < YK_FRAME_MAX; at += 5) {
        memcpy(big + at, ",1e15", 5);
        memcpy(big + at + 5, "]}", 2);
    }
    snoop_bytes(&rig, big, YK_FRAME_MAX);
    ck_assert_uint_gt(rig.heard.canonical.size, 3 * YK_FRAME_MAX);
    ck_assert_ptr_nonnull(strstr(frame_json(), ",\"raw\":null}"));
    stop();
}
END_TEST

START_TEST(a_change_line_has_the_members_of_the_contract)
{
    start();
    snoop_event(&rig, "dec-1", YK_EVENT_STARTED);
    ck_assert_str_eq(change_json(),
                     "{\"v\":1,\"type\":\"change\",\"time\":1796018523.000000,\"what\":\"started\","
                     "\"id\":\"dec-1\",\"said\":true,\"detail\":{}}");
    snoop_intent(&rig, "cli-1", "dec-1", "enc-1", 9, "op-c");
    ck_assert_str_eq(change_json(),
                     "{\"v\":1,\"type\":\"change\",\"time\":1796018523.000000,"
                     "\"what\":\"operation\",\"id\":\"dec-1\",\"said\":false,\"detail\":{"
                     "\"op\":\"pair\",\"consumer\":\"dec-1\",\"producer\":\"enc-1\","
                     "\"version\":[9,\"op-c\"],\"outcome\":\"waiting\",\"reason\":null,"
                     "\"sender\":\"cli-1\",\"intents\":1,\"age_ms\":0}}");
    stop();
}
END_TEST

START_TEST(the_graph_groups_consumers_by_what_they_show)
{
    char *text;

    start();
    snoop_consumer(&rig, "dec-4", NULL, 0, "", YK_STATE_IDLE);
    snoop_consumer(&rig, "dec-3", "enc-9", 1, "op-a", YK_STATE_PENDING);
    snoop_consumer(&rig, "dec-2", "enc-1", 1, "op-a", YK_STATE_ACTIVE);
    snoop_consumer(&rig, "dec-1", "enc-1", 1, "op-a", YK_STATE_ACTIVE);
    snoop_producer(&rig, "enc-1", YK_STATE_ACTIVE);
    text = graph(yk_topology_text);
    ck_assert_str_eq(text, "enc-1  hdmi producer  active  239.10.0.5:5004\n"
                           "  -> dec-1  hdmi consumer  active\n"
                           "  -> dec-2  hdmi consumer  active\n"
                           "enc-9  not heard\n"
                           "  -> dec-3  hdmi consumer  pending\n"
                           "        enc-9 is not heard\n"
                           "unpaired\n"
                           "  -> dec-4  hdmi consumer  idle\n");
    free(text);
    text = graph(yk_topology_json);
    ck_assert_ptr_nonnull(strstr(
        text, "\"edges\":[{\"producer\":\"enc-1\",\"consumer\":\"dec-1\",\"state\":\"active\","
              "\"version\":[1,\"op-a\"]},"));
    free(text);
    text = graph(yk_topology_dot);
    ck_assert_ptr_nonnull(strstr(text, "\"enc-9\" [shape=ellipse, style=dashed, "));
    ck_assert_ptr_nonnull(strstr(text, "\"enc-1\" -> \"dec-1\" [color=\"#2e7d32\", style=solid];"));
    free(text);
    stop();
}
END_TEST

START_TEST(an_empty_network_has_an_empty_graph)
{
    char *text;

    start();
    text = graph(yk_topology_text);
    ck_assert_str_eq(text, "");
    free(text);
    text = graph(yk_topology_json);
    ck_assert_str_eq(text, "{\"v\":1,\"type\":\"topology\",\"nodes\":[],\"edges\":[]}\n");
    free(text);
    stop();
}
END_TEST

START_TEST(the_sum_names_every_drop_and_what_is_missing)
{
    char sum[YK_REFUSAL_MAX];

    start();
    snoop_bye(&rig, "dec-1");
    snoop_again(&rig);
    snoop_bytes(&rig, "x", 1);
    snoop.heard = 3;
    snoop.kernel_drops = 5;
    yk_snoop_sum(&snoop, sum);
    ck_assert_str_eq(sum, "3 frames: 1 accepted, 2 dropped (1 malformed, 1 dup); 5 lost before we "
                          "could read them; 0 nodes and operations not kept");
    stop();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        each_frame_says_what_it_means,
        what_is_no_frame_is_shown_by_its_beginning,
        hostile_text_is_escaped_for_people,
        hostile_text_stays_inside_its_label,
        programs_get_the_original_data,
        a_frame_line_has_the_members_of_the_contract,
        the_largest_datagrams_fit_their_line,
        a_change_line_has_the_members_of_the_contract,
        the_graph_groups_consumers_by_what_they_show,
        an_empty_network_has_an_empty_graph,
        the_sum_names_every_drop_and_what_is_missing,
        NULL,
    };

    return suite_main("snoop words", tests);
}
