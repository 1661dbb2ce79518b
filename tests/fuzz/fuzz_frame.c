/* frame - the decoder and the door before it: any bytes get one verdict, the same again, counted
 * once; what is admitted keeps the promises of core/frame.h; a wrong signature is refused and leaves
 * no trace. */
#include <stdlib.h>

#include "core/admission.h"
#include "fuzz/promises.h"
#include "fuzz/sign.h"

#define TRACKED 16
#define KEY "vector-key"

static struct yk_receiver receiver;

/* A receiver that has heard nothing yet, in a static place. */
static void start_receiver(const struct yk_auth *auth)
{
    static void *memory;
    size_t size = yk_receiver_memory(TRACKED);

    if (memory == NULL) {
        memory = malloc(size);
        FUZZ_CHECK(memory != NULL, "there is memory");
    }
    memset(memory, 0, size);
    yk_receiver_init(&receiver, memory, TRACKED, auth, (struct yk_wall){FUZZ_WALL_NS, 0}, 1);
}

static const struct yk_auth *auth_of(const char *key)
{
    static struct yk_auth keyed, open;
    struct yk_auth *auth = key[0] != 0 ? &keyed : &open;

    if (keyed.key.fingerprint[0] == 0) {
        yk_auth_init(&keyed, yk_slice_of(KEY), (struct yk_slice){NULL, 0});
        yk_auth_init(&open, (struct yk_slice){NULL, 0}, (struct yk_slice){NULL, 0});
    }
    return auth;
}

static enum yk_drop admit(struct yk_slice raw)
{
    struct yk_frame frame;
    uint64_t before = receiver.drops[YK_DROP_NONE], sum_before = 0, sum_after = 0;
    enum yk_drop drop;

    for (int i = 0; i < YK_DROP_END; i++) {
        sum_before += receiver.drops[i];
    }
    drop = yk_receiver_admit(&receiver, raw, 0, &frame);
    for (int i = 0; i < YK_DROP_END; i++) {
        sum_after += receiver.drops[i];
    }
    FUZZ_CHECK(sum_after == sum_before + 1, "a datagram is counted once");
    FUZZ_CHECK((receiver.drops[YK_DROP_NONE] > before) == (drop == YK_DROP_NONE),
               "it is counted under its verdict");
    if (drop == YK_DROP_NONE) {
        fuzz_check_frame(&frame);
    }
    return drop;
}

/* The same frame, signed: first with a digit of the signature changed, then right. */
static void check_keyed(struct yk_slice raw, enum yk_drop open_drop)
{
    uint8_t bytes[FUZZ_SIGNED_MAX];
    size_t sig_at, size, changed;
    uint8_t right;
    struct yk_slice text;

    size = fuzz_sign(&receiver.decoder, auth_of(KEY), bytes, &sig_at);
    if (size > YK_FRAME_MAX) {
        return;
    }
    text = (struct yk_slice){bytes, size};
    changed = sig_at + raw.size % YK_SIG_SIZE;
    start_receiver(auth_of(KEY));
    right = bytes[changed];
    bytes[changed] = right == '0' ? '1' : '0';
    FUZZ_CHECK(admit(text) == YK_DROP_AUTH, "a forged frame is dropped as auth");
    bytes[changed] = right;
    FUZZ_CHECK(admit(text) == open_drop,
               "a signed frame fares as the unsigned one in open mode, whatever was forged before");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct yk_slice raw = {data, size};
    enum yk_drop drop, again;

    start_receiver(auth_of(""));
    drop = admit(raw);
    FUZZ_CHECK((drop == YK_DROP_OVERSIZE) == (size > YK_FRAME_MAX), "over 1200 bytes is oversize");
    FUZZ_CHECK(drop != YK_DROP_DUP, "a first frame is no duplicate");
    again = admit(raw);
    FUZZ_CHECK(again == (drop == YK_DROP_NONE ? YK_DROP_DUP : drop),
               "the same bytes fare the same, but that what was accepted is then a duplicate");
    if (drop == YK_DROP_NONE || drop == YK_DROP_STALE) {
        check_keyed(raw, drop);
    }
    return 0;
}
