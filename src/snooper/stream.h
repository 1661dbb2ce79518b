/* stream.h - a producer's multicast stream as a listener may know it: where it goes, and how much of
 * it comes, never what is in it. Pure: no I/O, no clock, no heap. */
#ifndef YK_SNOOPER_STREAM_H
#define YK_SNOOPER_STREAM_H

#include "core/types.h"

/* Silence longer than this is a gap: a decoder that buffers less shows it. */
#define YK_STREAM_GAP (500 * YK_MS)

struct yk_stream_target {
    uint8_t group[4];
    uint16_t port; /* 0: the media names none, any UDP to the group counts */
};

enum yk_stream_media {
    YK_STREAM_NO_GROUP = 1, /* null, or media that is no multicast stream */
    YK_STREAM_UNFIT,        /* it names what nobody should join, or no port where one is due */
    YK_STREAM_GROUP
};

/* Reads announced media (canonical JSON, which may be hostile; size 0 is null): {"group", "port"} of
 * igmp, {"channel", "group"} of jap. Not to be joined: what is no multicast address, 224.0.0.0/24 and
 * the `control` group. */
enum yk_stream_media yk_stream_target_read(struct yk_stream_target *target, struct yk_slice media,
                                           const uint8_t control[4]);
bool yk_stream_target_equal(const struct yk_stream_target *a, const struct yk_stream_target *b);

/* What came of one stream. Zeroed is "nothing came yet". */
struct yk_meter {
    uint64_t packets, bytes; /* since the measuring began */
    yk_time last;            /* when the last packet came; 0: none came */
    bool silent;             /* a gap is on */
    uint64_t gaps;           /* begun so far */
    yk_time longest;         /* of the gaps that are over */
    yk_time window_since;    /* what the rates are of */
    uint64_t window_packets, window_bytes;
};

enum yk_meter_change {
    YK_METER_SAME,
    YK_METER_STARTED, /* the first packet */
    YK_METER_RESUMED, /* the first one behind a gap */
    YK_METER_SILENT   /* a gap begins */
};

struct yk_meter_rates {
    uint64_t packets, bits; /* a second */
};

/* So many packets came at once. `gap`: how long the silence was that YK_METER_RESUMED ends. */
enum yk_meter_change yk_meter_count(struct yk_meter *meter, uint64_t packets, uint64_t bytes,
                                    yk_time now, yk_time *gap);
/* Time passed. */
enum yk_meter_change yk_meter_pass(struct yk_meter *meter, yk_time now);
/* When yk_meter_pass has work. */
yk_time yk_meter_deadline(const struct yk_meter *meter);
/* The rates since the last call (or window_since); a new window begins. */
struct yk_meter_rates yk_meter_take_rates(struct yk_meter *meter, yk_time now);
/* The longest gap, the one that is on included; 0: there was none. */
yk_time yk_meter_longest(const struct yk_meter *meter, yk_time now);

#endif
