/* state - any bytes as a state file: refused with a cause, or a valid state that is saved and read
 * again as the same, and of whose text no beginning is a state. */
#include "core/json.h"
#include "fuzz/promises.h"
#include "shell/store.h"

static bool states_equal(const struct yk_durable *a, const struct yk_durable *b)
{
    return a->seq == b->seq && fuzz_pairings_equal(&a->pairing, &b->pairing);
}

static bool decode(const void *text, size_t size, struct yk_durable *state)
{
    char cause[YK_CAUSE_MAX] = "";
    struct yk_slice slice = {text, size};
    bool ok = yk_state_decode(slice, state, cause);

    FUZZ_CHECK(ok || (cause[0] != 0 && memchr(cause, 0, sizeof cause) != NULL),
               "what is refused is refused with a cause");
    return ok;
}

static void check_cuts(const char *text, size_t size)
{
    struct yk_durable state;

    for (size_t cut = 0; cut < size; cut++) {
        FUZZ_CHECK(!decode(text, cut, &state), "a state file cut at any byte is refused");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct yk_json json;
    struct yk_durable state, again;
    char text[YK_STATE_MAX];
    size_t encoded;

    if (size > YK_STATE_MAX || !decode(data, size, &state)) {
        return 0;
    }
    FUZZ_CHECK(yk_json_index(&json, (struct yk_slice){data, size}), "a state is strict JSON");
    FUZZ_CHECK(state.seq <= YK_COUNT_MAX, "seq is at most 2^63-1");
    FUZZ_CHECK(fuzz_pairing_is_valid(&state.pairing), "a state has a valid pairing");
    encoded = yk_state_encode(&state, text);
    FUZZ_CHECK(decode(text, encoded, &again) && states_equal(&state, &again),
               "a state that is saved is read again as the same");
    check_cuts(text, encoded);
    return 0;
}
