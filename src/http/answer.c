/* What is answered to a request. */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/internal.h"

/* The bytes of a document may serve again for so long, or for so many times the time that making them
 * took: however many ask, and however much there is to tell, it takes a bounded share of our time. */
#define FRESH (100 * MS)
#define FRESH_COST 10
/* The making of a document that takes longer goes on in the next turn. */
#define MAKE (2 * MS)

/* What every answer says. The page has all it needs from here, in files of its own. */
static const char *const headers[][2] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
     "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-store"},
};

static struct MHD_Response *dressed(struct MHD_Response *response, const char *type)
{
    if (response != NULL) {
        MHD_add_response_header(response, "Content-Type", type);
        for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
            MHD_add_response_header(response, headers[i][0], headers[i][1]);
        }
    }
    return response;
}

/* Gives the response away; a failure closes the connection. */
static enum MHD_Result queue(struct MHD_Connection *mhd, unsigned status,
                             struct MHD_Response *response)
{
    enum MHD_Result result = response != NULL ? MHD_queue_response(mhd, status, response) : MHD_NO;

    if (response != NULL) {
        MHD_destroy_response(response);
    }
    return result;
}

/* `text` is a literal: one line. The connection ends with it, for what follows may be no request. */
static enum MHD_Result refuse(struct yk_http *http, struct MHD_Connection *mhd, unsigned status,
                              const char *text)
{
    struct MHD_Response *response =
        dressed(MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text,
                                                MHD_RESPMEM_PERSISTENT),
                "text/plain; charset=utf-8");

    http->counts.refused_total++;
    if (response != NULL) {
        MHD_add_response_header(response, "Connection", "close");
        if (status == MHD_HTTP_METHOD_NOT_ALLOWED) {
            MHD_add_response_header(response, "Allow", "GET, HEAD");
        }
        if (status == MHD_HTTP_SERVICE_UNAVAILABLE) {
            MHD_add_response_header(response, "Retry-After", "2");
        }
    }
    return queue(mhd, status, response);
}

/* ---- documents */

struct held {
    struct yk_http *http;
    char *text;
    size_t size;
};

static void let_go(void *owner)
{
    struct held *held = owner;

    held->http->answers_bytes -= held->size;
    free(held->text);
    free(held);
}

static struct MHD_Response *hold(struct yk_http *http, char *text, size_t size)
{
    struct held *held = malloc(sizeof *held);
    struct MHD_Response *response;

    if (held == NULL) {
        free(text);
        return NULL;
    }
    *held = (struct held){http, text, size};
    http->answers_bytes += size;
    response = MHD_create_response_from_buffer_with_free_callback_cls(size, text, let_go, held);
    if (response == NULL) {
        let_go(held);
    }
    return response;
}

static bool is_fresh(const struct answer *answer, uint64_t now)
{
    uint64_t span = FRESH_COST * answer->cost;

    return answer->response != NULL && now - answer->made <= (span > FRESH ? span : FRESH);
}

static void drop(struct answer *answer)
{
    if (answer->response != NULL) {
        MHD_destroy_response(answer->response);
        answer->response = NULL;
    }
}

static bool begin_making(struct answer *answer)
{
    answer->making = (struct yk_http_making){.part = 0};
    answer->spent = 0;
    answer->failed = false;
    answer->out = open_memstream(&answer->text, &answer->size);
    return answer->out != NULL;
}

/* What was made becomes the answer, unless something went wrong. */
static void end_making(struct yk_http *http, struct answer *answer, bool good)
{
    good = ferror(answer->out) == 0 && good;
    good = fclose(answer->out) == 0 && good;
    answer->out = NULL;
    free(answer->making.memory);
    if (!good) {
        free(answer->text);
    } else {
        answer->response = dressed(hold(http, answer->text, answer->size), answer->document->type);
        answer->made = http_now();
        answer->cost = answer->spent;
    }
    answer->failed = answer->response == NULL;
}

/* Makes parts of it until the time is over. */
static void make_until(struct yk_http *http, struct answer *answer, uint64_t until)
{
    uint64_t start = http_now(), now = start;
    bool good = true;

    while (good && !answer->making.done && now < until) {
        good = answer->document->make(http->content.owner, answer->out, &answer->making);
        now = http_now();
    }
    answer->spent += now - start;
    if (!good || answer->making.done) {
        end_making(http, answer, good);
    }
}

bool answers_in_the_making(const struct yk_http *http)
{
    for (size_t i = 0; i < DOCUMENTS_MAX; i++) {
        if (http->answers[i].out != NULL) {
            return true;
        }
    }
    return false;
}

void answers_go_on(struct yk_http *http)
{
    for (size_t i = 0; i < DOCUMENTS_MAX; i++) {
        struct answer *answer = &http->answers[i];

        if (answer->out != NULL) {
            make_until(http, answer, http_now() + MAKE);
            if (answer->out == NULL) {
                connections_wake_waiting(http, answer);
            }
        }
    }
}

static enum MHD_Result answer_document(struct yk_http *http, struct MHD_Connection *mhd,
                                       struct answer *answer)
{
    static const char no_memory[] = "503: no memory for this; ask again in a moment\n";

    if (answer->failed) { /* it is told to those who waited; who comes next tries again */
        answer->failed = false;
        return refuse(http, mhd, MHD_HTTP_SERVICE_UNAVAILABLE, no_memory);
    }
    if (answer->out == NULL && !is_fresh(answer, http_now())) {
        drop(answer);
        if (http->answers_bytes > YK_HTTP_ANSWERS_BYTES) {
            return refuse(http, mhd, MHD_HTTP_SERVICE_UNAVAILABLE,
                          "503: too much is being read by others; ask again in a moment\n");
        }
        if (!begin_making(answer)) {
            return refuse(http, mhd, MHD_HTTP_SERVICE_UNAVAILABLE, no_memory);
        }
        make_until(http, answer, http_now() + MAKE);
    }
    if (answer->out != NULL) {
        connection_wait(connection_of(mhd), answer);
        return MHD_YES;
    }
    if (answer->response == NULL) {
        answer->failed = false;
        return refuse(http, mhd, MHD_HTTP_SERVICE_UNAVAILABLE, no_memory);
    }
    return MHD_queue_response(mhd, MHD_HTTP_OK, answer->response);
}

void answers_free(struct yk_http *http)
{
    for (size_t i = 0; i < DOCUMENTS_MAX; i++) {
        struct answer *answer = &http->answers[i];

        if (answer->out != NULL) {
            end_making(http, answer, false);
        }
        drop(answer);
    }
}

/* ---- the stream */

static enum MHD_Result answer_stream(struct yk_http *http, struct MHD_Connection *mhd, bool head)
{
    const char *after = MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, "Last-Event-ID");
    struct stream *stream = NULL;

    if (after == NULL) {
        after = MHD_lookup_connection_value(mhd, MHD_GET_ARGUMENT_KIND, "after");
    }
    if (!head) {
        if (http->counts.streams >= YK_HTTP_STREAMS_MAX) {
            return refuse(http, mhd, MHD_HTTP_SERVICE_UNAVAILABLE,
                          "503: others have all event streams open; close one\n");
        }
        stream = stream_begin(connection_of(mhd), after);
        if (stream == NULL) {
            return MHD_NO;
        }
    }
    return queue(mhd, MHD_HTTP_OK,
                 dressed(MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, YK_HTTP_MESSAGE_MAX,
                                                           stream_read, stream, NULL),
                         "text/event-stream; charset=utf-8"));
}

/* ---- requests */

/* A page of another site could make a browser look up its own name as our loopback address, and read
 * us with its scripts. It cannot do that with an address, nor with "localhost". */
static bool is_host_ours(struct MHD_Connection *mhd)
{
    const char *host = MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, "Host");
    char name[INET_ADDRSTRLEN];
    size_t size = host != NULL ? strcspn(host, ":") : 0;
    struct in_addr ip;

    if (host == NULL || host[0] == '[') { /* of HTTP/1.0; of IPv6 */
        return true;
    }
    if (size >= sizeof name) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        name[i] = (char)tolower((unsigned char)host[i]);
    }
    name[size] = '\0';
    return strcmp(name, "localhost") == 0 || inet_pton(AF_INET, name, &ip) == 1;
}

static bool has_body(struct MHD_Connection *mhd)
{
    const char *length = MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, "Content-Length");

    return MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, "Transfer-Encoding") != NULL ||
           (length != NULL && strcmp(length, "0") != 0);
}

static enum MHD_Result answer_path(struct yk_http *http, struct MHD_Connection *mhd,
                                   const char *path, bool head)
{
    const struct yk_http_content *content = &http->content;

    for (size_t i = 0; i < content->document_count; i++) {
        if (strcmp(path, content->documents[i].path) == 0) {
            return answer_document(http, mhd, &http->answers[i]);
        }
    }
    for (size_t i = 0; i < content->file_count; i++) {
        const struct yk_http_file *file = &content->files[i];

        if (strcmp(path, file->path) == 0) {
            return queue(mhd, MHD_HTTP_OK,
                         dressed(MHD_create_response_from_buffer((size_t)(file->end - file->bytes),
                                                                 (void *)(uintptr_t)file->bytes,
                                                                 MHD_RESPMEM_PERSISTENT),
                                 file->type));
        }
    }
    if (content->stream_path != NULL && strcmp(path, content->stream_path) == 0) {
        return answer_stream(http, mhd, head);
    }
    return refuse(http, mhd, MHD_HTTP_NOT_FOUND, "404: there is nothing of that name\n");
}

enum MHD_Result answer_request(void *owner, struct MHD_Connection *mhd, const char *url,
                               const char *method, const char *version, const char *upload,
                               size_t *upload_size, void **request)
{
    struct yk_http *http = owner;
    struct connection *connection = connection_of(mhd);
    bool head = strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
    static const char second_time = 0;

    (void)version;
    (void)upload;
    if (connection == NULL || connection->cut || http->closing) {
        return MHD_NO;
    }
    *upload_size = 0;
    if (*request != NULL) { /* an answer given the first time would end the connection */
        return answer_path(http, mhd, url, head);
    }
    *request = (void *)(uintptr_t)&second_time;
    connection->deadline = http_now() + DOCUMENT_LIMIT;
    http->counts.requests_total++;
    if (!head && strcmp(method, MHD_HTTP_METHOD_GET) != 0) {
        return refuse(http, mhd, MHD_HTTP_METHOD_NOT_ALLOWED,
                      "405: this is only to be read; use GET or HEAD\n");
    }
    if (has_body(mhd)) {
        return refuse(http, mhd, MHD_HTTP_CONTENT_TOO_LARGE,
                      "413: nothing is taken here; send no body\n");
    }
    if (yk_endpoint_is_loopback(&http->endpoint) && !is_host_ours(mhd)) {
        return refuse(http, mhd, MHD_HTTP_MISDIRECTED_REQUEST,
                      "421: here only localhost or an address is answered, no other name\n");
    }
    return MHD_YES;
}
