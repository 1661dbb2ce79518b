#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "lib/suite.h"
#include "shell/key.h"

static uint8_t key[YK_KEY_MAX];
static size_t size;
static char warning[YK_REFUSAL_MAX];
static struct yk_refusal why;

static bool read_key(const char *content, size_t content_size)
{
    return yk_key_read(files_write("psk", content, content_size, 0600), key, &size, warning, &why);
}

/* Read as `expected`, with or without a warning. */
static void gives(const char *content, const char *expected, bool warned)
{
    ck_assert_msg(read_key(content, strlen(content)), "%s", why.text);
    ck_assert_uint_eq(size, strlen(expected));
    ck_assert_mem_eq(key, expected, size);
    ck_assert_msg((warning[0] != 0) == warned, "\"%s\": %s", content, warning);
    ck_assert(!warned || strstr(warning, files_path("psk")) != NULL);
}

static void refused(const char *name, enum yk_exit exit, const char *cause)
{
    const char *path = files_path(name);

    ck_assert_msg(!yk_key_read(path, key, &size, warning, &why), "%s", name);
    ck_assert_msg(why.exit == exit, "exit %d: %s", (int)why.exit, why.text);
    ck_assert_msg(strstr(why.text, cause) != NULL && strstr(why.text, path) != NULL, "%s",
                  why.text);
    ck_assert_ptr_nonnull(strchr(why.text, ';'));
}

START_TEST(at_most_one_trailing_newline_is_stripped)
{
    gives("secret", "secret", false);
    gives("secret\n", "secret", false);
    gives("secret\n\n", "secret\n", true);
    gives("se\ncret\n", "se\ncret", false);
}
END_TEST

START_TEST(a_key_is_bytes_and_never_decoded)
{
    gives("00ff", "00ff", false);
    ck_assert(read_key("a\0b\n", 4));
    ck_assert_uint_eq(size, 3);
    ck_assert_mem_eq(key, "a\0b", 3);
    ck_assert_str_eq(warning, "");
    ck_assert(read_key("\0a\0", 3));
    ck_assert_uint_eq(size, 3);
    ck_assert_str_eq(warning, "");
}
END_TEST

START_TEST(a_cr_or_blank_at_an_end_is_kept_and_warned_about)
{
    gives("secret\r\n", "secret\r", true);
    gives("secret ", "secret ", true);
    gives(" secret\n", " secret", true);
    gives("\tsecret", "\tsecret", true);
    gives("\rsecret", "\rsecret", true);
    gives("\r\n", "\r", true);
    gives(" ", " ", true);
    gives("se cret", "se cret", false);
}
END_TEST

START_TEST(an_empty_key_is_refused)
{
    files_text("psk", "");
    refused("psk", YK_EXIT_CONFIG, "empty");
    files_text("psk", "\n");
    refused("psk", YK_EXIT_CONFIG, "empty");
}
END_TEST

START_TEST(what_is_no_regular_file_is_refused)
{
    refused("absent", YK_EXIT_CONFIG, "does not exist");
    ck_assert_int_eq(mkdir(files_path("directory"), 0700), 0);
    refused("directory", YK_EXIT_CONFIG, "is a directory");
    ck_assert_int_eq(mkfifo(files_path("fifo"), 0600), 0);
    refused("fifo", YK_EXIT_CONFIG, "is a FIFO");
}
END_TEST

START_TEST(a_key_beyond_its_bound_is_refused)
{
    static char large[YK_KEY_MAX + 1];

    memset(large, 'k', sizeof large);
    ck_assert(read_key(large, YK_KEY_MAX));
    files_write("psk", large, sizeof large, 0600);
    refused("psk", YK_EXIT_CONFIG, "larger than 4096");
}
END_TEST

START_TEST(any_access_of_group_or_others_is_unsafe)
{
    static const mode_t unsafe[] = {0640, 0604, 0620, 0602, 0610, 0601, 0644};
    static const mode_t safe[] = {0600, 0400, 0700};

    for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++) {
        files_write("psk", "secret", 6, unsafe[i]);
        refused("psk", YK_EXIT_UNSAFE, "chmod 600");
    }
    for (size_t i = 0; i < sizeof safe / sizeof *safe; i++) {
        ck_assert_int_eq(unlink(files_path("psk")), 0);
        ck_assert(yk_key_read(files_write("psk", "secret", 6, safe[i]), key, &size, warning, &why));
    }
}
END_TEST

START_TEST(an_owner_neither_root_nor_the_user_is_unsafe)
{
    if (geteuid() != 0) {
        return; /* only root can give files away */
    }
    ck_assert_int_eq(chown(files_text("psk", "secret"), 12345, 0), 0);
    refused("psk", YK_EXIT_UNSAFE, "12345");
    ck_assert_int_eq(chown(files_path("."), 12345, 0), 0);
    ck_assert(yk_key_read(files_path("psk"), key, &size, warning, &why));
}
END_TEST

START_TEST(a_credential_is_exempt_from_owner_and_mode)
{
    char inside[600], around[600];

    files_write("psk", "secret", 6, 0644);
    setenv("CREDENTIALS_DIRECTORY", files_path("."), 1);
    snprintf(inside, sizeof inside, "%s/psk", files_path("."));
    ck_assert_msg(yk_key_read(inside, key, &size, warning, &why), "%s", why.text);
    snprintf(around, sizeof around, "%s/./../%s", files_path("."), "psk");
    ck_assert(!yk_key_read(around, key, &size, warning, &why));
    ck_assert_int_eq(mkdir(files_path("cred"), 0700), 0);
    setenv("CREDENTIALS_DIRECTORY", files_path("cred"), 1);
    refused("psk", YK_EXIT_UNSAFE, "0644");
    files_write("cred-not", "secret", 6, 0644);
    refused("cred-not", YK_EXIT_UNSAFE, "0644");
    snprintf(around, sizeof around, "%s/../psk", files_path("cred"));
    ck_assert(!yk_key_read(around, key, &size, warning, &why));
    ck_assert_int_eq(why.exit, YK_EXIT_UNSAFE);
    setenv("CREDENTIALS_DIRECTORY", "", 1);
    refused("psk", YK_EXIT_UNSAFE, "0644");
}
END_TEST

static unsigned warnings;

static void count_warning(const char *line)
{
    (void)line;
    warnings++;
}

START_TEST(both_keys_of_a_site_are_loaded)
{
    struct yk_auth auth;
    char first[600];

    snprintf(first, sizeof first, "%s", files_text("psk", "one "));
    ck_assert(yk_key_load(&auth, first, files_text("next", "two"), count_warning, &why));
    ck_assert(auth.key.set);
    ck_assert(auth.next.set);
    ck_assert_str_ne(auth.key.fingerprint, auth.next.fingerprint);
    ck_assert_uint_eq(warnings, 1);
    yk_auth_fini(&auth);
    ck_assert(yk_key_load(&auth, "", "", count_warning, &why));
    ck_assert(!auth.key.set);
    ck_assert(!yk_key_load(&auth, first, files_path("absent"), count_warning, &why));
}
END_TEST

START_TEST(keygen_writes_64_hex_digits_and_lf_once)
{
    char text[128], fingerprint[YK_FINGERPRINT_SIZE], again[YK_FINGERPRINT_SIZE];
    struct yk_auth auth;
    struct stat facts;

    ck_assert_msg(yk_key_generate(files_path("new"), fingerprint, &why), "%s", why.text);
    ck_assert_uint_eq(files_read("new", text, sizeof text), 65);
    ck_assert_uint_eq(strspn(text, "0123456789abcdef"), 64);
    ck_assert_int_eq(text[64], '\n');
    ck_assert_int_eq(stat(files_path("new"), &facts), 0);
    ck_assert_uint_eq(facts.st_mode & 07777, 0600);
    ck_assert(yk_key_load(&auth, files_path("new"), "", count_warning, &why));
    ck_assert_str_eq(auth.key.fingerprint, fingerprint);
    ck_assert_uint_eq(strlen(fingerprint), 8);
    ck_assert(!yk_key_generate(files_path("new"), again, &why));
    ck_assert_int_eq(why.exit, YK_EXIT_CANNOT_MAKE);
    ck_assert(yk_key_generate(files_path("other"), again, &why));
    ck_assert_str_ne(again, fingerprint);
    ck_assert_uint_eq(files_count(), 2);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        at_most_one_trailing_newline_is_stripped,
        a_key_is_bytes_and_never_decoded,
        a_cr_or_blank_at_an_end_is_kept_and_warned_about,
        an_empty_key_is_refused,
        what_is_no_regular_file_is_refused,
        a_key_beyond_its_bound_is_refused,
        any_access_of_group_or_others_is_unsafe,
        an_owner_neither_root_nor_the_user_is_unsafe,
        a_credential_is_exempt_from_owner_and_mode,
        both_keys_of_a_site_are_loaded,
        keygen_writes_64_hex_digits_and_lf_once,
        NULL,
    };

    return suite_main("key", tests);
}
