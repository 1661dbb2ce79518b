#include "base/duration.h"

#include <inttypes.h>
#include <stdio.h>

const char *yk_duration(char *out, uint64_t nanoseconds)
{
    uint64_t ms = nanoseconds / 1000000, seconds = ms / 1000, hours = seconds / 3600;

    if (seconds < 1) {
        snprintf(out, YK_DURATION_MAX, "%" PRIu64 " ms", ms);
    } else if (seconds < 10) {
        snprintf(out, YK_DURATION_MAX, "%" PRIu64 ".%" PRIu64 " s", seconds, ms / 100 % 10);
    } else if (seconds < 120) {
        snprintf(out, YK_DURATION_MAX, "%" PRIu64 " s", seconds);
    } else if (hours < 2) {
        snprintf(out, YK_DURATION_MAX, "%" PRIu64 " min", seconds / 60);
    } else if (hours < 72) {
        snprintf(out, YK_DURATION_MAX, "%" PRIu64 " h", hours);
    } else {
        snprintf(out, YK_DURATION_MAX, "%" PRIu64 " days", hours / 24);
    }
    return out;
}
