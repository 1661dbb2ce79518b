#include "snooper/silence.h"

#include <errno.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <seccomp.h>
#include <string.h>
#include <sys/socket.h>

bool yk_silence_mute(int fd)
{
    /* An unconnected socket says that it is not connected, and is shut down all the same. */
    return shutdown(fd, SHUT_WR) == 0 || errno == ENOTCONN;
}

#define REFUSE SCMP_ACT_ERRNO(EPERM)

static int refuse(scmp_filter_ctx filter, int call)
{
    return seccomp_rule_add(filter, REFUSE, call, 0);
}

/* When one argument, of 32 bits, compares so. */
static int refuse_if(scmp_filter_ctx filter, int call, unsigned argument, enum scmp_compare compare,
                     size_t value)
{
    struct scmp_arg_cmp condition = {.arg = argument, .op = compare, .datum_a = value};

    if (compare == SCMP_CMP_MASKED_EQ) {
        condition.datum_a = UINT32_MAX;
        condition.datum_b = value;
    }
    return seccomp_rule_add_array(filter, REFUSE, call, 1, &condition);
}

/* Sending to an address. The C library asks the kernel for its interfaces by a netlink socket, whose
 * addresses are shorter than any of the internet: those alone pass. */
static int refuse_sendto(scmp_filter_ctx filter, bool answers)
{
    const unsigned address_size = 5;
    size_t netlink = sizeof(struct sockaddr_nl);
    int error = refuse_if(filter, SCMP_SYS(sendto), address_size, SCMP_CMP_GT, netlink);

    if (error == 0 && !answers) {
        error = refuse_if(filter, SCMP_SYS(sendto), address_size, SCMP_CMP_LT, netlink);
    }
    return error;
}

/* A socket that is connected could be written to. The kernel takes an address with anything behind it, so
 * whatever is as long as one of the internet is refused, local names (a name service) too. */
static int refuse_connect(scmp_filter_ctx filter)
{
    return refuse_if(filter, SCMP_SYS(connect), 2, SCMP_CMP_GT, sizeof(struct sockaddr_nl));
}

/* Raw frames need neither an address family nor a port. */
static int refuse_raw(scmp_filter_ctx filter)
{
    static const size_t internet[] = {AF_INET, AF_INET6};
    int error = refuse_if(filter, SCMP_SYS(socket), 0, SCMP_CMP_MASKED_EQ, AF_PACKET);

    for (size_t i = 0; error == 0 && i < sizeof internet / sizeof internet[0]; i++) {
        struct scmp_arg_cmp conditions[] = {
            {.arg = 0, .op = SCMP_CMP_EQ, .datum_a = internet[i]},
            {.arg = 1, .op = SCMP_CMP_MASKED_EQ, .datum_a = 0xf, .datum_b = SOCK_RAW}};

        error = seccomp_rule_add_array(filter, REFUSE, SCMP_SYS(socket), 2, conditions);
    }
    return error;
}

static int add_rules(scmp_filter_ctx filter, bool answers)
{
    /* io_uring would send without any of these calls. */
    int error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(io_uring_setup), 0);

    error = error != 0 ? error : refuse(filter, SCMP_SYS(sendmmsg));
    error = error != 0 ? error : refuse_sendto(filter, answers);
    error = error != 0 ? error : refuse_connect(filter);
    error = error != 0 ? error : refuse_raw(filter);
    if (!answers) {
        error = error != 0 ? error : refuse(filter, SCMP_SYS(sendmsg));
        error = error != 0 ? error : refuse(filter, SCMP_SYS(sendfile));
    }
    return error;
}

bool yk_silence_seal(bool answers, struct yk_refusal *why)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    int error = filter == NULL ? -ENOMEM : add_rules(filter, answers);

    error = error != 0 ? error : seccomp_load(filter);
    seccomp_release(filter);
    if (error != 0) {
        return yk_refuse(why, YK_EXIT_INTERNAL,
                         "seccomp: the filter cannot be set: %s; use a kernel with "
                         "CONFIG_SECCOMP_FILTER",
                         strerror(-error));
    }
    return true;
}
