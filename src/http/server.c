/* The server's descriptors and its share of the time. */
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/module.h"
#include "http/internal.h"

#define BACKLOG 128
/* What the kernel holds for one connection: a reader that stops costs no more. */
#define SEND_BUFFER (64 * 1024)
#define RECEIVE_BUFFER (16 * 1024)
/* After a turn we rest three times as long as it took: whatever they do out there, whoever shares the
 * loop with us has three quarters of the time. */
#define REST 3
#define REST_MAX (250 * MS)

uint64_t http_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* ---- listening */

static int bind_socket(int fd, const struct yk_endpoint *endpoint)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(endpoint->port)};
    int on = 1, send_buffer = SEND_BUFFER, receive_buffer = RECEIVE_BUFFER;

    memcpy(&address.sin_addr, endpoint->ip, sizeof endpoint->ip);
    /* Connections inherit the sizes. */
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof send_buffer) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer) != 0 ||
        bind(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        return -1;
    }
    return listen(fd, BACKLOG);
}

static bool refuse_address(const struct yk_endpoint *endpoint, const char *place,
                           struct yk_refusal *why)
{
    const char *remedy = errno == EADDRINUSE ? "another program listens there; choose another port"
                         : errno == EADDRNOTAVAIL
                             ? "it is no address of this host (\"ip -br address\" lists them)"
                         : errno == EACCES ? "choose a port from 1024 on, or run with the right to"
                                           : "choose another";
    int error = errno;
    char text[YK_ENDPOINT_TEXT_MAX];

    return yk_refuse(why, YK_EXIT_CONFIG, "%s: %s: %s; %s", place, yk_endpoint_text(text, endpoint),
                     strerror(error), remedy);
}

static bool listen_at(struct yk_http *http, const struct yk_endpoint *endpoint, const char *place,
                      struct yk_refusal *why)
{
    struct sockaddr_in address;
    socklen_t size = sizeof address;

    http->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (http->listener < 0 || bind_socket(http->listener, endpoint) != 0 ||
        getsockname(http->listener, (struct sockaddr *)&address, &size) != 0) {
        return refuse_address(endpoint, place, why);
    }
    http->endpoint = *endpoint;
    http->endpoint.port = ntohs(address.sin_port);
    return true;
}

/* Of the process's descriptors we take a quarter at most: an agent needs others to save its state. */
static unsigned connections_max(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur / 4 >= YK_HTTP_CONNECTIONS_MAX) {
        return YK_HTTP_CONNECTIONS_MAX;
    }
    return limit.rlim_cur >= 4 ? (unsigned)(limit.rlim_cur / 4) : 1;
}

/* Paths are compared as they came: there is one way to spell each of ours. */
static size_t leave_escaped(void *owner, struct MHD_Connection *mhd, char *text)
{
    (void)owner;
    (void)mhd;
    return strlen(text);
}

static bool start(struct yk_http *http)
{
    const union MHD_DaemonInfo *info;
    unsigned per_address = http->connections_max;

    if (!yk_endpoint_is_loopback(&http->endpoint) && per_address > YK_HTTP_PER_ADDRESS_MAX) {
        per_address = YK_HTTP_PER_ADDRESS_MAX;
    }
    http->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, answer_request, http,
        MHD_OPTION_LISTEN_SOCKET, http->listener, MHD_OPTION_CONNECTION_LIMIT,
        http->connections_max, MHD_OPTION_PER_IP_CONNECTION_LIMIT, per_address,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)YK_HTTP_REQUEST_BYTES,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, NULL,
        MHD_OPTION_NOTIFY_CONNECTION, connection_notified, http, MHD_OPTION_NOTIFY_COMPLETED,
        connection_request_over, http, MHD_OPTION_END);
    if (http->daemon == NULL) {
        return false;
    }
    http->listener = -1; /* the daemon closes it */
    info = MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    http->mhd = info != NULL ? info->epoll_fd : -1;
    return http->mhd >= 0;
}

static bool watch(struct yk_http *http, int operation, int fd, bool wanted)
{
    struct epoll_event event = {.events = wanted ? EPOLLIN : 0, .data.fd = fd};

    return epoll_ctl(http->descriptor, operation, fd, &event) == 0;
}

static bool open_descriptors(struct yk_http *http)
{
    http->descriptor = epoll_create1(EPOLL_CLOEXEC);
    http->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    return http->descriptor >= 0 && http->timer >= 0 &&
           watch(http, EPOLL_CTL_ADD, http->timer, true) &&
           watch(http, EPOLL_CTL_ADD, http->mhd, true);
}

static void close_if_open(int fd)
{
    if (fd >= 0) {
        close(fd);
    }
}

static void close_http(struct yk_http *http)
{
    http->closing = true;
    if (http->daemon != NULL) {
        connections_wake_streams(http, http_now()); /* the library does not stop while one is */
        connections_wake_waiting(http, NULL);       /* suspended */
        MHD_run(http->daemon);
        answers_free(http);
        MHD_stop_daemon(http->daemon);
    }
    close_if_open(http->listener);
    close_if_open(http->timer);
    close_if_open(http->descriptor);
    free(http);
}

static struct yk_http *open_http(const struct yk_http_content *content,
                                 const struct yk_endpoint *endpoint, const char *place,
                                 struct yk_refusal *why)
{
    struct yk_http *http = calloc(1, sizeof *http);

    if (http == NULL || content->document_count > DOCUMENTS_MAX) {
        yk_refuse(why, YK_EXIT_INTERNAL, "%s: no memory; free some and try again", place);
        free(http);
        return NULL;
    }
    http->content = *content;
    http->connections_max = connections_max();
    for (size_t i = 0; i < content->document_count; i++) {
        http->answers[i].document = &content->documents[i];
    }
    http->listener = http->mhd = http->timer = http->descriptor = -1;
    http->due = NEVER;
    if (!listen_at(http, endpoint, place, why)) {
        close_http(http);
        return NULL;
    }
    if (!start(http) || !open_descriptors(http)) {
        yk_refuse(why, YK_EXIT_INTERNAL,
                  "%s: the server cannot start: %s; free memory and descriptors", place,
                  strerror(errno));
        close_http(http);
        return NULL;
    }
    return http;
}

/* ---- turns */

static void set_timer(struct yk_http *http, uint64_t due, uint64_t now)
{
    struct itimerspec time = {.it_value = {0, 0}}; /* all zero: none */
    uint64_t wait = due > now ? due - now : 1;

    if (due != NEVER) {
        time.it_value.tv_sec = (time_t)(wait / SECOND);
        time.it_value.tv_nsec = (long)(wait % SECOND);
    }
    timerfd_settime(http->timer, 0, &time, NULL);
}

static bool is_more_due(struct yk_http *http)
{
    MHD_UNSIGNED_LONG_LONG wait_ms;

    return http->woken || answers_in_the_making(http) ||
           (MHD_get_timeout(http->daemon, &wait_ms) == MHD_YES && wait_ms == 0);
}

/* One turn of the library, and then a rest; during it nothing of ours wakes the loop but its end. */
static void take_turn(struct yk_http *http, uint64_t now)
{
    uint64_t end, rest;

    connections_expire(http, now);
    if (http->woken) {
        http->woken = false;
        connections_wake_streams(http, now);
    }
    answers_go_on(http);
    MHD_run(http->daemon);
    end = http_now();
    rest = REST * (end - now);
    http->paused_until = end + (rest < REST_MAX ? rest : REST_MAX);
    http->due = connections_due(http);
    watch(http, EPOLL_CTL_MOD, http->mhd, false);
    set_timer(http, http->paused_until, end);
}

static void run_http(struct yk_http *http)
{
    struct epoll_event events[2];
    uint64_t now = http_now(), expirations;
    int count;

    while (read(http->timer, &expirations, sizeof expirations) > 0) {}
    if (http->paused_until > now) {
        set_timer(http, http->paused_until, now);
        return;
    }
    if (http->paused_until != 0) {
        http->paused_until = 0;
        watch(http, EPOLL_CTL_MOD, http->mhd, true);
    }
    count = epoll_wait(http->descriptor, events, 2, 0);
    if (count > 0 || http->due <= now || is_more_due(http)) {
        take_turn(http, now);
    } else {
        set_timer(http, http->due, now);
    }
}

static void wake_http(struct yk_http *http)
{
    http->woken = true;
    if (http->paused_until == 0) {
        set_timer(http, 0, 1); /* at once, from the loop */
    }
}

static struct yk_endpoint endpoint_of(const struct yk_http *http)
{
    return http->endpoint;
}

static int descriptor_of(const struct yk_http *http)
{
    return http->descriptor;
}

static struct yk_http_counts counts_of(const struct yk_http *http)
{
    return http->counts;
}

static const struct yk_http_table table = {
    .open = open_http,
    .endpoint = endpoint_of,
    .descriptor = descriptor_of,
    .run = run_http,
    .wake = wake_http,
    .counts = counts_of,
    .close = close_http,
};

YK_MODULE(table);
