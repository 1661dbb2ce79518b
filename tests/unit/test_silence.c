#include <errno.h>
#include <ifaddrs.h>
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/interface.h"
#include "lib/suite.h"
#include "snooper/silence.h"

/* A bound UDP socket on loopback, and its address. */
static int open_udp(struct sockaddr_in *address)
{
    socklen_t size = sizeof *address;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    *address =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)address, size), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)address, &size), 0);
    return fd;
}

static void seal(bool answers)
{
    struct yk_refusal why;

    ck_assert_msg(yk_silence_seal(answers, &why), "%s", why.text);
}

START_TEST(a_muted_socket_receives_and_cannot_send)
{
    struct sockaddr_in ours, theirs;
    int muted = open_udp(&ours), other = open_udp(&theirs);
    char byte;

    ck_assert(yk_silence_mute(muted));
    ck_assert_int_eq(sendto(muted, "x", 1, MSG_NOSIGNAL, (struct sockaddr *)&theirs, sizeof theirs),
                     -1);
    ck_assert_int_eq(errno, EPIPE);
    ck_assert_int_eq(sendto(other, "y", 1, 0, (struct sockaddr *)&ours, sizeof ours), 1);
    ck_assert_int_eq(recv(muted, &byte, 1, 0), 1);
    ck_assert_int_eq(byte, 'y');
}
END_TEST

START_TEST(what_is_no_socket_cannot_be_muted)
{
    ck_assert(!yk_silence_mute(-1));
}
END_TEST

START_TEST(a_sealed_process_cannot_send_a_datagram)
{
    struct sockaddr_in ours;
    int fd = open_udp(&ours);
    char byte = 'x';
    struct iovec part = {.iov_base = &byte, .iov_len = 1};
    struct mmsghdr message = {
        .msg_hdr = {
            .msg_name = &ours, .msg_namelen = sizeof ours, .msg_iov = &part, .msg_iovlen = 1}};

    seal(false);
    ck_assert_int_eq(sendto(fd, "x", 1, 0, (struct sockaddr *)&ours, sizeof ours), -1);
    ck_assert_int_eq(errno, EPERM);
    ck_assert_int_eq(send(fd, "x", 1, 0), -1);
    ck_assert_int_eq(errno, EPERM);
    ck_assert_int_eq(sendmsg(fd, &message.msg_hdr, 0), -1);
    ck_assert_int_eq(errno, EPERM);
    ck_assert_int_eq(sendmmsg(fd, &message, 1, 0), -1);
    ck_assert_int_eq(errno, EPERM);
    ck_assert_int_eq(sendfile(fd, fd, NULL, 1), -1);
    ck_assert_int_eq(errno, EPERM);
    /* An address as short as netlink's passes the filter, and is none of the internet. */
    ck_assert_int_eq(sendto(fd, "x", 1, 0, (struct sockaddr *)&ours, 12), -1);
    ck_assert_int_eq(errno, EINVAL);
}
END_TEST

START_TEST(a_sealed_process_cannot_connect_so_that_write_would_send)
{
    struct sockaddr_storage padded = {0};
    struct sockaddr_in ours;
    int fd = open_udp(&ours);

    memcpy(&padded, &ours, sizeof ours);
    seal(false);
    for (socklen_t size = sizeof ours; size <= sizeof padded; size++) {
        ck_assert_int_eq(connect(fd, (struct sockaddr *)&padded, size), -1);
        ck_assert_int_eq(errno, EPERM);
    }
    ck_assert_int_eq(write(fd, "x", 1), -1);
    ck_assert_int_eq(errno, EDESTADDRREQ);
}
END_TEST

START_TEST(a_sealed_process_gets_no_raw_socket_and_no_ring)
{
    seal(false);
    ck_assert_int_eq(socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL)), -1);
    ck_assert_int_eq(errno, EPERM);
    ck_assert_int_eq(socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_UDP), -1);
    ck_assert_int_eq(errno, EPERM);
    ck_assert_int_eq(syscall(SYS_io_uring_setup, 1, NULL), -1);
    ck_assert_int_eq(errno, ENOSYS);
}
END_TEST

START_TEST(a_sealed_process_still_finds_interfaces_and_routes)
{
    struct in_addr group = {htonl(0xef796f6b)}, address;
    struct ifaddrs *list;
    struct yk_refusal why;
    int ifindex;

    seal(false);
    ck_assert_int_eq(getifaddrs(&list), 0);
    freeifaddrs(list);
    ck_assert_msg(yk_interface_find("127.0.0.1", &ifindex, &address, &why), "%s", why.text);
    /* There may be no route; what must not be is a question that cannot be put. */
    ck_assert(yk_interface_towards(group, &ifindex, &address) || errno != EPERM);
}
END_TEST

START_TEST(who_serves_may_answer_but_not_address_anybody)
{
    struct sockaddr_in ours;
    int pair[2], fd = open_udp(&ours);

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    seal(true);
    ck_assert_int_eq(send(pair[0], "x", 1, 0), 1);
    ck_assert_int_eq(sendto(fd, "x", 1, 0, (struct sockaddr *)&ours, sizeof ours), -1);
    ck_assert_int_eq(errno, EPERM);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&ours, sizeof ours), -1);
    ck_assert_int_eq(errno, EPERM);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_muted_socket_receives_and_cannot_send,
        what_is_no_socket_cannot_be_muted,
        a_sealed_process_cannot_send_a_datagram,
        a_sealed_process_cannot_connect_so_that_write_would_send,
        a_sealed_process_gets_no_raw_socket_and_no_ring,
        a_sealed_process_still_finds_interfaces_and_routes,
        who_serves_may_answer_but_not_address_anybody,
        NULL,
    };

    return suite_main("silence", tests);
}
