#include "unit/snoop_rig.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEDIA "{\"group\":\"239.10.0.5\",\"port\":5004}"

static struct yk_id id_of(const char *text)
{
    struct yk_id id;

    ck_assert(yk_id_parse(&id, yk_slice_of(text)) || *text == '\0');
    return id;
}

static struct yk_version version_of(uint64_t n, const char *author)
{
    return (struct yk_version){.n = n, .author = id_of(author)};
}

void snoop_init_keys(struct snoop_rig *rig, const char *site_key, const char *own_key)
{
    struct yk_observer_options options = {.auth = &rig->auth,
                                          .tracked = SNOOP_TRACKED,
                                          .wall = {.unix_ns = SNOOP_WALL_NS, .at = YK_SECOND},
                                          .hash_seed = 42};

    memset(rig, 0, sizeof *rig);
    yk_auth_init(&rig->site, yk_slice_of(site_key), yk_slice_of(""));
    yk_auth_init(&rig->auth, yk_slice_of(own_key), yk_slice_of(""));
    rig->now = YK_SECOND;
    rig->seq = SNOOP_WALL_NS;
    rig->from = (struct yk_address){.ip = {10, 0, 0, 1}, .port = 4000};
    rig->memory = calloc(1, yk_observer_memory(options.tracked));
    rig->observer = malloc(sizeof *rig->observer);
    ck_assert(rig->memory != NULL && rig->observer != NULL);
    yk_observer_init(rig->observer, rig->memory, &options);
}

void snoop_init(struct snoop_rig *rig)
{
    snoop_init_keys(rig, "unit-key", "unit-key");
}

void snoop_fini(struct snoop_rig *rig)
{
    free(rig->observer);
    free(rig->memory);
    yk_auth_fini(&rig->site);
    yk_auth_fini(&rig->auth);
}

static __attribute__((format(printf, 2, 3))) void trace(struct snoop_rig *rig, const char *format,
                                                        ...)
{
    size_t used = strlen(rig->trace);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(rig->trace + used, sizeof rig->trace - used, format, arguments);
    va_end(arguments);
}

static void trace_trail(struct snoop_rig *rig, const struct yk_trail *trail)
{
    trace(rig, "operation %s %llu/%s %s %s %s", trail->consumer.text,
          (unsigned long long)trail->version.n, trail->version.author.text, yk_op_word(trail->op),
          trail->producer.size > 0 ? trail->producer.text : "-",
          yk_outcome_seen_word(trail->outcome));
    trace(rig, trail->outcome == YK_SEEN_REFUSED ? " %s\n" : "\n", yk_reason_word(trail->reason));
}

static void trace_change(struct snoop_rig *rig, const struct yk_change *change)
{
    const char *id = change->id.text;

    switch (change->kind) {
    case YK_CHANGE_NODE_NEW:
        trace(rig, "node-new %s %s\n", id, yk_state_word(change->state));
        break;
    case YK_CHANGE_NODE_GONE:
        trace(rig, "node-gone %s\n", id);
        break;
    case YK_CHANGE_OPERATION:
        ck_assert_str_eq(id, change->trail.consumer.text);
        trace_trail(rig, &change->trail);
        break;
    case YK_CHANGE_EVENT:
        trace(rig, "event %s %.*s %.*s\n", id, (int)change->slug.size,
              (const char *)change->slug.data, (int)change->detail.size,
              (const char *)change->detail.data);
        break;
    case YK_CHANGE_LOST:
        trace(rig, "lost %s\n", id);
        break;
    case YK_CHANGE_RETURNED:
        trace(rig, "returned %s\n", id);
        break;
    case YK_CHANGE_STATE:
        trace(rig, "state %s %s %s\n", id, yk_state_word(change->former),
              yk_state_word(change->state));
        break;
    }
}

static void trace_changes(struct snoop_rig *rig)
{
    for (size_t i = 0; i < rig->observer->change_count; i++) {
        trace_change(rig, &rig->observer->changes[i]);
    }
}

void snoop_pass(struct snoop_rig *rig, yk_time duration)
{
    yk_time end = rig->now + duration;
    unsigned ticks = 0;

    while (yk_observer_deadline(rig->observer) <= end) {
        yk_time due = yk_observer_deadline(rig->observer);

        rig->now = due > rig->now ? due : rig->now;
        yk_observer_tick(rig->observer, rig->now);
        trace_changes(rig);
        ck_assert_msg(++ticks < 100000, "the deadline does not move");
    }
    rig->now = end;
}

enum yk_drop snoop_again(struct snoop_rig *rig)
{
    yk_observer_hear(rig->observer, (struct yk_slice){rig->bytes, rig->size}, rig->from, rig->now,
                     &rig->heard);
    trace_changes(rig);
    return rig->heard.verdict;
}

enum yk_drop snoop_bytes(struct snoop_rig *rig, const void *bytes, size_t size)
{
    ck_assert_uint_le(size, sizeof rig->bytes);
    memcpy(rig->bytes, bytes, size);
    rig->size = size;
    return snoop_again(rig);
}

enum yk_drop snoop_frame(struct snoop_rig *rig, const char *origin, struct yk_frame *frame)
{
    frame->origin = id_of(origin);
    if (frame->seq == 0) {
        frame->seq = rig->seq++;
    }
    frame->ts_ms = (int64_t)(frame->seq / YK_MS);
    rig->size = yk_frame_encode(frame, &rig->site, rig->bytes);
    ck_assert_uint_gt(rig->size, 0);
    return snoop_again(rig);
}

static void announce(struct snoop_rig *rig, const char *id, const struct yk_ann *ann)
{
    struct yk_frame frame = {.type = YK_TYPE_ANN};

    frame.as.ann = *ann;
    frame.as.ann.kind = YK_KIND_HDMI;
    frame.as.ann.name = yk_slice_of(id);
    snoop_frame(rig, id, &frame);
}

void snoop_producer(struct snoop_rig *rig, const char *id, enum yk_state state)
{
    announce(
        rig, id,
        &(struct yk_ann){.role = YK_ROLE_PRODUCER, .state = state, .media = yk_slice_of(MEDIA)});
}

void snoop_consumer(struct snoop_rig *rig, const char *id, const char *producer, uint64_t n,
                    const char *author, enum yk_state state)
{
    struct yk_ann ann = {.role = YK_ROLE_CONSUMER, .state = state};

    ann.pairing.version = version_of(n, author);
    ann.pairing.producer = id_of(producer != NULL ? producer : "");
    announce(rig, id, &ann);
}

void snoop_intent(struct snoop_rig *rig, const char *sender, const char *consumer,
                  const char *producer, uint64_t n, const char *author)
{
    struct yk_frame frame = {.type = YK_TYPE_INT};

    frame.as.intent = (struct yk_intent){.op = producer != NULL ? YK_OP_PAIR : YK_OP_UNPAIR,
                                         .consumer = id_of(consumer),
                                         .producer = id_of(producer != NULL ? producer : ""),
                                         .version = version_of(n, author)};
    snoop_frame(rig, sender, &frame);
}

void snoop_ack(struct snoop_rig *rig, const char *consumer, uint64_t n, const char *author,
               bool applied, enum yk_reason reason)
{
    struct yk_frame frame = {.type = YK_TYPE_ACK};

    frame.as.ack = (struct yk_ack){version_of(n, author), applied, reason};
    snoop_frame(rig, consumer, &frame);
}

void snoop_event(struct snoop_rig *rig, const char *id, enum yk_event event)
{
    struct yk_frame frame = {.type = YK_TYPE_EVT};

    frame.as.evt = (struct yk_evt){.event = event, .detail = yk_slice_of("{}")};
    snoop_frame(rig, id, &frame);
}

void snoop_bye(struct snoop_rig *rig, const char *id)
{
    struct yk_frame frame = {.type = YK_TYPE_BYE};

    snoop_frame(rig, id, &frame);
}
