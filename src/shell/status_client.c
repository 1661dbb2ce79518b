#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "shell/status.h"

#define FIRST_BYTES (64 * 1024) /* read at first; doubled as needed */

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd;

    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        int error = errno == EAGAIN ? EBUSY : errno; /* its queue is full */

        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

static bool wait_readable(int fd, int64_t deadline_ms)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    int64_t left_ms;
    int ready;

    do {
        left_ms = deadline_ms - now_ms();
        ready = left_ms <= 0 ? 0 : poll(&wait, 1, (int)left_ms);
    } while (ready < 0 && errno == EINTR);
    return ready > 0;
}

/* More room; false at the bound or without memory. */
static bool grow(char **text, size_t *capacity)
{
    size_t more = *capacity == 0 ? FIRST_BYTES : *capacity * 2;
    char *larger = more > YK_STATUS_BYTES_MAX ? NULL : realloc(*text, more);

    if (larger == NULL) {
        return false;
    }
    *text = larger;
    *capacity = more;
    return true;
}

/* All up to the end of the stream. */
static bool read_all(int fd, int64_t deadline_ms, char **text, size_t *size)
{
    size_t capacity = 0;

    for (;;) {
        ssize_t got;

        if (*size == capacity && !grow(text, &capacity)) {
            return false;
        }
        got = read(fd, *text + *size, capacity - *size);
        if (got == 0) {
            return true;
        }
        if (got > 0) {
            *size += (size_t)got;
        } else if (errno != EINTR && (errno != EAGAIN || !wait_readable(fd, deadline_ms))) {
            return false;
        }
    }
}

static bool is_status(const json_t *object)
{
    const char *type = json_string_value(json_object_get(object, "type"));

    return json_integer_value(json_object_get(object, "v")) == 1 && type != NULL &&
           strcmp(type, "status") == 0;
}

json_t *yk_status_ask(const char *path, int timeout_ms)
{
    int64_t deadline_ms = now_ms() + timeout_ms;
    char *text = NULL;
    size_t size = 0;
    json_t *object = NULL;
    int fd = connect_to(path);

    bool read_whole, busy;

    if (fd < 0) {
        return NULL;
    }
    read_whole = read_all(fd, deadline_ms, &text, &size);
    busy = read_whole && size == 0;
    if (read_whole && !busy) {
        object = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    }
    free(text);
    close(fd);
    if (object != NULL && !is_status(object)) {
        json_decref(object);
        object = NULL;
    }
    errno = busy ? EBUSY : 0;
    return object;
}
