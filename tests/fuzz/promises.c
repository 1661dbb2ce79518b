#include "fuzz/promises.h"

bool fuzz_id_is_valid(const struct yk_id *id)
{
    struct yk_id again;

    return yk_id_parse(&again, (struct yk_slice){(const uint8_t *)id->text, id->size}) &&
           memcmp(&again, id, sizeof again) == 0; /* zero behind its end, too */
}

static bool is_none(const struct yk_id *id)
{
    static const struct yk_id none;

    return memcmp(id, &none, sizeof none) == 0;
}

bool fuzz_version_is_valid(const struct yk_version *version, bool zero)
{
    if (version->n == 0) {
        return zero && is_none(&version->author);
    }
    return version->n <= YK_COUNT_MAX && fuzz_id_is_valid(&version->author);
}

bool fuzz_pairing_is_valid(const struct yk_pairing *pairing)
{
    if (!fuzz_version_is_valid(&pairing->version, true)) {
        return false;
    }
    return is_none(&pairing->producer) ||
           (pairing->version.n > 0 && fuzz_id_is_valid(&pairing->producer));
}

bool fuzz_pairings_equal(const struct yk_pairing *a, const struct yk_pairing *b)
{
    return yk_id_equal(&a->producer, &b->producer) &&
           yk_version_compare(&a->version, &b->version) == 0;
}

bool fuzz_is_object(struct yk_slice text)
{
    static struct yk_json json;

    return yk_json_index_canonical(&json, text) && json.tokens[0].type == YK_JSON_OBJECT;
}

static void check_text(struct yk_slice text, size_t most_points)
{
    size_t points;

    FUZZ_CHECK(text.size <= YK_FRAME_MAX, "a text is no longer than its frame");
    FUZZ_CHECK(yk_utf8_valid(text, &points) && points <= most_points,
               "text is UTF-8, a name of at most 64 code points");
}

static void check_ann(const struct yk_ann *ann)
{
    FUZZ_CHECK(ann->role > YK_ROLE_NONE && ann->role < YK_ROLE_END, "a role is on the list");
    FUZZ_CHECK(ann->kind > YK_KIND_NONE && ann->kind < YK_KIND_END, "a kind is on the list");
    FUZZ_CHECK(ann->state > YK_STATE_NONE && ann->state < YK_STATE_END, "a state is on the list");
    check_text(ann->name, YK_NAME_MAX);
    if (ann->has_err) {
        check_text(ann->err, SIZE_MAX);
    }
    if (ann->has_evidence) {
        check_text(ann->evidence, SIZE_MAX);
    }
    if (ann->role == YK_ROLE_CONSUMER) {
        FUZZ_CHECK(fuzz_pairing_is_valid(&ann->pairing), "a consumer has a valid pairing");
        FUZZ_CHECK(ann->media.size == 0, "a consumer has no media");
    } else {
        FUZZ_CHECK(is_none(&ann->pairing.producer) && ann->pairing.version.n == 0,
                   "a producer has no pairing");
        FUZZ_CHECK(ann->media.size == 0 || fuzz_is_object(ann->media),
                   "media is a canonical object");
    }
}

static void check_intent(const struct yk_intent *intent)
{
    FUZZ_CHECK(intent->op > YK_OP_NONE && intent->op < YK_OP_END, "an op is on the list");
    FUZZ_CHECK(fuzz_id_is_valid(&intent->consumer), "an intent names a consumer");
    FUZZ_CHECK(fuzz_version_is_valid(&intent->version, false), "an intent has a version");
    FUZZ_CHECK(is_none(&intent->producer) ||
                   (intent->op == YK_OP_PAIR && fuzz_id_is_valid(&intent->producer)),
               "only a pair has a producer, and it is an id or none");
}

void fuzz_check_frame(const struct yk_frame *frame)
{
    FUZZ_CHECK(fuzz_id_is_valid(&frame->origin), "the origin is an id");
    FUZZ_CHECK(frame->seq >= 1 && frame->seq <= YK_COUNT_MAX, "seq is 1 to 2^63-1");
    switch (frame->type) {
    case YK_TYPE_ANN:
        check_ann(&frame->as.ann);
        break;
    case YK_TYPE_INT:
        check_intent(&frame->as.intent);
        break;
    case YK_TYPE_ACK:
        FUZZ_CHECK(fuzz_version_is_valid(&frame->as.ack.version, false), "an ack has a version");
        FUZZ_CHECK(frame->as.ack.reason > YK_REASON_NONE && frame->as.ack.reason < YK_REASON_END,
                   "a reason is on the list");
        break;
    case YK_TYPE_EVT:
        FUZZ_CHECK(frame->as.evt.slug.size >= 1 && frame->as.evt.slug.size <= 64,
                   "a slug has 1 to 64 characters");
        FUZZ_CHECK(fuzz_is_object(frame->as.evt.detail), "a detail is a canonical object");
        break;
    case YK_TYPE_BYE:
        break;
    case YK_TYPE_NONE:
    case YK_TYPE_END:
        FUZZ_CHECK(false, "a type is on the list");
    }
}

static bool anns_equal(const struct yk_ann *a, const struct yk_ann *b)
{
    return a->role == b->role && a->kind == b->kind && yk_slice_equal(a->name, b->name) &&
           a->state == b->state && a->has_err == b->has_err && yk_slice_equal(a->err, b->err) &&
           fuzz_pairings_equal(&a->pairing, &b->pairing) && yk_slice_equal(a->media, b->media) &&
           a->has_evidence == b->has_evidence && yk_slice_equal(a->evidence, b->evidence);
}

static bool bodies_equal(const struct yk_frame *a, const struct yk_frame *b)
{
    switch (a->type) {
    case YK_TYPE_ANN:
        return anns_equal(&a->as.ann, &b->as.ann);
    case YK_TYPE_INT:
        return yk_intent_equal(&a->as.intent, &b->as.intent);
    case YK_TYPE_ACK:
        return yk_version_compare(&a->as.ack.version, &b->as.ack.version) == 0 &&
               a->as.ack.applied == b->as.ack.applied && a->as.ack.reason == b->as.ack.reason;
    case YK_TYPE_EVT:
        return a->as.evt.event == b->as.evt.event &&
               yk_slice_equal(a->as.evt.slug, b->as.evt.slug) &&
               yk_slice_equal(a->as.evt.detail, b->as.evt.detail);
    case YK_TYPE_BYE:
    case YK_TYPE_NONE:
    case YK_TYPE_END:
        break;
    }
    return true;
}

bool fuzz_frames_equal(const struct yk_frame *a, const struct yk_frame *b)
{
    return a->type == b->type && yk_id_equal(&a->origin, &b->origin) && a->seq == b->seq &&
           a->ts_ms == b->ts_ms && bodies_equal(a, b);
}
