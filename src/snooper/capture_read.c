/* Reading captures. A packet is foreign until its headers say otherwise: each layer checks that
 * what it reads was captured. */
#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>

#include "snooper/capture.h"

#define START YK_SECOND /* `now` of the first datagram */
#define TIME_MAX ((yk_time)INT64_MAX)
#define STEP \
    (int64_t) YK_SECOND /* the capture's clock went back by so much: not just another interface's */

#define ETHERNET_HEADER 14
#define COOKED_HEADER 16
#define COOKED_V2_HEADER 20
#define VLAN_TAG 4
#define VLAN_TAGS_MAX 4 /* in each other */
#define IP_HEADER_MIN 20
#define UDP_HEADER 8
#define IP_MORE_OR_OFFSET 0x3fff /* of the field with the flags: a part of a datagram */
#define IP_UDP 17
#define TYPE_IPV4 0x0800
#define TYPE_VLAN 0x8100
#define TYPE_SERVICE_VLAN 0x88a8
#define TYPE_OLD_SERVICE_VLAN 0x9100

struct yk_capture_reader {
    pcap_t *handle;
    struct yk_capture_group group;
    struct yk_capture_counts counts;
    int link;
    bool started;
    yk_time now;
    struct yk_wall wall; /* how `now` and the capture's clock belong together */
    char path[YK_PATH_MAX];
};

static bool is_link_known(int link)
{
    return link == DLT_EN10MB || link == DLT_LINUX_SLL || link == DLT_LINUX_SLL2 ||
           link == DLT_RAW || link == DLT_IPV4;
}

static bool open_file(struct yk_capture_reader *reader, struct yk_refusal *why)
{
    char error[PCAP_ERRBUF_SIZE] = "";

    reader->handle =
        pcap_open_offline_with_tstamp_precision(reader->path, PCAP_TSTAMP_PRECISION_NANO, error);
    if (reader->handle == NULL) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "%s: cannot be read as a capture: %s; give a pcap or pcapng file",
                         reader->path, error);
    }
    reader->link = pcap_datalink(reader->handle);
    if (!is_link_known(reader->link)) {
        const char *name = pcap_datalink_val_to_name(reader->link);

        return yk_refuse(
            why, YK_EXIT_CONFIG,
            "%s: its link type is %s (%d); capture on Ethernet, or with tcpdump -i any",
            reader->path, name != NULL ? name : "unknown", reader->link);
    }
    return true;
}

struct yk_capture_reader *yk_capture_open(const char *path, struct yk_capture_group group,
                                          struct yk_refusal *why)
{
    struct yk_capture_reader *reader = calloc(1, sizeof *reader);

    if (reader == NULL) {
        yk_refuse(why, YK_EXIT_INTERNAL, "%s: no memory to read it; free some", path);
        return NULL;
    }
    reader->group = group;
    reader->now = START;
    snprintf(reader->path, sizeof reader->path, "%s", path);
    if (!open_file(reader, why)) {
        yk_capture_close(reader);
        return NULL;
    }
    return reader;
}

static unsigned get16(const uint8_t *at)
{
    return (unsigned)at[0] << 8 | at[1];
}

static bool skip(struct yk_slice *packet, size_t size)
{
    if (packet->size < size) {
        return false;
    }
    packet->data += size;
    packet->size -= size;
    return true;
}

/* The link's header off the packet; false when it carries no IPv4. */
static bool skip_link(int link, struct yk_slice *packet)
{
    static const struct {
        int link;
        size_t header, type_at;
    } links[] = {{DLT_EN10MB, ETHERNET_HEADER, 12},
                 {DLT_LINUX_SLL, COOKED_HEADER, 14},
                 {DLT_LINUX_SLL2, COOKED_V2_HEADER, 0}};
    unsigned type = TYPE_IPV4; /* raw IP has no header */

    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        const uint8_t *header = packet->data;

        if (links[i].link == link) {
            if (!skip(packet, links[i].header)) {
                return false;
            }
            type = get16(header + links[i].type_at);
            break;
        }
    }
    for (int tags = 0; tags < VLAN_TAGS_MAX && type != TYPE_IPV4; tags++) {
        const uint8_t *tag = packet->data;

        if ((type != TYPE_VLAN && type != TYPE_SERVICE_VLAN && type != TYPE_OLD_SERVICE_VLAN) ||
            !skip(packet, VLAN_TAG)) {
            return false;
        }
        type = get16(tag + 2);
    }
    return type == TYPE_IPV4;
}

enum part { FOREIGN, FRAGMENT, CUT, WHOLE };

/* The UDP datagram of an IPv4 packet, if it went to the group and port. */
static enum part read_ip(const struct yk_capture_group *group, struct yk_slice packet,
                         struct yk_datagram *datagram)
{
    const uint8_t *ip = packet.data;
    size_t header, whole, size;

    if (packet.size < IP_HEADER_MIN || ip[0] >> 4 != 4 || ip[9] != IP_UDP ||
        memcmp(ip + 16, group->ip, sizeof group->ip) != 0) {
        return FOREIGN;
    }
    header = (size_t)(ip[0] & 15) * 4;
    whole = get16(ip + 2);
    if (header < IP_HEADER_MIN || whole < header) {
        return FOREIGN;
    }
    if ((get16(ip + 6) & IP_MORE_OR_OFFSET) != 0) {
        return FRAGMENT;
    }
    if (packet.size < header + UDP_HEADER) {
        return whole < header + UDP_HEADER ? FOREIGN : CUT;
    }
    size = get16(ip + header + 4);
    if (get16(ip + header + 2) != group->port || size < UDP_HEADER || header + size > whole) {
        return FOREIGN;
    }
    if (packet.size < header + size) {
        return CUT;
    }
    memcpy(datagram->from.ip, ip + 12, sizeof datagram->from.ip);
    datagram->from.port = (uint16_t)get16(ip + header);
    datagram->bytes = (struct yk_slice){ip + header + UDP_HEADER, size - UDP_HEADER};
    return WHOLE;
}

static enum part read_packet(struct yk_capture_reader *reader, struct yk_slice packet,
                             struct yk_datagram *datagram)
{
    return skip_link(reader->link, &packet) ? read_ip(&reader->group, packet, datagram) : FOREIGN;
}

/* Interfaces of one capture may disagree a little: time stands still then. A clock that was set back
 * is followed, and time goes on from where it was. */
static void tell_time(struct yk_capture_reader *reader, int64_t unix_ns,
                      struct yk_captured *captured)
{
    int64_t ahead = unix_ns - reader->wall.unix_ns; /* neither is negative */
    int64_t passed = (int64_t)(reader->now - reader->wall.at);

    captured->stepped = !reader->started || ahead <= passed - STEP;
    if (captured->stepped) {
        reader->wall = (struct yk_wall){unix_ns, reader->now};
        reader->started = true;
    } else if (ahead > passed) {
        yk_time then = reader->wall.at + (uint64_t)ahead;

        reader->now = then < TIME_MAX ? then : TIME_MAX;
    }
    captured->now = reader->now;
    captured->wall = reader->wall;
}

/* Nanoseconds, which the header calls microseconds. A file may claim anything for both. */
static int64_t unix_time(const struct pcap_pkthdr *header)
{
    const int64_t most = INT64_MAX / (int64_t)YK_SECOND - 1;
    int64_t seconds = header->ts.tv_sec, rest = header->ts.tv_usec;

    if (seconds < 0 && seconds >= INT32_MIN) {
        seconds +=
            INT64_C(1) << 32; /* libpcap reads the 32 bits of a file with a sign: 2038 to 2106 */
    }
    if (seconds < 0 || seconds > most) {
        seconds = seconds < 0 ? 0 : most;
    }
    if (rest < 0 || rest >= (int64_t)YK_SECOND) {
        rest = rest < 0 ? 0 : (int64_t)YK_SECOND - 1;
    }
    return seconds * (int64_t)YK_SECOND + rest;
}

enum yk_capture_result yk_capture_next(struct yk_capture_reader *reader,
                                       struct yk_captured *captured, struct yk_refusal *why)
{
    struct pcap_pkthdr *header;
    const u_char *data;
    int result;

    while ((result = pcap_next_ex(reader->handle, &header, &data)) == 1) {
        struct yk_slice packet = {data, header->caplen};
        enum part part = read_packet(reader, packet, &captured->datagram);

        reader->counts.packets++;
        reader->counts.fragments += part == FRAGMENT;
        reader->counts.cut += part == CUT;
        if (part == WHOLE) {
            reader->counts.datagrams++;
            tell_time(reader, unix_time(header), captured);
            return YK_CAPTURE_DATAGRAM;
        }
    }
    if (result == PCAP_ERROR_BREAK) { /* what libpcap calls the end of a file */
        return YK_CAPTURE_END;
    }
    yk_refuse(why, YK_EXIT_CONFIG, "%s: broken behind packet %llu: %s; what came before was read",
              reader->path, (unsigned long long)reader->counts.packets,
              pcap_geterr(reader->handle));
    return YK_CAPTURE_BROKEN;
}

const struct yk_capture_counts *yk_capture_counts(const struct yk_capture_reader *reader)
{
    return &reader->counts;
}

void yk_capture_close(struct yk_capture_reader *reader)
{
    if (reader != NULL && reader->handle != NULL) {
        pcap_close(reader->handle);
    }
    free(reader);
}
