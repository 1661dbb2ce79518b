/* encode - what was decoded is encoded as a canonical frame that decodes to the same. */
#include "core/number.h"
#include "fuzz/promises.h"

static struct yk_decoder decoder, decoder_again;

static const struct yk_auth *open_auth(void)
{
    static struct yk_auth auth; /* zeroed is what open mode is */

    return &auth;
}

static bool is_encodable(const struct yk_frame *frame)
{
    if (frame->type == YK_TYPE_EVT) {
        return frame->as.evt.event != YK_EVENT_NONE;
    }
    /* A pair with a producer that is no id is answered, and never written by anybody. */
    return frame->type != YK_TYPE_INT || frame->as.intent.op == YK_OP_UNPAIR ||
           frame->as.intent.producer.size > 0;
}

static int64_t clamped(int64_t ts_ms)
{
    if (ts_ms > YK_SECONDS_MS_MAX) {
        return YK_SECONDS_MS_MAX;
    }
    return ts_ms < -YK_SECONDS_MS_MAX ? -YK_SECONDS_MS_MAX : ts_ms;
}

static bool decode(struct yk_decoder *into, struct yk_slice raw, struct yk_frame *frame)
{
    return yk_frame_read_envelope(into, raw, YK_PATH_AUTO, frame) == YK_DROP_NONE &&
           yk_frame_read_body(into, frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct yk_frame frame, again;
    uint8_t bytes[YK_FRAME_MAX], bytes_again[YK_FRAME_MAX];
    size_t encoded;

    if (!decode(&decoder, (struct yk_slice){data, size}, &frame) || !is_encodable(&frame)) {
        return 0;
    }
    encoded = yk_frame_encode(&frame, open_auth(), bytes);
    if (encoded == 0) {
        FUZZ_CHECK(decoder.spelled.size + YK_REAL_MAX > YK_FRAME_MAX,
                   "a frame that fits is encoded: but for ts nothing becomes longer");
        return 0;
    }
    FUZZ_CHECK(decode(&decoder_again, (struct yk_slice){bytes, encoded}, &again),
               "what is encoded can be decoded");
    FUZZ_CHECK(decoder_again.spelled.data == bytes, "what is encoded is canonical");
    frame.ts_ms = clamped(frame.ts_ms);
    FUZZ_CHECK(fuzz_frames_equal(&frame, &again), "what is encoded decodes to the same");
    FUZZ_CHECK(yk_frame_encode(&again, open_auth(), bytes_again) == encoded &&
                   memcmp(bytes, bytes_again, encoded) == 0,
               "encoding again gives the same bytes");
    return 0;
}
