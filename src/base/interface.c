#include "base/interface.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* "eth0" for the label "eth0:1" as well. */
static _Bool is_on(const struct ifaddrs *entry, const char *name)
{
    size_t size = strlen(name);

    return strncmp(entry->ifa_name, name, size) == 0 &&
           (entry->ifa_name[size] == 0 || entry->ifa_name[size] == ':');
}

static _Bool is_ipv4(const struct ifaddrs *entry)
{
    return entry->ifa_addr != NULL && entry->ifa_addr->sa_family == AF_INET;
}

static struct in_addr address_of(const struct ifaddrs *entry)
{
    struct sockaddr_in address;

    memcpy(&address, entry->ifa_addr, sizeof address);
    return address.sin_addr;
}

/* The entry of an address, or the first IPv4 entry of a name. */
static const struct ifaddrs *find_entry(const struct ifaddrs *list, const char *interface)
{
    struct in_addr wanted;
    _Bool by_address = inet_pton(AF_INET, interface, &wanted) == 1;

    for (; list != NULL; list = list->ifa_next) {
        if (is_ipv4(list) &&
            (by_address ? address_of(list).s_addr == wanted.s_addr : is_on(list, interface))) {
            return list;
        }
    }
    return NULL;
}

static _Bool refuse_absent(const char *interface, struct yk_refusal *why)
{
    struct in_addr address;

    if (inet_pton(AF_INET, interface, &address) == 1) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "interface \"%s\": no interface of this host has that address; \"ip -br "
                         "address\" lists those there are",
                         interface);
    }
    if (if_nametoindex(interface) == 0) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "interface \"%s\": does not exist; \"ip -br link\" lists those there are",
                         interface);
    }
    return yk_refuse(why, YK_EXIT_CONFIG,
                     "interface \"%s\": has no IPv4 address; give it one (\"ip address add\")",
                     interface);
}

static _Bool take_entry(const struct ifaddrs *entry, const char *interface, int *ifindex,
                        struct in_addr *address, struct yk_refusal *why)
{
    if (entry == NULL) {
        return refuse_absent(interface, why);
    }
    if ((entry->ifa_flags & IFF_UP) == 0) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "interface \"%s\": is down; \"ip link set %s up\" takes it up", interface,
                         entry->ifa_name);
    }
    *ifindex = (int)if_nametoindex(entry->ifa_name);
    *address = address_of(entry);
    return *ifindex != 0 || refuse_absent(interface, why);
}

_Bool yk_interface_find(const char *interface, int *ifindex, struct in_addr *address,
                        struct yk_refusal *why)
{
    struct ifaddrs *list;
    _Bool found;

    if (strcmp(interface, YK_INTERFACE_ANY) == 0) {
        *ifindex = 0;
        address->s_addr = INADDR_ANY;
        return 1;
    }
    if (getifaddrs(&list) != 0) {
        return yk_refuse(why, YK_EXIT_CONFIG, "interface \"%s\": cannot be looked up: %s; wait",
                         interface, strerror(errno));
    }
    found = take_entry(find_entry(list, interface), interface, ifindex, address, why);
    freeifaddrs(list);
    return found;
}

/* What the kernel says of its route to a group. */
struct route {
    int ifindex;
    struct in_addr source; /* INADDR_ANY: it names none */
};

/* Puts the question; the kernel has queued its answer when this returns. A write does that on a
 * netlink socket, and the snooper, which has this object, refuses itself every call that sends. */
static _Bool ask_route(int fd, struct in_addr group)
{
    struct {
        struct nlmsghdr head;
        struct rtmsg route;
        struct rtattr attribute;
        struct in_addr group;
    } question = {
        .head = {.nlmsg_len = sizeof question,
                 .nlmsg_type = RTM_GETROUTE,
                 .nlmsg_flags = NLM_F_REQUEST},
        .route = {.rtm_family = AF_INET, .rtm_dst_len = 32},
        .attribute = {.rta_len = RTA_LENGTH(sizeof group), .rta_type = RTA_DST},
        .group = group,
    };

    return write(fd, &question, sizeof question) == sizeof question;
}

static void take_attribute(struct route *route, const struct rtattr *attribute)
{
    if (RTA_PAYLOAD(attribute) < sizeof(uint32_t)) {
        return;
    }
    if (attribute->rta_type == RTA_OIF) {
        memcpy(&route->ifindex, RTA_DATA(attribute), sizeof route->ifindex);
    } else if (attribute->rta_type == RTA_PREFSRC) {
        memcpy(&route->source, RTA_DATA(attribute), sizeof route->source);
    }
}

/* False and errno when the kernel knows no route. */
static _Bool read_route(int fd, struct route *route)
{
    union {
        struct nlmsghdr head;
        char bytes[4096];
    } answer;
    ssize_t size = recv(fd, &answer, sizeof answer, MSG_DONTWAIT);
    const struct rtattr *attribute;
    unsigned left;

    if (size < 0) {
        return 0;
    }
    if (!NLMSG_OK(&answer.head, (size_t)size)) {
        errno = EPROTO;
        return 0;
    }
    if (answer.head.nlmsg_type != RTM_NEWROUTE) {
        const struct nlmsgerr *refusal = NLMSG_DATA(&answer.head);

        errno = answer.head.nlmsg_type == NLMSG_ERROR ? -refusal->error : EPROTO;
        return 0;
    }
    attribute = RTM_RTA((const struct rtmsg *)NLMSG_DATA(&answer.head));
    left = RTM_PAYLOAD(&answer.head);
    for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
        take_attribute(route, attribute);
    }
    errno = ENODEV;
    return route->ifindex != 0;
}

/* Asked of the routing table, not by connecting a socket: loopback's address, for one, is no source
 * for it to choose, and an address may be another interface's. */
_Bool yk_interface_towards(struct in_addr group, int *ifindex, struct in_addr *address)
{
    struct route route = {0};
    char name[IF_NAMESIZE];
    struct yk_refusal why;
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    _Bool ok = fd >= 0 && ask_route(fd, group) && read_route(fd, &route);
    int error = errno;

    if (fd >= 0) {
        close(fd);
    }
    errno = error;
    if (!ok || if_indextoname((unsigned)route.ifindex, name) == NULL) {
        return 0;
    }
    if (!yk_interface_find(name, ifindex, address, &why)) {
        errno = EADDRNOTAVAIL;
        return 0;
    }
    if (route.source.s_addr != INADDR_ANY) {
        *address = route.source;
    }
    return 1;
}

_Bool yk_interface_has_carrier(int ifindex)
{
    struct ifreq request = {0};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    _Bool has;

    if (fd < 0) {
        return 0;
    }
    has = if_indextoname((unsigned)ifindex, request.ifr_name) != NULL &&
          ioctl(fd, SIOCGIFFLAGS, &request) == 0 && (request.ifr_flags & IFF_RUNNING) != 0;
    close(fd);
    return has;
}
