#include "snooper/media_print.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>

#include "cli/line.h"
#include "cli/say.h"
#include "snooper/face_json.h"
#include "snooper/words.h"

#define PLACE_MAX (INET_ADDRSTRLEN + 8)

const char *yk_stream_word(const struct yk_stream *stream)
{
    return stream->problem[0] != '\0' ? "unmeasured"
           : stream->meter.last == 0  ? "waiting"
           : stream->meter.silent     ? "silent"
                                      : "present";
}

static const char *group_words(char out[INET_ADDRSTRLEN], const struct yk_stream *stream)
{
    return inet_ntop(AF_INET, stream->target.group, out, INET_ADDRSTRLEN);
}

/* 1234567 as "1.2 M". */
static void add_scaled(char *out, size_t capacity, uint64_t value, const char *unit)
{
    static const char *const scales[] = {"", "k", "M", "G", "T"};
    size_t scale = 0;
    uint64_t tenths = 10 * value;

    for (; tenths >= 10000 && scale + 1 < sizeof scales / sizeof scales[0]; scale++) {
        tenths /= 1000;
    }
    if (scale == 0) {
        snprintf(out, capacity, "%" PRIu64 " %s", value, unit);
    } else {
        snprintf(out, capacity, "%" PRIu64 ".%" PRIu64 " %s%s", tenths / 10, tenths % 10,
                 scales[scale], unit);
    }
}

static uint64_t lost_of(const struct yk_stream *stream)
{
    return stream->lost + (stream->socket.fd >= 0 ? yk_stream_lost(&stream->socket) : 0);
}

/* "no gap" or "2 gaps (longest 1.2 s)", and what we lost ourselves. */
static void add_gaps(char *out, size_t capacity, const struct yk_stream *stream, yk_time now)
{
    const struct yk_meter *meter = &stream->meter;
    uint64_t lost = lost_of(stream);
    char longest[32];
    int used;

    if (meter->gaps == 0) {
        used = snprintf(out, capacity, "no gap");
    } else {
        used = snprintf(out, capacity, "%" PRIu64 " gap%s (longest %s)", meter->gaps,
                        meter->gaps > 1 ? "s" : "",
                        yk_duration(longest, yk_meter_longest(meter, now)));
    }
    if (lost > 0 && used > 0 && (size_t)used < capacity) {
        snprintf(out + used, capacity - (size_t)used, ", %" PRIu64 " not counted in time", lost);
    }
}

const char *yk_stream_rate_words(char out[160], const struct yk_stream *stream, yk_time now)
{
    char bits[32], gaps[96];

    add_scaled(bits, sizeof bits, stream->rates.bits, "b/s");
    add_gaps(gaps, sizeof gaps, stream, now);
    snprintf(out, 160, "%" PRIu64 " packets/s, %s, %s", stream->rates.packets, bits, gaps);
    return out;
}

const char *yk_stream_sum_words(char out[160], const struct yk_stream *stream, yk_time now)
{
    char bytes[32], gaps[96];

    add_scaled(bytes, sizeof bytes, stream->meter.bytes, "B");
    add_gaps(gaps, sizeof gaps, stream, now);
    snprintf(out, 160, "%" PRIu64 " packets, %s, %s", stream->meter.packets, bytes, gaps);
    return out;
}

static void print_json(const struct yk_stream *stream, struct yk_moment at, const char *what)
{
    const struct yk_meter *meter = &stream->meter;
    uint8_t bytes[YK_LINE_MAX];
    char group[INET_ADDRSTRLEN];
    struct yk_json_writer line;

    yk_line_open(&line, bytes, sizeof bytes, "media");
    yk_moment_json(&line, at);
    yk_line_word(&line, "what", what);
    yk_line_word(&line, "id", stream->id.text);
    yk_line_word(&line, "group", group_words(group, stream));
    if (stream->target.port != 0) {
        yk_line_unsigned(&line, "port", stream->target.port);
    } else {
        yk_line_null(&line, "port");
    }
    yk_line_word(&line, "state", yk_stream_word(stream));
    yk_line_unsigned(&line, "packets", meter->packets);
    yk_line_unsigned(&line, "bytes", meter->bytes);
    yk_line_unsigned(&line, "packets_per_second", stream->rates.packets);
    yk_line_unsigned(&line, "bits_per_second", stream->rates.bits);
    yk_line_unsigned(&line, "gaps", meter->gaps);
    yk_line_unsigned(&line, "longest_gap_ms", yk_meter_longest(meter, at.now) / YK_MS);
    yk_line_unsigned(&line, "not_counted", lost_of(stream));
    yk_line_word(&line, "problem", stream->problem);
    yk_line_close(&line, stdout);
}

void yk_stream_print(const struct yk_stream *stream, bool json, struct yk_moment at,
                     const char *what, const char *words)
{
    char clock[16], group[INET_ADDRSTRLEN], place[PLACE_MAX];

    if (json) {
        print_json(stream, at, what);
        return;
    }
    yk_clock_words(clock, at);
    snprintf(place, sizeof place, stream->target.port != 0 ? "%s:%u" : "%s",
             group_words(group, stream), stream->target.port);
    yk_print(stdout, "%s  %-16s  %-21s  %-10s  %s", clock, stream->id.text, place,
             yk_stream_word(stream), words);
}
