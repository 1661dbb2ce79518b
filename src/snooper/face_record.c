#include "snooper/face_record.h"

#include <string.h>

#include "cli/say.h"
#include "snooper/capture.h"

static bool is_wanted(const struct yk_snoop_options *options)
{
    return options->record != NULL;
}

static bool open_face(const struct yk_snoop *snoop, void **self, struct yk_refusal *why)
{
    struct yk_capture_group group = {.port = snoop->access.network.port};

    memcpy(group.ip, snoop->access.network.group, sizeof group.ip);
    *self = yk_capture_create(snoop->options->record, group, why);
    return *self != NULL;
}

static void heard_frame(void *self, const struct yk_snoop *snoop, struct yk_moment at,
                        const struct yk_heard_frame *heard)
{
    struct yk_datagram datagram = {heard->raw, heard->from};

    (void)snoop;
    yk_capture_add(self, &datagram, at.unix_ns);
}

static bool flush(void *self, const struct yk_snoop *snoop, struct yk_refusal *why)
{
    (void)snoop;
    return yk_capture_flush(self, why);
}

static enum yk_exit close_face(void *self, const struct yk_snoop *snoop, struct yk_moment at)
{
    struct yk_capture_writer *writer = self;
    unsigned long long written = yk_capture_written(writer);
    struct yk_refusal why;

    (void)at;
    if (!snoop->started) {
        yk_capture_abandon(writer);
        return YK_EXIT_OK;
    }
    if (!yk_capture_finish(writer, &why)) {
        if (!snoop->over) { /* else it was said already */
            yk_say("%s", why.text);
        }
        return why.exit;
    }
    yk_say("%s: %llu datagrams recorded", snoop->options->record, written);
    return YK_EXIT_OK;
}

const struct yk_face yk_face_record = {
    .name = "record",
    .is_wanted = is_wanted,
    .open = open_face,
    .heard = heard_frame,
    .flush = flush,
    .close = close_face,
};
