/* stream_socket.h - a socket that counts the datagrams of one media group. It is shut down for
 * writing before its first read, and reads into a buffer of no bytes: payload never gets here. */
#ifndef YK_SNOOPER_STREAM_SOCKET_H
#define YK_SNOOPER_STREAM_SOCKET_H

#include <netinet/in.h>

#include "base/refusal.h"
#include "snooper/stream.h"

/* Groups joined at a time, each by a socket of its own (the kernel allows one socket 20). */
#define YK_STREAMS_MAX 64

/* Opens the sockets that only a privileged process gets, for groups without a port. To be called
 * before yk_silence_seal, which forbids them. Without the privilege there are none, and such groups
 * are refused later. */
void yk_stream_reserve(void);

struct yk_stream_socket {
    int fd; /* -1: closed */
    bool reserved;
    struct ip_mreqn membership;
};

/* Joins the group there (index 0: where the route to it leads). False and `why` (a cause and a next
 * step, without the thing) when it cannot. */
bool yk_stream_open(struct yk_stream_socket *socket, const struct yk_stream_target *target,
                    int ifindex, struct in_addr address, struct yk_refusal *why);
void yk_stream_close(struct yk_stream_socket *socket);

/* Takes what is there, but no more than one turn's share: datagrams, and bytes of UDP payload. */
void yk_stream_read(struct yk_stream_socket *socket, uint64_t *packets, uint64_t *bytes);
/* Datagrams that the kernel dropped here because we read too slowly. */
uint64_t yk_stream_lost(const struct yk_stream_socket *socket);

#endif
