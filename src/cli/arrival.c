#include "cli/arrival.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/site.h"

/* Bound to the group and port beside whoever uses them, and joined to nothing: the kernel gives it what
 * others of this host joined. Never sends: it has no address to send to. */
static int open_ear(const uint8_t group[4], uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int yes = 1;

    memcpy(&address.sin_addr, group, 4);
    if (fd >= 0 && (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
                    bind(fd, (const struct sockaddr *)&address, sizeof address) != 0)) {
        int error = errno;

        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

static unsigned count_until(int fd, yk_time until)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    unsigned count = 0;
    yk_time now;

    while (count < YK_ARRIVAL_ENOUGH && (now = yk_site_now()) < until) {
        char byte;

        if (poll(&wait, 1, (int)((until - now) / YK_MS) + 1) > 0 && recv(fd, &byte, 1, 0) >= 0) {
            count++;
        }
    }
    return count;
}

void yk_arrival_look(struct yk_chain_facts *facts, const uint8_t group[4], uint16_t port,
                     char *cause, size_t capacity)
{
    yk_time start = yk_site_now();
    int fd = open_ear(group, port);

    if (fd < 0) {
        snprintf(cause, capacity, "its port cannot be listened to beside the stream process (%s)",
                 strerror(errno));
        facts->arrival = YK_ARRIVAL_UNKNOWN;
        facts->arrival_why = cause;
        return;
    }
    facts->arrived = count_until(fd, start + YK_ARRIVAL_TIME);
    facts->arrival_time = yk_site_now() - start;
    facts->arrival = facts->arrived > 0 ? YK_ARRIVAL_SOME : YK_ARRIVAL_NONE;
    close(fd);
}
