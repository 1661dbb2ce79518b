#include "snooper/face_media.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/interface.h"
#include "cli/say.h"
#include "snooper/media_print.h"

#define REPORT_EVERY (2 * YK_SECOND)

struct face {
    struct yk_stream streams[YK_STREAMS_MAX];
    int epoll; /* of all sockets; an event's number is the stream's place */
    yk_time report_due;
    int ifindex; /* where groups are joined, as last seen */
    struct in_addr address;
    bool heard, full_said;
};

static bool is_wanted(const struct yk_snoop_options *options)
{
    return options->media;
}

static bool is_json(const struct yk_snoop *snoop)
{
    return snoop->options->common.json;
}

static bool open_face(const struct yk_snoop *snoop, void **self, struct yk_refusal *why)
{
    struct face *face = calloc(1, sizeof *face);

    (void)snoop;
    if (face == NULL) {
        return yk_refuse(why, YK_EXIT_INTERNAL, "memory: none left; free some and try again");
    }
    face->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (face->epoll < 0) {
        free(face);
        return yk_refuse(why, YK_EXIT_INTERNAL, "--media: no descriptor left; free some");
    }
    for (size_t i = 0; i < YK_STREAMS_MAX; i++) {
        face->streams[i].socket.fd = -1;
    }
    *self = face;
    return true;
}

/* ---- who is measured */

static struct yk_stream *find(struct face *face, const struct yk_id *id)
{
    for (size_t i = 0; i < YK_STREAMS_MAX; i++) {
        if (yk_id_equal(&face->streams[i].id, id)) {
            return &face->streams[i];
        }
    }
    return NULL;
}

/* A free place; else that of a producer that is not heard any more. */
static struct yk_stream *find_place(struct face *face, const struct yk_snoop *snoop)
{
    const struct yk_id none = {.size = 0};
    struct yk_stream *place = find(face, &none);

    for (size_t i = 0; place == NULL && i < YK_STREAMS_MAX; i++) {
        if (!yk_peers_is_live(&snoop->observer->peers, &face->streams[i].id)) {
            place = &face->streams[i];
        }
    }
    return place;
}

static void close_socket(struct yk_stream *stream)
{
    if (stream->socket.fd >= 0) {
        stream->lost += yk_stream_lost(&stream->socket);
        yk_stream_close(&stream->socket);
    }
}

/* A reserved socket is only given back, so epoll has to be told. */
static void unwatch(struct face *face, struct yk_stream *stream)
{
    if (stream->socket.fd >= 0) {
        epoll_ctl(face->epoll, EPOLL_CTL_DEL, stream->socket.fd, NULL);
    }
    close_socket(stream);
}

static void leave(struct face *face, const struct yk_snoop *snoop, struct yk_stream *stream,
                  struct yk_moment at, const char *reason)
{
    char sum[160], words[256];

    yk_stream_sum_words(sum, stream, at.now);
    snprintf(words, sizeof words, "left: %s; in all %s", reason, sum);
    yk_stream_print(stream, is_json(snoop), at, "left", words);
    unwatch(face, stream);
    *stream = (struct yk_stream){.socket = {.fd = -1}};
}

/* Again at the next announcement when it fails; said when the reason is another one. */
static void join(struct face *face, const struct yk_snoop *snoop, struct yk_stream *stream,
                 struct yk_moment at)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)(stream - face->streams)};
    struct yk_refusal why = {.text = ""};

    if (yk_interface_find(snoop->access.network.interface, &face->ifindex, &face->address, &why) &&
        yk_stream_open(&stream->socket, &stream->target, face->ifindex, face->address, &why) &&
        epoll_ctl(face->epoll, EPOLL_CTL_ADD, stream->socket.fd, &event) != 0) {
        yk_refuse(&why, YK_EXIT_INTERNAL, "it cannot be watched; free descriptors");
        close_socket(stream);
    }
    if (stream->socket.fd < 0) {
        bool is_new = strcmp(stream->problem, why.text) != 0;

        snprintf(stream->problem, sizeof stream->problem, "%s", why.text);
        if (is_new) {
            yk_stream_print(stream, is_json(snoop), at, "unmeasured", stream->problem);
        }
        return;
    }
    stream->problem[0] = '\0';
    stream->meter.window_since = at.now;
    yk_stream_print(stream, is_json(snoop), at, "joined", "joined; waiting for the first packet");
}

static void say_full(struct face *face, const struct yk_id *id)
{
    if (!face->full_said) {
        face->full_said = true;
        yk_say("%s and others are not measured: %d groups are joined, the most; name one: "
               "--media %s",
               id->text, YK_STREAMS_MAX, id->text);
    }
}

static void begin(struct face *face, const struct yk_snoop *snoop, const struct yk_id *id,
                  const struct yk_stream_target *target, enum yk_stream_media media,
                  struct yk_moment at)
{
    struct yk_stream *stream = find_place(face, snoop);

    if (stream == NULL) {
        say_full(face, id);
        return;
    }
    if (stream->id.size > 0) {
        leave(face, snoop, stream, at, "its place was needed, and its producer is not heard");
    }
    stream->id = *id;
    stream->target = *target;
    if (media == YK_STREAM_GROUP) {
        join(face, snoop, stream, at);
        return;
    }
    snprintf(stream->problem, sizeof stream->problem,
             "its media names no group and port that may be joined; give the producer a group from "
             "239.0.0.0/8");
    yk_stream_print(stream, is_json(snoop), at, "unmeasured", stream->problem);
}

/* Named by id or by human name, or all of them. */
static bool is_chosen(const struct yk_snoop *snoop, const struct yk_frame *frame)
{
    const char *producer = snoop->options->producer;

    return frame->as.ann.role == YK_ROLE_PRODUCER &&
           (producer == NULL || strcmp(producer, frame->origin.text) == 0 ||
            yk_slice_equal(yk_slice_of(producer), frame->as.ann.name));
}

static void heard_frame(void *self, const struct yk_snoop *snoop, struct yk_moment at,
                        const struct yk_heard_frame *heard)
{
    struct face *face = self;
    struct yk_stream *stream;
    struct yk_stream_target target;
    enum yk_stream_media media;

    if (heard->verdict != YK_DROP_NONE || heard->frame.type != YK_TYPE_ANN ||
        !is_chosen(snoop, &heard->frame)) {
        return;
    }
    face->heard = true;
    media = yk_stream_target_read(&target, heard->frame.as.ann.media, snoop->access.network.group);
    stream = find(face, &heard->frame.origin);
    if (stream != NULL &&
        (media == YK_STREAM_NO_GROUP || !yk_stream_target_equal(&stream->target, &target))) {
        leave(face, snoop, stream, at,
              media == YK_STREAM_NO_GROUP ? "it announces no group any more"
                                          : "it announces other media");
        stream = NULL;
    }
    if (stream == NULL && media != YK_STREAM_NO_GROUP) {
        begin(face, snoop, &heard->frame.origin, &target, media, at);
    } else if (stream != NULL && stream->socket.fd < 0 && media == YK_STREAM_GROUP) {
        join(face, snoop, stream, at);
    }
}

/* The picture outlives the control plane: who only falls silent there is still measured. */
static void changed(void *self, const struct yk_snoop *snoop, struct yk_moment at,
                    const struct yk_change *change)
{
    struct yk_stream *stream = change->kind == YK_CHANGE_NODE_GONE ? find(self, &change->id) : NULL;

    if (stream != NULL) {
        leave(self, snoop, stream, at, "its producer said goodbye");
    }
}

/* ---- measuring */

static void tell(const struct yk_snoop *snoop, const struct yk_stream *stream, struct yk_moment at,
                 enum yk_meter_change change, yk_time gap)
{
    char words[64], duration[32];

    switch (change) {
    case YK_METER_STARTED:
        yk_stream_print(stream, is_json(snoop), at, "present", "the first packet");
        break;
    case YK_METER_RESUMED:
        snprintf(words, sizeof words, "again, after a gap of %s", yk_duration(duration, gap));
        yk_stream_print(stream, is_json(snoop), at, "present", words);
        break;
    case YK_METER_SILENT:
        yk_stream_print(stream, is_json(snoop), at, "silent", "a gap begins");
        break;
    case YK_METER_SAME:
        break;
    }
}

static void count(const struct yk_snoop *snoop, struct yk_stream *stream, struct yk_moment at)
{
    uint64_t packets, bytes;
    yk_time gap;

    yk_stream_read(&stream->socket, &packets, &bytes);
    tell(snoop, stream, at, yk_meter_count(&stream->meter, packets, bytes, at.now, &gap), gap);
}

static int descriptor(const void *self)
{
    return ((const struct face *)self)->epoll;
}

static bool ready(void *self, const struct yk_snoop *snoop, struct yk_moment at)
{
    struct face *face = self;
    struct epoll_event events[YK_STREAMS_MAX];
    int found = epoll_wait(face->epoll, events, YK_STREAMS_MAX, 0);

    for (int i = 0; i < found; i++) {
        count(snoop, &face->streams[events[i].data.u32], at);
    }
    return true;
}

/* A new address or a card made anew ends the kernel's membership: join there again. */
static void follow_interface(struct face *face, const struct yk_snoop *snoop, struct yk_moment at)
{
    struct yk_refusal why;
    struct in_addr address;
    int ifindex;

    if (!yk_interface_find(snoop->access.network.interface, &ifindex, &address, &why) ||
        (ifindex == face->ifindex && address.s_addr == face->address.s_addr)) {
        return;
    }
    for (size_t i = 0; i < YK_STREAMS_MAX; i++) {
        if (face->streams[i].socket.fd >= 0) {
            unwatch(face, &face->streams[i]);
            join(face, snoop, &face->streams[i], at);
        }
    }
}

static void report(struct face *face, const struct yk_snoop *snoop, struct yk_moment at)
{
    char words[160];

    for (size_t i = 0; i < YK_STREAMS_MAX; i++) {
        struct yk_stream *stream = &face->streams[i];

        if (stream->id.size == 0 || stream->problem[0] != '\0') {
            continue;
        }
        stream->rates = yk_meter_take_rates(&stream->meter, at.now);
        if (!snoop->options->quiet) {
            yk_stream_print(stream, is_json(snoop), at, "rate",
                            yk_stream_rate_words(words, stream, at.now));
        }
    }
}

static yk_time deadline(const void *self)
{
    const struct face *face = self;
    yk_time due = face->report_due;

    for (size_t i = 0; i < YK_STREAMS_MAX; i++) {
        yk_time its = yk_meter_deadline(&face->streams[i].meter);

        due = its < due ? its : due;
    }
    return due;
}

static bool flush(void *self, const struct yk_snoop *snoop, struct yk_refusal *why)
{
    struct face *face = self;
    struct yk_moment at = snoop->passed;

    for (size_t i = 0; i < YK_STREAMS_MAX; i++) {
        struct yk_stream *stream = &face->streams[i];

        if (yk_meter_deadline(&stream->meter) <= at.now) {
            count(snoop, stream, at); /* what waits to be read is no silence */
            tell(snoop, stream, at, yk_meter_pass(&stream->meter, at.now), 0);
        }
    }
    if (at.now >= face->report_due) {
        if (face->report_due != 0) {
            follow_interface(face, snoop, at);
            report(face, snoop, at);
        }
        face->report_due = at.now + REPORT_EVERY;
    }
    return yk_snoop_flush_output(why);
}

static void say_nobody(const struct yk_snoop *snoop)
{
    const char *producer = snoop->options->producer;

    if (producer != NULL) {
        yk_say("--media %s: no producer of that id or name was heard; yoke list shows who is there",
               producer);
    } else {
        yk_say("--media: no producer was heard; yoke list shows who is there");
    }
}

static enum yk_exit close_face(void *self, const struct yk_snoop *snoop, struct yk_moment at)
{
    struct face *face = self;

    for (size_t i = 0; i < YK_STREAMS_MAX; i++) {
        if (face->streams[i].id.size > 0) {
            leave(face, snoop, &face->streams[i], at, "the listening is over");
        }
    }
    if (snoop->started && !face->heard) {
        say_nobody(snoop);
    }
    close(face->epoll);
    free(face);
    return YK_EXIT_OK;
}

const struct yk_face yk_face_media = {
    .name = "media",
    .is_wanted = is_wanted,
    .open = open_face,
    .heard = heard_frame,
    .changed = changed,
    .flush = flush,
    .descriptor = descriptor,
    .ready = ready,
    .deadline = deadline,
    .close = close_face,
};
