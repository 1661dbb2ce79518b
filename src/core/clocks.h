/* clocks.h - this host's wall clock against those of the peers, who stamp their frames. Only words come
 * of it: a stamp is for people (spec, Frame envelope), and changes no state. */
#ifndef YK_CORE_CLOCKS_H
#define YK_CORE_CLOCKS_H

#include "core/peers.h"

#define YK_CLOCK_APART (60 * YK_SECOND) /* further apart is worth a word ... */
#define YK_CLOCK_LEVEL (30 * YK_SECOND) /* ... and is over when nearer than this */
/* It has to last that long: frames that waited for a stopped program are old, and no clock is wrong. */
#define YK_CLOCK_PATIENCE YK_PEER_TIMEOUT
#define YK_CLOCK_PEERS 31 /* of these live peers, the last heard, the median is taken */

/* How far a stamp is ahead of a wall clock, milliseconds. */
int64_t yk_clock_ahead(int64_t ts_ms, int64_t wall_ns);

/* The same without its sign, nanoseconds; and whether it is worth a word. */
yk_time yk_clock_distance(int64_t ahead_ms);
bool yk_clock_is_apart(int64_t ahead_ms);

struct yk_clocks {
    unsigned peers; /* compared with; 0: none, and nothing is known */
    int64_t
        ahead_ms; /* our clock less theirs: the median of them, and of two in the middle the nearer */
};
/* Compares with the live peers heard at `since` or later, when our clock was last set. Of three or more
 * one alone cannot make us wrong; of two only both. */
void yk_clocks_compare(struct yk_clocks *clocks, const struct yk_peers *peers, yk_time since);

/* What is said of it. */
struct yk_clock_doubt {
    struct yk_clocks clocks; /* as compared last, where there was somebody */
    yk_time since;           /* apart since then; YK_TIME_NEVER: not */
    bool said;
};
/* Compares again. True when `said` changed. */
bool yk_clock_doubt_look(struct yk_clock_doubt *doubt, const struct yk_peers *peers, yk_time since,
                         yk_time now);

#endif
