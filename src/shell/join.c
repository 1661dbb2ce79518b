#include "shell/join.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "shell/log.h"

static void say(struct yk_join *join, enum yk_log_level level, const char *text)
{
    if (strcmp(join->said, text) != 0) {
        memcpy(join->said, text, sizeof join->said);
        yk_log(level, "%s", text);
    }
}

static void say_waiting(struct yk_join *join, const char *cause)
{
    char text[YK_REFUSAL_MAX];

    snprintf(join->problem, sizeof join->problem, "%s", cause);
    snprintf(text, sizeof text, "%.*s; waiting", YK_REFUSAL_MAX - 16, cause);
    say(join, YK_LOG_WARNING, text);
}

static void say_joined(struct yk_join *join)
{
    char text[YK_REFUSAL_MAX] = "";
    char group[INET_ADDRSTRLEN], address[INET_ADDRSTRLEN], name[IF_NAMESIZE];

    inet_ntop(AF_INET, &join->socket->group.sin_addr, group, sizeof group);
    inet_ntop(AF_INET, &join->socket->joined_address, address, sizeof address);
    if (if_indextoname((unsigned)join->socket->joined_ifindex, name) == NULL) {
        return; /* gone this moment: netlink is about to say so */
    }
    join->problem[0] = 0;
    snprintf(text, sizeof text, "joined %s on %s (%s)", group, name, address);
    say(join, YK_LOG_INFO, text);
}

/* Joins where the interface is now; false and `why` when that cannot be. */
static bool join_now(struct yk_join *join, struct yk_refusal *why)
{
    struct yk_socket *socket = join->socket;
    int was_ifindex = socket->joined_ifindex, ifindex;
    struct in_addr address;

    if (!yk_interface_find(join->interface, &ifindex, &address, why)) {
        return false;
    }
    if (!yk_socket_join(socket, ifindex, address)) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "interface \"%s\": the group cannot be joined: %s; look at \"ip -4 route "
                         "get\" for the group and at \"ip -br address\"",
                         join->interface, strerror(errno));
    }
    if (socket->joined_ifindex != was_ifindex) {
        join->said[0] = 0; /* made anew under its old name: a change to be said */
        join->carrier_lost = false;
    }
    return true;
}

/* Nobody tells a switch that we listen when the cable is back, unless we join anew. */
static bool join_anew(struct yk_join *join, struct yk_refusal *why)
{
    yk_socket_leave(join->socket);
    return join_now(join, why);
}

static void look(struct yk_join *join)
{
    struct yk_refusal why;

    if (!join_now(join, &why)) {
        yk_socket_leave(join->socket);
        say_waiting(join, why.text);
        return;
    }
    if (!yk_interface_has_carrier(join->socket->joined_ifindex)) {
        /* It stays joined: other programs on this host are still heard. */
        join->carrier_lost = true;
        yk_refuse(&why, YK_EXIT_CONFIG,
                  "interface \"%s\": has no carrier; plug in its cable or switch on the other end",
                  join->interface);
        say_waiting(join, why.text);
        return;
    }
    join->returned |= join->carrier_lost || join->problem[0] != 0;
    if (join->carrier_lost) {
        join->carrier_lost = false;
        join->repeats = YK_JOIN_REPEATS;
        if (!join_anew(join, &why)) {
            say_waiting(join, why.text);
            return;
        }
    }
    say_joined(join);
}

/* A cable that was out and in again before we could look was out all the same. */
static void carrier_lost(void *owner, int ifindex)
{
    struct yk_join *join = owner;

    if (join->socket->joined_ifindex != 0 &&
        (ifindex == YK_WATCH_ANY || ifindex == join->socket->joined_ifindex)) {
        join->carrier_lost = true;
        if (join->problem[0] == 0) {
            join->said[0] = 0; /* a change to be said, whatever we find */
        }
    }
}

static void network_changed(void *owner)
{
    struct yk_join *join = owner;

    look(join);
    join->changed(join->owner);
}

/* What netlink does not say, like memory being there again. */
static void retry(uv_timer_t *timer)
{
    struct yk_join *join = timer->data;
    struct yk_refusal why;

    if (join->problem[0] == 0 && join->repeats > 0) {
        join->repeats--;
        if (join_anew(join, &why)) {
            return;
        }
        say_waiting(join, why.text);
    }
    if (join->problem[0] != 0) {
        look(join);
        if (join->problem[0] == 0) {
            join->changed(join->owner);
        }
    }
}

bool yk_join_open(struct yk_join *join, uv_loop_t *loop, struct yk_socket *socket,
                  const char *interface, void *owner, void (*changed)(void *owner),
                  struct yk_refusal *why)
{
    int error;

    memset(join, 0, sizeof *join);
    join->socket = socket;
    join->interface = interface;
    join->owner = owner;
    join->changed = changed;
    error = yk_watch_open(&join->watch, loop, join, carrier_lost, network_changed);
    if (error != 0) {
        return yk_refuse(why, YK_EXIT_INTERNAL,
                         "netlink: cannot be opened: %s; allow AF_NETLINK to this program",
                         uv_strerror(error));
    }
    uv_timer_init(loop, &join->retry);
    join->retry.data = join;
    uv_timer_start(&join->retry, retry, YK_JOIN_RETRY_MS, YK_JOIN_RETRY_MS);
    look(join);
    return true;
}

void yk_join_close(struct yk_join *join)
{
    yk_watch_close(&join->watch);
    uv_close((uv_handle_t *)&join->retry, NULL);
    yk_socket_leave(join->socket);
}
