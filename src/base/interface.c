#include "base/interface.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define ROUTE_PORT 9 /* any: connecting asks for a route and sends nothing */

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

_Bool yk_interface_towards(struct in_addr group, int *ifindex, struct in_addr *address)
{
    struct sockaddr_in there = {
        .sin_family = AF_INET, .sin_port = htons(ROUTE_PORT), .sin_addr = group};
    struct sockaddr_in here;
    socklen_t size = sizeof here;
    char text[INET_ADDRSTRLEN];
    struct yk_refusal why;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    _Bool ok = fd >= 0 && connect(fd, (struct sockaddr *)&there, sizeof there) == 0 &&
               getsockname(fd, (struct sockaddr *)&here, &size) == 0;
    int error = errno;

    if (fd >= 0) {
        close(fd);
    }
    errno = error;
    if (!ok) {
        return 0;
    }
    inet_ntop(AF_INET, &here.sin_addr, text, sizeof text);
    if (!yk_interface_find(text, ifindex, address, &why) || *ifindex == 0) {
        errno = ENODEV;
        return 0;
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
