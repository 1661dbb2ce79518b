/* Writing captures. */
#include <errno.h>
#include <fcntl.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "snooper/capture.h"

#define IP_HEADER 20 /* bytes, without options */
#define UDP_HEADER 8
#define PACKET_MAX (IP_HEADER + UDP_HEADER + YK_FRAME_MAX + 1) /* see struct yk_datagram */
#define IP_VERSION_AND_LENGTH 0x45
#define IP_DO_NOT_FRAGMENT 0x40
#define TIME_TO_LIVE 1 /* spec, Transport */
#define IP_UDP 17

struct yk_capture_writer {
    pcap_t *handle; /* only says link type and precision */
    pcap_dumper_t *dumper;
    struct yk_capture_group group;
    uint64_t written;
    bool made; /* the file is ours: it was not there before */
    int error; /* errno of the first failure; 0: none */
    char path[YK_PATH_MAX];
};

/* A new file, or one that is no regular file: nobody's capture is overwritten. */
static int make_file(const char *path, bool *made, struct yk_refusal *why)
{
    struct stat status;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600);

    *made = fd >= 0;
    if (*made) {
        return fd;
    }
    if (errno == EEXIST && stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
        yk_refuse(why, YK_EXIT_CANNOT_MAKE,
                  "%s: is there already; move it away, or give another name", path);
        return -1;
    }
    fd = errno == EEXIST ? open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY) : -1;
    if (fd < 0) {
        yk_refuse(why, YK_EXIT_CANNOT_MAKE,
                  "%s: cannot be made: %s; give a file in a folder you may write to", path,
                  strerror(errno));
    }
    return fd;
}

/* Takes over `fd`. */
static bool start_dump(struct yk_capture_writer *writer, int fd)
{
    FILE *file = fdopen(fd, "wb");

    if (file == NULL) {
        close(fd);
        return false;
    }
    writer->handle =
        pcap_open_dead_with_tstamp_precision(DLT_RAW, PACKET_MAX, PCAP_TSTAMP_PRECISION_NANO);
    writer->dumper = writer->handle != NULL ? pcap_dump_fopen(writer->handle, file) : NULL;
    if (writer->dumper == NULL) {
        fclose(file);
        return false;
    }
    errno = 0;
    if (pcap_dump_flush(writer->dumper) !=
        0) { /* a disk that is full is told of before it is needed */
        int error = errno;

        pcap_dump_close(writer->dumper);
        errno = error;
        return false;
    }
    return true;
}

static void free_writer(struct yk_capture_writer *writer)
{
    if (writer->handle != NULL) {
        pcap_close(writer->handle);
    }
    free(writer);
}

struct yk_capture_writer *yk_capture_create(const char *path, struct yk_capture_group group,
                                            struct yk_refusal *why)
{
    struct yk_capture_writer *writer = calloc(1, sizeof *writer);
    int fd = writer != NULL ? make_file(path, &writer->made, why) : -1;

    if (fd < 0) {
        if (writer == NULL) {
            yk_refuse(why, YK_EXIT_INTERNAL, "%s: no memory to write it; free some", path);
        }
        free(writer);
        return NULL;
    }
    writer->group = group;
    snprintf(writer->path, sizeof writer->path, "%s", path);
    if (!start_dump(writer, fd)) {
        yk_refuse(why, YK_EXIT_CANNOT_MAKE,
                  "%s: cannot be begun: %s; look whether its disk is full", path, strerror(errno));
        if (writer->made) {
            unlink(path);
        }
        free_writer(writer);
        return NULL;
    }
    return writer;
}

static void put16(uint8_t *out, unsigned value)
{
    out[0] = (uint8_t)(value >> 8);
    out[1] = (uint8_t)value;
}

static unsigned ip_checksum(const uint8_t header[IP_HEADER])
{
    unsigned sum = 0;

    for (size_t i = 0; i < IP_HEADER; i += 2) {
        sum += (unsigned)header[i] << 8 | header[i + 1];
    }
    while (sum > 0xffff) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return ~sum & 0xffff;
}

/* Gives the size of the packet. */
static size_t make_packet(const struct yk_capture_group *group, const struct yk_datagram *datagram,
                          uint8_t out[PACKET_MAX])
{
    uint8_t *udp = out + IP_HEADER;
    size_t size = datagram->bytes.size <= YK_FRAME_MAX ? datagram->bytes.size : YK_FRAME_MAX + 1;
    size_t whole = IP_HEADER + UDP_HEADER + size;

    memset(out, 0, IP_HEADER + UDP_HEADER);
    out[0] = IP_VERSION_AND_LENGTH;
    put16(out + 2, (unsigned)whole);
    out[6] = IP_DO_NOT_FRAGMENT;
    out[8] = TIME_TO_LIVE;
    out[9] = IP_UDP;
    memcpy(out + 12, datagram->from.ip, sizeof datagram->from.ip);
    memcpy(out + 16, group->ip, sizeof group->ip);
    put16(out + 10, ip_checksum(out));
    put16(udp, datagram->from.port);
    put16(udp + 2, group->port);
    put16(udp + 4, (unsigned)(UDP_HEADER + size));
    if (size > 0) {
        memcpy(udp + UDP_HEADER, datagram->bytes.data, size);
    }
    return whole;
}

static void note_error(struct yk_capture_writer *writer, bool failed)
{
    if (failed && writer->error == 0) {
        writer->error = errno != 0 ? errno : EIO;
    }
}

void yk_capture_add(struct yk_capture_writer *writer, const struct yk_datagram *datagram,
                    int64_t unix_ns)
{
    uint8_t packet[PACKET_MAX];
    struct pcap_pkthdr header = {0};

    if (writer->error != 0) {
        return;
    }
    header.caplen = header.len = (bpf_u_int32)make_packet(&writer->group, datagram, packet);
    header.ts.tv_sec = (time_t)(unix_ns / (int64_t)YK_SECOND);
    /* Nanoseconds, as was asked for when the file was begun. */
    header.ts.tv_usec = (suseconds_t)(unix_ns % (int64_t)YK_SECOND);
    errno = 0;
    pcap_dump((u_char *)writer->dumper, &header, packet);
    note_error(writer, ferror(pcap_dump_file(writer->dumper)) != 0);
    writer->written++;
}

static bool tell(const struct yk_capture_writer *writer, struct yk_refusal *why)
{
    return writer->error == 0 ||
           yk_refuse(why, YK_EXIT_CANNOT_MAKE,
                     "%s: cannot be written any more: %s; make room, and record to another file",
                     writer->path, strerror(writer->error));
}

bool yk_capture_flush(struct yk_capture_writer *writer, struct yk_refusal *why)
{
    errno = 0;
    note_error(writer, pcap_dump_flush(writer->dumper) != 0);
    return tell(writer, why);
}

uint64_t yk_capture_written(const struct yk_capture_writer *writer)
{
    return writer->written;
}

bool yk_capture_finish(struct yk_capture_writer *writer, struct yk_refusal *why)
{
    bool good;

    if (writer == NULL) {
        return true;
    }
    good = yk_capture_flush(writer, why);
    pcap_dump_close(writer->dumper);
    free_writer(writer);
    return good;
}

void yk_capture_abandon(struct yk_capture_writer *writer)
{
    if (writer->made) {
        unlink(writer->path);
    }
    pcap_dump_close(writer->dumper);
    free_writer(writer);
}
