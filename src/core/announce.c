#include "core/announce.h"

#include <string.h>

static void describe(struct yk_frame *frame, const struct yk_node_options *options)
{
    *frame = (struct yk_frame){.type = YK_TYPE_ANN};
    frame->as.ann.role = options->role;
    frame->as.ann.kind = options->kind;
    frame->as.ann.name = options->name;
    if (options->role == YK_ROLE_PRODUCER) {
        frame->as.ann.media = options->media;
    }
}

/* How many bytes the frame has with numbers of full length; 0 when it does not fit. */
static size_t measure(struct yk_frame frame, const struct yk_id *origin, const struct yk_auth *auth)
{
    uint8_t bytes[YK_FRAME_MAX];

    frame.origin = *origin;
    frame.seq = YK_COUNT_MAX;
    frame.ts_ms = INT64_MAX;
    return yk_frame_encode(&frame, auth, bytes);
}

/* Cuts the error text so that the frame fits; without it the frame fits (yk_node_fits). */
static void cut_err(struct yk_frame *frame, const struct yk_outbox *outbox)
{
    struct yk_ann *ann = &frame->as.ann;
    struct yk_frame bare = *frame;

    bare.as.ann.err.size = 0;
    while (yk_json_string_size(ann->err) - 2 >
           YK_FRAME_MAX - measure(bare, outbox->origin, outbox->auth)) {
        ann->err.size = yk_utf8_cut(ann->err, ann->err.size - 1);
    }
}

bool yk_announce(struct yk_outbox *outbox, const struct yk_node_options *options,
                 const struct yk_pairing *pairing, const struct yk_status_text *status)
{
    struct yk_frame frame;
    struct yk_ann *ann = &frame.as.ann;

    describe(&frame, options);
    ann->state = status->state;
    if (pairing != NULL) {
        ann->pairing = *pairing;
    }
    ann->has_err = status->err_size > 0;
    ann->err = (struct yk_slice){status->err, status->err_size};
    ann->has_evidence = status->evidence_size > 0;
    ann->evidence = (struct yk_slice){status->evidence, status->evidence_size};
    if (measure(frame, outbox->origin, outbox->auth) == 0) {
        ann->has_evidence = false;
    }
    if (ann->has_err && measure(frame, outbox->origin, outbox->auth) == 0) {
        cut_err(&frame, outbox);
    }
    return yk_outbox_send(outbox, &frame);
}

static void widest_id(struct yk_id *id)
{
    memset(id->text, 'x', YK_ID_MAX);
    id->size = YK_ID_MAX;
}

bool yk_node_fits(const struct yk_node_options *options, size_t *over)
{
    struct yk_frame frame;
    struct yk_ann *ann = &frame.as.ann;
    size_t bare;

    describe(&frame, options);
    ann->state = YK_STATE_PENDING; /* the longest word */
    ann->has_err = false;          /* null is longer than an empty text */
    if (options->role == YK_ROLE_CONSUMER) {
        widest_id(&ann->pairing.producer);
        widest_id(&ann->pairing.version.author);
        ann->pairing.version.n = YK_COUNT_MAX;
    }
    *over = 0;
    if (measure(frame, &options->id, options->auth) > 0) {
        return true;
    }
    /* A name of 64 code points and everything else fit: what is too much is media, where "null"
     * stood in the bare frame. */
    ann->media.size = 0;
    bare = measure(frame, &options->id, options->auth) - strlen("null");
    *over = bare + options->media.size - YK_FRAME_MAX;
    return false;
}
