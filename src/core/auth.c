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

/* The value of a lower-case hex digit, or -1. */
static int hex_value(uint8_t c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* True when `sig` is 64 lower-case hex digits. It comes from the wire: nothing in it is secret. */
static bool read_sig(struct yk_slice sig, uint8_t out[YK_DIGEST_SIZE])
{
    if (sig.size != YK_SIG_SIZE) {
        return false;
    }
    for (size_t i = 0; i < YK_DIGEST_SIZE; i++) {
        int high = hex_value(sig.data[2 * i]);
        int low = hex_value(sig.data[2 * i + 1]);

        if (high < 0 || low < 0) {
            return false;
        }
        out[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

bool yk_auth_verify(const struct yk_auth *auth, const struct yk_slice parts[2], struct yk_slice sig,
                    struct yk_digest *digest, const struct yk_key **signer)
{
    const struct yk_key *keys[] = {&auth->key, &auth->next};
    uint8_t claimed[YK_DIGEST_SIZE];

    if (signer != NULL) {
        *signer = NULL;
    }
    if (!auth->key.set) {
        if (sig.size != 0) {
            return false;
        }
        hash_plain(parts, digest->bytes);
        return true;
    }
    if (!read_sig(sig, claimed)) {
        return false;
    }
    for (size_t i = 0; i < 2 && keys[i]->set; i++) {
        hmac(keys[i], parts, digest->bytes);
        if (CRYPTO_memcmp(digest->bytes, claimed, YK_DIGEST_SIZE) == 0) {
            if (signer != NULL) {
                *signer = keys[i];
            }
            return true;
        }
    }
    return false;
}
