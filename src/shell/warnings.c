#include "shell/warnings.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/build.h"
#include "base/duration.h"

void yk_warning_clock_ahead(char out[YK_WARNING_MAX])
{
    snprintf(out, YK_WARNING_MAX,
             "this node's numbers are over an hour ahead of the clock, so others drop its frames; "
             "set the clocks right (after a wrong date that was in the future: wait, or commission "
             "this node anew)");
}

void yk_warning_clocks(char out[YK_WARNING_MAX], const struct yk_clocks *clocks)
{
    const char *where = clocks->ahead_ms > 0 ? "ahead of" : "behind";
    char apart[YK_DURATION_MAX];

    yk_duration(apart, yk_clock_distance(clocks->ahead_ms));
    if (clocks->peers == 1) {
        snprintf(out, YK_WARNING_MAX,
                 "clocks differ: this host's is %s %s that of the one node heard; set the one that "
                 "is wrong (\"timedatectl\" on both)",
                 apart, where);
    } else {
        snprintf(out, YK_WARNING_MAX,
                 "this host's clock is %s %s the clocks of the %u nodes heard last; set it "
                 "(\"timedatectl\")",
                 apart, where, clocks->peers);
    }
}

void yk_warning_id_conflict(char out[YK_WARNING_MAX], const struct yk_node_view *view)
{
    const uint8_t *ip = view->conflict_from.ip;

    snprintf(out, YK_WARNING_MAX,
             "id conflict: %u.%u.%u.%u port %u sends under the id %s too; give one of them another "
             "id",
             ip[0], ip[1], ip[2], ip[3], view->conflict_from.port, view->options->id.text);
}

void yk_warning_two_senders(char out[YK_WARNING_MAX], const struct yk_peer *peer)
{
    const uint8_t *a = peer->place.former.ip, *b = peer->place.latest.ip;

    snprintf(
        out, YK_WARNING_MAX,
        "two senders use the id %s, at %u.%u.%u.%u and %u.%u.%u.%u; give one of them another id",
        peer->entry.id.text, a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]);
}

bool yk_warning_deaf(char out[YK_WARNING_MAX], const struct yk_node_view *view,
                     const struct yk_auth *auth)
{
    uint64_t unverified = view->drops[YK_DROP_AUTH],
             stale = view->drops[YK_DROP_STALE] - view->stale_own;
    uint64_t foreign = view->drops[YK_DROP_VERSION];

    if (view->peers->table.count > 0 || unverified + stale + foreign == 0) {
        return false;
    }
    if (unverified > 0 && !auth->key.set) {
        snprintf(out, YK_WARNING_MAX,
                 "nobody was heard so far: the site has a key (%" PRIu64
                 " signed frames were dropped); set "
                 "psk_file to the site's key",
                 unverified);
    } else if (unverified > 0) {
        snprintf(out, YK_WARNING_MAX,
                 "nobody was heard so far: the site has another key (%" PRIu64
                 " frames that key %s does not "
                 "verify were dropped); give this node the site's (psk_file)",
                 unverified, auth->key.fingerprint);
    } else if (stale > 0) {
        snprintf(out, YK_WARNING_MAX,
                 "nobody was heard so far: this host's clock is behind (%" PRIu64
                 " frames from over an hour "
                 "ahead of it were dropped); set the clock",
                 stale);
    } else {
        snprintf(
            out, YK_WARNING_MAX,
            "nobody was heard so far: the others speak another version of the protocol (%" PRIu64
            " frames were dropped); look for an update of yoke",
            foreign);
    }
    return true;
}

bool yk_warning_alone(char out[YK_WARNING_MAX], const struct yk_node_view *view, yk_time up)
{
    uint64_t drops = 0;

    for (int drop = YK_DROP_NONE + 1; drop < YK_DROP_END; drop++) {
        drops += view->drops[drop];
    }
    if (view->peers->table.count > 0 || drops > 0 || up < YK_ALONE_AFTER) {
        return false;
    }
    snprintf(
        out, YK_WARNING_MAX,
        "nobody was heard so far, nothing at all came in: no other agent runs on this network, or "
        "it does not pass multicast on; look with \"yoke snoop\" here and there, at interface, "
        "switch and firewall");
    return true;
}

bool yk_warning_clock_wrong(char out[YK_WARNING_MAX], int64_t wall_ns)
{
    time_t seconds = (time_t)(wall_ns / (int64_t)YK_SECOND);
    char date[32] = "?";
    struct tm utc;

    if (seconds >= yk_build_time) {
        return false;
    }
    if (gmtime_r(&seconds, &utc) != NULL) {
        strftime(date, sizeof date, "%Y-%m-%d", &utc);
    }
    snprintf(
        out, YK_WARNING_MAX,
        "this host's clock says %s, which is before this program was made; set it, or this node "
        "hears nobody whose clock is right",
        date);
    return true;
}
