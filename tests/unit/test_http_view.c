#include <jansson.h>
#include <stdio.h>

#include "lib/suite.h"
#include "snooper/http_view.h"
#include "unit/snoop_rig.h"

/* Escape sequence, right-to-left override, zero width, HTML, quotes, line ends, control, and astral
 * characters up to the 64 that a name may have. */
#define ASTRAL "\U0001f600\U0001f600\U0001f600\U0001f600\U0001f600\U0001f600\U0001f600\U0001f600"
#define HOSTILE \
    "\x1b[2J\u202e\u200b</b>&\"\\\n\r\u2028\x07" ASTRAL ASTRAL ASTRAL ASTRAL ASTRAL "1234567"

static struct snoop_rig rig;
static struct yk_snoop_options options;
static struct yk_snoop snoop;
static struct yk_view view;
static const struct yk_http_counts no_counts;

static void start(void)
{
    uint32_t tracked = SNOOP_TRACKED;

    snoop_init(&rig);
    snoop = (struct yk_snoop){.options = &options, .observer = rig.observer};
    snoop.access.network = YK_NETWORK_DEFAULT;
    view = (struct yk_view){.snoop = &snoop, .commit = "0a1b2c3"};
    yk_top_init(&view.rates, calloc(1, yk_top_memory(tracked)), tracked, 1);
    yk_news_init(&view.news, 0xabc);
    view.started = (struct yk_moment){.now = rig.now, .unix_ns = SNOOP_WALL_NS};
}

static void stop(void)
{
    free(view.rates.senders.records);
    yk_news_fini(&view.news);
    snoop_fini(&rig);
}

/* What the last datagram came to goes to the view, as the face does it. */
static void tell(void)
{
    struct yk_moment at = {.now = rig.now, .unix_ns = SNOOP_WALL_NS};

    snoop.heard++;
    yk_top_heard(&view.rates, &rig.heard);
    for (size_t i = 0; i < rig.observer->change_count; i++) {
        yk_view_changed(&view, at, &rig.observer->changes[i]);
    }
}

static void announce_hostile(const char *id)
{
    struct yk_frame frame = {.type = YK_TYPE_ANN};

    frame.as.ann = (struct yk_ann){.role = YK_ROLE_PRODUCER,
                                   .kind = YK_KIND_HDMI,
                                   .state = YK_STATE_ERROR,
                                   .name = yk_slice_of(HOSTILE),
                                   .has_err = true,
                                   .err = yk_slice_of(HOSTILE)};
    ck_assert_int_eq(snoop_frame(&rig, id, &frame), YK_DROP_NONE);
    tell();
}

/* To be freed. */
static char *metrics(void)
{
    struct yk_http_making making;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    view.at = (struct yk_moment){.now = rig.now, .unix_ns = SNOOP_WALL_NS};
    for (making = (struct yk_http_making){.part = 0}; !making.done;) {
        ck_assert(yk_view_metrics(&view, &no_counts, out, &making));
    }
    free(making.memory);
    fclose(out);
    return text;
}

static json_t *state(void)
{
    struct yk_http_making making;
    json_error_t error;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    json_t *object;

    view.at = (struct yk_moment){.now = rig.now, .unix_ns = SNOOP_WALL_NS};
    for (making = (struct yk_http_making){.part = 0}; !making.done;) {
        ck_assert(yk_view_state(&view, out, &making));
    }
    free(making.memory);
    fclose(out);
    object = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    ck_assert_msg(object != NULL, "%s: %s", error.text, text);
    free(text);
    return object;
}

static const char *text_at(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text != NULL ? text : "";
}

static json_int_t number_at(const json_t *object, const char *name)
{
    ck_assert_msg(json_is_integer(json_object_get(object, name)), "%s", name);
    return json_integer_value(json_object_get(object, name));
}

START_TEST(nothing_heard_is_a_whole_state_too)
{
    json_t *object;

    start();
    object = state();
    ck_assert_int_eq(number_at(object, "v"), 1);
    ck_assert_str_eq(text_at(object, "type"), "state");
    ck_assert_str_eq(text_at(object, "source"), "snooper");
    ck_assert_str_eq(text_at(object, "event"), "0000000000000abc-0");
    ck_assert_str_eq(text_at(json_object_get(object, "build"), "commit"), "0a1b2c3");
    ck_assert_str_eq(text_at(json_object_get(object, "network"), "group"), "239.121.111.107");
    ck_assert_uint_eq(json_array_size(json_object_get(object, "nodes")), 0);
    ck_assert_uint_eq(json_array_size(json_object_get(object, "operations")), 0);
    ck_assert_uint_eq(json_array_size(json_object_get(object, "events")), 0);
    ck_assert_uint_eq(json_array_size(json_object_get(object, "notes")), 0);
    json_decref(object);
    stop();
}
END_TEST

START_TEST(nodes_come_in_the_order_of_their_ids_with_ages_and_presence)
{
    json_t *object, *nodes;

    start();
    snoop_producer(&rig, "enc-1", YK_STATE_ACTIVE);
    tell();
    snoop_consumer(&rig, "dec-1", "enc-9", 7, "op-a", YK_STATE_PENDING);
    tell();
    snoop_pass(&rig, 2 * YK_SECOND);
    snoop_bye(&rig, "enc-1");
    tell();
    object = state();
    nodes = json_object_get(object, "nodes");
    ck_assert_uint_eq(json_array_size(nodes), 2);
    ck_assert_str_eq(text_at(json_array_get(nodes, 0), "id"), "dec-1");
    ck_assert_str_eq(text_at(json_array_get(nodes, 0), "presence"), "live");
    ck_assert_str_eq(text_at(json_array_get(nodes, 0), "trouble"), "enc-9 is not heard");
    ck_assert_int_eq(number_at(json_array_get(nodes, 0), "age_ms"), 2000);
    ck_assert_str_eq(text_at(json_array_get(nodes, 1), "id"), "enc-1");
    ck_assert_str_eq(text_at(json_array_get(nodes, 1), "presence"), "gone");
    json_decref(object);
    stop();
}
END_TEST

START_TEST(a_node_that_is_forgotten_while_the_state_is_made_is_left_out)
{
    struct yk_http_making making = {.part = 0};
    json_t *object;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    start();
    snoop_producer(&rig, "enc-1", YK_STATE_ACTIVE);
    tell();
    snoop_producer(&rig, "enc-2", YK_STATE_ACTIVE);
    tell();
    view.at.now = rig.now;
    ck_assert(yk_view_state(&view, out, &making));
    for (unsigned i = 0; i < SNOOP_TRACKED - 1; i++) { /* pushes out the oldest */
        char id[16];

        snprintf(id, sizeof id, "dec-%u", i);
        snoop_producer(&rig, id, YK_STATE_IDLE);
    }
    while (!making.done) {
        ck_assert(yk_view_state(&view, out, &making));
    }
    fclose(out);
    free(making.memory);
    object = json_loads(text, 0, NULL);
    ck_assert_msg(object != NULL, "%s", text);
    ck_assert_uint_eq(json_array_size(json_object_get(object, "nodes")), 1);
    ck_assert_str_eq(text_at(json_array_get(json_object_get(object, "nodes"), 0), "id"), "enc-2");
    json_decref(object);
    free(text);
    stop();
}
END_TEST

START_TEST(operations_come_newest_first_and_the_rest_is_counted)
{
    json_t *object, *first;
    char id[16];

    start();
    for (unsigned i = 0; i < SNOOP_TRACKED; i++) {
        snprintf(id, sizeof id, "dec-%u", i);
        snoop_pass(&rig, YK_MS);
        snoop_intent(&rig, "cli-1", id, "enc-1", 1, "op-a");
        tell();
    }
    snoop_pass(&rig, YK_MS);
    snoop_ack(&rig, "dec-3", 1, "op-a", false, YK_REASON_KIND_MISMATCH);
    tell();
    object = state();
    first = json_array_get(json_object_get(object, "operations"), 0);
    ck_assert_str_eq(text_at(first, "consumer"), "dec-3");
    ck_assert_str_eq(text_at(first, "outcome"), "refused");
    ck_assert_str_eq(text_at(first, "reason"), "kind-mismatch");
    ck_assert_str_eq(text_at(first, "sender"), "cli-1");
    ck_assert_int_eq(number_at(first, "settled_ms"), 0);
    ck_assert_int_eq(number_at(first, "age_ms"), SNOOP_TRACKED - 3);
    ck_assert_uint_eq(json_array_size(json_object_get(object, "operations")) +
                          (size_t)number_at(object, "operations_left_out"),
                      SNOOP_TRACKED);
    json_decref(object);
    stop();
}
END_TEST

START_TEST(an_operation_of_which_only_the_answer_was_heard_has_no_age)
{
    json_t *object, *first;

    start();
    snoop_pass(&rig, YK_SECOND);
    snoop_ack(&rig, "dec-1", 1, "op-a", true, YK_REASON_APPLIED);
    tell();
    object = state();
    first = json_array_get(json_object_get(object, "operations"), 0);
    ck_assert(json_is_null(json_object_get(first, "op")));
    ck_assert(json_is_null(json_object_get(first, "age_ms")));
    ck_assert_int_eq(number_at(first, "settled_ms"), 0);
    json_decref(object);
    stop();
}
END_TEST

START_TEST(the_state_has_the_last_events_with_the_node_after_them)
{
    json_t *object, *events, *last;

    start();
    for (unsigned i = 0; i < YK_VIEW_EVENTS_MAX + 5; i++) {
        snoop_pass(&rig, YK_SECOND);
        snoop_consumer(&rig, "dec-1", "enc-1", 1, "op-a",
                       i % 2 == 0 ? YK_STATE_PENDING : YK_STATE_ACTIVE);
        tell();
    }
    object = state();
    events = json_object_get(object, "events");
    ck_assert_uint_eq(json_array_size(events), YK_VIEW_EVENTS_MAX);
    last = json_array_get(events, YK_VIEW_EVENTS_MAX - 1);
    ck_assert_str_eq(text_at(last, "event"), text_at(object, "event"));
    ck_assert_str_eq(text_at(last, "what"), "media-pending");
    ck_assert_str_eq(text_at(last, "text"), "pending, was active");
    ck_assert_str_eq(text_at(json_object_get(last, "node"), "state"), "pending");
    ck_assert_str_eq(text_at(json_object_get(last, "node"), "presence"), "live");
    json_decref(object);
    stop();
}
END_TEST

static const char *note(const json_t *object, size_t i)
{
    return text_at(json_array_get(json_object_get(object, "notes"), i), "what");
}

START_TEST(notes_say_what_an_operator_should_know)
{
    json_t *object;

    start();
    snoop.access.open = true;
    snoop.kernel_drops = 3;
    for (unsigned i = 0; i < 4; i++) { /* two senders take turns */
        rig.from.ip[3] = (uint8_t)(1 + i % 2);
        snoop_pass(&rig, 100 * YK_MS);
        snoop_producer(&rig, "enc-1", YK_STATE_ACTIVE);
        tell();
    }
    object = state();
    ck_assert_str_eq(note(object, 0), "open");
    ck_assert_str_eq(note(object, 1), "lost");
    ck_assert_str_eq(note(object, 2), "two-senders");
    ck_assert_uint_eq(json_array_size(json_object_get(object, "notes")), 3);
    json_decref(object);
    stop();
}
END_TEST

START_TEST(hostile_text_reaches_programs_as_it_was_announced)
{
    json_t *object, *node, *event;

    start();
    announce_hostile("enc-1");
    object = state();
    node = json_array_get(json_object_get(object, "nodes"), 0);
    event = json_array_get(json_object_get(object, "events"), 0);
    ck_assert_str_eq(text_at(node, "name"), HOSTILE);
    ck_assert_str_eq(text_at(node, "err"), HOSTILE);
    ck_assert_str_eq(text_at(json_object_get(event, "node"), "name"), HOSTILE);
    /* What is ready to show can do nothing to who shows it. */
    ck_assert_ptr_nonnull(
        strstr(text_at(event, "text"), "\\x1b[2J\\u202e\\u200b</b>&\"\\\\\\n\\r"));
    json_decref(object);
    stop();
}
END_TEST

START_TEST(an_event_is_one_line_whatever_is_in_it)
{
    struct yk_http_cursor cursor;
    char out[YK_HTTP_MESSAGE_MAX];
    size_t size, lines = 0;

    start();
    yk_news_follow(&view.news, &cursor, NULL);
    announce_hostile("enc-1");
    size = yk_news_read(&view.news, &cursor, out);
    for (size_t i = 0; i < size; i++) {
        ck_assert_int_ne(out[i], '\r');
        lines += out[i] == '\n' ? 1 : 0;
    }
    ck_assert_uint_eq(lines, 4); /* id, event, data, and the empty one */
    stop();
}
END_TEST

START_TEST(hostile_text_stays_inside_its_label)
{
    static const char label[] = "name=\"\\\\x1b[2J\\\\u202e\\\\u200b</b>&\\\"\\\\\\\\\\\\n\\\\r"
                                "\\\\u2028\\\\x07" ASTRAL;
    char *text;

    start();
    announce_hostile("enc-1");
    text = metrics();
    ck_assert_msg(strstr(text, label) != NULL, "%s", text);
    ck_assert_ptr_null(strstr(text, "\x1b"));
    ck_assert_ptr_null(strstr(text, "\u202e"));
    ck_assert_ptr_null(strchr(text, '\r'));
    free(text);
    stop();
}
END_TEST

START_TEST(each_node_has_its_series)
{
    char *text;

    start();
    snoop_producer(&rig, "enc-1", YK_STATE_ACTIVE);
    tell();
    snoop_consumer(&rig, "dec-1", "enc-1", 7, "op-a", YK_STATE_PENDING);
    tell();
    snoop_pass(&rig, 1500 * YK_MS);
    snoop_event(&rig, "dec-1", YK_EVENT_MEDIA_UP);
    tell();
    text = metrics();
    ck_assert_ptr_nonnull(strstr(text, "yoke_node_info{id=\"dec-1\",role=\"consumer\",kind="
                                       "\"hdmi\",name=\"dec-1\",producer=\"enc-1\"} 1\n"));
    ck_assert_ptr_nonnull(strstr(text, "yoke_node_info{id=\"enc-1\",role=\"producer\",kind="
                                       "\"hdmi\",name=\"enc-1\"} 1\n"));
    ck_assert_ptr_nonnull(strstr(text, "yoke_node_up{id=\"dec-1\"} 1\n"));
    ck_assert_ptr_nonnull(strstr(text, "yoke_node_state{id=\"dec-1\",state=\"pending\"} 1\n"));
    ck_assert_ptr_nonnull(strstr(text, "yoke_node_state{id=\"dec-1\",state=\"active\"} 0\n"));
    ck_assert_ptr_nonnull(strstr(text, "yoke_node_announcement_age_seconds{id=\"enc-1\"} 1.500\n"));
    ck_assert_ptr_nonnull(strstr(text, "yoke_nodes{role=\"consumer\",state=\"pending\"} 1\n"));
    ck_assert_ptr_nonnull(strstr(text, "yoke_events_total{event=\"media-up\"} 1\n"));
    ck_assert_ptr_nonnull(strstr(text, "yoke_events_total{event=\"node-new\"} 2\n"));
    ck_assert_ptr_nonnull(strstr(text, "yoke_frames_accepted_total 3\n"));
    free(text);
    stop();
}
END_TEST

START_TEST(words_that_nobody_knows_make_no_series_of_their_own)
{
    struct yk_change change = {
        .kind = YK_CHANGE_EVENT, .slug = yk_slice_of("zebra"), .detail = yk_slice_of("{}")};
    char *text;

    start();
    yk_id_parse(&change.id, yk_slice_of("dec-1"));
    yk_view_changed(&view, view.started, &change);
    text = metrics();
    ck_assert_ptr_null(strstr(text, "zebra"));
    ck_assert_ptr_nonnull(strstr(text, "yoke_events_total{event=\"other\"} 1\n"));
    ck_assert_ptr_null(strstr(text, "peer-new")); /* a note of agents' logs, never heard */
    free(text);
    stop();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        nothing_heard_is_a_whole_state_too,
        nodes_come_in_the_order_of_their_ids_with_ages_and_presence,
        a_node_that_is_forgotten_while_the_state_is_made_is_left_out,
        operations_come_newest_first_and_the_rest_is_counted,
        an_operation_of_which_only_the_answer_was_heard_has_no_age,
        the_state_has_the_last_events_with_the_node_after_them,
        notes_say_what_an_operator_should_know,
        hostile_text_reaches_programs_as_it_was_announced,
        an_event_is_one_line_whatever_is_in_it,
        hostile_text_stays_inside_its_label,
        each_node_has_its_series,
        words_that_nobody_knows_make_no_series_of_their_own,
        NULL,
    };

    return suite_main("http view", tests);
}
