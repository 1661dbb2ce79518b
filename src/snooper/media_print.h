/* media_print.h - what is known of a stream, as a line for people or for programs. */
#ifndef YK_SNOOPER_MEDIA_PRINT_H
#define YK_SNOOPER_MEDIA_PRINT_H

#include "snooper/snoop.h"
#include "snooper/stream_socket.h"

/* One producer whose stream is measured. */
struct yk_stream {
    struct yk_id id; /* "none": the place is free */
    struct yk_stream_target target;
    struct yk_stream_socket socket;
    struct yk_meter meter;
    struct yk_meter_rates rates;  /* of the last report */
    uint64_t lost;                /* on the sockets it had before */
    char problem[YK_REFUSAL_MAX]; /* why it is not measured; "": it is */
};

/* The word of a state: "waiting", "present", "silent" or "unmeasured". */
const char *yk_stream_word(const struct yk_stream *stream);

/* What happened, or "rate" for a report without an event, and in words. With `json` one object on one
 * line. */
void yk_stream_print(const struct yk_stream *stream, bool json, struct yk_moment at,
                     const char *what, const char *words);
/* "200 packets/s, 1.6 Mb/s, 2 gaps (longest 1.2 s)". `out` has 160 bytes and is given back. */
const char *yk_stream_rate_words(char out[160], const struct yk_stream *stream, yk_time now);
/* The same since the measuring began: "812 packets, 0.8 MB, no gap". */
const char *yk_stream_sum_words(char out[160], const struct yk_stream *stream, yk_time now);

#endif
