#include "drivers/igmp/interface.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ANY_PORT 9 /* a route is looked up for it, nothing is sent */

static struct in_addr address_of(const struct ifaddrs *entry)
{
    struct sockaddr_in address;

    memcpy(&address, entry->ifa_addr, sizeof address);
    return address.sin_addr;
}

static bool is_ipv4(const struct ifaddrs *entry)
{
    return entry->ifa_addr != NULL && entry->ifa_addr->sa_family == AF_INET;
}

/* First entry of that name (NULL: any) with that address (NULL: any). */
static const struct ifaddrs *pick(const struct ifaddrs *list, const char *name,
                                  const struct in_addr *address)
{
    for (const struct ifaddrs *entry = list; entry != NULL; entry = entry->ifa_next) {
        if (is_ipv4(entry) && (name == NULL || strcmp(entry->ifa_name, name) == 0) &&
            (address == NULL || address_of(entry).s_addr == address->s_addr)) {
            return entry;
        }
    }
    return NULL;
}

static bool refuse_system(const char *what, struct yk_refusal *why)
{
    return yk_refuse(why, YK_EXIT_CONFIG, "%s: %s; it is tried again", what, strerror(errno));
}

/* Our address towards `group`, as the kernel's routes have it. */
static bool route_source(struct in_addr group, struct in_addr *source, struct yk_refusal *why)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(ANY_PORT), .sin_addr = group};
    struct sockaddr_in from = {.sin_family = AF_INET};
    socklen_t size = sizeof from;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool ok;

    if (fd < 0) {
        return refuse_system("socket", why);
    }
    ok = connect(fd, (struct sockaddr *)&to, sizeof to) == 0 &&
         getsockname(fd, (struct sockaddr *)&from, &size) == 0;
    close(fd);
    if (!ok) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "interface: no route to %s; set driver.interface to one of \"ip link\"",
                         inet_ntoa(group));
    }
    *source = from.sin_addr;
    return true;
}

static bool refuse_absent(const char *name, struct yk_refusal *why)
{
    if (if_nametoindex(name) != 0) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "interface %s: has no IPv4 address; give it one, or correct "
                         "driver.interface",
                         name);
    }
    return yk_refuse(why, YK_EXIT_CONFIG,
                     "interface %s: does not exist; plug it in, or set driver.interface to one of "
                     "\"ip link\"",
                     name);
}

static bool refuse_down(const char *name, struct yk_refusal *why)
{
    return yk_refuse(why, YK_EXIT_CONFIG, "interface %s: is down; ip link set %s up", name, name);
}

static bool take(struct yk_igmp_interface *found, const struct ifaddrs *entry,
                 struct yk_refusal *why)
{
    memset(found, 0, sizeof *found);
    snprintf(found->name, sizeof found->name, "%s", entry->ifa_name);
    found->index = if_nametoindex(entry->ifa_name);
    found->address = address_of(entry);
    if (found->index == 0) {
        return refuse_absent(found->name, why); /* it went meanwhile */
    }
    return (entry->ifa_flags & IFF_UP) != 0 || refuse_down(found->name, why);
}

bool yk_igmp_interface_find(struct yk_igmp_interface *found, const char *wanted,
                            struct in_addr group, struct yk_refusal *why)
{
    struct in_addr address;
    bool by_address = wanted[0] == 0 || inet_pton(AF_INET, wanted, &address) == 1;
    const struct ifaddrs *entry;
    struct ifaddrs *list;
    bool ok;

    if (wanted[0] == 0 && !route_source(group, &address, why)) {
        return false;
    }
    if (getifaddrs(&list) != 0) {
        return refuse_system("list of interfaces", why);
    }
    entry = by_address ? pick(list, NULL, &address) : pick(list, wanted, NULL);
    if (entry != NULL) {
        ok = take(found, entry, why);
    } else if (by_address) {
        ok = yk_refuse(why, YK_EXIT_CONFIG,
                       "interface %s: no interface has this address; give it to one, or correct "
                       "driver.interface",
                       inet_ntoa(address));
    } else {
        ok = refuse_absent(wanted, why);
    }
    freeifaddrs(list);
    return ok;
}

/* False when its entry says that it cannot be used. */
static bool judge_entry(const struct yk_igmp_interface *interface, const struct ifaddrs *entry,
                        bool *carrier, struct yk_refusal *why)
{
    const char *name = interface->name;

    if (entry == NULL) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "interface %s: has no longer the address %s; its present one is taken",
                         name, inet_ntoa(interface->address));
    }
    *carrier = (entry->ifa_flags & IFF_RUNNING) != 0;
    return (entry->ifa_flags & IFF_UP) != 0 || refuse_down(name, why);
}

bool yk_igmp_interface_holds(const struct yk_igmp_interface *interface, bool *carrier,
                             struct yk_refusal *why)
{
    unsigned index = if_nametoindex(interface->name);
    struct ifaddrs *list;
    bool ok;

    *carrier = false;
    if (index == 0) {
        return refuse_absent(interface->name, why);
    }
    if (index != interface->index) {
        return yk_refuse(why, YK_EXIT_CONFIG, "interface %s: was made anew; it is joined again",
                         interface->name);
    }
    if (getifaddrs(&list) != 0) {
        return refuse_system("list of interfaces", why);
    }
    ok = judge_entry(interface, pick(list, interface->name, &interface->address), carrier, why);
    freeifaddrs(list);
    return ok;
}
