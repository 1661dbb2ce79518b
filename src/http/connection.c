/* Who is connected, and for how long. libmicrohttpd's own time-outs know only silence: who sends a
 * byte now and then would stay for ever. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "http/internal.h"

static void end_stream(struct connection *connection)
{
    if (connection->stream != NULL) {
        free(connection->stream);
        connection->stream = NULL;
        connection->http->counts.streams--;
    }
}

static uint64_t request_deadline(const struct yk_http *http)
{
    bool is_crowded = http->counts.connections * 4 > http->connections_max * 3;

    return http_now() + (is_crowded ? CROWDED_LIMIT : REQUEST_LIMIT);
}

void connection_notified(void *owner, struct MHD_Connection *mhd, void **place,
                         enum MHD_ConnectionNotificationCode code)
{
    struct yk_http *http = owner;
    struct connection *connection = *place;

    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (connection != NULL) {
            end_stream(connection);
            memset(connection, 0, sizeof *connection);
            http->counts.connections--;
        }
        return;
    }
    for (size_t i = 0; i < YK_HTTP_CONNECTIONS_MAX && *place == NULL; i++) {
        connection = &http->connections[i];
        if (connection->mhd == NULL) {
            *connection =
                (struct connection){.http = http, .mhd = mhd, .deadline = request_deadline(http)};
            *place = connection;
            http->counts.connections++;
            http->counts.connections_total++;
        }
    }
}

struct connection *connection_of(struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info != NULL ? info->socket_context : NULL;
}

void connection_request_over(void *owner, struct MHD_Connection *mhd, void **request,
                             enum MHD_RequestTerminationCode code)
{
    struct connection *connection = connection_of(mhd);

    (void)request;
    (void)code;
    if (connection != NULL) {
        connection->deadline = request_deadline(owner);
        end_stream(connection);
    }
}

static void resume(struct connection *connection)
{
    connection->suspended = false;
    connection->waits = NULL;
    MHD_resume_connection(connection->mhd);
}

/* The library sees the end of what it reads, and of what it may write, and closes. */
static void cut(struct connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection->mhd, MHD_CONNECTION_INFO_CONNECTION_FD);

    if (info != NULL) {
        shutdown(info->connect_fd, SHUT_RDWR);
    }
    connection->cut = true;
    connection->deadline = NEVER;
    connection->http->counts.cut_total++;
    if (connection->suspended) {
        resume(connection);
    }
}

void connections_expire(struct yk_http *http, uint64_t now)
{
    for (size_t i = 0; i < YK_HTTP_CONNECTIONS_MAX; i++) {
        struct connection *connection = &http->connections[i];

        if (connection->mhd != NULL && connection->deadline <= now) {
            cut(connection);
        }
    }
}

uint64_t connections_due(const struct yk_http *http)
{
    uint64_t due = NEVER;

    for (size_t i = 0; i < YK_HTTP_CONNECTIONS_MAX; i++) {
        const struct connection *connection = &http->connections[i];

        if (connection->mhd != NULL && connection->deadline < due) {
            due = connection->deadline;
        }
    }
    return due;
}

static void suspend(struct connection *connection)
{
    connection->suspended = true;
    MHD_suspend_connection(connection->mhd);
}

void connections_wake_streams(struct yk_http *http, uint64_t now)
{
    for (size_t i = 0; i < YK_HTTP_CONNECTIONS_MAX; i++) {
        struct connection *connection = &http->connections[i];

        if (connection->suspended && connection->stream != NULL) {
            connection->deadline = now + STREAM_LIMIT;
            resume(connection);
        }
    }
}

void connections_wake_waiting(struct yk_http *http, const struct answer *answer)
{
    for (size_t i = 0; i < YK_HTTP_CONNECTIONS_MAX; i++) {
        struct connection *connection = &http->connections[i];

        if (connection->waits != NULL && (answer == NULL || connection->waits == answer)) {
            resume(connection);
        }
    }
}

void connection_wait(struct connection *connection, struct answer *answer)
{
    connection->waits = answer;
    suspend(connection);
}

struct stream *stream_begin(struct connection *connection, const char *after)
{
    const struct yk_http_content *content = &connection->http->content;
    struct stream *stream = calloc(1, sizeof *stream);

    if (stream != NULL) {
        stream->connection = connection;
        content->stream_begin(content->owner, &stream->cursor, after);
        connection->stream = stream;
        connection->deadline = http_now() + STREAM_LIMIT;
        connection->http->counts.streams++;
    }
    return stream;
}

ssize_t stream_read(void *owner, uint64_t at, char *out, size_t room)
{
    struct stream *stream = owner; /* NULL only where no body is sent (HEAD) */
    struct connection *connection = stream->connection;
    struct yk_http *http = connection->http;
    size_t part;

    (void)at;
    if (connection->cut || http->closing) {
        return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    if (stream->taken == stream->size) {
        stream->taken = 0;
        stream->size =
            http->content.stream_read(http->content.owner, &stream->cursor, stream->message);
    }
    if (stream->size == 0) {
        connection->deadline = NEVER; /* it is we who have nothing to say */
        suspend(connection);
        return 0;
    }
    connection->deadline = http_now() + STREAM_LIMIT;
    part = stream->size - stream->taken;
    part = part < room ? part : room;
    memcpy(out, stream->message + stream->taken, part);
    stream->taken += part;
    return (ssize_t)part;
}
