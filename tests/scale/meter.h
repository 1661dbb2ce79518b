/* meter.h - what was on the air: frames and bits, by type and by tenth of a second. */
#ifndef YK_SCALE_METER_H
#define YK_SCALE_METER_H

#include "core/frame.h"

#define METER_WINDOW (100 * YK_MS)
#define METER_WINDOWS_MAX 4096

/* Preamble, Ethernet header and check, gap, IPv4, UDP: what a frame costs a cable beside itself. */
#define METER_OVERHEAD (8 + 14 + 4 + 12 + 20 + 8)

struct meter {
    yk_time since;
    uint64_t frames[YK_TYPE_END];
    uint64_t bits;
    uint32_t windows[METER_WINDOWS_MAX]; /* frames sent */
    uint64_t window_bits[METER_WINDOWS_MAX];
};

/* Counts from now on. */
void meter_reset(struct meter *meter, yk_time now);
void meter_note(struct meter *meter, yk_time now, const struct yk_frame *frame, size_t size);
uint64_t meter_frames(const struct meter *meter);
/* The highest of the windows from `from` to `to`, both behind the reset; as frames, or bits, a second. */
uint64_t meter_peak(const struct meter *meter, yk_time from, yk_time to);
uint64_t meter_peak_bits(const struct meter *meter, yk_time from, yk_time to);

#endif
