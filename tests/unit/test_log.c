#include "shell/log.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/suite.h"
#include "shell/log_limit.h"

static int reader = -1;
static char text[65536];

/* Standard error goes through a pipe from here on; the terminal's is given back for Check. */
static void capture(void)
{
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    reader = ends[0];
    ck_assert_int_eq(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
    close(ends[1]);
    ck_assert_int_eq(fcntl(reader, F_SETFL, O_NONBLOCK), 0);
}

/* What was logged since the last look. */
static const char *logged(void)
{
    ssize_t size = read(reader, text, sizeof text - 1);

    text[size > 0 ? size : 0] = 0;
    return text;
}

static unsigned lines(void)
{
    unsigned count = 0;

    for (const char *at = logged(); (at = strchr(at, '\n')) != NULL; at++) {
        count++;
    }
    return count;
}

static void log_event(enum yk_event event, yk_time now)
{
    yk_log_event(event, yk_slice_of("{\"node\":\"a\"}"), now);
}

START_TEST(a_line_has_time_level_and_text)
{
    capture();
    yk_log_init(YK_LOG_INFO);
    yk_log(YK_LOG_WARNING, "joined %d", 7);
    ck_assert_ptr_nonnull(strstr(logged(), " warning joined 7\n"));
    ck_assert_int_eq(text[4], '-');
    ck_assert_int_eq(text[10], 'T');
    ck_assert_uint_eq(strcspn(text, " "), strlen("2026-03-01T09:30:00.250+0100"));
}
END_TEST

START_TEST(the_journal_gets_priorities_and_its_own_time)
{
    struct stat facts;
    char stream[64];

    capture();
    ck_assert_int_eq(fstat(STDERR_FILENO, &facts), 0);
    snprintf(stream, sizeof stream, "%ju:%ju", (uintmax_t)facts.st_dev, (uintmax_t)facts.st_ino);
    setenv("JOURNAL_STREAM", stream, 1);
    yk_log_init(YK_LOG_DEBUG);
    yk_log(YK_LOG_ERROR, "a");
    yk_log(YK_LOG_WARNING, "b");
    yk_log(YK_LOG_INFO, "c");
    yk_log(YK_LOG_DEBUG, "d");
    ck_assert_str_eq(logged(), "<3>a\n<4>b\n<6>c\n<7>d\n");
    setenv("JOURNAL_STREAM", "1:1", 1);
    yk_log_init(YK_LOG_DEBUG);
    yk_log(YK_LOG_ERROR, "a");
    ck_assert_int_ne(logged()[0], '<');
}
END_TEST

START_TEST(entries_above_the_level_are_not_printed)
{
    capture();
    yk_log_init(YK_LOG_WARNING);
    yk_log(YK_LOG_INFO, "quiet");
    log_event(YK_EVENT_MEDIA_UP, 1);
    ck_assert_str_eq(logged(), "");
    log_event(YK_EVENT_DRIVER_ERROR, 1);
    ck_assert_ptr_nonnull(strstr(logged(), "driver-error {\"node\":\"a\"}\n"));
}
END_TEST

START_TEST(level_words_are_read)
{
    ck_assert_int_eq(yk_log_level_parse(yk_slice_of("error")), YK_LOG_ERROR);
    ck_assert_int_eq(yk_log_level_parse(yk_slice_of("warning")), YK_LOG_WARNING);
    ck_assert_int_eq(yk_log_level_parse(yk_slice_of("info")), YK_LOG_INFO);
    ck_assert_int_eq(yk_log_level_parse(yk_slice_of("debug")), YK_LOG_DEBUG);
    ck_assert_int_eq(yk_log_level_parse(yk_slice_of("warn")), 0);
    ck_assert_int_eq(yk_log_level_parse(yk_slice_of("")), 0);
}
END_TEST

START_TEST(control_and_format_characters_of_others_are_escaped)
{
    capture();
    yk_log_init(YK_LOG_INFO);
    yk_log(YK_LOG_INFO, "%s",
           "a\x1b[2Jb\nc\xe2\x80\xae"
           "d\xc2\x9b");
    ck_assert_ptr_nonnull(strstr(logged(), "a\\x1b[2Jb\\nc\\u202ed\\u009b\n"));
}
END_TEST

START_TEST(one_kind_of_event_is_limited_and_the_rest_counted)
{
    capture();
    yk_log_init(YK_LOG_INFO);
    for (unsigned i = 0; i < YK_LOG_BURST + 5; i++) {
        log_event(YK_NOTE_PEER_NEW, 1 + i);
    }
    log_event(YK_NOTE_PEER_GONE, 20);
    ck_assert_uint_eq(lines(), YK_LOG_BURST + 1);
    yk_log_flush(YK_LOG_BURST + 4 + YK_LOG_PACE);
    ck_assert_str_eq(logged(), "");
    yk_log_flush(YK_LOG_BURST + 5 + YK_LOG_PACE);
    ck_assert_ptr_nonnull(strstr(logged(), "peer-new: 5 more left out\n"));
    log_event(YK_NOTE_PEER_NEW, 6 + YK_LOG_PACE); /* the line above was this pace's */
    ck_assert_uint_eq(lines(), 0);
    log_event(YK_NOTE_PEER_NEW, 1 + 2 * YK_LOG_PACE);
    ck_assert_ptr_nonnull(strstr(logged(), "{\"node\":\"a\"} (1 more of these left out before)\n"));
    log_event(YK_NOTE_PEER_NEW, 1 + 3 * YK_LOG_PACE);
    ck_assert_ptr_nonnull(strstr(logged(), "{\"node\":\"a\"}\n"));
}
END_TEST

START_TEST(a_driver_that_flaps_for_a_day_makes_ten_lines_a_minute_of_a_kind)
{
    const unsigned minutes = 24 * 60;
    unsigned count = 0;

    capture();
    yk_log_init(YK_LOG_INFO);
    for (unsigned second = 1; second <= 60 * minutes; second++) {
        log_event(YK_EVENT_DRIVER_ERROR, second * YK_SECOND);
        yk_log_flush(second * YK_SECOND);
        count += lines();
    }
    ck_assert_uint_le(count, YK_LOG_BURST + minutes * (unsigned)(60 * YK_SECOND / YK_LOG_PACE));
    ck_assert_uint_ge(count, minutes * 9); /* and what happens is still seen */
}
END_TEST

START_TEST(what_one_place_says_is_of_one_kind)
{
    capture();
    yk_log_init(YK_LOG_INFO);
    for (unsigned i = 0; i < YK_LOG_BURST + 7; i++) {
        yk_log(YK_LOG_INFO, "try %u", i);
        yk_log(YK_LOG_INFO, "%s", "whatever the driver says");
        yk_log(YK_LOG_INFO, "%s", i == 0 ? "something else" : "nothing of the like");
    }
    ck_assert_uint_eq(lines(), 3 * YK_LOG_BURST + 1);
    yk_log_flush(YK_TIME_NEVER);
    ck_assert_ptr_nonnull(strstr(logged(), "try 16: 7 more left out\n"));
    ck_assert_ptr_nonnull(strstr(text, "whatever the driver says: 7 more left out\n"));
    ck_assert_ptr_nonnull(strstr(text, "nothing of the like: 6 more left out\n"));
    yk_log_flush(YK_TIME_NEVER);
    ck_assert_str_eq(logged(), "");
}
END_TEST

START_TEST(what_is_passed_on_is_of_its_senders_kinds)
{
    capture();
    yk_log_init(YK_LOG_INFO);
    for (unsigned i = 0; i < YK_LOG_BURST + 1; i++) {
        yk_log_kind(YK_LOG_INFO, "started %s", "driver %s: %s", "igmp", "started");
        yk_log_kind(YK_LOG_INFO, "ended %s", "driver %s: %s", "igmp", "ended");
    }
    ck_assert_uint_eq(lines(), 2 * YK_LOG_BURST);
}
END_TEST

START_TEST(many_kinds_are_bounded_by_forgetting_the_quiet_ones)
{
    struct yk_log_limit limit = {.kinds = {{.key = 0}}};
    unsigned left_out;

    for (unsigned i = 0; i < YK_LOG_BURST; i++) {
        ck_assert(yk_log_limit_take(&limit, 1, "busy", 1, YK_SECOND, &left_out));
    }
    for (uint64_t key = 2; key < 4 * YK_LOG_KINDS_MAX; key++) {
        ck_assert(yk_log_limit_take(&limit, key, "rare", 1, YK_SECOND, &left_out));
    }
    ck_assert(!yk_log_limit_take(&limit, 1, "busy", 1, YK_SECOND, &left_out));
}
END_TEST

START_TEST(a_reader_that_stops_does_not_stop_us)
{
    char filling[4096] = {0};
    int flags;

    capture();
    flags = fcntl(STDERR_FILENO, F_GETFL);
    yk_log_init(YK_LOG_INFO);
    ck_assert_int_eq(fcntl(STDERR_FILENO, F_SETFL, flags | O_NONBLOCK), 0);
    while (write(STDERR_FILENO, filling, sizeof filling) > 0) {}
    ck_assert_int_eq(fcntl(STDERR_FILENO, F_SETFL, flags), 0);
    yk_log(YK_LOG_INFO, "into a full pipe");
    yk_log(YK_LOG_INFO, "and another");
    for (ssize_t size = 1; size > 0;) {
        size = read(reader, text, sizeof text);
    }
    yk_log(YK_LOG_INFO, "after");
    ck_assert_ptr_nonnull(strstr(logged(), "2 lines could not be written\n"));
    ck_assert_ptr_nonnull(strstr(text, " info after\n"));
}
END_TEST

START_TEST(a_long_line_is_cut_and_ended)
{
    static char large[3 * YK_LOG_LINE_MAX];

    capture();
    yk_log_init(YK_LOG_INFO);
    memset(large, 'x', sizeof large - 1);
    yk_log(YK_LOG_INFO, "%s", large);
    ck_assert_uint_lt(strlen(logged()), YK_LOG_LINE_MAX);
    ck_assert_int_eq(text[strlen(text) - 1], '\n');
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_line_has_time_level_and_text,
        the_journal_gets_priorities_and_its_own_time,
        entries_above_the_level_are_not_printed,
        level_words_are_read,
        control_and_format_characters_of_others_are_escaped,
        one_kind_of_event_is_limited_and_the_rest_counted,
        a_driver_that_flaps_for_a_day_makes_ten_lines_a_minute_of_a_kind,
        what_one_place_says_is_of_one_kind,
        what_is_passed_on_is_of_its_senders_kinds,
        many_kinds_are_bounded_by_forgetting_the_quiet_ones,
        a_reader_that_stops_does_not_stop_us,
        a_long_line_is_cut_and_ended,
        NULL,
    };

    return suite_main("log", tests);
}
