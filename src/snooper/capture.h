/* capture.h - what was heard, in files that Wireshark and tcpdump share with us. Only the two files
 * behind this header know libpcap: on 32-bit systems its packet header depends on the size of the C
 * library's time, which is ours to choose for all others. */
#ifndef YK_SNOOPER_CAPTURE_H
#define YK_SNOOPER_CAPTURE_H

#include "base/refusal.h"
#include "core/admission.h"
#include "shell/socket.h"

/* The group and port that datagrams went to, or have to have gone to. */
struct yk_capture_group {
    uint8_t ip[4];
    uint16_t port; /* host order */
};

/* ---- writing */

struct yk_capture_writer;

/* Makes the file (mode 0600) with link type raw IP; an existing regular file is refused (73), a pipe
 * or terminal is written to. NULL and `why` when that fails. */
struct yk_capture_writer *yk_capture_create(const char *path, struct yk_capture_group group,
                                            struct yk_refusal *why);
/* Adds a datagram, heard at that Unix time, under headers made from what the socket knows (its UDP
 * checksum is 0: not computed). Errors show at the next yk_capture_flush. */
void yk_capture_add(struct yk_capture_writer *writer, const struct yk_datagram *datagram,
                    int64_t unix_ns);
/* Hands what was added to the kernel. False and `why` when it could not be written, from then on
 * always. */
YK_MUST_USE bool yk_capture_flush(struct yk_capture_writer *writer, struct yk_refusal *why);
/* How many datagrams were added. */
uint64_t yk_capture_written(const struct yk_capture_writer *writer);
/* Flushes, closes and frees; NULL is nothing. */
YK_MUST_USE bool yk_capture_finish(struct yk_capture_writer *writer, struct yk_refusal *why);
/* Closes, frees, and removes the file that yk_capture_create made: nothing came of it. */
void yk_capture_abandon(struct yk_capture_writer *writer);

/* ---- reading */

struct yk_capture_reader;

/* What a capture was made of, so far. */
struct yk_capture_counts {
    uint64_t packets;   /* all */
    uint64_t datagrams; /* to the group and port, whole: what yk_capture_next gives */
    uint64_t fragments; /* of datagrams to the group: skipped, no frame of ours needs any */
    uint64_t cut;       /* to the group, but captured in part: skipped */
};

/* One datagram; its bytes live until the next call. */
struct yk_captured {
    struct yk_datagram datagram;
    yk_time now; /* the capture's clock, never going back; it starts at a second */
    /* Unix time by the capture. `stepped`: its clock went back by a second or more, or this is the
     * first; `now` went on, so the observer needs the new relation of both. */
    struct yk_wall wall;
    bool stepped;
};

enum yk_capture_result {
    YK_CAPTURE_DATAGRAM = 1, /* one was read */
    YK_CAPTURE_END,          /* the file ends as it should */
    YK_CAPTURE_BROKEN        /* it does not: `why` says so; what came before it was given */
};

/* Opens a pcap or pcapng file, "-" being standard input: Ethernet (with VLAN tags), Linux cooked (v1
 * and v2) or raw IP. NULL and `why` (78) when it is not there or none of these. */
struct yk_capture_reader *yk_capture_open(const char *path, struct yk_capture_group group,
                                          struct yk_refusal *why);
/* The next datagram to the group. */
YK_MUST_USE enum yk_capture_result yk_capture_next(struct yk_capture_reader *reader,
                                                   struct yk_captured *captured,
                                                   struct yk_refusal *why);
const struct yk_capture_counts *yk_capture_counts(const struct yk_capture_reader *reader);
/* Closes and frees; NULL is nothing. */
void yk_capture_close(struct yk_capture_reader *reader);

#endif
