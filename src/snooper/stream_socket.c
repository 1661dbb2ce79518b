#include "snooper/stream_socket.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "snooper/silence.h"

#define BATCH 64       /* datagrams counted in one system call */
#define BATCHES_MAX 16 /* of one socket in one turn: the others wait */
#define BUFFER (1024 * 1024)
#define HEADERS 28 /* IPv4 and UDP, which a reserved socket counts too */
#define NO_GROUP \
    0xe0000000u /* 224.0.0.0, which nobody may send to: a reserved socket hears nothing */

static int reserve[YK_STREAMS_MAX];
static size_t reserve_count;

static bool set(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof value) == 0;
}

static bool bind_to(int fd, struct in_addr group, uint16_t port)
{
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = group};

    return bind(fd, (const struct sockaddr *)&place, sizeof place) == 0;
}

/* What beside the group is wanted of every one of them: silence, and nobody else's groups. */
static bool prepare(int fd)
{
    if (!set(fd, SOL_SOCKET, SO_RCVBUFFORCE, BUFFER)) {
        set(fd, SOL_SOCKET, SO_RCVBUF, BUFFER); /* as far as net.core.rmem_max goes */
    }
    return yk_silence_mute(fd) && set(fd, SOL_SOCKET, SO_REUSEADDR, 1) &&
           set(fd, IPPROTO_IP, IP_MULTICAST_ALL, 0);
}

void yk_stream_reserve(void)
{
    struct in_addr nothing = {htonl(NO_GROUP)};

    while (reserve_count < YK_STREAMS_MAX) {
        int fd = socket(AF_INET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_UDP);

        if (fd < 0) {
            return;
        }
        if (!prepare(fd) || !bind_to(fd, nothing, 0)) {
            close(fd);
            return;
        }
        reserve[reserve_count++] = fd;
    }
}

static bool take_reserved(struct yk_stream_socket *socket_, struct yk_refusal *why)
{
    if (reserve_count == 0) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "its media names no port, and counting any UDP to a group needs the "
                         "capability CAP_NET_RAW; run as root, or with it");
    }
    socket_->fd = reserve[--reserve_count];
    socket_->reserved = true;
    return true;
}

static bool open_plain(struct yk_stream_socket *socket_, struct yk_refusal *why)
{
    socket_->fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (socket_->fd < 0 || !prepare(socket_->fd)) {
        return yk_refuse(why, YK_EXIT_INTERNAL,
                         "no socket for it: %s; free descriptors (ulimit -n)", strerror(errno));
    }
    return true;
}

static bool join(struct yk_stream_socket *socket_, const struct yk_stream_target *target)
{
    memcpy(&socket_->membership.imr_multiaddr, target->group, sizeof target->group);
    return bind_to(socket_->fd, socket_->membership.imr_multiaddr, target->port) &&
           setsockopt(socket_->fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &socket_->membership,
                      sizeof socket_->membership) == 0;
}

bool yk_stream_open(struct yk_stream_socket *socket_, const struct yk_stream_target *target,
                    int ifindex, struct in_addr address, struct yk_refusal *why)
{
    *socket_ = (struct yk_stream_socket){
        .fd = -1, .membership = {.imr_address = address, .imr_ifindex = ifindex}};
    if (!(target->port == 0 ? take_reserved(socket_, why) : open_plain(socket_, why))) {
        yk_stream_close(socket_);
        return false;
    }
    if (!join(socket_, target)) {
        yk_refuse(why, YK_EXIT_CONFIG,
                  "the group cannot be joined: %s; look at the interface and at who holds the port "
                  "(ip -br address, ss -ulnp)",
                  strerror(errno));
        yk_stream_close(socket_);
        return false;
    }
    return true;
}

/* A reserved one could not be had again. False: it cannot be made to hear nothing. */
static bool give_back(struct yk_stream_socket *socket_)
{
    struct in_addr nothing = {htonl(NO_GROUP)};
    bool left = setsockopt(socket_->fd, IPPROTO_IP, IP_DROP_MEMBERSHIP, &socket_->membership,
                           sizeof socket_->membership) == 0 ||
                errno == EADDRNOTAVAIL; /* it never was in it */
    uint64_t packets, bytes;

    if (!left || !bind_to(socket_->fd, nothing, 0)) {
        return false;
    }
    do { /* what came for the former group */
        yk_stream_read(socket_, &packets, &bytes);
    } while (packets > 0);
    reserve[reserve_count++] = socket_->fd;
    return true;
}

void yk_stream_close(struct yk_stream_socket *socket_)
{
    if (socket_->fd >= 0 && !(socket_->reserved && give_back(socket_))) {
        close(socket_->fd);
    }
    *socket_ = (struct yk_stream_socket){.fd = -1};
}

void yk_stream_read(struct yk_stream_socket *socket_, uint64_t *packets, uint64_t *bytes)
{
    struct mmsghdr headers[BATCH];
    uint64_t around = socket_->reserved ? HEADERS : 0;

    *packets = *bytes = 0;
    for (int batch = 0; batch < BATCHES_MAX; batch++) {
        int count;

        memset(headers, 0, sizeof headers); /* no buffer at all: only lengths come */
        count = recvmmsg(socket_->fd, headers, BATCH, MSG_DONTWAIT | MSG_TRUNC, NULL);
        for (int i = 0; i < count; i++) {
            *packets += 1;
            *bytes += headers[i].msg_len > around ? headers[i].msg_len - around : 0;
        }
        if (count < BATCH) {
            return;
        }
    }
}

uint64_t yk_stream_lost(const struct yk_stream_socket *socket_)
{
    uint32_t memory[SK_MEMINFO_VARS] = {0};
    socklen_t size = sizeof memory;

    return getsockopt(socket_->fd, SOL_SOCKET, SO_MEMINFO, memory, &size) == 0
               ? memory[SK_MEMINFO_DROPS]
               : 0;
}
