#include "shell/querier.h"

#include <errno.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/interface.h"

#define IGMP_QUERY 0x11 /* RFC 3376, 4.1 */
#define V3_QUERY_MIN 12 /* bytes of a query of version 3; earlier ones have 8 */
#define EARLIER_QUERY 8
#define READS_MAX 16 /* packets taken at once; the rest wakes the loop again */

/* Reports of the whole network may come by: the kernel keeps everything but queries. */
static bool hear_queries_only(int fd)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0), /* the length of the IP header */
        BPF_STMT(BPF_LD | BPF_B | BPF_IND, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IGMP_QUERY, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    struct sock_fprog filter = {.len = sizeof code / sizeof *code, .filter = code};

    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0;
}

int yk_querier_version(const uint8_t *packet, size_t size)
{
    size_t head = size > 0 ? (size_t)(packet[0] & 15) * 4 : 0;

    if (head < sizeof(uint32_t) * 5 || size < head + EARLIER_QUERY || packet[head] != IGMP_QUERY) {
        return 0;
    }
    if (size >= head + V3_QUERY_MIN) {
        return 3;
    }
    return packet[head + 1] == 0 ? 1 : 2;
}

static void note(struct yk_querier *querier, int ifindex, const struct sockaddr_in *from,
                 int version)
{
    struct yk_query *query = &querier->queries[0];

    for (size_t i = 0; i < YK_QUERIERS_MAX; i++) {
        struct yk_query *other = &querier->queries[i];

        if (other->ifindex == ifindex) {
            query = other;
            break;
        }
        if (other->at < query->at) {
            query = other;
        }
    }
    *query = (struct yk_query){.ifindex = ifindex, .version = version, .at = uv_hrtime()};
    memcpy(query->from, &from->sin_addr, sizeof query->from);
}

static int interface_of(struct msghdr *message)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
            struct in_pktinfo info;

            memcpy(&info, CMSG_DATA(c), sizeof info);
            return info.ipi_ifindex;
        }
    }
    return 0;
}

static void readable(uv_poll_t *poll, int status, int events)
{
    struct yk_querier *querier = poll->data;
    _Alignas(max_align_t) char control[CMSG_SPACE(sizeof(struct in_pktinfo))];
    uint8_t packet[128]; /* header with options, and what tells the versions apart */
    struct sockaddr_in from;

    (void)status;
    (void)events;
    for (int i = 0; i < READS_MAX; i++) {
        struct iovec place = {packet, sizeof packet};
        struct msghdr message = {.msg_name = &from,
                                 .msg_namelen = sizeof from,
                                 .msg_iov = &place,
                                 .msg_iovlen = 1,
                                 .msg_control = control,
                                 .msg_controllen = sizeof control};
        ssize_t size = recvmsg(querier->fd, &message, MSG_DONTWAIT);
        int version = size > 0 ? yk_querier_version(packet, (size_t)size) : 0;
        int ifindex = interface_of(&message);

        if (size < 0) {
            break;
        }
        if (version != 0 && ifindex != 0) {
            note(querier, ifindex, &from, version);
        }
    }
}

static bool open_ear(struct yk_querier *querier, uv_loop_t *loop)
{
    int yes = 1;

    querier->fd = socket(AF_INET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_IGMP);
    if (querier->fd < 0) {
        return false;
    }
    shutdown(querier->fd, SHUT_WR); /* refused as "not connected", and in force all the same */
    if (!hear_queries_only(querier->fd) ||
        setsockopt(querier->fd, IPPROTO_IP, IP_PKTINFO, &yes, sizeof yes) != 0 ||
        uv_poll_init(loop, &querier->poll, querier->fd) != 0) {
        int error = errno;

        close(querier->fd);
        querier->fd = -1;
        errno = error;
        return false;
    }
    querier->poll.data = querier;
    return uv_poll_start(&querier->poll, UV_READABLE, readable) == 0;
}

void yk_querier_open(struct yk_querier *querier, uv_loop_t *loop, const struct yk_config *config)
{
    const json_t *driver = json_object_get(config->document, "driver");
    const char *interface = json_string_value(json_object_get(driver, "interface"));

    querier->media_interface = interface != NULL ? interface : config->network.interface;
    querier->since = uv_hrtime();
    if (!open_ear(querier, loop)) {
        querier->error = errno;
    }
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}

void yk_querier_close(struct yk_querier *querier)
{
    if (querier->fd >= 0) {
        uv_close((uv_handle_t *)&querier->poll, NULL);
        close(querier->fd);
        querier->fd = -1;
    }
}

static const struct yk_query *query_on(const struct yk_querier *querier, int ifindex)
{
    for (size_t i = 0; i < YK_QUERIERS_MAX; i++) {
        if (ifindex != 0 && querier->queries[i].ifindex == ifindex) {
            return &querier->queries[i];
        }
    }
    return NULL;
}

json_t *yk_querier_describe(const struct yk_querier *querier, int control_ifindex, yk_time now)
{
    const struct yk_query *query;
    char name[IF_NAMESIZE] = "", address[16];
    struct in_addr ignored;
    struct yk_refusal why;
    int ifindex = 0;
    json_t *heard = json_null();

    if (yk_interface_find(querier->media_interface, &ifindex, &ignored, &why) && ifindex == 0) {
        ifindex = control_ifindex; /* the kernel's choice, for the streams too */
    }
    query = query_on(querier, ifindex);
    if (query != NULL) {
        snprintf(address, sizeof address, "%u.%u.%u.%u", query->from[0], query->from[1],
                 query->from[2], query->from[3]);
        heard = json_pack("{s:s,s:i,s:I}", "address", address, "version", query->version, "age_ms",
                          (json_int_t)((now - query->at) / YK_MS));
    }
    return json_pack(
        "{s:s,s:o,s:I,s:o}", "interface",
        ifindex != 0 && if_indextoname((unsigned)ifindex, name) != NULL ? name
                                                                        : querier->media_interface,
        "unheard", querier->fd < 0 ? json_string(strerror(querier->error)) : json_null(),
        "listened_ms", (json_int_t)((now - querier->since) / YK_MS), "heard", heard);
}
