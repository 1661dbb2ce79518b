#include <string.h>

#include "core/frame.h"
#include "core/number.h"

/* Keys are written in the order of the canonical form. */

static void write_word(struct yk_json_writer *writer, const char *key, const char *word)
{
    yk_json_key(writer, key);
    yk_json_string(writer, yk_slice_of(word));
}

static void write_id(struct yk_json_writer *writer, const char *key, const struct yk_id *id)
{
    write_word(writer, key, id->text);
}

static void write_null(struct yk_json_writer *writer, const char *key)
{
    yk_json_key(writer, key);
    yk_json_raw(writer, yk_slice_of("null"));
}

static void write_version(struct yk_json_writer *writer, const struct yk_version *version)
{
    yk_json_key(writer, "version");
    yk_json_open(writer, '[');
    yk_json_unsigned(writer, version->n);
    yk_json_string(writer, yk_slice_of(version->author.text));
    yk_json_close(writer, ']');
}

void yk_pairing_write(struct yk_json_writer *writer, const struct yk_pairing *pairing)
{
    yk_json_open(writer, '{');
    if (pairing->producer.size == 0) {
        write_null(writer, "producer");
    } else {
        write_id(writer, "producer", &pairing->producer);
    }
    write_version(writer, &pairing->version);
    yk_json_close(writer, '}');
}

static void write_ann(struct yk_json_writer *writer, const struct yk_ann *ann)
{
    bool consumer = ann->role == YK_ROLE_CONSUMER;

    if (ann->has_evidence) {
        yk_json_key(writer, "driver_status");
        yk_json_open(writer, '{');
        yk_json_key(writer, "detail");
        yk_json_string(writer, ann->evidence);
        yk_json_close(writer, '}');
    }
    if (ann->has_err) {
        yk_json_key(writer, "err");
        yk_json_string(writer, ann->err);
    } else {
        write_null(writer, "err");
    }
    write_word(writer, "kind", yk_kind_word(ann->kind));
    if (consumer || ann->media.size == 0) {
        write_null(writer, "media");
    } else {
        yk_json_key(writer, "media");
        yk_json_raw(writer, ann->media);
    }
    yk_json_key(writer, "name");
    yk_json_string(writer, ann->name);
    if (consumer) {
        yk_json_key(writer, "pairing");
        yk_pairing_write(writer, &ann->pairing);
    } else {
        write_null(writer, "pairing");
    }
    write_word(writer, "role", yk_role_word(ann->role));
    write_word(writer, "state", yk_state_word(ann->state));
}

static void write_int(struct yk_json_writer *writer, const struct yk_intent *intent)
{
    write_id(writer, "consumer", &intent->consumer);
    write_word(writer, "op", yk_op_word(intent->op));
    if (intent->op == YK_OP_PAIR) {
        write_id(writer, "producer", &intent->producer);
    }
    write_version(writer, &intent->version);
}

static void write_ack(struct yk_json_writer *writer, const struct yk_ack *ack)
{
    yk_json_key(writer, "applied");
    yk_json_raw(writer, yk_slice_of(ack->applied ? "true" : "false"));
    write_word(writer, "reason", yk_reason_word(ack->reason));
    write_version(writer, &ack->version);
}

static void write_evt(struct yk_json_writer *writer, const struct yk_evt *evt)
{
    yk_json_key(writer, "detail");
    yk_json_raw(writer, evt->detail);
    write_word(writer, "event", yk_event_word(evt->event));
}

static void write_body(struct yk_json_writer *writer, const struct yk_frame *frame)
{
    yk_json_key(writer, "body");
    yk_json_open(writer, '{');
    switch (frame->type) {
    case YK_TYPE_ANN:
        write_ann(writer, &frame->as.ann);
        break;
    case YK_TYPE_INT:
        write_int(writer, &frame->as.intent);
        break;
    case YK_TYPE_ACK:
        write_ack(writer, &frame->as.ack);
        break;
    case YK_TYPE_EVT:
        write_evt(writer, &frame->as.evt);
        break;
    case YK_TYPE_BYE:
    case YK_TYPE_NONE:
    case YK_TYPE_END:
        break;
    }
    yk_json_close(writer, '}');
}

size_t yk_frame_encode(const struct yk_frame *frame, const struct yk_auth *auth,
                       uint8_t out[YK_FRAME_MAX])
{
    struct yk_json_writer writer;
    char sig[YK_SIG_SIZE] = {0}; /* holds the place until what is signed is written */
    size_t sig_size = auth->key.set ? YK_SIG_SIZE : 0;
    char ts[YK_REAL_MAX];
    size_t before;
    size_t after;

    yk_json_writer_init(&writer, out, YK_FRAME_MAX);
    yk_json_open(&writer, '{');
    write_body(&writer, frame);
    write_id(&writer, "origin", &frame->origin);
    yk_json_key(&writer, "seq");
    yk_json_unsigned(&writer, frame->seq);
    before = writer.size;
    yk_json_key(&writer, "sig");
    memset(sig, '0', sig_size);
    yk_json_string(&writer, (struct yk_slice){(const uint8_t *)sig, sig_size});
    after = writer.size;
    yk_json_key(&writer, "ts");
    yk_json_raw(&writer,
                (struct yk_slice){(const uint8_t *)ts, yk_seconds_write(frame->ts_ms, ts)});
    write_word(&writer, "type", yk_type_word(frame->type));
    yk_json_key(&writer, "v");
    yk_json_unsigned(&writer, 1);
    yk_json_close(&writer, '}');
    if (writer.full) {
        return 0;
    }
    yk_auth_sign(auth, (struct yk_slice[]){{out, before}, {out + after, writer.size - after}}, sig);
    memcpy(out + after - 1 - sig_size, sig, sig_size);
    return writer.size;
}

bool yk_intent_equal(const struct yk_intent *a, const struct yk_intent *b)
{
    return a->op == b->op && yk_id_equal(&a->consumer, &b->consumer) &&
           yk_id_equal(&a->producer, &b->producer) &&
           yk_version_compare(&a->version, &b->version) == 0;
}
