#include "core/outbox.h"

#include <assert.h>
#include <string.h>

void yk_outbox_begin(struct yk_outbox *outbox, struct yk_effects *effects, yk_time now)
{
    effects->count = 0;
    effects->used = 0;
    outbox->effects = effects;
    outbox->now = now;
}

static struct yk_effect *add(struct yk_outbox *outbox, enum yk_effect_kind kind)
{
    struct yk_effects *effects = outbox->effects;
    struct yk_effect *effect;

    assert(effects->count < YK_EFFECTS_MAX);
    effect = &effects->list[effects->count++];
    effect->kind = kind;
    return effect;
}

/* Room in the step's byte store, at most a frame at a time. */
static uint8_t *room(struct yk_outbox *outbox)
{
    assert(outbox->effects->used + YK_FRAME_MAX <= YK_EFFECTS_BYTES);
    return outbox->effects->bytes + outbox->effects->used;
}

static struct yk_slice keep(struct yk_outbox *outbox, size_t size)
{
    struct yk_slice kept = {room(outbox), size};

    outbox->effects->used += size;
    return kept;
}

static struct yk_slice keep_copy(struct yk_outbox *outbox, struct yk_slice bytes)
{
    if (bytes.size > 0) {
        memcpy(room(outbox), bytes.data, bytes.size);
    }
    return keep(outbox, bytes.size);
}

bool yk_outbox_send(struct yk_outbox *outbox, struct yk_frame *frame)
{
    size_t size;

    if (!yk_sequence_take(&outbox->sequence, &frame->seq)) {
        outbox->mute = true;
        return false;
    }
    frame->origin = *outbox->origin;
    frame->ts_ms = (int64_t)(yk_wall_at(&outbox->wall, outbox->now) / YK_MS);
    size = yk_frame_encode(frame, outbox->auth, room(outbox));
    if (size == 0) {
        return false;
    }
    add(outbox, YK_EFFECT_SEND)->as.send.bytes = keep(outbox, size);
    return true;
}

/* The longest start of `text` whose spelling in JSON has at most `most` bytes. */
static struct yk_slice cut_to_spelling(struct yk_slice text, size_t most)
{
    while (yk_json_string_size(text) > most) {
        text.size = yk_utf8_cut(text, text.size - 1);
    }
    return text;
}

static void log_locally(struct yk_outbox *outbox, enum yk_event event, struct yk_slice detail)
{
    struct yk_effect *effect = add(outbox, YK_EFFECT_EVENT);

    effect->as.event.event = event;
    effect->as.event.detail = detail;
}

/* {"detail": text, KEY: id} in the order of the canonical form ("detail" comes before both keys). */
static struct yk_slice write_detail(struct yk_outbox *outbox, const char *key,
                                    const struct yk_id *id, struct yk_slice text)
{
    struct yk_json_writer writer;

    yk_json_writer_init(&writer, room(outbox), YK_FRAME_MAX);
    yk_json_open(&writer, '{');
    if (text.size > 0) {
        yk_json_key(&writer, "detail");
        yk_json_string(&writer, cut_to_spelling(text, YK_EVENT_TEXT_MAX));
    }
    if (id != NULL) {
        yk_json_key(&writer, key);
        yk_json_string(&writer, yk_slice_of(id->text));
    }
    yk_json_close(&writer, '}');
    return keep(outbox, writer.size);
}

static void send_event(struct yk_outbox *outbox, enum yk_event event, struct yk_slice detail)
{
    struct yk_frame frame = {.type = YK_TYPE_EVT};

    frame.as.evt.event = event;
    frame.as.evt.detail = detail;
    log_locally(outbox, event, detail);
    yk_outbox_send(outbox, &frame);
}

void yk_outbox_event(struct yk_outbox *outbox, enum yk_event event, const struct yk_id *producer,
                     struct yk_slice text)
{
    send_event(outbox, event, write_detail(outbox, "producer", producer, text));
}

void yk_outbox_event_raw(struct yk_outbox *outbox, enum yk_event event, struct yk_slice detail)
{
    send_event(outbox, event, keep_copy(outbox, detail));
}

void yk_outbox_note(struct yk_outbox *outbox, enum yk_event note, const struct yk_id *node,
                    struct yk_slice text)
{
    log_locally(outbox, note, write_detail(outbox, "node", node, text));
}

void yk_outbox_persist(struct yk_outbox *outbox, uint64_t request, const struct yk_durable *state)
{
    struct yk_effect *effect = add(outbox, YK_EFFECT_PERSIST);

    effect->as.persist.request = request;
    effect->as.persist.state = *state;
}

void yk_outbox_attach(struct yk_outbox *outbox, uint64_t generation, struct yk_slice media)
{
    struct yk_effect *effect = add(outbox, YK_EFFECT_ATTACH);

    effect->as.attach.generation = generation;
    effect->as.attach.media = keep_copy(outbox, media);
}

void yk_outbox_detach(struct yk_outbox *outbox, uint64_t generation, enum yk_detach_reason reason)
{
    struct yk_effect *effect = add(outbox, YK_EFFECT_DETACH);

    effect->as.detach.generation = generation;
    effect->as.detach.reason = reason;
}

void yk_outbox_poll(struct yk_outbox *outbox, uint64_t generation)
{
    add(outbox, YK_EFFECT_POLL)->as.poll.generation = generation;
}

void yk_outbox_stopped(struct yk_outbox *outbox)
{
    add(outbox, YK_EFFECT_STOPPED);
}
