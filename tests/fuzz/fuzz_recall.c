/* recall - a receiver that remembers announcements and one that reads and hashes every frame whole say
 * the same of any history of two frames: under either key, forged, repeated, out of order, with keys that
 * are changed in place. Input: the size of the first frame (two bytes, big endian), eight pairs of bytes
 * of the history, the frames. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/admission.h"
#include "fuzz/promises.h"
#include "fuzz/sign.h"

#define TRACKED 16
#define HISTORY 8 /* rounds, gone through REPEATS times */
#define REPEATS 3
#define HEAD (2 + 2 * HISTORY)

static struct yk_receiver quick, slow;
static struct yk_auth site, next, stranger;

static void start(struct yk_receiver *receiver, void **memory, enum yk_path path)
{
    size_t size = yk_receiver_memory(TRACKED);

    if (*memory == NULL) {
        *memory = malloc(size);
        FUZZ_CHECK(*memory != NULL, "there is memory");
    }
    memset(*memory, 0, size);
    yk_receiver_init(receiver, *memory, TRACKED, &site, (struct yk_wall){FUZZ_WALL_NS, 0}, 1);
    receiver->path = path;
}

/* The keys that the receivers have, in their place. */
static void set_keys(bool in_turn)
{
    static bool are_turned = true;

    if (are_turned != in_turn) {
        are_turned = in_turn;
        yk_auth_init(&site, yk_slice_of(in_turn ? "next" : "site"),
                     yk_slice_of(in_turn ? "site" : "next"));
    }
}

static void start_both(void)
{
    static void *quick_memory, *slow_memory;

    set_keys(false);
    if (!next.key.set) {
        yk_auth_init(&next, yk_slice_of("next"), (struct yk_slice){NULL, 0});
        yk_auth_init(&stranger, yk_slice_of("stranger"), (struct yk_slice){NULL, 0});
    }
    start(&quick, &quick_memory, YK_PATH_AUTO);
    start(&slow, &slow_memory, YK_PATH_GENERAL);
    slow.recent_count = 0; /* nor does it resume */
}

/* The frame under another number, signed; gives its size, or 0 when it is no frame or too large. */
static size_t compose(struct yk_slice raw, uint64_t seq, const struct yk_auth *auth,
                      uint8_t out[FUZZ_SIGNED_MAX], size_t *sig_at)
{
    static struct yk_decoder decoder;
    static uint8_t text[YK_CANONICAL_MAX + 32];
    struct yk_frame frame;
    struct yk_slice number;
    size_t before, size;

    if (yk_frame_read_envelope(&decoder, raw, YK_PATH_GENERAL, &frame) != YK_DROP_NONE) {
        return 0;
    }
    number = yk_json_spelling(&decoder.json, yk_json_member(&decoder.json, 0, "seq"));
    before = (size_t)(number.data - decoder.spelled.data);
    memcpy(text, decoder.spelled.data, before);
    size = before + (size_t)snprintf((char *)text + before, 32, "%" PRIu64, seq);
    memcpy(text + size, number.data + number.size, decoder.spelled.size - before - number.size);
    size += decoder.spelled.size - before - number.size;
    if (size > YK_FRAME_MAX || yk_frame_read_envelope(&decoder, (struct yk_slice){text, size},
                                                      YK_PATH_FAST, &frame) != YK_DROP_NONE) {
        return 0;
    }
    return fuzz_sign(&decoder, auth, out, sig_at);
}

static void hear(struct yk_slice raw)
{
    struct yk_frame by_quick, by_slow;
    enum yk_drop drop = yk_receiver_admit(&slow, raw, 0, &by_slow);

    FUZZ_CHECK(yk_receiver_admit(&quick, raw, 0, &by_quick) == drop, "both give the same verdict");
    if (drop == YK_DROP_NONE) {
        FUZZ_CHECK(fuzz_frames_equal(&by_quick, &by_slow), "and read the same frame");
        FUZZ_CHECK(quick.signer == slow.signer, "and name the same key");
    }
}

/* What a pair of bytes does: frame, key, a digit of the signature changed, a byte changed behind the
 * signing or the keys exchanged before, how far the number goes on or back. */
static void play(struct yk_slice frames[2], const uint8_t step[2], uint64_t *seq)
{
    static uint8_t bytes[FUZZ_SIGNED_MAX];
    const struct yk_auth *const keys[] = {&site, &site, &next, &stranger};
    size_t sig_at = 0, size;

    if ((step[0] & 0x40) == 0 && step[1] >= 0x80) {
        set_keys(step[1] & 1);
    }
    *seq += (uint64_t)(step[0] >> 3 & 3);
    size = compose(frames[step[0] & 1], *seq - (step[0] & 0x80 ? 2 : 0), keys[step[0] >> 1 & 3],
                   bytes, &sig_at);
    if (size == 0) {
        return;
    }
    if (step[0] & 0x20) {
        bytes[sig_at] = bytes[sig_at] == '0' ? '1' : '0';
    }
    if (step[0] & 0x40) {
        bytes[step[1] * size / 256] ^= (uint8_t)(1 << (step[1] & 7));
    }
    hear((struct yk_slice){bytes, size});
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct yk_slice frames[2];
    uint64_t seq = FUZZ_WALL_NS;
    size_t first;

    if (size < HEAD) {
        return 0;
    }
    first = (size_t)data[0] << 8 | data[1];
    first = first < size - HEAD ? first : size - HEAD;
    frames[0] = (struct yk_slice){data + HEAD, first};
    frames[1] = (struct yk_slice){data + HEAD + first, size - HEAD - first};
    start_both();
    for (int i = 0; i < REPEATS * HISTORY; i++) {
        play(frames, data + 2 + 2 * (i % HISTORY), &seq);
    }
    return 0;
}
