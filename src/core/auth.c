/* Copying a saved SHA256_CTX is the one way of OpenSSL 3 to hash without an allocation a frame; its
 * low-level calls are marked deprecated, which is said to be known here and nowhere else. */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "core/auth.h"

#include <assert.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <string.h>

#include "core/sixteen.h"

static_assert(sizeof(SHA256_CTX) <= sizeof(((struct yk_key *)0)->inner),
              "a saved state must fit struct yk_key");
static_assert(offsetof(SHA256_CTX, h) == 0 &&
                  sizeof(((SHA256_CTX *)0)->h) == sizeof(((struct yk_resume *)0)->key),
              "a key is known by what was hashed of it");
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

/* From the state behind the key and whatever of the parts was hashed already. */
static void finish_hmac(const struct yk_key *key, SHA256_CTX *inner, const struct yk_slice parts[2],
                        uint8_t out[YK_DIGEST_SIZE])
{
    SHA256_CTX outer;

    hash_parts(inner, parts, out);
    memcpy(&outer, key->outer, sizeof(outer));
    SHA256_Update(&outer, out, YK_DIGEST_SIZE);
    SHA256_Final(out, &outer);
}

static void hmac(const struct yk_key *key, const struct yk_slice parts[2],
                 uint8_t out[YK_DIGEST_SIZE])
{
    SHA256_CTX context;

    memcpy(&context, key->inner, sizeof(context));
    finish_hmac(key, &context, parts, out);
}

/* ---- hashing from where the bytes differ from those hashed before */

static struct yk_slice behind(struct yk_slice bytes, size_t size)
{
    return (struct yk_slice){bytes.data + size, bytes.size - size};
}

bool yk_resume_begins(const struct yk_resume *resume, struct yk_slice bytes)
{
    return resume->size > 0 && bytes.size >= resume->size &&
           memcmp(bytes.data, resume->bytes, resume->size) == 0;
}

static size_t worth_keeping(struct yk_slice bytes)
{
    size_t steady = bytes.size > YK_RESUME_MARGIN ? bytes.size - YK_RESUME_MARGIN : 0;

    return steady < YK_RESUME_MAX ? steady : YK_RESUME_MAX;
}

/* Only behind whole blocks is a state all there is to know of what was hashed. */
static size_t whole_blocks(size_t size)
{
    return size / BLOCK_SIZE * BLOCK_SIZE;
}

/* All of both is compared, wherever they differ. CRYPTO_memcmp does it a byte at a time, which is a
 * tenth of what a frame takes besides its hash. */
static bool is_same(const uint8_t a[YK_DIGEST_SIZE], const uint8_t b[YK_DIGEST_SIZE])
{
    uint64_t different = 0;

    for (size_t at = 0; at < YK_DIGEST_SIZE; at += sizeof(uint64_t)) {
        different |= yk_load_eight(a + at) ^ yk_load_eight(b + at);
    }
    __asm__ volatile("" : "+r"(different)); /* so that no compiler looks at a part of it first */
    return different == 0;
}

/* True when `claimed` is the HMAC of the parts. */
static bool is_hmac(const struct yk_key *key, const struct yk_slice parts[2],
                    const uint8_t claimed[YK_DIGEST_SIZE], struct yk_digest *digest)
{
    hmac(key, parts, digest->bytes);
    return is_same(digest->bytes, claimed);
}

/* The same by way of `resume`. */
static bool is_hmac_resumed(const struct yk_key *key, const struct yk_slice parts[2],
                            const uint8_t claimed[YK_DIGEST_SIZE], struct yk_resume *resume,
                            bool begins, struct yk_digest *digest)
{
    bool known = begins && memcmp(resume->key, key->inner, sizeof(resume->key)) == 0;
    size_t size = known ? resume->size : worth_keeping(parts[0]);
    size_t hashed = whole_blocks(size);
    SHA256_CTX context, kept;

    memcpy(&kept, known ? resume->state : key->inner, sizeof(kept));
    if (!known) {
        SHA256_Update(&kept, parts[0].data, hashed);
    }
    context = kept;
    finish_hmac(key, &context, (struct yk_slice[]){behind(parts[0], hashed), parts[1]},
                digest->bytes);
    if (!is_same(digest->bytes, claimed)) {
        return false;
    }
    if (!known) {
        memcpy(resume->key, key->inner, sizeof(resume->key));
        resume->size = size;
        memcpy(resume->state, &kept, sizeof(kept));
        memcpy(resume->bytes, parts[0].data, size);
    }
    return true;
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

bool yk_sig_read(struct yk_slice sig, struct yk_digest *claimed)
{
    yk_sixteen bad = {0};

    if (sig.size != YK_SIG_SIZE) {
        return false;
    }
    for (size_t at = 0; at < YK_SIG_SIZE; at += 16) {
        yk_sixteen c = yk_sixteen_at(sig.data + at);
        yk_sixteen letter = c >= 'a';

        bad |= (c < '0') | (c > 'f') | ((c > '9') & ~letter);
        yk_sixteen_join((c & 0x0f) + (letter & 9), claimed->bytes + at / 2);
    }
    return yk_sixteen_bits(bad) == 0;
}

bool yk_auth_verify_claim(const struct yk_auth *auth, const struct yk_slice parts[2],
                          const struct yk_digest *claimed, struct yk_resume *resume, bool begins,
                          struct yk_digest *digest, const struct yk_key **signer)
{
    const struct yk_key *keys[] = {&auth->key, &auth->next};
    const struct yk_key *verified = NULL;

    if (auth->key.set != (claimed != NULL)) {
        return false;
    }
    if (claimed == NULL) {
        hash_plain(parts, digest->bytes);
    } else {
        for (size_t i = 0; i < 2 && verified == NULL; i++) {
            if (keys[i]->set &&
                (resume != NULL
                     ? is_hmac_resumed(keys[i], parts, claimed->bytes, resume, begins, digest)
                     : is_hmac(keys[i], parts, claimed->bytes, digest))) {
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

bool yk_auth_verify(const struct yk_auth *auth, const struct yk_slice parts[2], struct yk_slice sig,
                    struct yk_resume *resume, struct yk_digest *digest,
                    const struct yk_key **signer)
{
    struct yk_digest claimed;

    if (sig.size > 0 && !yk_sig_read(sig, &claimed)) {
        return false;
    }
    return yk_auth_verify_claim(auth, parts, sig.size > 0 ? &claimed : NULL, resume,
                                resume != NULL && yk_resume_begins(resume, parts[0]), digest,
                                signer);
}
