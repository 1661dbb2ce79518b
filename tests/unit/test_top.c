/* What the live screen shows, apart from any terminal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "lib/suite.h"
#include "snooper/top.h"
#include "unit/snoop_rig.h"

#define HOSTILE "\x1b[2J\u202e\u200b\"\n\x07\U0001f600\u4e16\u0301\u0301"

static struct snoop_rig rig;
static struct yk_snoop_options options;
static struct yk_snoop snoop;
static struct yk_top top;
static struct yk_top_page page;
static void *memory;

static void start(void)
{
    snoop_init(&rig);
    snoop = (struct yk_snoop){.options = &options, .observer = rig.observer};
    memory = calloc(1, yk_top_memory(SNOOP_TRACKED));
    ck_assert_ptr_nonnull(memory);
    yk_top_init(&top, memory, SNOOP_TRACKED, 7);
}

static void stop(void)
{
    free(memory);
    snoop_fini(&rig);
}

static struct yk_moment now(void)
{
    return (struct yk_moment){rig.now, SNOOP_WALL_NS};
}

/* The screen takes the last datagram, and what it changed. */
static void show(void)
{
    yk_top_heard(&top, &rig.heard);
    for (size_t i = 0; i < rig.observer->change_count; i++) {
        yk_top_changed(&top, &snoop, now(), &rig.observer->changes[i]);
    }
    snoop.heard++;
}

static void lay(size_t rows, size_t columns, size_t scroll)
{
    struct yk_top_view view = {.snoop = &snoop,
                               .at = now(),
                               .rows = rows,
                               .columns = columns,
                               .scroll = scroll,
                               .keys = true};

    ck_assert(yk_top_layout(&page, &top, &view));
}

/* The number of the line with that text, or -1. */
static int line_with(const char *text)
{
    for (size_t i = 0; i < page.count; i++) {
        if (strstr(page.lines[i].text, text) != NULL) {
            return (int)i;
        }
    }
    return -1;
}

static void expect_line(const char *first, const char *second)
{
    int line = line_with(first);

    ck_assert_msg(line >= 0, "no line with %s", first);
    ck_assert_msg(strstr(page.lines[line].text, second) != NULL, "no %s in: %s", second,
                  page.lines[line].text);
}

START_TEST(who_shows_whom_stands_in_order)
{
    start();
    snoop_consumer(&rig, "dec-2", "enc-1", 3, "op-a", YK_STATE_ACTIVE);
    snoop_consumer(&rig, "dec-1", "enc-1", 3, "op-b", YK_STATE_PENDING);
    snoop_producer(&rig, "enc-1", YK_STATE_ACTIVE);
    snoop_consumer(&rig, "dec-3", "enc-9", 3, "op-c", YK_STATE_PENDING);
    snoop_consumer(&rig, "dec-4", NULL, 0, "", YK_STATE_IDLE);
    lay(24, 80, 0);
    ck_assert_int_eq(line_with("-> dec-1"), line_with("enc-1 ") + 1);
    ck_assert_int_eq(line_with("-> dec-2"), line_with("enc-1 ") + 2);
    ck_assert_int_eq(line_with("-> dec-3"), line_with("enc-9  not heard") + 1);
    ck_assert_int_eq(line_with("-> dec-4"), line_with("unpaired") + 1);
    expect_line("-> dec-2", "active");
    expect_line("enc-1 ", "239.10.0.5:5004");
    expect_line("lines ", "1-7 of 7");
    stop();
}
END_TEST

START_TEST(a_state_comes_with_its_reason_and_its_age)
{
    start();
    snoop_consumer(&rig, "dec-1", "enc-9", 3, "op-a", YK_STATE_PENDING);
    snoop_pass(&rig, 3 * YK_SECOND);
    lay(24, 80, 0);
    expect_line("-> dec-1", "pending");
    expect_line("-> dec-1", " 3.0 s ");
    expect_line("-> dec-1", "enc-9 is not heard");
    snoop_pass(&rig, 9 * YK_SECOND);
    lay(24, 80, 0);
    expect_line("-> dec-1", "lost");
    ck_assert_int_eq(page.lines[line_with("-> dec-1")].tone, YK_TONE_FAINT);
    expect_line("frames", "1 nodes, 0 live");
    stop();
}
END_TEST

START_TEST(every_size_is_filled_and_kept_to)
{
    start();
    for (int i = 0; i < 14; i++) {
        char id[16];

        snprintf(id, sizeof id, "enc-%d", i);
        snoop_producer(&rig, id, YK_STATE_ERROR);
        show();
    }
    snoop_intent(&rig, "cli-desk", "dec-1", "enc-1", 7, "op-a");
    show();
    for (size_t rows = 0; rows <= 60; rows++) {
        for (size_t columns = 0; columns <= 100; columns += 3) {
            lay(rows, columns, rows);
            ck_assert_uint_eq(page.count, rows);
            for (size_t i = 0; i < page.count; i++) {
                const char *text = page.lines[i].text;

                ck_assert_uint_le(yk_columns(text, strlen(text)), columns);
            }
        }
    }
    lay(SIZE_MAX, SIZE_MAX, SIZE_MAX);
    ck_assert_uint_eq(page.count, YK_TOP_ROWS_MAX);
    stop();
}
END_TEST

START_TEST(more_nodes_than_lines_scroll_to_the_last)
{
    start();
    for (int i = 10; i < 26; i++) {
        char id[16];

        snprintf(id, sizeof id, "enc-%d", i);
        snoop_producer(&rig, id, YK_STATE_IDLE);
        show();
    }
    lay(24, 80, 0);
    ck_assert_uint_eq(page.nodes_first, 0);
    ck_assert_uint_lt(page.nodes_shown, 16);
    ck_assert_int_ge(line_with("enc-10 "), 0);
    ck_assert_int_ge(line_with("LAST EVENTS"), 0);
    lay(24, 80, 2);
    ck_assert_uint_eq(page.nodes_first, 2);
    ck_assert(strncmp(page.lines[4].text, "enc-12 ", 7) == 0);
    lay(24, 80, 1000);
    ck_assert_uint_eq(page.nodes_first + page.nodes_shown, 16);
    ck_assert_int_eq(line_with("enc-10 "), -1);
    expect_line("lines ", "-16 of 16");
    stop();
}
END_TEST

START_TEST(a_small_screen_keeps_the_nodes)
{
    start();
    snoop_producer(&rig, "enc-1", YK_STATE_IDLE);
    show();
    lay(8, 40, 0);
    ck_assert_int_eq(line_with("enc-1 "), 4);
    ck_assert_int_eq(line_with("LAST EVENTS"), -1);
    stop();
}
END_TEST

START_TEST(hostile_text_is_escaped_and_keeps_to_its_columns)
{
    struct yk_frame frame = {.type = YK_TYPE_ANN};

    start();
    frame.as.ann = (struct yk_ann){.role = YK_ROLE_PRODUCER,
                                   .kind = YK_KIND_HDMI,
                                   .state = YK_STATE_ERROR,
                                   .name = yk_slice_of(HOSTILE),
                                   .has_err = true,
                                   .err = yk_slice_of(HOSTILE HOSTILE HOSTILE)};
    snoop_frame(&rig, "enc-1", &frame);
    show();
    for (size_t columns = 1; columns <= YK_TOP_COLUMNS_MAX; columns++) {
        lay(24, columns, 0);
        for (size_t i = 0; i < page.count; i++) {
            const char *text = page.lines[i].text;
            size_t size = strlen(text);

            ck_assert_uint_le(yk_columns(text, size), columns);
            ck_assert(yk_utf8_valid(yk_slice_of(text), NULL));
            ck_assert_msg(strpbrk(text, "\x1b\n\x07") == NULL, "raw: %s", text);
            ck_assert(strstr(text, "\u202e") == NULL && strstr(text, "\u200b") == NULL);
        }
    }
    expect_line("enc-1 \"", "\\x1b[2J\\u202e");
    stop();
}
END_TEST

START_TEST(operations_without_an_answer_are_shown_the_latest_first_and_counted)
{
    start();
    for (int i = 1; i <= 5; i++) {
        char id[16], author[16];

        snprintf(id, sizeof id, "dec-%d", i);
        snprintf(author, sizeof author, "op-%d", i);
        snoop_intent(&rig, "cli-desk", id, "enc-1", 7, author);
        snoop_pass(&rig, YK_SECOND);
    }
    snoop_ack(&rig, "dec-4", 7, "op-4", true, YK_REASON_APPLIED);
    lay(24, 80, 0);
    expect_line("OPERATIONS", "ANSWER: 4");
    expect_line("op-5", "dec-5  waiting: pair with enc-1");
    ck_assert_int_eq(line_with("op-3"), line_with("op-5") + 1);
    ck_assert_int_eq(line_with("op-2"), line_with("op-5") + 2);
    ck_assert_int_eq(line_with("op-1"), -1);
    ck_assert_int_eq(line_with("op-4"), -1);
    snoop_pass(&rig, 10 * YK_SECOND);
    lay(24, 80, 0);
    expect_line("op-5", "unanswered");
    stop();
}
END_TEST

START_TEST(rates_are_of_whole_windows_and_fade)
{
    start();
    yk_top_pass(&top, rig.now);
    for (int i = 0; i < 4; i++) { /* two a window */
        snoop_producer(&rig, "enc-1", YK_STATE_IDLE);
        show();
        snoop_pass(&rig, YK_TOP_WINDOW / 2);
        yk_top_pass(&top, rig.now);
    }
    ck_assert_uint_eq(yk_top_rate(&top, &top.heard), 10);
    lay(24, 80, 0);
    expect_line("enc-1 ", " 1.0 ");
    expect_line("nodes", "4 frames, 1.0/s");
    snoop_bytes(&rig, "junk", 4);
    show();
    rig.now += YK_TOP_WINDOW;
    yk_top_pass(&top, rig.now);
    ck_assert_uint_gt(yk_top_rate(&top, &top.dropped), 0);
    lay(24, 80, 0);
    expect_line("nodes", "(1 malformed)");
    rig.now += YK_HOUR;
    yk_top_pass(&top, rig.now);
    ck_assert_uint_eq(yk_top_rate(&top, &top.heard) + yk_top_rate(&top, &top.dropped), 0);
    ck_assert(top.window_end > rig.now);
    stop();
}
END_TEST

START_TEST(what_is_missing_and_what_was_said_is_shown)
{
    start();
    snoop.kernel_drops = 12;
    snprintf(top.notice, sizeof top.notice, "yoke: \x1b every frame fails");
    lay(24, 80, 0);
    expect_line("12 lost before", "\\x1b every frame fails");
    stop();
}
END_TEST

START_TEST(the_last_events_come_first_and_a_ring_forgets)
{
    start();
    for (int i = 0; i < 3 * YK_TOP_EVENTS_KEPT; i++) {
        snoop_event(&rig, i % 2 == 0 ? "enc-1" : "enc-2", YK_EVENT_STARTED);
        show();
    }
    lay(60, 80, 0);
    ck_assert_int_eq(line_with("enc-2  started"), line_with("LAST EVENTS") + 1);
    ck_assert_uint_eq(top.event_count, 3 * YK_TOP_EVENTS_KEPT);
    stop();
}
END_TEST

START_TEST(more_senders_than_are_kept_push_out_the_oldest)
{
    start();
    for (unsigned i = 0; i < 3 * SNOOP_TRACKED; i++) {
        char id[16];

        snprintf(id, sizeof id, "enc-%u", i);
        snoop_producer(&rig, id, YK_STATE_IDLE);
        show();
    }
    ck_assert_uint_eq(top.senders.count, SNOOP_TRACKED);
    lay(24, 80, 0);
    expect_line("not kept", "32 not kept");
    stop();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        who_shows_whom_stands_in_order,
        a_state_comes_with_its_reason_and_its_age,
        every_size_is_filled_and_kept_to,
        more_nodes_than_lines_scroll_to_the_last,
        a_small_screen_keeps_the_nodes,
        hostile_text_is_escaped_and_keeps_to_its_columns,
        operations_without_an_answer_are_shown_the_latest_first_and_counted,
        rates_are_of_whole_windows_and_fade,
        what_is_missing_and_what_was_said_is_shown,
        the_last_events_come_first_and_a_ring_forgets,
        more_senders_than_are_kept_push_out_the_oldest,
        NULL,
    };

    return suite_main("top", tests);
}
