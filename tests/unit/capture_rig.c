#include "capture_rig.h"

#include <check.h>
#include <string.h>

#include "files.h"

struct capture_rig capture;
const struct yk_capture_group capture_group = {{239, 121, 111, 107}, 9753};

void capture_put(const void *bytes, size_t size)
{
    ck_assert_uint_le(capture.used + size, sizeof capture.file);
    memcpy(capture.file + capture.used, bytes, size);
    capture.used += size;
}

void capture_put_u32(uint32_t value)
{
    capture_put(&value, sizeof value);
}

void capture_put_u16(uint16_t value)
{
    capture_put(&value, sizeof value);
}

void capture_begin(uint32_t link)
{
    capture.used = 0;
    capture_put_u32(0xa1b2c3d4);
    capture_put_u16(2);
    capture_put_u16(4);
    capture_put_u32(0);
    capture_put_u32(0);
    capture_put_u32(65535);
    capture_put_u32(link);
}

void capture_put_packet(uint32_t seconds, uint32_t us, const void *bytes, size_t size, size_t whole)
{
    capture_put_u32(seconds);
    capture_put_u32(us);
    capture_put_u32((uint32_t)size);
    capture_put_u32((uint32_t)whole);
    capture_put(bytes, size);
}

void capture_add(struct capture_packet *packet, const void *bytes, size_t size)
{
    ck_assert_uint_le(packet->size + size, sizeof packet->bytes);
    memcpy(packet->bytes + packet->size, bytes, size);
    packet->size += size;
}

void capture_add_be16(struct capture_packet *packet, unsigned value)
{
    capture_add(packet, (uint8_t[]){(uint8_t)(value >> 8), (uint8_t)value}, 2);
}

void capture_add_ip(struct capture_packet *packet, const char *text, unsigned port,
                    unsigned fragment, size_t options)
{
    size_t header = 20 + 4 * options, size = strlen(text);

    capture_add(packet, (uint8_t[]){(uint8_t)(0x40 | header / 4), 0}, 2);
    capture_add_be16(packet, (unsigned)(header + 8 + size));
    capture_add_be16(packet, 1);
    capture_add_be16(packet, fragment);
    capture_add(packet, (uint8_t[]){1, 17, 0, 0, 10, 0, 0, 7}, 8);
    capture_add(packet, capture_group.ip, 4);
    for (size_t i = 0; i < options; i++) {
        capture_add(packet, (uint8_t[]){1, 1, 1, 1}, 4);
    }
    capture_add_be16(packet, 4000);
    capture_add_be16(packet, port);
    capture_add_be16(packet, (unsigned)(8 + size));
    capture_add_be16(packet, 0);
    capture_add(packet, text, size);
}

struct capture_packet capture_plain(const char *text)
{
    struct capture_packet packet = {.size = 0};

    capture_add_ip(&packet, text, capture_group.port, 0, 0);
    return packet;
}

void capture_put_raw(uint32_t seconds, uint32_t us, const char *text)
{
    struct capture_packet packet = capture_plain(text);

    capture_put_packet(seconds, us, packet.bytes, packet.size, packet.size);
}

void capture_open_file(void)
{
    capture.reader = yk_capture_open(files_write("c.pcap", capture.file, capture.used, 0600),
                                     capture_group, &capture.why);
    ck_assert_msg(capture.reader != NULL, "%s", capture.why.text);
}

void capture_expect(const char *text)
{
    ck_assert_int_eq(yk_capture_next(capture.reader, &capture.got, &capture.why),
                     YK_CAPTURE_DATAGRAM);
    ck_assert_uint_eq(capture.got.datagram.bytes.size, strlen(text));
    ck_assert_mem_eq(capture.got.datagram.bytes.data, text, strlen(text));
}

void capture_expect_end(void)
{
    ck_assert_int_eq(yk_capture_next(capture.reader, &capture.got, &capture.why), YK_CAPTURE_END);
    yk_capture_close(capture.reader);
}
