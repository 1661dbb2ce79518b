#include "fuzz/sign.h"

static size_t append(uint8_t *out, size_t size, const void *bytes, size_t count)
{
    memcpy(out + size, bytes, count);
    return size + count;
}

size_t fuzz_sign(const struct yk_decoder *decoder, const struct yk_auth *auth,
                 uint8_t out[FUZZ_SIGNED_MAX], size_t *sig_at)
{
    static const char before[] = ",\"sig\":\"";
    struct yk_slice parts[2];
    char sig[YK_SIG_SIZE];
    size_t size, sig_size;

    yk_frame_signed_parts(decoder, parts);
    sig_size = yk_auth_sign(auth, parts, sig);
    size = append(out, 0, parts[0].data, parts[0].size);
    size = append(out, size, before, strlen(before));
    *sig_at = size;
    size = append(out, size, sig, sig_size);
    size = append(out, size, "\"", 1);
    return append(out, size, parts[1].data, parts[1].size);
}
