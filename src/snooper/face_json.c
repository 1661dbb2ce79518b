#include "snooper/face_json.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/line.h"

/* Unix seconds, to the microsecond; written as digits, for a binary64 would round them. */
void yk_moment_json(struct yk_json_writer *line, struct yk_moment at)
{
    int64_t microseconds = at.unix_ns > 0 ? at.unix_ns / 1000 : 0;
    char text[32];

    snprintf(text, sizeof text, "%" PRId64 ".%06" PRId64, microseconds / 1000000,
             microseconds % 1000000);
    yk_json_key(line, "time");
    yk_json_raw(line, yk_slice_of(text));
}

static struct yk_slice finish(struct yk_json_writer *line)
{
    yk_json_close(line, '}');
    return (struct yk_slice){line->out, line->size};
}

static void write_hex(struct yk_json_writer *line, const char *name, struct yk_slice raw)
{
    static const char digits[] = "0123456789abcdef";
    char text[2 * (YK_FRAME_MAX + 1)];
    size_t size = 0;

    for (size_t i = 0; i < raw.size && size + 2 <= sizeof text; i++) {
        text[size++] = digits[raw.data[i] >> 4];
        text[size++] = digits[raw.data[i] & 15];
    }
    yk_line_text(line, name, true, (struct yk_slice){(const uint8_t *)text, size});
}

struct yk_slice yk_frame_json(uint8_t bytes[YK_SNOOP_LINE_MAX], struct yk_moment at,
                              const struct yk_heard_frame *heard)
{
    bool is_object = heard->canonical.size > 0 && heard->canonical.data[0] == '{';
    struct yk_json_writer line;
    char ip[INET_ADDRSTRLEN], from[INET_ADDRSTRLEN + 8];

    inet_ntop(AF_INET, heard->from.ip, ip, sizeof ip);
    snprintf(from, sizeof from, "%s:%u", ip, heard->from.port);
    yk_line_open(&line, bytes, YK_SNOOP_LINE_MAX, "frame");
    yk_moment_json(&line, at);
    yk_line_word(&line, "from", from);
    yk_line_unsigned(&line, "size", heard->raw.size);
    yk_line_word(&line, "verdict",
                 heard->verdict == YK_DROP_NONE ? "accept" : yk_drop_word(heard->verdict));
    yk_line_bool(&line, "trusted", heard->trusted);
    yk_line_word(&line, "key", heard->key);
    if (is_object) {
        yk_line_bool(&line, "canonical", heard->is_canonical);
        yk_json_key(&line, "frame");
        yk_json_raw(&line, heard->canonical);
        yk_line_null(&line, "raw");
    } else {
        yk_line_bool(&line, "canonical", false);
        yk_line_null(&line, "frame");
        write_hex(&line, "raw", heard->raw);
    }
    return finish(&line);
}

void yk_trail_members(struct yk_json_writer *line, const struct yk_trail *trail, yk_time now)
{
    yk_line_word(line, "op", yk_op_word(trail->op));
    yk_line_word(line, "consumer", trail->consumer.text);
    yk_line_word(line, "producer", trail->producer.text);
    yk_line_version(line, &trail->version);
    yk_line_word(line, "outcome", yk_outcome_seen_word(trail->outcome));
    yk_line_word(line, "reason", yk_reason_word(trail->reason));
    yk_line_word(line, "sender", trail->sender.text);
    yk_line_unsigned(line, "intents", trail->intents);
    if (trail->asked == 0) { /* only its answer was heard */
        yk_line_null(line, "age_ms");
    } else {
        yk_line_unsigned(line, "age_ms", (now - trail->asked) / YK_MS);
    }
}

static void write_peer(struct yk_json_writer *line, const struct yk_snoop *snoop,
                       const struct yk_id *id, yk_time now)
{
    const struct yk_observed *observed = yk_observer_of(snoop->observer, id);
    const struct yk_peer *peer = yk_peers_find(&snoop->observer->peers, id);

    if (peer != NULL) {
        yk_line_node(line, &snoop->observer->peers, peer,
                     observed != NULL ? &observed->place : NULL, now);
    }
}

/* What nobody said, but the observer concluded, is marked so. */
static void write_detail(struct yk_json_writer *line, const struct yk_snoop *snoop,
                         const struct yk_change *change)
{
    yk_time now = snoop->observer->now;

    yk_json_key(line, "detail");
    if (change->kind == YK_CHANGE_EVENT) {
        yk_json_raw(line, change->detail);
        return;
    }
    yk_json_open(line, '{');
    switch (change->kind) {
    case YK_CHANGE_NODE_NEW:
        write_peer(line, snoop, &change->id, now);
        break;
    case YK_CHANGE_OPERATION:
        yk_trail_members(line, &change->trail, now);
        break;
    case YK_CHANGE_STATE:
        yk_line_word(line, "former", yk_state_word(change->former));
        yk_line_word(line, "state", yk_state_word(change->state));
        break;
    case YK_CHANGE_NODE_GONE:
    case YK_CHANGE_LOST:
    case YK_CHANGE_RETURNED:
    case YK_CHANGE_EVENT:
        break;
    }
    yk_json_close(line, '}');
}

void yk_change_members(struct yk_json_writer *line, const struct yk_snoop *snoop,
                       struct yk_moment at, const struct yk_change *change)
{
    yk_moment_json(line, at);
    yk_line_text(line, "what", true, yk_change_word(change));
    yk_line_word(line, "id", change->id.text);
    yk_line_bool(line, "said", change->kind == YK_CHANGE_EVENT);
    write_detail(line, snoop, change);
}

struct yk_slice yk_change_json(uint8_t bytes[YK_SNOOP_LINE_MAX], const struct yk_snoop *snoop,
                               struct yk_moment at, const struct yk_change *change)
{
    struct yk_json_writer line;

    yk_line_open(&line, bytes, YK_SNOOP_LINE_MAX, "change");
    yk_change_members(&line, snoop, at, change);
    return finish(&line);
}

/* ---- the face */

static bool is_wanted(const struct yk_snoop_options *options)
{
    return options->common.json && !options->check && !options->media;
}

static bool open_face(const struct yk_snoop *snoop, void **self, struct yk_refusal *why)
{
    (void)snoop;
    (void)why;
    *self = NULL;
    return true;
}

static void print(struct yk_slice line)
{
    fwrite(line.data, 1, line.size, stdout);
    putchar('\n');
}

static void heard_frame(void *self, const struct yk_snoop *snoop, struct yk_moment at,
                        const struct yk_heard_frame *heard)
{
    uint8_t bytes[YK_SNOOP_LINE_MAX];

    (void)self;
    if (!snoop->options->quiet) {
        print(yk_frame_json(bytes, at, heard));
    }
}

static void changed(void *self, const struct yk_snoop *snoop, struct yk_moment at,
                    const struct yk_change *change)
{
    uint8_t bytes[YK_SNOOP_LINE_MAX];

    (void)self;
    print(yk_change_json(bytes, snoop, at, change));
}

static bool flush(void *self, const struct yk_snoop *snoop, struct yk_refusal *why)
{
    (void)self;
    (void)snoop;
    return yk_snoop_flush_output(why);
}

const struct yk_face yk_face_json = {
    .name = "json",
    .is_wanted = is_wanted,
    .open = open_face,
    .heard = heard_frame,
    .changed = changed,
    .flush = flush,
};
