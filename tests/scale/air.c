/* The way of a frame: the switch copies it to every port, where it waits for the cable; then it waits in
 * the socket for the processor. All ports are alike and carry the same frames, so one stands for all. */
#include <stdlib.h>
#include <string.h>

#include "scale/site.h"

#define LATENCY (20 * YK_MS / 1000)    /* of switches and cables */
#define WAKE_MOST (300 * YK_MS / 1000) /* a process that slept begins to run */
#define KERNEL_BYTES 2304              /* what a frame of one page counts in a socket's buffer */

struct receiver {
    bool open, paused;
    bool serving; /* one of its frames is being worked on */
    uint32_t first, count, longest;
    uint64_t token; /* of the serving that is on its way */
    uint64_t lost;
    uint64_t frame_ns;
    struct packet **ring;
    struct dice dice;
};

struct air {
    struct receiver *receivers;
    uint32_t count, ring_size;
    yk_time port_free; /* when the cable has carried all that waits */
    uint64_t port_lost;
};

struct air *air_new(struct site *site, uint32_t receivers)
{
    struct air *air = site_get(1, sizeof *air);

    air->count = receivers;
    air->receivers = site_get(receivers, sizeof *air->receivers);
    air->ring_size = (uint32_t)(site->options.socket_buffer / KERNEL_BYTES);
    for (uint32_t i = 0; i < receivers; i++) {
        struct receiver *rx = &air->receivers[i];

        rx->ring = site_get(air->ring_size, sizeof(struct packet *));
        rx->dice = dice_of(site->options.seed, 5000000 + i);
        /* No two boards are equally fast. */
        rx->frame_ns = site->options.frame_ns * dice_between(&rx->dice, 75, 125) / 100;
    }
    return air;
}

static void empty(struct air *air, struct receiver *rx)
{
    for (; rx->count > 0; rx->count--) {
        air_release(rx->ring[rx->first]);
        rx->first = (rx->first + 1) % air->ring_size;
    }
}

void air_free(struct air *air)
{
    for (uint32_t i = 0; i < air->count; i++) {
        empty(air, &air->receivers[i]);
        free(air->receivers[i].ring);
    }
    free(air->receivers);
    free(air);
}

static void serve_next(struct site *site, uint32_t number, yk_time wake)
{
    struct receiver *rx = &site->air->receivers[number];

    if (rx->paused || rx->serving || rx->count == 0) {
        return;
    }
    rx->serving = true;
    site_later(site, wake + rx->frame_ns,
               (struct happening){.kind = HAPPENS_SERVE, .who = number, .token = rx->token});
}

void air_open(struct site *site, uint32_t receiver, bool open)
{
    struct receiver *rx = &site->air->receivers[receiver];

    empty(site->air, rx);
    rx->open = open;
    rx->paused = rx->serving = false;
    rx->token++;
}

void air_pause(struct site *site, uint32_t receiver, bool pause)
{
    site->air->receivers[receiver].paused = pause;
    serve_next(site, receiver, 0);
}

/* Decodes what a host encoded, for whoever hears it without a core. */
static struct packet *make_packet(uint32_t from, struct yk_slice bytes)
{
    static struct yk_decoder decoder;
    struct packet *packet = site_get(1, sizeof *packet + bytes.size);

    packet->references = 1;
    packet->origin = from;
    packet->size = bytes.size;
    memcpy(packet->bytes, bytes.data, bytes.size);
    if (yk_frame_read_envelope(&decoder, bytes, YK_PATH_FAST, &packet->frame) != YK_DROP_NONE ||
        !yk_frame_read_body(&decoder, &packet->frame)) {
        abort(); /* the model, or the core, encodes what is no frame */
    }
    return packet;
}

void air_release(struct packet *packet)
{
    if (--packet->references == 0) {
        free(packet);
    }
}

void air_send(struct site *site, uint32_t from, struct yk_slice bytes)
{
    struct air *air = site->air;
    struct packet *packet = make_packet(from, bytes);
    uint64_t wire = bytes.size + METER_OVERHEAD;
    yk_time there = site->now + LATENCY;

    if (site->cut) {
        air_release(packet);
        return;
    }
    meter_note(&site->meter, site->now, &packet->frame, packet->size);
    if (air->port_free < there) {
        air->port_free = there;
    }
    if ((air->port_free - there) * site->options.port_bits / (8 * YK_SECOND) + wire >
        site->options.port_buffer) {
        air->port_lost++;
        air_release(packet);
        return;
    }
    air->port_free += wire * 8 * YK_SECOND / site->options.port_bits;
    site_later(site, air->port_free - site->now,
               (struct happening){.kind = HAPPENS_ARRIVAL, .carries = packet});
}

void air_arrival(struct site *site, struct packet *packet)
{
    struct air *air = site->air;

    for (uint32_t i = 0; i < air->count; i++) {
        struct receiver *rx = &air->receivers[i];

        if (!rx->open) {
            continue;
        }
        if (rx->count == air->ring_size) {
            rx->lost++;
            continue;
        }
        packet->references++;
        rx->ring[(rx->first + rx->count++) % air->ring_size] = packet;
        rx->longest = rx->count > rx->longest ? rx->count : rx->longest;
        serve_next(site, i, dice_below(&rx->dice, WAKE_MOST));
    }
    air_release(packet);
}

void air_serve(struct site *site, uint32_t receiver, uint64_t token)
{
    struct air *air = site->air;
    struct receiver *rx = &air->receivers[receiver];
    struct packet *packet;

    if (token != rx->token) {
        return;
    }
    rx->serving = false;
    if (rx->paused) {
        return;
    }
    packet = rx->ring[rx->first];
    rx->first = (rx->first + 1) % air->ring_size;
    rx->count--;
    if (receiver < site->options.real) {
        real_hear(site, receiver, packet);
    } else {
        model_hear(site, receiver - site->options.real, packet);
    }
    air_release(packet);
    serve_next(site, receiver, 0);
}

uint64_t air_lost_in_ports(const struct air *air)
{
    return air->port_lost;
}

uint64_t air_lost_in_sockets(const struct air *air, uint32_t first, uint32_t count)
{
    uint64_t most = 0;

    for (uint32_t i = first; i < first + count; i++) {
        most = air->receivers[i].lost > most ? air->receivers[i].lost : most;
    }
    return most;
}

uint32_t air_longest_queue(struct air *air)
{
    uint32_t longest = 0;

    for (uint32_t i = 0; i < air->count; i++) {
        longest = air->receivers[i].longest > longest ? air->receivers[i].longest : longest;
        air->receivers[i].longest = air->receivers[i].count;
    }
    return longest;
}
