/* capture_rig.h - capture files as others may write them: built, then read. */
#ifndef YK_TESTS_CAPTURE_RIG_H
#define YK_TESTS_CAPTURE_RIG_H

#include "snooper/capture.h"

#define CAPTURE_WALL INT64_C(1796018523000000000)
#define CAPTURE_LINK_ETHERNET 1
#define CAPTURE_LINK_COOKED 113
#define CAPTURE_LINK_COOKED_V2 276
#define CAPTURE_LINK_RAW 101

struct capture_rig {
    uint8_t file[4 * 1024 * 1024]; /* under construction */
    size_t used;
    struct yk_capture_reader *reader;
    struct yk_captured got;
    struct yk_refusal why;
};

struct capture_packet {
    uint8_t bytes[2048];
    size_t size;
};

extern struct capture_rig capture;
extern const struct yk_capture_group capture_group;

/* The file: begun anew, and what is appended, numbers in the order of this machine. `whole`: the
 * size on the wire of a packet captured in part. */
void capture_begin(uint32_t link);
void capture_put(const void *bytes, size_t size);
void capture_put_u16(uint16_t value);
void capture_put_u32(uint32_t value);
void capture_put_packet(uint32_t seconds, uint32_t us, const void *bytes, size_t size,
                        size_t whole);
/* An IP packet to the group, on CAPTURE_LINK_RAW. */
void capture_put_raw(uint32_t seconds, uint32_t us, const char *text);

void capture_add(struct capture_packet *packet, const void *bytes, size_t size);
void capture_add_be16(struct capture_packet *packet, unsigned value);
/* IPv4 and UDP from 10.0.0.7:4000 to the group; `options` words of IP options. */
void capture_add_ip(struct capture_packet *packet, const char *text, unsigned port,
                    unsigned fragment, size_t options);
struct capture_packet capture_plain(const char *text);

/* Opens the file; asserts that the next datagram is `text`, or that none is left, and closes. */
void capture_open_file(void);
void capture_expect(const char *text);
void capture_expect_end(void);

#endif
