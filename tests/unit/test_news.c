#include <stdio.h>

#include "lib/suite.h"
#include "snooper/news.h"

static struct yk_news news;
static struct yk_http_cursor cursor;
static char out[YK_HTTP_MESSAGE_MAX + 1];
static yk_time now;

static void start(void)
{
    yk_news_init(&news, 0xabc);
    now = YK_SECOND;
}

/* `count` events {"n":NUMBER}, a second apart. */
static void happen(unsigned count)
{
    char json[32];

    for (unsigned i = 0; i < count; i++) {
        now += YK_SECOND;
        ck_assert(yk_news_begin(&news, now));
        snprintf(json, sizeof json, "{\"n\":%llu}", (unsigned long long)news.newest);
        yk_news_keep(&news, yk_slice_of(json));
    }
}

static const char *read_some(void)
{
    size_t size = yk_news_read(&news, &cursor, out);

    ck_assert_uint_lt(size, sizeof out);
    out[size] = '\0';
    return out;
}

#define ID "0000000000000abc-"
#define CHANGE(n) "id: " ID n "\nevent: change\ndata: {\"n\":" n "}\n\n"
#define MISSED(count, n)                                                                \
    "id: " ID n "\nevent: missed\ndata: {\"v\":1,\"type\":\"missed\",\"missed\":" count \
    ",\"event\":\"" ID n "\"}\n\n"

START_TEST(a_reader_gets_what_comes_from_now_on)
{
    start();
    happen(2);
    yk_news_follow(&news, &cursor, NULL);
    ck_assert_str_eq(read_some(), "");
    happen(2);
    ck_assert_str_eq(read_some(), CHANGE("3") CHANGE("4"));
    ck_assert_str_eq(read_some(), "");
    yk_news_fini(&news);
}
END_TEST

START_TEST(a_reader_that_comes_back_gets_what_it_missed)
{
    start();
    happen(3);
    yk_news_follow(&news, &cursor, ID "1");
    ck_assert_str_eq(read_some(), CHANGE("2") CHANGE("3"));
    yk_news_follow(&news, &cursor, ID "0");
    ck_assert_str_eq(read_some(), CHANGE("1") CHANGE("2") CHANGE("3"));
    yk_news_follow(&news, &cursor, ID "3");
    ck_assert_str_eq(read_some(), "");
    yk_news_fini(&news);
}
END_TEST

START_TEST(an_id_of_another_life_or_of_none_is_said_to_be_unknown)
{
    static const char *const ids[] = {
        "0000000000000abd-1",         "",        "1", ID, ID "x", ID "1x", ID "4", ID "-1",
        ID "99999999999999999999999", "\xff\n\r"};

    start();
    happen(3);
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        yk_news_follow(&news, &cursor, ids[i]);
        ck_assert_msg(strcmp(read_some(), MISSED("null", "3")) == 0, "%s: %s", ids[i], out);
        ck_assert_str_eq(read_some(), "");
    }
    yk_news_fini(&news);
}
END_TEST

START_TEST(who_is_too_slow_is_told_how_many_it_missed)
{
    start();
    yk_news_follow(&news, &cursor, NULL);
    happen(YK_NEWS_KEPT + 10);
    ck_assert_ptr_eq(strstr(read_some(), MISSED("10", "10") CHANGE("11")), out);
    while (read_some()[0] != '\0') {}
    ck_assert_uint_eq(cursor.event, YK_NEWS_KEPT + 10);
    yk_news_fini(&news);
}
END_TEST

START_TEST(every_event_is_told_or_counted_whatever_the_pace)
{
    uint64_t told = 0, missed = 0, state = 1;

    start();
    yk_news_follow(&news, &cursor, NULL);
    for (int i = 0; i < 300; i++) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        happen((unsigned)(state >> 33) % 700);
        for (unsigned turns = (unsigned)(state >> 40) % 4; turns > 0; turns--) {
            for (const char *at = read_some(); (at = strstr(at, "\ndata: ")) != NULL; at++) {
                unsigned long long count;

                if (sscanf(at, "\ndata: {\"v\":1,\"type\":\"missed\",\"missed\":%llu", &count) ==
                    1) {
                    missed += count;
                } else {
                    told++;
                    ck_assert_int_eq(sscanf(at, "\ndata: {\"n\":%llu}", &count), 1);
                    ck_assert_uint_eq(count, told + missed);
                }
            }
        }
    }
    ck_assert_uint_eq(told + missed, cursor.event);
    ck_assert_uint_gt(missed, 0);
    ck_assert_uint_gt(told, YK_NEWS_KEPT);
    yk_news_fini(&news);
}
END_TEST

START_TEST(a_flood_of_events_is_counted_and_not_kept)
{
    unsigned kept = 0;

    start();
    yk_news_follow(&news, &cursor, NULL);
    for (unsigned i = 0; i < 5 * YK_NEWS_PER_SECOND; i++) {
        if (yk_news_begin(&news, now)) {
            yk_news_keep(&news, yk_slice_of("{}"));
            kept++;
        }
    }
    ck_assert_uint_eq(kept, YK_NEWS_PER_SECOND);
    ck_assert_str_eq(read_some(), MISSED("5000", "5000"));
    happen(1);
    ck_assert_str_eq(read_some(), CHANGE("5001"));
    yk_news_fini(&news);
}
END_TEST

START_TEST(an_event_too_large_for_a_message_counts_as_missed)
{
    static uint8_t large[YK_HTTP_MESSAGE_MAX];

    start();
    memset(large, ' ', sizeof large);
    yk_news_follow(&news, &cursor, NULL);
    ck_assert(yk_news_begin(&news, now));
    yk_news_keep(&news, (struct yk_slice){large, sizeof large});
    happen(1);
    ck_assert_str_eq(read_some(), MISSED("1", "1") CHANGE("2"));
    /* The largest that fits comes, and nothing of it is cut. */
    ck_assert(yk_news_begin(&news, now + YK_SECOND));
    yk_news_keep(&news, (struct yk_slice){large, sizeof large - 256});
    ck_assert_uint_gt(strlen(read_some()), sizeof large - 256);
    ck_assert_str_eq(out + strlen(out) - 3, " \n\n");
    yk_news_fini(&news);
}
END_TEST

START_TEST(each_reader_gets_each_beat_once)
{
    start();
    yk_news_beat(&news, yk_slice_of("{\"b\":1}"));
    yk_news_follow(&news, &cursor, NULL);
    happen(1);
    ck_assert_str_eq(read_some(), "event: beat\ndata: {\"b\":1}\n\n");
    ck_assert_str_eq(read_some(), CHANGE("1"));
    yk_news_beat(&news, yk_slice_of("{\"b\":2}"));
    yk_news_beat(&news, yk_slice_of("{\"b\":3}"));
    ck_assert_str_eq(read_some(), "event: beat\ndata: {\"b\":3}\n\n");
    ck_assert_str_eq(read_some(), "");
    yk_news_fini(&news);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_reader_gets_what_comes_from_now_on,
        a_reader_that_comes_back_gets_what_it_missed,
        an_id_of_another_life_or_of_none_is_said_to_be_unknown,
        who_is_too_slow_is_told_how_many_it_missed,
        every_event_is_told_or_counted_whatever_the_pace,
        a_flood_of_events_is_counted_and_not_kept,
        an_event_too_large_for_a_message_counts_as_missed,
        each_reader_gets_each_beat_once,
        NULL,
    };

    return suite_main("news", tests);
}
