#include "snooper/live.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "shell/intake.h"
#include "shell/join.h"
#include "shell/log.h"
#include "shell/wall.h"
#include "snooper/silence.h"

#define BATCHES_MAX 16 /* read at one wake-up, so that signals and timers have their turn */

/* A terminal that closes, or a Control-\, ends us in order too: the screen is given back. */
static const int signal_numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
#define SIGNAL_COUNT (sizeof signal_numbers / sizeof signal_numbers[0])

/* The descriptor of a face that has one. */
struct face_watch {
    uv_poll_t poll;
    struct live *live;
    const struct yk_open_face *place;
};

struct live {
    struct yk_snoop *snoop;
    struct face_watch watches[YK_FACES_MAX];
    uv_loop_t loop;
    struct yk_intake intake;
    uv_timer_t due, limit;
    uv_signal_t signals[SIGNAL_COUNT];
    struct yk_socket socket;
    struct yk_join join;
    struct yk_wall_watch wall;
};

struct yk_moment yk_live_now(void)
{
    return (struct yk_moment){.now = uv_hrtime(), .unix_ns = yk_wall_now()};
}

static void when_due(uv_timer_t *timer);

/* Time passed, or a batch was taken. */
static void pass(struct live *live, struct yk_moment at)
{
    yk_time due;

    live->snoop->kernel_drops = live->socket.kernel_drops;
    yk_snoop_pass(live->snoop, at);
    if (live->snoop->over) {
        uv_stop(&live->loop);
        return;
    }
    due = yk_snoop_deadline(live->snoop);
    if (due == YK_TIME_NEVER) {
        uv_timer_stop(&live->due);
    } else {
        uv_update_time(&live->loop);
        uv_timer_start(&live->due, when_due, due > at.now ? (due - at.now) / YK_MS + 1 : 0, 0);
    }
}

static void when_due(uv_timer_t *timer)
{
    pass(timer->data, yk_live_now());
}

static void readable(void *owner)
{
    struct live *live = owner;
    struct yk_moment at = yk_live_now();

    for (int batch = 0; batch < BATCHES_MAX; batch++) {
        size_t count = yk_intake_read(&live->intake);

        at = yk_live_now();
        for (size_t i = 0; i < count; i++) {
            yk_snoop_hear(live->snoop, &live->socket.batch[i], at);
        }
        if (count < YK_SOCKET_BATCH) {
            break;
        }
    }
    pass(live, at);
}

static void stop(struct live *live)
{
    uv_stop(&live->loop);
}

static void when_over(uv_timer_t *timer)
{
    stop(timer->data);
}

static void signalled(uv_signal_t *handle, int number)
{
    (void)number;
    stop(handle->data);
}

static void face_ready(uv_poll_t *poll, int status, int events)
{
    struct face_watch *watch = poll->data;
    struct live *live = watch->live;
    struct yk_moment at = yk_live_now();

    (void)events;
    if (status != 0) {
        uv_poll_stop(poll); /* it can say no more */
    }
    if (!watch->place->face->ready(watch->place->self, live->snoop, at)) {
        stop(live);
        return;
    }
    pass(live, at);
}

/* Who was started to outlive its terminal (nohup) does. */
static bool is_ignored(int number)
{
    struct sigaction action;

    return number == SIGHUP && sigaction(number, NULL, &action) == 0 &&
           action.sa_handler == SIG_IGN;
}

static void clock_stepped(void *owner)
{
    struct live *live = owner;
    struct yk_moment at = yk_live_now();

    yk_observer_wall(live->snoop->observer, (struct yk_wall){at.unix_ns, at.now});
}

/* yk_join does what is to be done; the silence it may explain is looked at anew. */
static void network_changed(void *owner)
{
    pass(owner, yk_live_now());
}

/* The socket, shut down for writing before anything is read from it, and the group. A place where it
 * cannot be joined now is refused; what happens to it later is waited for. */
static bool open_socket(struct live *live, struct yk_refusal *why)
{
    const struct yk_network *network = &live->snoop->access.network;
    struct in_addr address;
    int ifindex;

    if (!yk_interface_find(network->interface, &ifindex, &address, why) ||
        !yk_socket_open(&live->socket, network, why)) {
        return false;
    }
    if (!yk_silence_mute(live->socket.fd)) {
        return yk_refuse(why, YK_EXIT_INTERNAL,
                         "control group: the socket cannot be shut down for writing: %s; without "
                         "that we do not listen",
                         strerror(errno));
    }
    live->snoop->receive_buffer = live->socket.granted;
    if (!yk_socket_join(&live->socket, ifindex, address)) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "%s: cannot join the group: %s; name the interface of the control network "
                         "with --interface (\"ip -br address\" lists them)",
                         yk_access_place(network), strerror(errno));
    }
    return true;
}

static int watch_signals(struct live *live)
{
    int error = 0;

    for (size_t i = 0; error == 0 && i < SIGNAL_COUNT; i++) {
        if (is_ignored(signal_numbers[i])) {
            continue;
        }
        error = uv_signal_init(&live->loop, &live->signals[i]);
        live->signals[i].data = live;
        error =
            error != 0 ? error : uv_signal_start(&live->signals[i], signalled, signal_numbers[i]);
    }
    return error;
}

static int watch_faces(struct live *live)
{
    int error = 0;

    for (size_t i = 0; error == 0 && i < live->snoop->face_count; i++) {
        const struct yk_open_face *place = &live->snoop->faces[i];
        struct face_watch *watch = &live->watches[i];
        int fd = place->face->descriptor != NULL ? place->face->descriptor(place->self) : -1;

        if (fd >= 0) {
            error = uv_poll_init(&live->loop, &watch->poll, fd);
            watch->poll.data = watch;
            watch->live = live;
            watch->place = place;
            error = error != 0 ? error : uv_poll_start(&watch->poll, UV_READABLE, face_ready);
        }
    }
    return error;
}

static bool open_handles(struct live *live, struct yk_refusal *why)
{
    const struct yk_options *options = &live->snoop->options->common;
    int error = uv_timer_init(&live->loop, &live->due);

    error = error != 0 ? error : uv_timer_init(&live->loop, &live->limit);
    error = error != 0 ? error
                       : yk_intake_open(&live->intake, &live->loop, &live->socket, live, readable);
    live->due.data = live->limit.data = live;
    error = error != 0 ? error : watch_signals(live);
    error = error != 0 ? error : watch_faces(live);
    error = error != 0 ? error : yk_wall_open(&live->wall, &live->loop, live, clock_stepped);
    if (error == 0) {
        yk_intake_want(&live->intake, true);
    }
    if (error == 0 && options->listen_given) {
        error = uv_timer_start(&live->limit, when_over, options->listen / YK_MS, 0);
    }
    if (error != 0) {
        return yk_refuse(why, YK_EXIT_INTERNAL, "event loop: %s; free descriptors and try again",
                         uv_strerror(error));
    }
    return yk_join_open(&live->join, &live->loop, &live->socket,
                        live->snoop->access.network.interface, live, network_changed, why);
}

static bool is_open(const void *handle)
{
    return ((const uv_handle_t *)handle)->type != UV_UNKNOWN_HANDLE;
}

static void close_if_open(void *handle)
{
    if (is_open(handle)) {
        uv_close(handle, NULL);
    }
}

/* Also after a start that went half way. */
static void close_all(struct live *live)
{
    close_if_open(&live->due);
    close_if_open(&live->limit);
    yk_intake_close(&live->intake);
    for (size_t i = 0; i < YK_FACES_MAX; i++) {
        close_if_open(&live->watches[i].poll);
    }
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        close_if_open(&live->signals[i]);
    }
    if (is_open(&live->wall.poll)) {
        yk_wall_close(&live->wall);
    }
    if (is_open(&live->join.retry)) {
        yk_join_close(&live->join);
    }
    do { /* a stop that nobody has seen yet makes the first run return at once */
        uv_run(&live->loop, UV_RUN_DEFAULT);
    } while (uv_loop_close(&live->loop) == UV_EBUSY);
}

static bool run(struct live *live, struct yk_refusal *why)
{
    struct yk_snoop *snoop = live->snoop;

    if (!open_handles(live, why)) {
        return false;
    }
    snoop->started = true;
    pass(live, yk_live_now());
    uv_run(&live->loop, UV_RUN_DEFAULT);
    readable(live); /* what came before we were told to stop */
    if (snoop->over) {
        *why = snoop->why;
    }
    return !snoop->over;
}

bool yk_live_run(struct yk_snoop *snoop, struct yk_refusal *why)
{
    struct live *live = calloc(1, sizeof *live);
    bool good;

    if (live == NULL) {
        return yk_refuse(why, YK_EXIT_INTERNAL, "memory: none left; free some and try again");
    }
    live->snoop = snoop;
    live->socket.fd = -1;
    signal(SIGPIPE, SIG_IGN); /* a reader that is gone is an error of the write, and said */
    yk_log_init(YK_LOG_WARNING);
    good = uv_loop_init(&live->loop) == 0 ||
           yk_refuse(why, YK_EXIT_INTERNAL, "event loop: cannot be made; free descriptors");
    if (good) {
        good = open_socket(live, why) && run(live, why);
        close_all(live);
    }
    yk_socket_close(&live->socket);
    free(live);
    return good;
}
