#include "drivers/jap/client.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define URL_MAX 96
#define CHANNEL_TEXT_MAX 8
/* What a person may do about it. */
#define IS_IT_THE_API "; is this the device's API?"
#define WHEN_IT_LASTS "; restart it when that lasts"
#define TOO_LARGE "gives an answer larger than 16 KiB" IS_IT_THE_API
#define BROKEN "gives a broken answer" WHEN_IT_LASTS

struct yk_jap_client {
    uv_loop_t *loop;
    void *owner;
    void (*answered)(void *owner, const struct yk_jap_answer *answer);
    void (*closed)(void *owner);
    char address[32]; /* "10.0.5.20:80" */
    CURLM *multi;
    uv_timer_t timer; /* of curl */
    /* The question under way; easy NULL: none. */
    CURL *easy;
    struct curl_slist *headers;
    enum yk_jap_ask ask;
    char channel[CHANNEL_TEXT_MAX];
    size_t header_size, body_size;
    bool overflow; /* headers or body were larger than their bound */
    uint8_t body[YK_JAP_BODY_MAX];
};

static const char *const paths[YK_JAP_ASK_END] = {
    [YK_JAP_ASK_DEVICE] = "details/device",
    [YK_JAP_ASK_CHANNEL] = "details/channel",
    [YK_JAP_ASK_SYSTEM] = "settings/system/mode",
    [YK_JAP_ASK_SET] = "command/channel",
};

/* ---- the bytes of an answer; what curl is given back decides whether it goes on */

static size_t take_header(char *data, size_t size, size_t count, void *context)
{
    struct yk_jap_client *client = context;

    (void)data;
    client->header_size += size * count;
    if (client->header_size > YK_JAP_HEADERS_MAX) {
        client->overflow = true;
        return 0;
    }
    return size * count;
}

static size_t take_body(char *data, size_t size, size_t count, void *context)
{
    struct yk_jap_client *client = context;

    size *= count;
    if (size > sizeof client->body - client->body_size) {
        client->overflow = true;
        return 0;
    }
    memcpy(client->body + client->body_size, data, size);
    client->body_size += size;
    return size;
}

/* ---- how it ended */

static void fail_connect(const struct yk_jap_client *client, struct yk_jap_answer *answer)
{
    long number = 0;

    curl_easy_getinfo(client->easy, CURLINFO_OS_ERRNO, &number);
    if (number == ECONNREFUSED) {
        yk_jap_answer_fail(answer, client->ask, YK_JAP_UNSENT,
                           "refuses the connection; it restarts, or is no such device");
    } else {
        yk_jap_answer_fail(answer, client->ask, YK_JAP_UNSENT,
                           "cannot be reached (%s); look at its power, cable and address",
                           number != 0 ? strerror((int)number) : "no connection");
    }
}

static bool is_answering(const struct yk_jap_client *client)
{
    curl_off_t first_byte = 0;

    curl_easy_getinfo(client->easy, CURLINFO_STARTTRANSFER_TIME_T, &first_byte);
    return first_byte != 0;
}

static void fail_late(const struct yk_jap_client *client, struct yk_jap_answer *answer)
{
    curl_off_t connected = 0;

    curl_easy_getinfo(client->easy, CURLINFO_CONNECT_TIME_T, &connected);
    if (connected == 0) {
        yk_jap_answer_fail(answer, client->ask, YK_JAP_UNSENT,
                           "cannot be reached within %d s; look at its power, cable and address",
                           YK_JAP_CONNECT_MS / 1000);
    } else if (!is_answering(client)) {
        yk_jap_answer_fail(answer, client->ask, YK_JAP_SPOILT,
                           "does not answer within %d s" WHEN_IT_LASTS, YK_JAP_TOTAL_MS / 1000);
    } else {
        yk_jap_answer_fail(answer, client->ask, YK_JAP_SPOILT,
                           "began an answer and did not end it within %d s" WHEN_IT_LASTS,
                           YK_JAP_TOTAL_MS / 1000);
    }
}

static void fail(const struct yk_jap_client *client, CURLcode code, struct yk_jap_answer *answer)
{
    const char *what = "gives an answer that is not HTTP" IS_IT_THE_API;

    switch (code) {
    case CURLE_COULDNT_CONNECT:
        fail_connect(client, answer);
        return;
    case CURLE_OPERATION_TIMEDOUT:
        fail_late(client, answer);
        return;
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
        what = client->header_size == 0 ? "broke the connection off" WHEN_IT_LASTS : BROKEN;
        break;
    case CURLE_GOT_NOTHING:
        what = "closed the connection without an answer" WHEN_IT_LASTS;
        break;
    case CURLE_PARTIAL_FILE:
        what = "broke its answer off" WHEN_IT_LASTS;
        break;
    case CURLE_WRITE_ERROR:
        what = client->overflow ? TOO_LARGE : BROKEN;
        break;
    case CURLE_OUT_OF_MEMORY: /* also curl's word for a header line beyond its own bound */
        what = is_answering(client) ? TOO_LARGE : "could not be asked: out of memory; free some";
        break;
    default: /* a new version of curl may have another name for what it cannot read */
        break;
    }
    yk_jap_answer_fail(answer, client->ask, YK_JAP_SPOILT, "%s", what);
}

static void drop_question(struct yk_jap_client *client)
{
    if (client->easy != NULL) {
        curl_multi_remove_handle(client->multi, client->easy);
        curl_easy_cleanup(client->easy);
        client->easy = NULL;
    }
}

static void finish(struct yk_jap_client *client, CURLcode code)
{
    struct yk_jap_answer answer;
    long status = 0;

    curl_easy_getinfo(client->easy, CURLINFO_RESPONSE_CODE, &status);
    if (code == CURLE_OK) {
        yk_jap_answer_read(&answer, client->ask, status,
                           (struct yk_slice){client->body, client->body_size});
    } else {
        fail(client, code, &answer);
    }
    drop_question(client);
    client->answered(client->owner, &answer);
}

/* ---- curl in the loop */

static void take_finished(struct yk_jap_client *client)
{
    int left;
    const CURLMsg *message = curl_multi_info_read(client->multi, &left);

    if (message != NULL && message->msg == CURLMSG_DONE) {
        finish(client, message->data.result);
    }
}

static void poll_closed(uv_handle_t *poll)
{
    free(poll);
}

static void socket_ready(uv_poll_t *poll, int status, int events)
{
    struct yk_jap_client *client = poll->data;
    int flags = status < 0 ? CURL_CSELECT_ERR : 0;
    uv_os_fd_t fd = -1;
    int running;

    flags |= (events & UV_READABLE) != 0 ? CURL_CSELECT_IN : 0;
    flags |= (events & UV_WRITABLE) != 0 ? CURL_CSELECT_OUT : 0;
    uv_fileno((uv_handle_t *)poll, &fd);
    curl_multi_socket_action(client->multi, fd, flags, &running);
    take_finished(client);
}

/* curl tells which of its sockets to watch; `watched` is what we made of it. */
static int watch_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *watched)
{
    struct yk_jap_client *client = context;
    uv_poll_t *poll = watched;

    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (poll != NULL) {
            curl_multi_assign(client->multi, socket, NULL);
            uv_close((uv_handle_t *)poll, poll_closed);
        }
        return 0;
    }
    if (poll == NULL) {
        poll = malloc(sizeof *poll);
        if (poll == NULL || uv_poll_init_socket(client->loop, poll, socket) != 0) {
            free(poll);
            return -1;
        }
        poll->data = client;
        curl_multi_assign(client->multi, socket, poll);
    }
    uv_poll_start(poll,
                  ((what & CURL_POLL_IN) != 0 ? UV_READABLE : 0) |
                      ((what & CURL_POLL_OUT) != 0 ? UV_WRITABLE : 0),
                  socket_ready);
    return 0;
}

static void timer_due(uv_timer_t *timer)
{
    struct yk_jap_client *client = timer->data;
    int running;

    curl_multi_socket_action(client->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    take_finished(client);
}

static int set_timer(CURLM *multi, long ms, void *context)
{
    struct yk_jap_client *client = context;

    (void)multi;
    if (ms < 0) {
        uv_timer_stop(&client->timer);
    } else {
        /* Never at once: curl may not be called from inside its own callback. */
        uv_timer_start(&client->timer, timer_due, ms > 0 ? (uint64_t)ms : 1, 0);
    }
    return 0;
}

/* ---- asking */

static struct curl_slist *make_headers(void)
{
    static const char *const lines[] = {"Accept: application/json", "Content-Type: text/plain",
                                        "Connection: close", "Expect:"};
    struct curl_slist *list = NULL;

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct curl_slist *longer = curl_slist_append(list, lines[i]);

        if (longer == NULL) {
            curl_slist_free_all(list);
            return NULL;
        }
        list = longer;
    }
    return list;
}

static void set_options(struct yk_jap_client *client)
{
    char url[URL_MAX];
    CURL *easy = client->easy;

    snprintf(url, sizeof url, "http://%s/cgi-bin/api/%s", client->address, paths[client->ask]);
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http");
    curl_easy_setopt(easy, CURLOPT_PROXY, ""); /* also none from the environment */
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)YK_JAP_CONNECT_MS);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)YK_JAP_TOTAL_MS);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, client->headers);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, client);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, client);
    if (client->ask == YK_JAP_ASK_SET) {
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, client->channel);
    }
}

bool yk_jap_client_ask(struct yk_jap_client *client, enum yk_jap_ask ask, uint16_t channel)
{
    client->ask = ask;
    snprintf(client->channel, sizeof client->channel, "%u", channel);
    client->header_size = client->body_size = 0;
    client->overflow = false;
    client->easy = curl_easy_init();
    if (client->easy != NULL) {
        set_options(client);
        if (curl_multi_add_handle(client->multi, client->easy) == CURLM_OK) {
            return true;
        }
        curl_easy_cleanup(client->easy);
        client->easy = NULL;
    }
    return false;
}

struct yk_jap_client *
yk_jap_client_open(uv_loop_t *loop, const char *host, uint16_t port, void *owner,
                   void (*answered)(void *owner, const struct yk_jap_answer *answer),
                   struct yk_refusal *why)
{
    struct yk_jap_client *client = calloc(1, sizeof *client);

    if (client == NULL || curl_global_init(CURL_GLOBAL_NOTHING) != CURLE_OK) {
        free(client);
        yk_refuse(why, YK_EXIT_INTERNAL, "driver: out of memory; free some");
        return NULL;
    }
    client->multi = curl_multi_init();
    client->headers = make_headers();
    if (client->multi == NULL || client->headers == NULL) {
        curl_multi_cleanup(client->multi);
        curl_slist_free_all(client->headers);
        curl_global_cleanup();
        free(client);
        yk_refuse(why, YK_EXIT_INTERNAL, "driver: out of memory; free some");
        return NULL;
    }
    client->loop = loop;
    client->owner = owner;
    client->answered = answered;
    snprintf(client->address, sizeof client->address, "%s:%u", host, port);
    uv_timer_init(loop, &client->timer);
    client->timer.data = client;
    curl_multi_setopt(client->multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
    curl_multi_setopt(client->multi, CURLMOPT_SOCKETDATA, client);
    curl_multi_setopt(client->multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(client->multi, CURLMOPT_TIMERDATA, client);
    return client;
}

static void timer_closed(uv_handle_t *timer)
{
    struct yk_jap_client *client = timer->data;
    void (*closed)(void *owner) = client->closed;
    void *owner = client->owner;

    free(client);
    closed(owner);
}

void yk_jap_client_close(struct yk_jap_client *client, void (*closed)(void *owner))
{
    client->closed = closed;
    drop_question(client);
    curl_multi_cleanup(client->multi); /* its callbacks still use our timer */
    curl_slist_free_all(client->headers);
    curl_global_cleanup();
    uv_close((uv_handle_t *)&client->timer, timer_closed);
}
