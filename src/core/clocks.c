#include "core/clocks.h"

#define FAR_MS (INT64_MAX / 4) /* what no clock says; stamps are clamped to it */

int64_t yk_clock_ahead(int64_t ts_ms, int64_t wall_ns)
{
    ts_ms = ts_ms > FAR_MS ? FAR_MS : ts_ms < -FAR_MS ? -FAR_MS : ts_ms;
    return ts_ms - wall_ns / (int64_t)YK_MS;
}

yk_time yk_clock_distance(int64_t ahead_ms)
{
    uint64_t ms = ahead_ms < 0 ? -(uint64_t)ahead_ms : (uint64_t)ahead_ms;

    return ms < UINT64_MAX / YK_MS ? ms * YK_MS : UINT64_MAX;
}

bool yk_clock_is_apart(int64_t ahead_ms)
{
    return yk_clock_distance(ahead_ms) > YK_CLOCK_APART;
}

static void insert(int64_t *sorted, unsigned count, int64_t value)
{
    for (; count > 0 && sorted[count - 1] > value; count--) {
        sorted[count] = sorted[count - 1];
    }
    sorted[count] = value;
}

void yk_clocks_compare(struct yk_clocks *clocks, const struct yk_peers *peers, yk_time since)
{
    int64_t sorted[YK_CLOCK_PEERS], low, high;
    const struct yk_peer *peer = NULL;
    unsigned count = 0;

    while (count < YK_CLOCK_PEERS && (peer = yk_peers_next_live(peers, peer)) != NULL &&
           peer->last_ann >= since) {
        if (peer->has_clock) {
            insert(sorted, count++, -peer->clock_ahead_ms);
        }
    }
    *clocks = (struct yk_clocks){.peers = count};
    if (count > 0) {
        low = sorted[(count - 1) / 2];
        high = sorted[count / 2];
        clocks->ahead_ms = yk_clock_distance(low) < yk_clock_distance(high) ? low : high;
    }
}

bool yk_clock_doubt_look(struct yk_clock_doubt *doubt, const struct yk_peers *peers, yk_time since,
                         yk_time now)
{
    bool before = doubt->said;
    struct yk_clocks clocks;

    yk_clocks_compare(&clocks, peers, since);
    if (clocks.peers == 0) {
        return false;
    }
    doubt->clocks = clocks;
    if (yk_clock_distance(clocks.ahead_ms) <= (before ? YK_CLOCK_LEVEL : YK_CLOCK_APART)) {
        doubt->since = YK_TIME_NEVER;
        doubt->said = false;
    } else if (!before) {
        doubt->since = now < doubt->since ? now : doubt->since;
        doubt->said = now - doubt->since >= YK_CLOCK_PATIENCE;
    }
    return doubt->said != before;
}
