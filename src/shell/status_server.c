#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/file.h"
#include "shell/status.h"

#define BACKLOG 16
#define SOCKET_UMASK 0117 /* mode 0660: the group may ask */

struct client {
    uv_pipe_t pipe;
    uv_timer_t limit;
    uv_write_t write;
    char *text; /* of jansson */
    struct yk_status *status;
    unsigned open_handles;
    bool closing;
};

struct yk_status {
    uv_pipe_t listener;
    struct client *clients[YK_STATUS_CLIENTS_MAX]; /* those that get an answer */
    unsigned open_clients;                         /* those turned away too, until closed */
    void *owner;
    json_t *(*describe)(void *owner);
    bool listening, closing;
    void (*closed)(void *owner);
};

/* The last of the listener and its clients to close ends the server. */
static void end_when_all_closed(struct yk_status *status)
{
    if (!status->closing || status->listening || status->open_clients > 0) {
        return;
    }
    if (status->closed != NULL) {
        status->closed(status->owner);
    }
    free(status);
}

static void client_closed(uv_handle_t *handle)
{
    struct client *client = handle->data;
    struct yk_status *status = client->status;

    if (--client->open_handles > 0) {
        return;
    }
    for (size_t i = 0; i < YK_STATUS_CLIENTS_MAX; i++) {
        if (status->clients[i] == client) {
            status->clients[i] = NULL;
        }
    }
    status->open_clients--;
    free(client->text);
    free(client);
    end_when_all_closed(status);
}

static void close_client(struct client *client)
{
    if (!client->closing) {
        client->closing = true;
        uv_close((uv_handle_t *)&client->pipe, client_closed);
        uv_close((uv_handle_t *)&client->limit, client_closed);
    }
}

static void too_slow(uv_timer_t *limit)
{
    close_client(limit->data);
}

static void written(uv_write_t *write, int error)
{
    (void)error;
    close_client(write->data);
}

static void answer(struct client *client)
{
    struct yk_status *status = client->status;
    json_t *object = status->describe(status->owner);
    uv_buf_t text;

    client->text = object == NULL ? NULL : json_dumps(object, JSON_COMPACT);
    json_decref(object);
    if (client->text == NULL) {
        close_client(client);
        return;
    }
    text = uv_buf_init(client->text, (unsigned)strlen(client->text));
    client->write.data = client;
    if (uv_write(&client->write, (uv_stream_t *)&client->pipe, &text, 1, written) != 0) {
        close_client(client);
    }
}

static struct client **free_place(struct yk_status *status)
{
    for (size_t i = 0; i < YK_STATUS_CLIENTS_MAX; i++) {
        if (status->clients[i] == NULL) {
            return &status->clients[i];
        }
    }
    return NULL;
}

/* libuv takes no further connection before this one is accepted, so one for which there is no place
 * is accepted and closed. */
static void connected(uv_stream_t *listener, int error)
{
    struct yk_status *status = listener->data;
    struct client **place = free_place(status);
    struct client *client = error != 0 ? NULL : calloc(1, sizeof *client);

    if (client == NULL) {
        return;
    }
    status->open_clients++;
    client->status = status;
    client->pipe.data = client->limit.data = client;
    client->open_handles = 2;
    uv_pipe_init(listener->loop, &client->pipe, 0);
    uv_timer_init(listener->loop, &client->limit);
    if (uv_accept(listener, (uv_stream_t *)&client->pipe) != 0 || place == NULL) {
        close_client(client);
        return;
    }
    *place = client;
    uv_timer_start(&client->limit, too_slow, YK_STATUS_CLIENT_MS, 0);
    answer(client);
}

static bool refuse(struct yk_refusal *why, const char *path, const char *cause)
{
    return yk_refuse(why, YK_EXIT_CANNOT_MAKE,
                     "status_socket %s: %s; free the path or set status_socket to another", path,
                     cause);
}

/* NULL when nobody listens on the socket file, else the reason why it is to be left alone. */
static const char *find_listener(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int error;

    if (fd < 0) {
        return strerror(errno);
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    error = connect(fd, (const struct sockaddr *)&address, sizeof address) == 0 ? 0 : errno;
    close(fd);
    if (error == 0 || error == EAGAIN) {
        return "another program serves it";
    }
    return error == ECONNREFUSED || error == ENOENT ? NULL : strerror(error);
}

/* A socket file that a killed agent left is removed; anything else stays. */
static bool clear_path(const char *path, struct yk_refusal *why)
{
    struct sockaddr_un address;
    struct stat facts;
    const char *cause;

    if (strlen(path) >= sizeof address.sun_path) {
        return refuse(why, path, "the path is too long for a socket");
    }
    if (lstat(path, &facts) != 0) {
        return errno == ENOENT || refuse(why, path, strerror(errno));
    }
    if (!S_ISSOCK(facts.st_mode)) {
        return refuse(why, path, "a file that is no socket is there");
    }
    cause = find_listener(path);
    if (cause != NULL) {
        return refuse(why, path, cause);
    }
    return unlink(path) == 0 || errno == ENOENT || refuse(why, path, strerror(errno));
}

/* libuv calls a directory that is not there a denied permission. */
static const char *cause_of(const char *path, int error)
{
    char directory[PATH_MAX];

    if (error == EACCES && yk_file_directory(path, directory, sizeof directory) &&
        access(directory, F_OK) != 0) {
        error = errno;
    }
    return strerror(error);
}

static bool listen_on(struct yk_status *status, const char *path, struct yk_refusal *why)
{
    mode_t before = umask(SOCKET_UMASK);
    int error = uv_pipe_bind(&status->listener, path);

    umask(before);
    if (error == 0) {
        error = uv_listen((uv_stream_t *)&status->listener, BACKLOG, connected);
    }
    return error == 0 || refuse(why, path, cause_of(path, -error));
}

static void listener_closed(uv_handle_t *listener)
{
    struct yk_status *status = listener->data;

    status->listening = false;
    end_when_all_closed(status);
}

struct yk_status *yk_status_open(uv_loop_t *loop, const char *path, void *owner,
                                 json_t *(*describe)(void *owner), struct yk_refusal *why)
{
    struct yk_status *status;

    if (!clear_path(path, why)) {
        return NULL;
    }
    status = calloc(1, sizeof *status);
    if (status == NULL || uv_pipe_init(loop, &status->listener, 0) != 0) {
        free(status);
        refuse(why, path, "out of memory");
        return NULL;
    }
    status->listener.data = status;
    status->owner = owner;
    status->describe = describe;
    status->listening = true;
    if (!listen_on(status, path, why)) {
        yk_status_close(status, NULL);
        return NULL;
    }
    return status;
}

void yk_status_close(struct yk_status *status, void (*closed)(void *owner))
{
    status->closing = true;
    status->closed = closed;
    for (size_t i = 0; i < YK_STATUS_CLIENTS_MAX; i++) {
        if (status->clients[i] != NULL) {
            close_client(status->clients[i]);
        }
    }
    /* libuv removes the socket file. */
    uv_close((uv_handle_t *)&status->listener, listener_closed);
}
