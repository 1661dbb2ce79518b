#include "drivers/igmp/interface.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "base/interface.h"

static bool refuse_no_route(struct in_addr group, struct yk_refusal *why)
{
    return yk_refuse(why, YK_EXIT_CONFIG,
                     "interface: no route to %s (%s); set driver.interface to one of \"ip link\"",
                     inet_ntoa(group), strerror(errno));
}

bool yk_igmp_interface_find(struct yk_igmp_interface *found, const char *wanted,
                            struct in_addr group, struct yk_refusal *why)
{
    int index;

    memset(found, 0, sizeof *found);
    if (wanted[0] == 0) {
        if (!yk_interface_towards(group, &index, &found->address)) {
            return refuse_no_route(group, why);
        }
    } else if (!yk_interface_find(wanted, &index, &found->address, why)) {
        return false;
    }
    if (if_indextoname((unsigned)index, found->name) == NULL) {
        return yk_refuse(why, YK_EXIT_CONFIG, "interface \"%s\": went away; it is tried again",
                         wanted);
    }
    found->index = (unsigned)index;
    return true;
}

bool yk_igmp_interface_holds(const struct yk_igmp_interface *interface, struct yk_refusal *why)
{
    unsigned index = if_nametoindex(interface->name);
    char text[INET_ADDRSTRLEN];
    struct in_addr address;
    int owner;

    if (index == 0) {
        return yk_refuse(why, YK_EXIT_CONFIG, "interface \"%s\": is gone; it is waited for",
                         interface->name);
    }
    if (index != interface->index) {
        return yk_refuse(why, YK_EXIT_CONFIG, "interface \"%s\": was made anew; it is joined again",
                         interface->name);
    }
    inet_ntop(AF_INET, &interface->address, text, sizeof text);
    return yk_interface_find(text, &owner, &address, why) &&
           ((unsigned)owner == index ||
            yk_refuse(why, YK_EXIT_CONFIG,
                      "interface \"%s\": %s is another one's now; it is joined "
                      "again",
                      interface->name, text));
}
