/* The sending half of the control group's socket: an object a silent program does not link. */
#include <errno.h>
#include <sys/socket.h>

#include "shell/socket.h"

int yk_socket_send(struct yk_socket *socket_, struct yk_slice bytes)
{
    struct iovec place = {(void *)(uintptr_t)bytes.data, bytes.size};
    struct msghdr message = {.msg_name = &socket_->group,
                             .msg_namelen = sizeof socket_->group,
                             .msg_iov = &place,
                             .msg_iovlen = 1};
    ssize_t sent;

    if (socket_->joined_ifindex == 0) {
        return ENETDOWN;
    }
    do {
        sent = sendmsg(socket_->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? errno : 0;
}
