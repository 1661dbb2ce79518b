#include <string.h>

#include "core/auth.h"
#include "lib/suite.h"

static const struct yk_slice none = {NULL, 0};

static struct yk_auth auth_of(const char *key, const char *next)
{
    struct yk_auth auth;

    yk_auth_init(&auth, yk_slice_of(key), yk_slice_of(next));
    return auth;
}

/* A signature over `text`, which is cut at `cut` into the two parts. */
static bool verifies(const struct yk_auth *auth, const char *text, size_t cut, struct yk_slice sig,
                     struct yk_digest *digest, const struct yk_key **signer)
{
    struct yk_slice whole = yk_slice_of(text);
    struct yk_slice parts[2] = {{whole.data, cut}, {whole.data + cut, whole.size - cut}};

    return yk_auth_verify(auth, parts, sig, NULL, digest, signer);
}

static void expect_sig(const void *key, size_t key_size, const void *data, size_t data_size,
                       const char *expected)
{
    struct yk_auth auth;
    char sig[YK_SIG_SIZE];

    yk_auth_init(&auth, (struct yk_slice){key, key_size}, none);
    for (size_t cut = 0; cut <= data_size; cut += 7) {
        struct yk_slice parts[2] = {{data, cut}, {(const uint8_t *)data + cut, data_size - cut}};

        ck_assert_uint_eq(yk_auth_sign(&auth, parts, sig), YK_SIG_SIZE);
        ck_assert_msg(memcmp(sig, expected, YK_SIG_SIZE) == 0, "%.64s for %s", sig, expected);
    }
}

/* RFC 4231, cases 1, 2, 3 and 6. */
START_TEST(a_signature_is_hmac_sha256_of_both_parts)
{
    uint8_t key[131];
    uint8_t data[50];

    memset(key, 0x0b, 20);
    expect_sig(key, 20, "Hi There", 8,
               "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    expect_sig("Jefe", 4, "what do ya want for nothing?", 28,
               "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(key, 0xaa, sizeof(key));
    memset(data, 0xdd, sizeof(data));
    expect_sig(key, 20, data, sizeof(data),
               "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
    expect_sig(key, sizeof(key), "Test Using Larger Than Block-Size Key - Hash Key First", 54,
               "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}
END_TEST

START_TEST(a_key_of_more_than_64_bytes_is_hashed_first)
{
    char key[65];

    memset(key, 'k', sizeof(key));
    expect_sig(key, 64, "signed bytes", 12,
               "7655a792fe4ea2c31a6b2ee3a99e77931476663527a09d8e08268aa8bc8c9893");
    expect_sig(key, 65, "signed bytes", 12,
               "c6f44b2176caeb131e3d2d550948f968876a8090913048389793bd235cd61c5c");
}
END_TEST

START_TEST(a_key_may_have_zero_bytes)
{
    char key[40];

    for (size_t i = 0; i < sizeof(key); i++) {
        key[i] = i % 2 ? 'k' : '\0';
    }
    expect_sig(key, sizeof(key), "signed bytes", 12,
               "fd2a2938fc935d86e793f1c5658c069fb5f687d32a548deafcef7a71a9675d36");
}
END_TEST

START_TEST(what_was_signed_verifies_and_nothing_else)
{
    struct yk_auth auth = auth_of("k", "");
    struct yk_slice parts[2] = {yk_slice_of("signed"), yk_slice_of(" bytes")};
    struct yk_digest digest;
    const struct yk_key *signer;
    char sig[YK_SIG_SIZE];
    struct yk_slice slice = {(const uint8_t *)sig, sizeof(sig)};

    yk_auth_sign(&auth, parts, sig);
    ck_assert(verifies(&auth, "signed bytes", 3, slice, &digest, &signer));
    ck_assert_ptr_eq(signer, &auth.key);
    ck_assert(verifies(&auth, "signed bytes", 3, slice, &digest, NULL));
    ck_assert(!verifies(&auth, "signed byteS", 3, slice, &digest, &signer));
    ck_assert(!verifies(&auth, "signed bytes ", 3, slice, &digest, &signer));
    for (size_t i = 0; i < YK_SIG_SIZE; i++) {
        char right = sig[i];

        sig[i] = right == '0' ? '1' : '0';
        ck_assert(!verifies(&auth, "signed bytes", 3, slice, &digest, &signer));
        sig[i] = (char)(right & ~0x20);
        ck_assert((right & 0x40) == 0 ||
                  !verifies(&auth, "signed bytes", 3, slice, &digest, &signer));
        sig[i] = right;
    }
}
END_TEST

START_TEST(a_signature_of_another_size_never_verifies)
{
    struct yk_auth auth = auth_of("k", "");
    struct yk_slice parts[2] = {yk_slice_of("signed bytes"), none};
    struct yk_digest digest;
    char sig[2 * YK_SIG_SIZE] = {0};

    yk_auth_sign(&auth, parts, sig);
    for (size_t size = 0; size <= sizeof(sig); size++) {
        struct yk_slice slice = {(const uint8_t *)sig, size};

        ck_assert(verifies(&auth, "signed bytes", 0, slice, &digest, NULL) ==
                  (size == YK_SIG_SIZE));
    }
}
END_TEST

START_TEST(open_mode_signs_nothing_and_takes_only_unsigned)
{
    struct yk_auth open = auth_of("", "");
    struct yk_auth keyed = auth_of("k", "");
    struct yk_slice parts[2] = {yk_slice_of("signed bytes"), none};
    struct yk_digest digest;
    const struct yk_key *signer;
    char sig[YK_SIG_SIZE];

    ck_assert_uint_eq(yk_auth_sign(&open, parts, sig), 0);
    ck_assert(verifies(&open, "signed bytes", 0, none, &digest, &signer));
    ck_assert_ptr_null(signer);
    yk_auth_sign(&keyed, parts, sig);
    ck_assert(!verifies(&open, "signed bytes", 0, (struct yk_slice){(uint8_t *)sig, sizeof(sig)},
                        &digest, &signer));
    ck_assert(!verifies(&keyed, "signed bytes", 0, none, &digest, &signer));
}
END_TEST

START_TEST(two_keys_verify_and_the_first_signs)
{
    struct yk_auth both = auth_of("old", "new");
    struct yk_auth old = auth_of("old", "");
    struct yk_auth new = auth_of("new", "");
    struct yk_slice parts[2] = {yk_slice_of("signed bytes"), none};
    struct yk_digest digest;
    const struct yk_key *signer;
    char sig[YK_SIG_SIZE];
    struct yk_slice slice = {(const uint8_t *)sig, sizeof(sig)};

    yk_auth_sign(&new, parts, sig);
    ck_assert(verifies(&both, "signed bytes", 0, slice, &digest, &signer));
    ck_assert_ptr_eq(signer, &both.next);
    ck_assert(!verifies(&old, "signed bytes", 0, slice, &digest, &signer));
    yk_auth_sign(&both, parts, sig);
    ck_assert(verifies(&old, "signed bytes", 0, slice, &digest, &signer));
    ck_assert(verifies(&both, "signed bytes", 0, slice, &digest, &signer));
    ck_assert_ptr_eq(signer, &both.key);
}
END_TEST

START_TEST(open_mode_has_no_second_key)
{
    struct yk_auth auth = auth_of("", "new");
    struct yk_digest digest;

    ck_assert(!auth.next.set);
    ck_assert(verifies(&auth, "signed bytes", 0, none, &digest, NULL));
}
END_TEST

START_TEST(the_digest_differs_when_the_bytes_do)
{
    struct yk_auth open = auth_of("", "");
    struct yk_digest a;
    struct yk_digest b;

    ck_assert(verifies(&open, "signed bytes", 0, none, &a, NULL));
    ck_assert(verifies(&open, "signed bytes", 5, none, &b, NULL));
    ck_assert_mem_eq(&a, &b, sizeof(a));
    ck_assert(verifies(&open, "signed bytez", 5, none, &b, NULL));
    ck_assert_mem_ne(&a, &b, sizeof(a));
}
END_TEST

START_TEST(the_fingerprint_is_8_hex_digits_of_the_labelled_hash)
{
    struct yk_auth auth = auth_of("k", "");
    struct yk_auth open = auth_of("", "");

    ck_assert_str_eq(auth.key.fingerprint, "677e635d");
    ck_assert_str_eq(auth.next.fingerprint, "");
    ck_assert_str_eq(open.key.fingerprint, "");
    ck_assert(auth.key.set && !auth.next.set && !open.key.set);
}
END_TEST

START_TEST(nothing_of_a_key_is_left_behind)
{
    static const struct yk_auth nothing;
    struct yk_auth auth = auth_of("old", "new");

    yk_auth_fini(&auth);
    ck_assert_mem_eq(&auth, &nothing, sizeof(auth));
}
END_TEST

/* Each place, each byte: only the one that stands there by right is taken. */
START_TEST(a_signature_is_64_lower_case_hex_digits)
{
    struct yk_auth auth = auth_of("site", "");
    struct yk_digest digest;
    struct yk_slice parts[2] = {yk_slice_of("frame"), none};
    char sig[YK_SIG_SIZE];

    yk_auth_sign(&auth, parts, sig);
    for (size_t at = 0; at < YK_SIG_SIZE; at++) {
        char right = sig[at];

        for (int byte = 0; byte < 256; byte++) {
            sig[at] = (char)byte;
            ck_assert_int_eq(verifies(&auth, "frame", 2,
                                      (struct yk_slice){(const uint8_t *)sig, YK_SIG_SIZE}, &digest,
                                      NULL),
                             sig[at] == right);
        }
        sig[at] = right;
    }
}
END_TEST

/* Texts of many sizes that share beginnings of many sizes, cut in two as frames are, under two keys and
 * a wrong one: with the memory and without it the answer is the same, and so is the digest. */
START_TEST(resuming_changes_no_answer)
{
    static struct yk_resume resume;
    static uint8_t text[1200];
    struct yk_auth keys[] = {auth_of("site", "next"), auth_of("next", ""), auth_of("other", "")};
    uint32_t dice = 1;
    size_t resumed = 0;

    for (int i = 0; i < 20000; i++) {
        struct yk_slice parts[2];
        struct yk_digest with, without;
        const struct yk_key *with_key = NULL, *without_key = NULL;
        char sig[YK_SIG_SIZE];
        bool good;

        dice = dice * 1664525 + 1013904223;
        text[(dice >> 8) % sizeof text] ^= (uint8_t)(dice >> 30);
        parts[0] = (struct yk_slice){text, i % 3 == 0 ? (dice >> 12) % sizeof text : 400};
        parts[1] = (struct yk_slice){text + parts[0].size, (sizeof text - parts[0].size) / 16};
        yk_auth_sign(&keys[(dice >> 20) % 8 < 6 ? 0 : (dice >> 23) % 3], parts, sig);
        resumed += resume.size > 0 && resume.size <= parts[0].size &&
                   memcmp(resume.bytes, text, resume.size) == 0;
        good = yk_auth_verify(&keys[0], parts, (struct yk_slice){(const uint8_t *)sig, YK_SIG_SIZE},
                              NULL, &without, &without_key);
        ck_assert_int_eq(yk_auth_verify(&keys[0], parts,
                                        (struct yk_slice){(const uint8_t *)sig, YK_SIG_SIZE},
                                        &resume, &with, &with_key),
                         good);
        ck_assert_ptr_eq(with_key, without_key);
        ck_assert(!good || memcmp(&with, &without, sizeof with) == 0);
        ck_assert(resume.size <= YK_RESUME_MAX);
    }
    ck_assert_uint_gt(resumed, 1000);
}
END_TEST

START_TEST(a_wrong_signature_leaves_the_memory_as_it_was)
{
    static struct yk_resume resume, before;
    struct yk_auth auth = auth_of("site", "next");
    struct yk_slice parts[2] = {yk_slice_of("a beginning, and the digits of a number"), none};
    struct yk_digest digest;
    char sig[YK_SIG_SIZE];

    memset(sig, '0', sizeof sig);
    ck_assert(!yk_auth_verify(&auth, parts, (struct yk_slice){(const uint8_t *)sig, YK_SIG_SIZE},
                              &resume, &digest, NULL));
    ck_assert_mem_eq(&resume, &before, sizeof resume);
}
END_TEST

START_TEST(keys_changed_in_place_leave_nothing_of_the_old_ones_to_resume_from)
{
    static struct yk_resume resume;
    static const uint8_t text[400];
    struct yk_auth auth = auth_of("old", "");
    struct yk_auth fresh = auth_of("new", "");
    struct yk_slice parts[2] = {{text, sizeof text}, none};
    struct yk_digest digest;
    char sig[YK_SIG_SIZE];
    struct yk_slice signature = {(const uint8_t *)sig, sizeof sig};

    yk_auth_sign(&auth, parts, sig);
    ck_assert(yk_auth_verify(&auth, parts, signature, &resume, &digest, NULL));
    auth = fresh; /* the agent has read its keys anew */
    ck_assert(!yk_auth_verify(&auth, parts, signature, &resume, &digest, NULL));
    yk_auth_sign(&fresh, parts, sig);
    ck_assert(yk_auth_verify(&auth, parts, signature, &resume, &digest, NULL));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_signature_is_hmac_sha256_of_both_parts,
        a_key_of_more_than_64_bytes_is_hashed_first,
        a_key_may_have_zero_bytes,
        what_was_signed_verifies_and_nothing_else,
        a_signature_of_another_size_never_verifies,
        open_mode_signs_nothing_and_takes_only_unsigned,
        two_keys_verify_and_the_first_signs,
        open_mode_has_no_second_key,
        the_digest_differs_when_the_bytes_do,
        the_fingerprint_is_8_hex_digits_of_the_labelled_hash,
        nothing_of_a_key_is_left_behind,
        a_signature_is_64_lower_case_hex_digits,
        resuming_changes_no_answer,
        a_wrong_signature_leaves_the_memory_as_it_was,
        keys_changed_in_place_leave_nothing_of_the_old_ones_to_resume_from,
        NULL,
    };

    return suite_main("auth", tests);
}
