/* socket.h - the control group's UDP socket. The reading half (socket_rx.c) and the sending half
 * (socket_tx.c) are two objects: a program that must not transmit does not link the second. */
#ifndef YK_SHELL_SOCKET_H
#define YK_SHELL_SOCKET_H

#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

#include "base/interface.h"
#include "base/refusal.h"
#include "core/types.h"
#include "shell/config.h"

#define YK_SOCKET_BATCH 64                 /* datagrams read in one system call */
#define YK_SOCKET_BUFFER (4 * 1024 * 1024) /* receive buffer asked for, bytes */

struct yk_datagram {
    struct yk_slice bytes; /* 1201 bytes stand for "more than a frame" */
    struct yk_address from;
};

/* Where the kernel puts a batch: set up once, for on a quiet network that is more work than a datagram. */
struct yk_socket_places {
    struct mmsghdr messages[YK_SOCKET_BATCH];
    struct iovec vectors[YK_SOCKET_BATCH];
    struct sockaddr_in from[YK_SOCKET_BATCH];
    struct {
        _Alignas(max_align_t) char bytes[CMSG_SPACE(sizeof(uint32_t))];
    } controls[YK_SOCKET_BATCH];
};

/* Stays where it is from yk_socket_open to yk_socket_close. */
struct yk_socket {
    int fd;                /* -1: closed */
    int granted;           /* receive buffer, bytes, as the kernel says */
    uint64_t kernel_drops; /* datagrams the kernel dropped on this socket, as it last said */
    struct sockaddr_in group;
    int joined_ifindex; /* 0: not joined */
    struct in_addr joined_address;
    struct yk_datagram batch[YK_SOCKET_BATCH];
    struct yk_socket_places places;
    uint8_t buffers[YK_SOCKET_BATCH][YK_FRAME_MAX + 1];
};

/* Opens the socket, bound to the group's address and port, without joining: non-blocking,
 * close-on-exec, address reuse, IP_MULTICAST_ALL off, TTL 1, loop on. */
bool yk_socket_open(struct yk_socket *socket, const struct yk_network *network,
                    struct yk_refusal *why);
void yk_socket_close(struct yk_socket *socket);

/* Joins the group there (index 0: where the route to the group leads) and sends from there; leaves a
 * former one. False when the kernel says no (errno is set). Joining where it is joined already
 * renews nothing and is true. */
bool yk_socket_join(struct yk_socket *socket, int ifindex, struct in_addr address);
void yk_socket_leave(struct yk_socket *socket);

/* Reads up to YK_SOCKET_BATCH datagrams into `batch`; how many, 0 when there is none. */
size_t yk_socket_read(struct yk_socket *socket);

/* The sending half: one datagram to the group. 0, or the errno; ENETDOWN while not joined. */
int yk_socket_send(struct yk_socket *socket, struct yk_slice bytes);

#endif
