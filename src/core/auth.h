/* auth.h - the site key: sign and verify frames (spec, Authentication). OpenSSL is visible only in
 * auth.c. */
#ifndef YK_CORE_AUTH_H
#define YK_CORE_AUTH_H

#include "core/types.h"

#define YK_DIGEST_SIZE 32
#define YK_SIG_SIZE (2 * YK_DIGEST_SIZE)
#define YK_FINGERPRINT_SIZE 9 /* eight hex digits and the end */

/* Keyed: HMAC-SHA256 over the signed bytes. Open: SHA-256 over them. Either way two frames of one
 * receiver have the same digest only when their canonical bytes are the same. */
struct yk_digest {
    uint8_t bytes[YK_DIGEST_SIZE];
};

/* One key's pad states, computed once; opaque. */
struct yk_key {
    bool set;                                    /* false: no key, open mode */
    char fingerprint[YK_FINGERPRINT_SIZE];       /* completions section 6, keygen; "" when open */
    _Alignas(16) uint8_t inner[128], outer[128]; /* saved SHA-256 states */
};

/* The beginning of signed bytes that were verified, and the state of SHA-256 behind its whole blocks:
 * who signs the same beginning again is hashed from there on. All zero: nothing is kept. The same bytes
 * under the same key have the same state, whoever sent them; the key is known by its own state, for
 * one may take the place of another while the agent runs. */
#define YK_RESUME_MARGIN 19 /* bytes at the end of parts[0] that are new each time: digits of seq */
#define YK_RESUME_MAX 1024  /* bytes; a body and its origin */
struct yk_resume {
    size_t size;
    _Alignas(16) uint8_t key[YK_DIGEST_SIZE], state[128];
    uint8_t bytes[YK_RESUME_MAX];
};

/* True when `bytes` begin with what is kept. */
bool yk_resume_begins(const struct yk_resume *resume, struct yk_slice bytes);

struct yk_auth {
    struct yk_key key;  /* signs, and verifies */
    struct yk_key next; /* verifies too, while a key is rotated; never signs */
};

/* An empty `key` is open mode, whatever `next` is; an empty `next` is no second key. The bytes are
 * not kept. */
void yk_auth_init(struct yk_auth *auth, struct yk_slice key, struct yk_slice next);
/* Wipes the states. */
void yk_auth_fini(struct yk_auth *auth);

/* The lower-case hex signature over `parts`, or nothing in open mode. Gives its size: 64 or 0. */
size_t yk_auth_sign(const struct yk_auth *auth, const struct yk_slice parts[2],
                    char sig[YK_SIG_SIZE]);

/* The bytes of a signature; false when it is not 64 lower-case hex digits. */
YK_MUST_USE bool yk_sig_read(struct yk_slice sig, struct yk_digest *claimed);

/* True when `sig` (any string, not yet checked for its form) is the signature over `parts` under
 * either key, compared in constant time; in open mode, when it is empty. `digest` is filled on
 * success; `signer` (may be NULL) then points to the key that verified, or is NULL in open mode.
 * `resume` (may be NULL) is used where it fits and, on success only, filled anew where it does not: then
 * it holds the beginning of parts[0]. The result is the same with it and without. */
YK_MUST_USE bool yk_auth_verify(const struct yk_auth *auth, const struct yk_slice parts[2],
                                struct yk_slice sig, struct yk_resume *resume,
                                struct yk_digest *digest, const struct yk_key **signer);
/* The same for a signature that was read (NULL: it was empty), by who has asked already whether parts[0]
 * `begins` with what `resume` keeps. */
YK_MUST_USE bool yk_auth_verify_claim(const struct yk_auth *auth, const struct yk_slice parts[2],
                                      const struct yk_digest *claimed, struct yk_resume *resume,
                                      bool begins, struct yk_digest *digest,
                                      const struct yk_key **signer);

#endif
