#include "shell/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/suite.h"

/* On the loopback interface alone, with a group and port that nothing else uses. */
#define GROUP "239.255.77.13"

static struct yk_socket rx, tx;
static struct yk_network network;
static struct yk_refusal why;
static int loopback;
static struct in_addr address;

static void set_network(void)
{
    network = YK_NETWORK_DEFAULT;
    ck_assert(yk_network_set_group(&network, GROUP, "group", &why));
    ck_assert(yk_network_set_port(&network, 20000 + getpid() % 20000, "port", &why));
    ck_assert_msg(yk_interface_find("127.0.0.1", &loopback, &address, &why), "%s", why.text);
}

static void open_both(void)
{
    set_network();
    ck_assert_msg(yk_socket_open(&rx, &network, &why), "%s", why.text);
    ck_assert_msg(yk_socket_open(&tx, &network, &why), "%s", why.text);
    ck_assert_msg(yk_socket_join(&rx, loopback, address), "%s", strerror(errno));
    ck_assert_msg(yk_socket_join(&tx, loopback, address), "%s", strerror(errno));
}

static void send_bytes(const void *data, size_t size)
{
    ck_assert_int_eq(yk_socket_send(&tx, (struct yk_slice){data, size}), 0);
}

static int option(int level, int name)
{
    int value = -1;
    socklen_t size = sizeof value;

    ck_assert_int_eq(getsockopt(rx.fd, level, name, &value, &size), 0);
    return value;
}

START_TEST(ttl_is_1_loopback_enabled_and_other_groups_unheard)
{
    open_both();
    ck_assert_int_eq(option(IPPROTO_IP, IP_MULTICAST_TTL), 1);
    ck_assert_int_eq(option(IPPROTO_IP, IP_MULTICAST_LOOP), 1);
    ck_assert_int_eq(option(IPPROTO_IP, IP_MULTICAST_ALL), 0);
    ck_assert_int_eq(option(SOL_SOCKET, SO_RXQ_OVFL), 1);
    ck_assert_int_gt(rx.granted, 0);
}
END_TEST

START_TEST(the_socket_is_bound_to_group_and_port)
{
    struct sockaddr_in bound;
    socklen_t size = sizeof bound;

    open_both();
    ck_assert_int_eq(getsockname(rx.fd, (struct sockaddr *)&bound, &size), 0);
    ck_assert_uint_eq(bound.sin_addr.s_addr, inet_addr(GROUP));
    ck_assert_uint_eq(ntohs(bound.sin_port), network.port);
}
END_TEST

START_TEST(two_on_one_host_hear_each_other_and_themselves)
{
    open_both();
    send_bytes("hello", 5);
    ck_assert_uint_eq(yk_socket_read(&rx), 1);
    ck_assert_uint_eq(rx.batch[0].bytes.size, 5);
    ck_assert_mem_eq(rx.batch[0].bytes.data, "hello", 5);
    ck_assert_mem_eq(rx.batch[0].from.ip, "\x7f\0\0\1", 4);
    ck_assert_uint_eq(rx.batch[0].from.port, network.port);
    ck_assert_uint_eq(yk_socket_read(&tx), 1);
    ck_assert_uint_eq(yk_socket_read(&rx), 0);
}
END_TEST

START_TEST(a_batch_is_bounded_and_in_order)
{
    uint8_t number;

    open_both();
    for (number = 0; number < YK_SOCKET_BATCH + 10; number++) {
        send_bytes(&number, 1);
    }
    ck_assert_uint_eq(yk_socket_read(&rx), YK_SOCKET_BATCH);
    for (size_t i = 0; i < YK_SOCKET_BATCH; i++) {
        ck_assert_uint_eq(rx.batch[i].bytes.data[0], i);
    }
    ck_assert_uint_eq(yk_socket_read(&rx), 10);
    ck_assert_uint_eq(rx.batch[9].bytes.data[0], YK_SOCKET_BATCH + 9);
}
END_TEST

START_TEST(empty_and_oversize_datagrams_are_seen_as_such)
{
    uint8_t large[YK_FRAME_MAX + 500] = {0};

    open_both();
    send_bytes(large, 0);
    send_bytes(large, YK_FRAME_MAX);
    send_bytes(large, sizeof large);
    ck_assert_uint_eq(yk_socket_read(&rx), 3);
    ck_assert_uint_eq(rx.batch[0].bytes.size, 0);
    ck_assert_uint_eq(rx.batch[1].bytes.size, YK_FRAME_MAX);
    ck_assert_uint_eq(rx.batch[2].bytes.size, YK_FRAME_MAX + 1);
}
END_TEST

START_TEST(what_the_kernel_drops_is_counted)
{
    int small = 4096;
    uint8_t bytes[1000] = {0};
    size_t read = 0, got;

    open_both();
    ck_assert_int_eq(setsockopt(rx.fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small), 0);
    for (int i = 0; i < 50; i++) {
        send_bytes(bytes, sizeof bytes);
    }
    while ((got = yk_socket_read(&rx)) > 0) {
        read += got;
    }
    ck_assert_uint_lt(read, 50);
    send_bytes(bytes, 1); /* the count comes with a later datagram */
    ck_assert_uint_eq(yk_socket_read(&rx), 1);
    ck_assert_uint_eq(rx.kernel_drops, 50 - read);
}
END_TEST

START_TEST(nothing_is_sent_or_heard_before_the_join)
{
    set_network();
    ck_assert(yk_socket_open(&rx, &network, &why));
    ck_assert(yk_socket_open(&tx, &network, &why));
    ck_assert_int_eq(yk_socket_send(&tx, yk_slice_of("x")), ENETDOWN);
    ck_assert(yk_socket_join(&tx, loopback, address));
    send_bytes("x", 1);
    ck_assert_uint_eq(yk_socket_read(&rx), 0);
    ck_assert(yk_socket_join(&rx, loopback, address));
    send_bytes("y", 1);
    ck_assert_uint_eq(yk_socket_read(&rx), 1);
    yk_socket_leave(&rx);
    send_bytes("z", 1);
    ck_assert_uint_eq(yk_socket_read(&rx), 0);
}
END_TEST

START_TEST(joining_again_where_it_is_joined_is_true)
{
    open_both();
    ck_assert(yk_socket_join(&rx, loopback, address));
    yk_socket_leave(&rx);
    yk_socket_leave(&rx);
    ck_assert_int_eq(rx.joined_ifindex, 0);
    ck_assert(yk_socket_join(&rx, loopback, address));
    send_bytes("x", 1);
    ck_assert_uint_eq(yk_socket_read(&rx), 1);
}
END_TEST

START_TEST(joining_an_interface_that_is_gone_fails)
{
    open_both();
    ck_assert(!yk_socket_join(&rx, 1000000, address));
    ck_assert_int_eq(rx.joined_ifindex, 0);
}
END_TEST

START_TEST(an_interface_is_found_by_name_and_by_address)
{
    char name[IF_NAMESIZE];
    int by_name;
    struct in_addr first;

    set_network();
    ck_assert_ptr_nonnull(if_indextoname((unsigned)loopback, name));
    ck_assert_msg(yk_interface_find(name, &by_name, &first, &why), "%s", why.text);
    ck_assert_int_eq(by_name, loopback);
    ck_assert(yk_interface_has_carrier(loopback));
    ck_assert(yk_interface_find("0.0.0.0", &by_name, &first, &why));
    ck_assert_int_eq(by_name, 0);
}
END_TEST

START_TEST(an_interface_that_is_not_there_is_named)
{
    int index;

    ck_assert(!yk_interface_find("yk-none", &index, &address, &why));
    ck_assert_int_eq(strncmp(why.text, "interface \"yk-none\": does not exist; ", 37), 0);
    ck_assert(!yk_interface_find("192.0.2.77", &index, &address, &why));
    ck_assert_ptr_nonnull(strstr(why.text, "interface \"192.0.2.77\": no interface"));
    ck_assert(!yk_interface_has_carrier(1000000));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        ttl_is_1_loopback_enabled_and_other_groups_unheard,
        the_socket_is_bound_to_group_and_port,
        two_on_one_host_hear_each_other_and_themselves,
        a_batch_is_bounded_and_in_order,
        empty_and_oversize_datagrams_are_seen_as_such,
        what_the_kernel_drops_is_counted,
        nothing_is_sent_or_heard_before_the_join,
        joining_again_where_it_is_joined_is_true,
        joining_an_interface_that_is_gone_fails,
        an_interface_is_found_by_name_and_by_address,
        an_interface_that_is_not_there_is_named,
        NULL,
    };

    return suite_main("socket", tests);
}
