/* sign.h - frames that pass authentication, so that a fuzzer gets behind it. */
#ifndef YK_TESTS_FUZZ_SIGN_H
#define YK_TESTS_FUZZ_SIGN_H

#include "core/frame.h"

#define FUZZ_SIGNED_MAX (YK_CANONICAL_MAX + YK_SIG_SIZE)

/* Writes the canonical bytes of the frame whose envelope `decoder` read last, signed by `auth` (or
 * not at all, in open mode) whatever signature it had. Gives the size; `sig_at` is where the
 * signature begins. */
size_t fuzz_sign(const struct yk_decoder *decoder, const struct yk_auth *auth,
                 uint8_t out[FUZZ_SIGNED_MAX], size_t *sig_at);

#endif
