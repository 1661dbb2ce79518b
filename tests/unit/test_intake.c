#include "shell/intake.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/suite.h"

#define MS YK_MS
#define SENT 400 /* one a millisecond */
#define LIMIT_MS 30000

/* ---- how dense */

static struct yk_density density;

/* `count` at a time, so often, that far apart; the last answer. */
static int add(size_t count, unsigned times, yk_time apart, yk_time *now)
{
    int pause = -1;

    for (unsigned i = 0; i < times; i++) {
        *now += apart;
        pause = yk_density_add(&density, count, *now);
    }
    return pause;
}

START_TEST(little_is_read_when_it_comes)
{
    yk_time now = 0;

    ck_assert_int_eq(add(1, 1000, 4 * MS, &now), -1);
}
END_TEST

START_TEST(a_burst_alone_is_not_dense)
{
    yk_time now = 0;

    ck_assert_int_eq(add(5, 4, MS, &now), -1);
    ck_assert_int_eq(add(1, 1, YK_SECOND, &now), -1);
}
END_TEST

START_TEST(much_is_looked_at_now_and_then)
{
    yk_time now = 0;

    ck_assert_int_eq(add(1, 99, MS, &now), -1);
    ck_assert_int_eq(add(1, 1, MS, &now), YK_INTAKE_PAUSE_MS);
    ck_assert_int_eq(add(YK_INTAKE_SOME + 1, 1, MS, &now), YK_INTAKE_SHORT_MS);
    ck_assert_int_eq(add(YK_SOCKET_BATCH, 1, MS, &now), -1);
    ck_assert_int_eq(add(0, 1, MS, &now), YK_INTAKE_PAUSE_MS);
}
END_TEST

START_TEST(density_begins_at_its_bound)
{
    yk_time now = 0;
    size_t bound = YK_INTAKE_DENSE * YK_INTAKE_WINDOW / YK_SECOND;

    ck_assert_int_eq(add(bound - 1, 1, YK_INTAKE_WINDOW, &now), -1);
    ck_assert_int_eq(add(bound, 1, YK_INTAKE_WINDOW, &now), YK_INTAKE_PAUSE_MS);
}
END_TEST

START_TEST(silence_ends_it)
{
    yk_time now = 0;

    ck_assert_int_eq(add(1, 100, MS, &now), YK_INTAKE_PAUSE_MS);
    ck_assert_int_eq(add(0, 1, YK_INTAKE_WINDOW - MS, &now), YK_INTAKE_PAUSE_MS);
    ck_assert_int_eq(add(0, 1, MS, &now), -1);
}
END_TEST

/* ---- with a socket and a loop */

static uv_loop_t loop;
static uv_timer_t sender, limit;
static struct yk_socket rx, tx;
static struct yk_intake intake;
static unsigned sent, to_send, heard, looks;
static yk_time begun;

/* As many as are due: a busy machine makes it no slower, only less even. */
static void send_due(uv_timer_t *timer)
{
    while (sent < to_send && sent * MS <= uv_hrtime() - begun) {
        ck_assert_int_eq(yk_socket_send(&tx, yk_slice_of("x")), 0);
        sent++;
    }
    if (sent == to_send) {
        uv_timer_stop(timer);
    }
}

static void ready(void *owner)
{
    looks++;
    heard += (unsigned)yk_intake_read(owner);
    if (heard == to_send && intake.pause_ms < 0) {
        uv_stop(&loop);
    }
}

static void too_long(uv_timer_t *timer)
{
    (void)timer;
    ck_abort_msg("%u of %u heard in %d ms", heard, to_send, LIMIT_MS);
}

static void open_all(void)
{
    struct yk_network network = YK_NETWORK_DEFAULT;
    struct yk_refusal why;
    struct in_addr address;
    int loopback;

    ck_assert(yk_network_set_group(&network, "239.255.77.14", "group", &why));
    ck_assert(yk_network_set_port(&network, 20000 + getpid() % 20000, "port", &why));
    ck_assert_msg(yk_interface_find("127.0.0.1", &loopback, &address, &why), "%s", why.text);
    ck_assert_msg(yk_socket_open(&rx, &network, &why), "%s", why.text);
    ck_assert_msg(yk_socket_open(&tx, &network, &why), "%s", why.text);
    ck_assert_msg(yk_socket_join(&rx, loopback, address), "%s", strerror(errno));
    ck_assert_msg(yk_socket_join(&tx, loopback, address), "%s", strerror(errno));
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    uv_timer_init(&loop, &sender);
    uv_timer_init(&loop, &limit);
    ck_assert_int_eq(yk_intake_open(&intake, &loop, &rx, &intake, ready), 0);
    uv_timer_start(&limit, too_long, LIMIT_MS, 0);
}

/* Sends so many, one a millisecond, and runs until they are heard and the next would be at once. */
static void run(unsigned count)
{
    sent = heard = looks = 0;
    to_send = count;
    begun = uv_hrtime();
    uv_timer_start(&sender, send_due, 1, 1);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_uint_eq(heard, count);
}

static void close_all(void)
{
    yk_intake_close(&intake);
    uv_close((uv_handle_t *)&sender, NULL);
    uv_close((uv_handle_t *)&limit, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    yk_socket_close(&rx);
    yk_socket_close(&tx);
}

START_TEST(all_is_read_and_much_of_it_with_few_looks)
{
    open_all();
    yk_intake_want(&intake, true);
    run(SENT);
    /* One each for the first window, then an eighth of them; and a window of silence. */
    ck_assert_uint_lt(looks, SENT * 2 / 3);
    run(1);
    ck_assert_uint_eq(looks, 1);
    close_all();
}
END_TEST

static void stop_loop(uv_timer_t *timer)
{
    (void)timer;
    uv_stop(&loop);
}

START_TEST(what_is_not_wanted_is_not_looked_for)
{
    open_all();
    yk_intake_want(&intake, true);
    yk_intake_want(&intake, false);
    intake.pause_ms = YK_INTAKE_PAUSE_MS; /* as behind dense traffic */
    yk_intake_want(&intake, true);
    yk_intake_want(&intake, false);
    to_send = 1;
    send_due(&sender);
    uv_timer_start(&sender, stop_loop, 10 * YK_INTAKE_PAUSE_MS, 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_uint_eq(looks, 0);
    yk_intake_want(&intake, true);
    uv_run(&loop, UV_RUN_ONCE);
    ck_assert_uint_eq(heard, 1);
    close_all();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        little_is_read_when_it_comes,
        a_burst_alone_is_not_dense,
        much_is_looked_at_now_and_then,
        density_begins_at_its_bound,
        silence_ends_it,
        all_is_read_and_much_of_it_with_few_looks,
        what_is_not_wanted_is_not_looked_for,
        NULL,
    };

    return suite_main("intake", tests);
}
