/* Copying a saved SHA256_CTX is the one way of OpenSSL 3 to hash without an allocation a frame; its
 * low-level calls are marked deprecated, which is said to be known here and nowhere else. */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "core/auth.h"

#include <assert.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <string.h>

static_assert(sizeof(SHA256_CTX) <= sizeof(((struct yk_key *)0)->inner),
              "a saved state must fit struct yk_key");
static_assert(_Alignof(SHA256_CTX) <= 16, "struct yk_key aligns its states to 16");

#define BLOCK_SIZE SHA256_CBLOCK

/* The state after one block of the key, padded and mixed with `pad` (RFC 2104). */
static void save_pad(uint8_t *state, const uint8_t key[BLOCK_SIZE], uint8_t pad)
{
    SHA256_CTX *context = (SHA256_CTX *)(void *)state;
    uint8_t block[BLOCK_SIZE];

    for (size_t i = 0; i < BLOCK_SIZE; i++) {
        block[i] = key[i] ^ pad;
    }
    SHA256_Init(context);
    SHA256_Update(context, block, BLOCK_SIZE);
    OPENSSL_cleanse(block, sizeof(block));
}

static void write_hex(const uint8_t *bytes, size_t size, char *out)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < size; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
}

static void hash_parts(SHA256_CTX *context, const struct yk_slice parts[2],
                       uint8_t out[YK_DIGEST_SIZE])
{
    SHA256_Update(context, parts[0].data, parts[0].size);
    SHA256_Update(context, parts[1].data, parts[1].size);
    SHA256_Final(out, context);
}

static void hash_plain(const struct yk_slice parts[2], uint8_t out[YK_DIGEST_SIZE])
{
    SHA256_CTX context;

    SHA256_Init(&context);
    hash_parts(&context, parts, out);
}

static void save_fingerprint(char fingerprint[YK_FINGERPRINT_SIZE], struct yk_slice key)
{
    uint8_t digest[YK_DIGEST_SIZE];

    hash_plain((struct yk_slice[]){yk_slice_of("yoke key"), key}, digest);
    write_hex(digest, (YK_FINGERPRINT_SIZE - 1) / 2, fingerprint);
    OPENSSL_cleanse(digest, sizeof(digest));
}

static void set_key(struct yk_key *key, struct yk_slice bytes)
{
    uint8_t block[BLOCK_SIZE] = {0};

    memset(key, 0, sizeof(*key));
    if (bytes.size == 0) {
        return;
    }
    if (bytes.size > BLOCK_SIZE) {
        hash_plain((struct yk_slice[]){bytes, {NULL, 0}}, block);
    } else {
        memcpy(block, bytes.data, bytes.size);
    }
    key->set = true;
    save_fingerprint(key->fingerprint, bytes);
    save_pad(key->inner, block, 0x36);
    save_pad(key->outer, block, 0x5c);
    OPENSSL_cleanse(block, sizeof(block));
}

void yk_auth_init(struct yk_auth *auth, struct yk_slice key, struct yk_slice next)
{
    set_key(&auth->key, key);
    /* Open mode takes no signed frame, whoever signed it. */
    set_key(&auth->next, auth->key.set ? next : (struct yk_slice){NULL, 0});
}

void yk_auth_fini(struct yk_auth *auth)
{
    OPENSSL_cleanse(auth, sizeof(*auth));
}

static void hmac(const struct yk_key *key, const struct yk_slice parts[2],
                 uint8_t out[YK_DIGEST_SIZE])
{
    SHA256_CTX context;

    memcpy(&context, key->inner, sizeof(context));
    hash_parts(&context, parts, out);
    memcpy(&context, key->outer, sizeof(context));
    SHA256_Update(&context, out, YK_DIGEST_SIZE);
    SHA256_Final(out, &context);
}

size_t yk_auth_sign(const struct yk_auth *auth, const struct yk_slice parts[2],
                    char sig[YK_SIG_SIZE])
{
    uint8_t digest[YK_DIGEST_SIZE];

    if (!auth->key.set) {
        return 0;
    }
    hmac(&auth->key, parts, digest);
    write_hex(digest, YK_DIGEST_SIZE, sig);
    return YK_SIG_SIZE;
}

/* Nothing but 64 lower-case hex digits can be equal, so the form of `sig` needs no check before. */
static bool is_signature(const struct yk_key *key, const struct yk_slice parts[2],
                         struct yk_slice sig, struct yk_digest *digest)
{
    char expected[YK_SIG_SIZE];

    hmac(key, parts, digest->bytes);
    write_hex(digest->bytes, YK_DIGEST_SIZE, expected);
    return CRYPTO_memcmp(expected, sig.data, YK_SIG_SIZE) == 0;
}

bool yk_auth_verify(const struct yk_auth *auth, const struct yk_slice parts[2], struct yk_slice sig,
                    struct yk_digest *digest, const struct yk_key **signer)
{
    const struct yk_key *keys[] = {&auth->key, &auth->next};
    const struct yk_key *verified = NULL;

    if (!auth->key.set) {
        if (sig.size != 0) {
            return false;
        }
        hash_plain(parts, digest->bytes);
    } else {
        if (sig.size != YK_SIG_SIZE) {
            return false;
        }
        for (size_t i = 0; i < 2 && verified == NULL; i++) {
            if (keys[i]->set && is_signature(keys[i], parts, sig, digest)) {
                verified = keys[i];
            }
        }
        if (verified == NULL) {
            return false;
        }
    }
    if (signer != NULL) {
        *signer = verified;
    }
    return true;
}
