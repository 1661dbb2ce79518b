#include "shell/driver_host.h"

#include <stdio.h>
#include <string.h>

#include "lib/suite.h"

/* A driver that writes down what it is asked, and answers when the test says so. */
static struct {
    struct yk_driver_env env;
    char calls[512]; /* "a1 d2u p a3 " */
    char media[64];
    bool answers_at_once;
    enum yk_report answer;
    uint64_t generation;
    bool closing;
    void (*closed)(void *host);
} fake;

static uv_loop_t loop;
static struct yk_driver_host host;
static unsigned reports, closes;
static bool inside;

static void note(const char *what, uint64_t generation)
{
    size_t used = strlen(fake.calls);

    snprintf(fake.calls + used, sizeof fake.calls - used, "%s%u ", what, (unsigned)generation);
}

static void answer(enum yk_report status, const char *detail)
{
    fake.env.report(fake.env.host, fake.generation, status, detail);
}

static void maybe_answer(enum yk_report status)
{
    if (fake.answers_at_once) {
        inside = true;
        answer(status, "at once");
        inside = false;
    }
}

static bool fake_open(void *self, const struct yk_driver_env *env, struct yk_refusal *why)
{
    (void)self;
    (void)why;
    fake.env = *env;
    return true;
}

static void fake_attach(void *self, uint64_t generation, struct yk_slice media)
{
    (void)self;
    fake.generation = generation;
    snprintf(fake.media, sizeof fake.media, "%.*s", (int)media.size, (const char *)media.data);
    note("a", generation);
    maybe_answer(YK_REPORT_ACTIVE);
}

static void fake_detach(void *self, uint64_t generation, enum yk_detach_reason reason)
{
    static const char *const names[] = {"?", "du", "dr", "dR", "ds"};

    (void)self;
    fake.generation = generation;
    note(names[reason], generation);
    maybe_answer(YK_REPORT_IDLE);
}

static void fake_poll(void *self)
{
    (void)self;
    note("p", fake.generation);
    maybe_answer(YK_REPORT_ACTIVE);
}

static void fake_close(void *self, void (*closed)(void *owner))
{
    (void)self;
    fake.closing = true;
    fake.closed = closed;
}

static const struct yk_driver_ops fake_driver = {.name = "fake",
                                                 .open = fake_open,
                                                 .attach = fake_attach,
                                                 .detach = fake_detach,
                                                 .poll = fake_poll,
                                                 .close = fake_close};

static void reported(void *owner)
{
    ck_assert_ptr_eq(owner, &loop);
    ck_assert_msg(!inside, "reported from inside a call");
    reports++;
}

static void closed(void *owner)
{
    ck_assert_ptr_eq(owner, &loop);
    closes++;
}

static void open_host(void)
{
    static const struct yk_driver_site site;
    struct yk_refusal why;

    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert(yk_driver_host_open(&host, &fake_driver, NULL, &site, &loop, &loop, reported, &why));
}

static void attach(uint64_t generation, const char *media)
{
    yk_driver_host_attach(&host, generation, yk_slice_of(media));
}

/* What the agent does with a report: takes it, lets the core react, goes on. */
static void take(uint64_t generation, enum yk_report status)
{
    struct yk_host_report report;

    uv_run(&loop, UV_RUN_NOWAIT);
    ck_assert(yk_driver_host_take(&host, &report));
    ck_assert_uint_eq(report.generation, generation);
    ck_assert_int_eq(report.status, status);
    yk_driver_host_go_on(&host);
}

static void take_none(void)
{
    struct yk_host_report report;

    uv_run(&loop, UV_RUN_NOWAIT);
    ck_assert(!yk_driver_host_take(&host, &report));
}

START_TEST(a_report_made_inside_a_call_comes_from_the_loop)
{
    open_host();
    fake.answers_at_once = true;
    attach(1, "{}");
    ck_assert_uint_eq(reports, 0);
    uv_run(&loop, UV_RUN_NOWAIT);
    ck_assert_uint_eq(reports, 1);
    take(1, YK_REPORT_ACTIVE);
    take_none();
}
END_TEST

START_TEST(at_most_one_call_is_in_flight_and_the_latest_route_waits)
{
    open_host();
    attach(1, "{\"a\":1}");
    attach(2, "{\"a\":2}");
    attach(3, "{\"a\":3}");
    ck_assert_str_eq(fake.calls, "a1 ");
    answer(YK_REPORT_PENDING, "");
    take(1, YK_REPORT_PENDING);
    ck_assert_str_eq(fake.calls, "a1 a3 ");
    ck_assert_str_eq(fake.media, "{\"a\":3}");
}
END_TEST

START_TEST(a_detach_is_never_dropped_between_two_attaches)
{
    open_host();
    attach(1, "{\"a\":1}");
    yk_driver_host_detach(&host, 2, YK_DETACH_REPLACE);
    attach(3, "{\"a\":3}");
    attach(4, "{\"a\":4}");
    answer(YK_REPORT_ACTIVE, "");
    take(1, YK_REPORT_ACTIVE);
    ck_assert_str_eq(fake.calls, "a1 dr2 ");
    answer(YK_REPORT_IDLE, "");
    take(2, YK_REPORT_IDLE);
    ck_assert_str_eq(fake.calls, "a1 dr2 a4 ");
}
END_TEST

START_TEST(replacement_does_not_begin_before_teardown_is_confirmed)
{
    open_host();
    attach(1, "{}");
    answer(YK_REPORT_ACTIVE, "");
    take(1, YK_REPORT_ACTIVE);
    yk_driver_host_detach(&host, 2, YK_DETACH_REPLACE);
    attach(3, "{}");
    answer(YK_REPORT_PENDING, "");
    take(2, YK_REPORT_PENDING);
    answer(YK_REPORT_ERROR, "stuck");
    take(2, YK_REPORT_ERROR);
    ck_assert_str_eq(fake.calls, "a1 dr2 ");
    yk_driver_host_detach(&host, 4, YK_DETACH_REPLACE);
    ck_assert_str_eq(fake.calls, "a1 dr2 dr4 ");
    attach(5, "{}");
    answer(YK_REPORT_IDLE, "");
    take(4, YK_REPORT_IDLE);
    ck_assert_str_eq(fake.calls, "a1 dr2 dr4 a5 ");
}
END_TEST

START_TEST(a_detach_supersedes_an_attach_that_waits)
{
    open_host();
    attach(1, "{}");
    attach(2, "{}");
    yk_driver_host_detach(&host, 3, YK_DETACH_UNPAIR);
    answer(YK_REPORT_ACTIVE, "");
    take(1, YK_REPORT_ACTIVE);
    answer(YK_REPORT_IDLE, "");
    take(3, YK_REPORT_IDLE);
    ck_assert_str_eq(fake.calls, "a1 du3 ");
}
END_TEST

START_TEST(an_unpair_that_waits_is_not_weakened_by_a_stop)
{
    open_host();
    attach(1, "{}");
    yk_driver_host_detach(&host, 2, YK_DETACH_UNPAIR);
    yk_driver_host_detach(&host, 3, YK_DETACH_STOP);
    answer(YK_REPORT_ACTIVE, "");
    take(1, YK_REPORT_ACTIVE);
    ck_assert_str_eq(fake.calls, "a1 du3 ");
}
END_TEST

START_TEST(a_poll_is_skipped_while_a_call_is_in_flight_or_waits)
{
    open_host();
    attach(1, "{}");
    yk_driver_host_poll(&host);
    answer(YK_REPORT_ACTIVE, "");
    yk_driver_host_poll(&host);
    take(1, YK_REPORT_ACTIVE);
    yk_driver_host_poll(&host);
    yk_driver_host_poll(&host);
    ck_assert_str_eq(fake.calls, "a1 p1 ");
    answer(YK_REPORT_ACTIVE, "");
    take(1, YK_REPORT_ACTIVE);
    yk_driver_host_poll(&host);
    ck_assert_str_eq(fake.calls, "a1 p1 p1 ");
}
END_TEST

START_TEST(only_the_latest_report_waits)
{
    struct yk_host_report report;

    open_host();
    attach(1, "{}");
    answer(YK_REPORT_PENDING, "first");
    answer(YK_REPORT_ACTIVE, "second");
    uv_run(&loop, UV_RUN_NOWAIT);
    ck_assert(yk_driver_host_take(&host, &report));
    ck_assert_int_eq(report.status, YK_REPORT_ACTIVE);
    ck_assert_uint_eq(report.detail_size, 6);
    ck_assert_mem_eq(report.detail, "second", 6);
    take_none();
}
END_TEST

START_TEST(a_stale_completion_is_dropped)
{
    open_host();
    attach(1, "{}");
    answer(YK_REPORT_ACTIVE, "");
    take(1, YK_REPORT_ACTIVE);
    yk_driver_host_detach(&host, 2, YK_DETACH_REPLACE);
    fake.env.report(fake.env.host, 1, YK_REPORT_ACTIVE, "late");
    take_none();
    answer(YK_REPORT_IDLE, "");
    take(2, YK_REPORT_IDLE);
}
END_TEST

START_TEST(a_report_of_the_old_route_is_not_taken_for_the_new_one)
{
    open_host();
    attach(1, "{}");
    answer(YK_REPORT_PENDING, "");
    take(1, YK_REPORT_PENDING);
    answer(YK_REPORT_ACTIVE, "of itself");
    yk_driver_host_detach(&host, 2, YK_DETACH_REPLACE);
    take_none();
}
END_TEST

START_TEST(a_long_detail_is_cut_between_characters)
{
    struct yk_host_report report;
    char detail[600] = "x";

    for (size_t i = 0; i < 200; i++) {
        strcat(detail, "\xc3\xbc");
    }
    open_host();
    attach(1, "{}");
    answer(YK_REPORT_ERROR, detail);
    ck_assert(yk_driver_host_take(&host, &report));
    ck_assert_uint_eq(report.detail_size, YK_REPORT_DETAIL_MAX - 1);
    answer(YK_REPORT_ERROR, NULL);
    ck_assert(yk_driver_host_take(&host, &report));
    ck_assert_uint_eq(report.detail_size, 0);
}
END_TEST

START_TEST(the_latest_media_that_the_driver_announced_waits_to_be_taken)
{
    static char over[YK_FRAME_MAX + 2];
    struct yk_slice media;

    open_host();
    ck_assert(!yk_driver_host_take_media(&host, &media));
    fake.env.announce(fake.env.host, "{\"a\":1}");
    fake.env.announce(fake.env.host, "{\"b\":2}");
    memset(over, 'x', sizeof over - 1);
    fake.env.announce(fake.env.host, over); /* no frame carries that */
    ck_assert_uint_eq(reports, 0);
    uv_run(&loop, UV_RUN_NOWAIT);
    ck_assert_uint_eq(reports, 1);
    ck_assert(yk_driver_host_take_media(&host, &media));
    ck_assert(yk_slice_equal(media, yk_slice_of("{\"b\":2}")));
    ck_assert(!yk_driver_host_take_media(&host, &media));
}
END_TEST

static bool yes(void *owner)
{
    return owner == &loop;
}

START_TEST(the_owner_says_whether_a_consumer_is_paired)
{
    open_host();
    ck_assert(!fake.env.is_paired(fake.env.host));
    host.is_paired = yes;
    ck_assert(fake.env.is_paired(fake.env.host));
}
END_TEST

START_TEST(closing_drops_what_waits_and_closes_the_driver)
{
    open_host();
    attach(1, "{}");
    yk_driver_host_detach(&host, 2, YK_DETACH_STOP);
    yk_driver_host_close(&host, closed);
    ck_assert(fake.closing);
    answer(YK_REPORT_IDLE, "late");
    yk_driver_host_go_on(&host);
    yk_driver_host_poll(&host);
    uv_run(&loop, UV_RUN_NOWAIT);
    ck_assert_uint_eq(reports, 0);
    ck_assert_uint_eq(closes, 0);
    fake.closed(fake.env.host);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_uint_eq(closes, 1);
    ck_assert_str_eq(fake.calls, "a1 ");
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_report_made_inside_a_call_comes_from_the_loop,
        at_most_one_call_is_in_flight_and_the_latest_route_waits,
        a_detach_is_never_dropped_between_two_attaches,
        replacement_does_not_begin_before_teardown_is_confirmed,
        a_detach_supersedes_an_attach_that_waits,
        an_unpair_that_waits_is_not_weakened_by_a_stop,
        a_poll_is_skipped_while_a_call_is_in_flight_or_waits,
        only_the_latest_report_waits,
        a_stale_completion_is_dropped,
        a_report_of_the_old_route_is_not_taken_for_the_new_one,
        a_long_detail_is_cut_between_characters,
        the_latest_media_that_the_driver_announced_waits_to_be_taken,
        the_owner_says_whether_a_consumer_is_paired,
        closing_drops_what_waits_and_closes_the_driver,
        NULL,
    };

    return suite_main("driver_host", tests);
}
