#include "unit/rig.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY "unit-key"

static void give(struct rig *rig, struct yk_input *input);

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

static __attribute__((format(printf, 2, 3))) void trace(struct rig *rig, const char *format, ...)
{
    size_t used = strlen(rig->trace);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(rig->trace + used, sizeof rig->trace - used, format, arguments);
    va_end(arguments);
}

static void trace_pairing(struct rig *rig, const struct yk_pairing *pairing)
{
    if (pairing->version.n == 0) {
        trace(rig, " never");
        return;
    }
    trace(rig, " %s %llu/%s", pairing->producer.size > 0 ? pairing->producer.text : "none",
          (unsigned long long)pairing->version.n, pairing->version.author.text);
}

static void trace_ann(struct rig *rig, const struct yk_ann *ann)
{
    trace(rig, "ann %s", yk_state_word(ann->state));
    if (ann->role == YK_ROLE_CONSUMER) {
        trace_pairing(rig, &ann->pairing);
    }
    if (ann->has_err) {
        trace(rig, " err=\"%.*s\"", (int)ann->err.size, (const char *)ann->err.data);
    }
    if (ann->has_evidence) {
        trace(rig, " evidence=\"%.*s\"", (int)ann->evidence.size, (const char *)ann->evidence.data);
    }
    trace(rig, "\n");
}

static void trace_send(struct rig *rig, struct yk_slice bytes)
{
    static struct yk_decoder decoder;
    struct yk_frame frame;
    struct yk_slice parts[2];
    struct yk_digest digest;

    ck_assert(yk_frame_read_envelope(&decoder, bytes, YK_PATH_FAST, &frame) == YK_DROP_NONE);
    ck_assert_msg(decoder.spelled.data == bytes.data, "sent in another spelling than canonical");
    yk_frame_signed_parts(&decoder, parts);
    ck_assert(yk_auth_verify(&rig->auth, parts, decoder.sig, NULL, &digest, NULL));
    ck_assert(yk_frame_read_body(&decoder, &frame));
    ck_assert_str_eq(frame.origin.text, rig->options.id.text);
    ck_assert_uint_lt(frame.seq, rig->disk.seq); /* law: below the durable bound */
    switch (frame.type) {
    case YK_TYPE_ANN:
        trace_ann(rig, &frame.as.ann);
        break;
    case YK_TYPE_INT:
        trace(rig, "int %s %s %s %llu/%s\n", yk_op_word(frame.as.intent.op),
              frame.as.intent.consumer.text,
              frame.as.intent.op == YK_OP_PAIR ? frame.as.intent.producer.text : "-",
              (unsigned long long)frame.as.intent.version.n, frame.as.intent.version.author.text);
        break;
    case YK_TYPE_ACK:
        trace(rig, "ack %llu/%s ", (unsigned long long)frame.as.ack.version.n,
              frame.as.ack.version.author.text);
        trace(rig, frame.as.ack.applied ? "%s\n" : "refused %s\n",
              yk_reason_word(frame.as.ack.reason));
        break;
    case YK_TYPE_EVT:
        trace(rig, "evt %s\n", yk_event_word(frame.as.evt.event));
        break;
    default:
        trace(rig, "%s\n", yk_type_word(frame.type));
        break;
    }
}

static const char *reason_word(enum yk_detach_reason reason)
{
    static const char *const words[] = {"?", "unpair", "replace", "restart", "stop"};

    return words[reason];
}

static void trace_effect(struct rig *rig, const struct yk_effect *effect)
{
    switch (effect->kind) {
    case YK_EFFECT_SEND:
        trace_send(rig, effect->as.send.bytes);
        break;
    case YK_EFFECT_PERSIST:
        ck_assert_msg(rig->request == 0, "two saves at a time");
        rig->request = effect->as.persist.request;
        rig->asked = effect->as.persist.state;
        trace(rig, "persist bound+%llu",
              (unsigned long long)(rig->asked.seq > rig->disk.seq ? rig->asked.seq - rig->disk.seq
                                                                  : 0));
        trace_pairing(rig, &rig->asked.pairing);
        trace(rig, "\n");
        break;
    case YK_EFFECT_ATTACH:
        rig->generation = effect->as.attach.generation;
        trace(rig, "attach %.*s\n", (int)effect->as.attach.media.size,
              (const char *)effect->as.attach.media.data);
        break;
    case YK_EFFECT_DETACH:
        rig->generation = effect->as.detach.generation;
        trace(rig, "detach %s\n", reason_word(effect->as.detach.reason));
        break;
    case YK_EFFECT_POLL:
        rig->polls++;
        break;
    case YK_EFFECT_EVENT:
        if (effect->as.event.event >= YK_NOTE_PEER_NEW) {
            trace(rig, "note %s\n", yk_event_word(effect->as.event.event));
        }
        break;
    case YK_EFFECT_STOPPED:
        rig->stopped = true;
        trace(rig, "stopped\n");
        break;
    }
}

static void give(struct rig *rig, struct yk_input *input)
{
    static struct yk_effects effects;
    bool detached = false;

    input->now = rig->now;
    yk_node_step(rig->node, input, &effects);
    for (size_t i = 0; i < effects.count; i++) {
        trace_effect(rig, &effects.list[i]);
        detached = effects.list[i].kind == YK_EFFECT_DETACH ||
                   (detached && effects.list[i].kind != YK_EFFECT_ATTACH);
    }
    if (rig->request != 0 && !rig->hold_saves) {
        rig_saved(rig, true);
    }
    if (detached && rig->answer_detach && !rig->stopped) {
        rig_report(rig, YK_REPORT_IDLE, "");
    }
}

void rig_init(struct rig *rig, enum yk_role role)
{
    memset(rig, 0, sizeof *rig);
    yk_auth_init(&rig->auth, yk_slice_of(KEY), (struct yk_slice){NULL, 0});
    rig->options = (struct yk_node_options){
        .id = id_of(role == YK_ROLE_CONSUMER ? "dec-1" : "enc-1"),
        .name = yk_slice_of("under test"),
        .role = role,
        .kind = YK_KIND_HDMI,
        .auth = &rig->auth,
        .tracked = YK_TRACKED_MIN,
        .seed = 1,
        .stop_limit = YK_SECOND,
    };
    if (role == YK_ROLE_PRODUCER) {
        rig->options.media = yk_slice_of(MEDIA_5);
    }
    rig->now = 5 * YK_SECOND;
    rig->wall_ns = RIG_WALL_NS;
    rig->peer_seq = (uint64_t)RIG_WALL_NS;
    rig->answer_detach = true;
    rig->peer_ip = 1;
}

void rig_fini(struct rig *rig)
{
    free(rig->memory);
}

void rig_start(struct rig *rig)
{
    struct yk_input input = {.kind = YK_INPUT_START};

    rig->memory = calloc(1, yk_node_memory(rig->options.tracked));
    rig->node = yk_node_init(rig->memory, &rig->options);
    rig->stopped = false;
    input.as.start.wall_ns = rig->wall_ns + (int64_t)rig->now;
    input.as.start.state = rig->disk;
    give(rig, &input);
}

void rig_restart(struct rig *rig)
{
    free(rig->memory);
    rig->request = 0;
    rig_start(rig);
}

void rig_start_consumer(struct rig *rig)
{
    rig_init(rig, YK_ROLE_CONSUMER);
    rig_start(rig);
    rig_forget(rig);
}

void rig_start_paired(struct rig *rig)
{
    rig_start_consumer(rig);
    rig_hear_producer(rig, "enc-1", YK_KIND_HDMI, MEDIA_5);
    rig_intent(rig, "dec-1", "enc-1", 7, "op-a");
    rig_report(rig, YK_REPORT_ACTIVE, "joined");
    rig_forget(rig);
}

void rig_pass(struct rig *rig, yk_time duration)
{
    yk_time end = rig->now + duration;
    struct yk_input input = {.kind = YK_INPUT_TICK};

    while (yk_node_deadline(rig->node) <= end) {
        yk_time due = yk_node_deadline(rig->node);

        rig->now = due > rig->now ? due : rig->now;
        give(rig, &input);
    }
    rig->now = end;
}

void rig_saved(struct rig *rig, bool ok)
{
    struct yk_input input = {.kind = YK_INPUT_PERSISTED};

    ck_assert(rig->request != 0);
    input.as.persisted.request = rig->request;
    input.as.persisted.ok = ok;
    rig->request = 0;
    if (ok) {
        rig->disk = rig->asked;
    }
    give(rig, &input);
}

void rig_report_for(struct rig *rig, uint64_t generation, enum yk_report status, const char *detail)
{
    struct yk_input input = {.kind = YK_INPUT_REPORT};

    input.as.report.generation = generation;
    input.as.report.status = status;
    input.as.report.detail = yk_slice_of(detail);
    give(rig, &input);
}

void rig_report(struct rig *rig, enum yk_report status, const char *detail)
{
    rig_report_for(rig, rig->generation, status, detail);
}

void rig_media(struct rig *rig, const char *media)
{
    struct yk_input input = {.kind = YK_INPUT_MEDIA};

    input.as.media.bytes = yk_slice_of(media);
    give(rig, &input);
}

void rig_stop(struct rig *rig)
{
    struct yk_input input = {.kind = YK_INPUT_STOP};

    give(rig, &input);
}

void rig_return(struct rig *rig)
{
    struct yk_input input = {.kind = YK_INPUT_RETURN};

    give(rig, &input);
}

void rig_bytes(struct rig *rig, const char *bytes, size_t size)
{
    struct yk_input input = {.kind = YK_INPUT_DATAGRAM};

    input.as.datagram.bytes = (struct yk_slice){(const uint8_t *)bytes, size};
    input.as.datagram.from = (struct yk_address){{192, 0, 2, rig->peer_ip}, 9753};
    give(rig, &input);
}

void rig_hear(struct rig *rig, const char *origin, struct yk_frame *frame)
{
    uint8_t bytes[YK_FRAME_MAX];
    size_t size;

    frame->origin = id_of(origin);
    if (frame->seq == 0) {
        frame->seq = ++rig->peer_seq;
    }
    frame->ts_ms = (rig->wall_ns + (int64_t)rig->now) / (int64_t)YK_MS;
    size = yk_frame_encode(frame, &rig->auth, bytes);
    ck_assert(size > 0);
    rig_bytes(rig, (const char *)bytes, size);
}

void rig_hear_producer(struct rig *rig, const char *id, enum yk_kind kind, const char *media)
{
    struct yk_frame frame = {.type = YK_TYPE_ANN};

    frame.as.ann.role = YK_ROLE_PRODUCER;
    frame.as.ann.kind = kind;
    frame.as.ann.name = yk_slice_of(id);
    frame.as.ann.state = YK_STATE_ACTIVE;
    if (media != NULL) {
        frame.as.ann.media = yk_slice_of(media);
    }
    rig_hear(rig, id, &frame);
}

void rig_hear_consumer(struct rig *rig, const char *id, const char *producer, uint64_t n,
                       const char *author)
{
    struct yk_frame frame = {.type = YK_TYPE_ANN};

    frame.as.ann.role = YK_ROLE_CONSUMER;
    frame.as.ann.kind = YK_KIND_HDMI;
    frame.as.ann.name = yk_slice_of(id);
    frame.as.ann.state = YK_STATE_PENDING;
    frame.as.ann.pairing.producer = id_of(producer);
    frame.as.ann.pairing.version = version_of(n, author);
    rig_hear(rig, id, &frame);
}

void rig_intent(struct rig *rig, const char *consumer, const char *producer, uint64_t n,
                const char *author)
{
    struct yk_frame frame = {.type = YK_TYPE_INT};

    frame.as.intent.op = producer != NULL ? YK_OP_PAIR : YK_OP_UNPAIR;
    frame.as.intent.consumer = id_of(consumer);
    if (producer != NULL && strcmp(producer, "!") != 0) {
        frame.as.intent.producer = id_of(producer);
    }
    frame.as.intent.version = version_of(n, author);
    rig_hear(rig, "tool", &frame);
}

void rig_ack(struct rig *rig, const char *consumer, uint64_t n, const char *author, bool applied,
             enum yk_reason reason)
{
    struct yk_frame frame = {.type = YK_TYPE_ACK};

    frame.as.ack.version = version_of(n, author);
    frame.as.ack.applied = applied;
    frame.as.ack.reason = reason;
    rig_hear(rig, consumer, &frame);
}

void rig_bye(struct rig *rig, const char *id)
{
    struct yk_frame frame = {.type = YK_TYPE_BYE};

    rig_hear(rig, id, &frame);
}

void rig_forget(struct rig *rig)
{
    rig->trace[0] = '\0';
}

unsigned rig_count(const struct rig *rig, const char *text)
{
    unsigned count = 0;

    for (const char *at = rig->trace; (at = strstr(at, text)) != NULL; at += strlen(text)) {
        count++;
    }
    return count;
}
