/* The pump and its barrier, with the real loop, socket and store on the loopback interface; the disk
 * is slow or fails when a test says so. */
#include "shell/agent.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <uv.h>

#include "core/admission.h"
#include "files.h"
#include "lib/suite.h"
#include "shell/log.h"
#include "shell/socket.h"
#include "shell/store.h"
#include "shell/wall.h"

#define SLOW_MS 150      /* a save of a slow disk */
#define PATIENCE_MS 8000 /* for anything that must come */

static struct yk_config config;
static struct yk_auth auth;
static struct yk_agent_site site = {.config = &config, .auth = &auth};

/* The disk: how long fsync takes, and whether it fails. Takes the place of the C library's. */
static atomic_int sync_ms, sync_fails;
static atomic_uint syncs_done;

int fsync(int fd);
int fsync(int fd)
{
    poll(NULL, 0, sync_ms);
    if (sync_fails) {
        errno = EIO;
        return -1;
    }
    syncs_done++;
    return (int)syscall(SYS_fsync, fd);
}

/* The other side: a thread with a socket of its own. */
static struct yk_socket client;
static struct yk_receiver receiver;
static uint64_t next_seq;
static uv_thread_t thread;
static atomic_bool thread_ended; /* it said all it had to: a failure in it is seen here */

static void load_config(void)
{
    char text[1024];
    struct yk_refusal why;

    snprintf(text, sizeof text,
             "{\"node\":{\"id\":\"dec\",\"role\":\"consumer\",\"kind\":\"hdmi\"},"
             "\"network\":{\"group\":\"239.255.78.14\",\"port\":%d,\"interface\":\"127.0.0.1\"},"
             "\"state_file\":\"%s\",\"status_socket\":\"%s\",\"driver\":{\"type\":\"null\"}}",
             20000 + getpid() % 20000, files_path("state"), files_path("sock"));
    ck_assert_msg(yk_config_load(&config, files_text("agent.json", text), &why), "%s", why.text);
    ck_assert(yk_state_commission(config.state_file, &why));
    ck_assert(yk_state_load(config.state_file, &site.state, &why));
    yk_auth_init(&auth, (struct yk_slice){NULL, 0}, (struct yk_slice){NULL, 0});
    yk_log_init(YK_LOG_ERROR);
}

static void open_client(void)
{
    struct yk_refusal why;
    struct in_addr address;
    int ifindex;
    struct yk_wall wall = {yk_wall_now(), uv_hrtime()};

    next_seq = (uint64_t)wall.unix_ns;
    yk_receiver_init(&receiver, calloc(1, yk_receiver_memory(YK_TRACKED_MIN)), YK_TRACKED_MIN,
                     &auth, wall, 1);
    ck_assert_msg(yk_socket_open(&client, &config.network, &why), "%s", why.text);
    ck_assert(yk_interface_find("127.0.0.1", &ifindex, &address, &why));
    ck_assert(yk_socket_join(&client, ifindex, address));
}

static void send_pair(const char *producer, uint64_t n)
{
    struct yk_frame frame = {
        .type = YK_TYPE_INT, .seq = ++next_seq, .ts_ms = yk_wall_now() / (int64_t)YK_MS};
    uint8_t bytes[YK_FRAME_MAX];
    size_t size;

    yk_id_parse(&frame.origin, yk_slice_of("cli-test"));
    frame.as.intent.op = YK_OP_PAIR;
    frame.as.intent.version.n = n;
    yk_id_parse(&frame.as.intent.version.author, yk_slice_of("op-test"));
    yk_id_parse(&frame.as.intent.consumer, yk_slice_of("dec"));
    yk_id_parse(&frame.as.intent.producer, yk_slice_of(producer));
    size = yk_frame_encode(&frame, &auth, bytes);
    ck_assert_uint_gt(size, 0);
    ck_assert_int_eq(yk_socket_send(&client, (struct yk_slice){bytes, size}), 0);
}

/* The next frame of the agent of that type; false when none comes in time. */
static bool hear(enum yk_type type, struct yk_frame *frame, int within_ms)
{
    static size_t count, next;
    yk_time until = uv_hrtime() + (yk_time)within_ms * YK_MS;

    for (;;) {
        while (next < count) {
            struct yk_slice bytes = client.batch[next++].bytes;

            if (yk_receiver_admit(&receiver, bytes, uv_hrtime(), frame) == YK_DROP_NONE &&
                strcmp(frame->origin.text, "dec") == 0 && frame->type == type) {
                return true;
            }
        }
        count = yk_socket_read(&client);
        next = 0;
        if (count == 0 && uv_hrtime() >= until) {
            return false;
        }
        if (count == 0) {
            poll(&(struct pollfd){.fd = client.fd, .events = POLLIN}, 1, 10);
        }
    }
}

static void hear_event(enum yk_event event)
{
    struct yk_frame frame;

    do {
        ck_assert_msg(hear(YK_TYPE_EVT, &frame, PATIENCE_MS), "no %s", yk_event_word(event));
    } while (frame.as.evt.event != event);
}

static void hear_applied(uint64_t n)
{
    struct yk_frame frame;

    ck_assert_msg(hear(YK_TYPE_ACK, &frame, PATIENCE_MS), "no ack of %u", (unsigned)n);
    ck_assert(frame.as.ack.applied);
    ck_assert_uint_eq(frame.as.ack.version.n, n);
}

static uint64_t saved_version(void)
{
    struct yk_durable state;
    struct yk_refusal why;

    ck_assert_msg(yk_state_load(config.state_file, &state, &why), "%s", why.text);
    return state.pairing.version.n;
}

static void stop_agent(void)
{
    thread_ended = true;
    kill(getpid(), SIGTERM);
}

/* Runs an agent here and `other_side` in a thread, which ends with stop_agent. */
static void run_with(void (*other_side)(void *))
{
    struct yk_refusal why = {.text = ""};

    load_config();
    open_client();
    ck_assert_int_eq(uv_thread_create(&thread, other_side, NULL), 0);
    ck_assert_msg(yk_agent_run(&site, &why) == YK_EXIT_OK, "%s", why.text);
    uv_thread_join(&thread);
    ck_assert(thread_ended);
    yk_config_fini(&config);
}

static void send_three_at_once(void *unused)
{
    yk_time before;

    (void)unused;
    hear_event(YK_EVENT_STARTED);
    sync_ms = SLOW_MS;
    before = uv_hrtime();
    send_pair("enc-1", 1);
    send_pair("enc-2", 2);
    send_pair("enc-3", 3);
    for (uint64_t n = 1; n <= 3; n++) {
        hear_applied(n);
        /* Two fsyncs a save, and no save before the one before has ended. */
        ck_assert_uint_ge(uv_hrtime() - before, n * 2 * SLOW_MS * YK_MS);
        ck_assert_uint_ge(saved_version(), n);
    }
    sync_ms = 0;
    stop_agent();
}

START_TEST(inputs_wait_behind_a_save_and_go_on_in_order)
{
    run_with(send_three_at_once);
    ck_assert_uint_eq(saved_version(), 3);
}
END_TEST

static void stop_while_saving(void *unused)
{
    struct yk_frame frame;

    (void)unused;
    hear_event(YK_EVENT_STARTED);
    sync_ms = SLOW_MS;
    send_pair("enc-1", 1);
    poll(NULL, 0, SLOW_MS / 3); /* the save is under way */
    kill(getpid(), SIGTERM);
    hear_applied(1);
    hear_event(YK_EVENT_STOPPING);
    ck_assert(hear(YK_TYPE_BYE, &frame, PATIENCE_MS));
    thread_ended = true;
}

START_TEST(a_stop_during_a_save_waits_for_it)
{
    run_with(stop_while_saving);
    ck_assert_uint_eq(saved_version(), 1);
}
END_TEST

static void fail_then_work(void *unused)
{
    struct yk_frame frame;

    (void)unused;
    hear_event(YK_EVENT_STARTED);
    sync_fails = 1;
    send_pair("enc-1", 1);
    send_pair("enc-1", 1);
    ck_assert(!hear(YK_TYPE_ACK, &frame, 500));
    ck_assert_uint_eq(saved_version(), 0);
    sync_fails = 0;
    send_pair("enc-1", 1);
    hear_applied(1);
    ck_assert_uint_eq(saved_version(), 1);
    stop_agent();
}

START_TEST(failure_must_not_produce_an_applied_acknowledgment)
{
    run_with(fail_then_work);
}
END_TEST

static void expect_save_before_speaking(void *unused)
{
    struct yk_frame frame;

    (void)unused;
    ck_assert(hear(YK_TYPE_ANN, &frame, PATIENCE_MS));
    ck_assert_uint_ge(syncs_done, 2);
    ck_assert_uint_gt(frame.seq, site.state.seq);
    stop_agent();
}

START_TEST(a_fresh_reservation_is_saved_before_announcing)
{
    struct yk_durable state;
    struct yk_refusal why;

    sync_ms = SLOW_MS;
    run_with(expect_save_before_speaking);
    ck_assert(yk_state_load(config.state_file, &state, &why));
    ck_assert_uint_gt(state.seq, (uint64_t)yk_wall_now() - 60 * YK_SECOND);
}
END_TEST

/* Nobody answers: only the second signal ends it before the save does. */
static void stop_twice(void *unused)
{
    (void)unused;
    hear_event(YK_EVENT_STARTED);
    sync_ms = 2 * SLOW_MS;
    send_pair("enc-1", 1);
    poll(NULL, 0, SLOW_MS / 3);
    kill(getpid(), SIGTERM);
    poll(NULL, 0, SLOW_MS / 3);
    kill(getpid(), SIGTERM);
    thread_ended = true;
}

START_TEST(a_second_signal_ends_without_goodbye)
{
    struct yk_frame frame;

    run_with(stop_twice);
    ck_assert(!hear(YK_TYPE_BYE, &frame, 0));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        inputs_wait_behind_a_save_and_go_on_in_order,
        a_stop_during_a_save_waits_for_it,
        failure_must_not_produce_an_applied_acknowledgment,
        a_fresh_reservation_is_saved_before_announcing,
        a_second_signal_ends_without_goodbye,
        NULL,
    };

    return suite_main("agent", tests);
}
