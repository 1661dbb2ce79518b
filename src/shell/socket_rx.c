/* The reading half of the control group's socket. */
#include <arpa/inet.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shell/socket.h"

#define TTL 1 /* spec, Transport */

static bool set(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof value) == 0;
}

/* What cannot be had beyond net.core.rmem_max without privilege is asked for within it. */
static int ask_for_buffer(int fd)
{
    int granted = 0;
    socklen_t size = sizeof granted;

    if (!set(fd, SOL_SOCKET, SO_RCVBUFFORCE, YK_SOCKET_BUFFER)) {
        set(fd, SOL_SOCKET, SO_RCVBUF, YK_SOCKET_BUFFER);
    }
    getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &granted, &size);
    return granted;
}

static bool prepare(int fd, const struct sockaddr_in *group)
{
    return set(fd, SOL_SOCKET, SO_REUSEADDR, 1) && set(fd, IPPROTO_IP, IP_MULTICAST_ALL, 0) &&
           set(fd, IPPROTO_IP, IP_MULTICAST_TTL, TTL) &&
           set(fd, IPPROTO_IP, IP_MULTICAST_LOOP, 1) && set(fd, SOL_SOCKET, SO_RXQ_OVFL, 1) &&
           bind(fd, (const struct sockaddr *)group, sizeof *group) == 0;
}

/* The kernel writes over what it was told. */
static void set_lengths(struct msghdr *message)
{
    message->msg_namelen = sizeof(struct sockaddr_in);
    message->msg_controllen = sizeof(((struct yk_socket_places *)0)->controls[0]);
}

static void make_places(struct yk_socket *socket_)
{
    struct yk_socket_places *places = &socket_->places;

    for (size_t i = 0; i < YK_SOCKET_BATCH; i++) {
        struct msghdr *message = &places->messages[i].msg_hdr;

        places->vectors[i] = (struct iovec){socket_->buffers[i], sizeof socket_->buffers[i]};
        *message = (struct msghdr){.msg_name = &places->from[i],
                                   .msg_iov = &places->vectors[i],
                                   .msg_iovlen = 1,
                                   .msg_control = &places->controls[i]};
        set_lengths(message);
    }
}

bool yk_socket_open(struct yk_socket *socket_, const struct yk_network *network,
                    struct yk_refusal *why)
{
    const uint8_t *ip = network->group;

    memset(socket_, 0, sizeof *socket_);
    socket_->group.sin_family = AF_INET;
    socket_->group.sin_port = htons(network->port);
    memcpy(&socket_->group.sin_addr, ip, sizeof network->group);
    socket_->fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (socket_->fd < 0 || !prepare(socket_->fd, &socket_->group)) {
        yk_refuse(why, YK_EXIT_INTERNAL,
                  "control group %u.%u.%u.%u port %u: cannot be opened: %s; another program may "
                  "hold the port alone (\"ss -ulnp\")",
                  ip[0], ip[1], ip[2], ip[3], network->port, strerror(errno));
        yk_socket_close(socket_);
        return false;
    }
    socket_->granted = ask_for_buffer(socket_->fd);
    make_places(socket_);
    return true;
}

void yk_socket_close(struct yk_socket *socket_)
{
    if (socket_->fd >= 0) {
        close(socket_->fd);
    }
    socket_->fd = -1;
    socket_->joined_ifindex = 0;
}

static struct ip_mreqn membership(const struct yk_socket *socket_, int ifindex,
                                  struct in_addr address)
{
    return (struct ip_mreqn){
        .imr_multiaddr = socket_->group.sin_addr, .imr_address = address, .imr_ifindex = ifindex};
}

bool yk_socket_join(struct yk_socket *socket_, int ifindex, struct in_addr address)
{
    struct ip_mreqn request;

    if (ifindex == 0 && !yk_interface_towards(socket_->group.sin_addr, &ifindex, &address)) {
        return false;
    }
    if (socket_->joined_ifindex == ifindex && socket_->joined_address.s_addr == address.s_addr) {
        return true;
    }
    yk_socket_leave(socket_);
    request = membership(socket_, ifindex, address);
    if (setsockopt(socket_->fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof request) != 0) {
        return false;
    }
    socket_->joined_ifindex = ifindex;
    socket_->joined_address = address;
    if (setsockopt(socket_->fd, IPPROTO_IP, IP_MULTICAST_IF, &request, sizeof request) != 0) {
        int error = errno;

        yk_socket_leave(socket_);
        errno = error;
        return false;
    }
    return true;
}

void yk_socket_leave(struct yk_socket *socket_)
{
    struct ip_mreqn request = membership(socket_, socket_->joined_ifindex, socket_->joined_address);

    if (socket_->joined_ifindex != 0) {
        /* It fails where the interface is gone, and with it the membership. */
        setsockopt(socket_->fd, IPPROTO_IP, IP_DROP_MEMBERSHIP, &request, sizeof request);
        socket_->joined_ifindex = 0;
    }
}

/* The kernel counts in 32 bits since the socket was opened. */
static void take_drops(struct yk_socket *socket_, struct msghdr *message)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_RXQ_OVFL) {
            uint32_t count;

            memcpy(&count, CMSG_DATA(c), sizeof count);
            socket_->kernel_drops += count - (uint32_t)socket_->kernel_drops;
        }
    }
}

size_t yk_socket_read(struct yk_socket *socket_)
{
    struct yk_socket_places *places = &socket_->places;
    int count;

    do {
        count = recvmmsg(socket_->fd, places->messages, YK_SOCKET_BATCH, MSG_DONTWAIT, NULL);
    } while (count < 0 && errno == EINTR);
    for (int i = 0; i < count; i++) {
        struct yk_datagram *datagram = &socket_->batch[i];
        struct mmsghdr *message = &places->messages[i];

        datagram->bytes = (struct yk_slice){socket_->buffers[i], message->msg_len};
        memcpy(datagram->from.ip, &places->from[i].sin_addr, sizeof datagram->from.ip);
        datagram->from.port = ntohs(places->from[i].sin_port);
        take_drops(socket_, &message->msg_hdr);
        set_lengths(&message->msg_hdr);
    }
    return count > 0 ? (size_t)count : 0;
}
