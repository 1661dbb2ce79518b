#include "scale/meter.h"

#include <string.h>

void meter_reset(struct meter *meter, yk_time now)
{
    memset(meter, 0, sizeof *meter);
    meter->since = now;
}

void meter_note(struct meter *meter, yk_time now, const struct yk_frame *frame, size_t size)
{
    uint64_t window = (now - meter->since) / METER_WINDOW;
    uint64_t bits = 8 * (size + METER_OVERHEAD);

    meter->frames[frame->type]++;
    meter->bits += bits;
    if (window < METER_WINDOWS_MAX) {
        meter->windows[window]++;
        meter->window_bits[window] += bits;
    }
}

uint64_t meter_frames(const struct meter *meter)
{
    uint64_t sum = 0;

    for (int type = 0; type < YK_TYPE_END; type++) {
        sum += meter->frames[type];
    }
    return sum;
}

static uint64_t last_window(yk_time to)
{
    uint64_t window = to / METER_WINDOW;

    return window < METER_WINDOWS_MAX ? window : METER_WINDOWS_MAX;
}

uint64_t meter_peak(const struct meter *meter, yk_time from, yk_time to)
{
    uint64_t most = 0;

    for (uint64_t i = from / METER_WINDOW; i < last_window(to); i++) {
        most = meter->windows[i] > most ? meter->windows[i] : most;
    }
    return most * YK_SECOND / METER_WINDOW;
}

uint64_t meter_peak_bits(const struct meter *meter, yk_time from, yk_time to)
{
    uint64_t most = 0;

    for (uint64_t i = from / METER_WINDOW; i < last_window(to); i++) {
        most = meter->window_bits[i] > most ? meter->window_bits[i] : most;
    }
    return most * YK_SECOND / METER_WINDOW;
}
