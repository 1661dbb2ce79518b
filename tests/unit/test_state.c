#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "lib/suite.h"
#include "shell/store.h"

#define PAIRED "{\"pairing\":{\"producer\":\"enc-1\",\"version\":[7,\"op-a\"]},\"seq\":123}"

static struct yk_refusal why;

static struct yk_id id_of(const char *text)
{
    struct yk_id id;

    ck_assert(yk_id_parse(&id, yk_slice_of(text)));
    return id;
}

static struct yk_durable paired(void)
{
    return (struct yk_durable){
        .seq = 123,
        .pairing = {.producer = id_of("enc-1"), .version = {.n = 7, .author = id_of("op-a")}}};
}

START_TEST(a_state_is_written_canonically)
{
    static const struct yk_durable fresh;
    struct yk_durable state = paired();
    char text[YK_STATE_MAX];
    size_t size = yk_state_encode(&state, text);

    ck_assert_uint_eq(size, strlen(PAIRED));
    ck_assert_mem_eq(text, PAIRED, size);
    size = yk_state_encode(&fresh, text);
    ck_assert_mem_eq(text, "{\"pairing\":{\"producer\":null,\"version\":[0,\"\"]},\"seq\":0}",
                     size);
}
END_TEST

START_TEST(the_largest_state_fits_its_bound_and_is_read_back)
{
    struct yk_durable state = paired(), read;
    char text[YK_STATE_MAX], cause[YK_CAUSE_MAX];
    char longest[YK_ID_MAX + 1];

    memset(longest, 'x', YK_ID_MAX);
    longest[YK_ID_MAX] = 0;
    state.seq = state.pairing.version.n = YK_COUNT_MAX;
    state.pairing.producer = state.pairing.version.author = id_of(longest);
    ck_assert(yk_state_decode(
        (struct yk_slice){(const uint8_t *)text, yk_state_encode(&state, text)}, &read, cause));
    ck_assert_uint_eq(read.seq, YK_COUNT_MAX);
    ck_assert_uint_eq(read.pairing.version.n, YK_COUNT_MAX);
    ck_assert(yk_id_equal(&read.pairing.producer, &state.pairing.producer));
    ck_assert(yk_id_equal(&read.pairing.version.author, &state.pairing.version.author));
}
END_TEST

START_TEST(any_spelling_of_a_valid_state_is_read)
{
    static const char *const good[] = {
        PAIRED,
        PAIRED "\n",
        " { \"seq\" : 123, \"pairing\": {\"version\": [7, \"op-\\u0061\"], \"producer\": "
        "\"enc-1\"}}",
    };
    struct yk_durable state;
    char cause[YK_CAUSE_MAX];

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ck_assert_msg(yk_state_decode(yk_slice_of(good[i]), &state, cause), "%s", cause);
        ck_assert_uint_eq(state.seq, 123);
        ck_assert_uint_eq(state.pairing.version.n, 7);
        ck_assert_str_eq(state.pairing.version.author.text, "op-a");
        ck_assert_str_eq(state.pairing.producer.text, "enc-1");
    }
}
END_TEST

START_TEST(an_unpaired_state_with_a_version_is_valid)
{
    struct yk_durable state;
    char cause[YK_CAUSE_MAX];

    ck_assert(yk_state_decode(
        yk_slice_of("{\"pairing\":{\"producer\":null,\"version\":[3,\"a\"]},\"seq\":1}"), &state,
        cause));
    ck_assert_uint_eq(state.pairing.producer.size, 0);
}
END_TEST

/* Everything but the two members: "P" and "S" stand for valid ones. */
START_TEST(what_is_not_exactly_a_state_is_refused)
{
    static const char *const bad[] = {
        "",
        "null",
        "[]",
        "{}",
        "{\"seq\":1}",
        "{\"pairing\":{\"producer\":null,\"version\":[0,\"\"]}}",
        /* a boolean, a real, a string for an integer; out of range */
        "{\"pairing\":{\"producer\":null,\"version\":[0,\"\"]},\"seq\":true}",
        "{\"pairing\":{\"producer\":null,\"version\":[0,\"\"]},\"seq\":1.0}",
        "{\"pairing\":{\"producer\":null,\"version\":[0,\"\"]},\"seq\":1e3}",
        "{\"pairing\":{\"producer\":null,\"version\":[0,\"\"]},\"seq\":\"1\"}",
        "{\"pairing\":{\"producer\":null,\"version\":[0,\"\"]},\"seq\":-1}",
        "{\"pairing\":{\"producer\":null,\"version\":[0,\"\"]},\"seq\":9223372036854775808}",
        "{\"pairing\":{\"producer\":null,\"version\":[0,\"\"]},\"seq\":null}",
        "{\"pairing\":{\"producer\":null,\"version\":[true,\"a\"]},\"seq\":1}",
        "{\"pairing\":{\"producer\":null,\"version\":[false,\"\"]},\"seq\":1}",
        "{\"pairing\":{\"producer\":null,\"version\":[1.0,\"a\"]},\"seq\":1}",
        "{\"pairing\":{\"producer\":null,\"version\":[-1,\"a\"]},\"seq\":1}",
        "{\"pairing\":{\"producer\":null,\"version\":[9223372036854775808,\"a\"]},\"seq\":1}",
        /* members too many, twice, missing, of the wrong type */
        "{\"pairing\":{\"producer\":null,\"version\":[0,\"\"]},\"seq\":1,\"x\":1}",
        "{\"pairing\":{\"producer\":null,\"version\":[0,\"\"]},\"seq\":1,\"seq\":1}",
        "{\"pairing\":{\"producer\":null,\"version\":[0,\"\"]},\"seq\":1,\"s\\u0065q\":1}",
        "{\"pairing\":{\"producer\":null,\"version\":[0,\"\"],\"x\":1},\"seq\":1}",
        "{\"pairing\":{\"version\":[0,\"\"]},\"seq\":1}",
        "{\"pairing\":{\"producer\":null},\"seq\":1}",
        "{\"pairing\":{\"producer\":null,\"x\":[0,\"\"]},\"seq\":1}",
        "{\"pairing\":null,\"seq\":1}",
        "{\"pairing\":{\"producer\":1,\"version\":[1,\"a\"]},\"seq\":1}",
        "{\"pairing\":{\"producer\":false,\"version\":[1,\"a\"]},\"seq\":1}",
        "{\"pairing\":{\"producer\":null,\"version\":[1]},\"seq\":1}",
        "{\"pairing\":{\"producer\":null,\"version\":[1,\"a\",2]},\"seq\":1}",
        "{\"pairing\":{\"producer\":null,\"version\":{\"n\":1}},\"seq\":1}",
        /* ids, and the zero version */
        "{\"pairing\":{\"producer\":\"\",\"version\":[1,\"a\"]},\"seq\":1}",
        "{\"pairing\":{\"producer\":\"a b\",\"version\":[1,\"a\"]},\"seq\":1}",
        "{\"pairing\":{\"producer\":null,\"version\":[1,\"\"]},\"seq\":1}",
        "{\"pairing\":{\"producer\":null,\"version\":[1,\"-a\"]},\"seq\":1}",
        "{\"pairing\":{\"producer\":null,\"version\":[1,null]},\"seq\":1}",
        "{\"pairing\":{\"producer\":null,\"version\":[0,\"a\"]},\"seq\":1}",
        "{\"pairing\":{\"producer\":null,\"version\":[0,null]},\"seq\":1}",
        "{\"pairing\":{\"producer\":\"enc-1\",\"version\":[0,\"\"]},\"seq\":1}",
        /* around and inside the text */
        PAIRED "x",
        PAIRED "{}",
        "\xef\xbb\xbf" PAIRED,
        "{\"pairing\":{\"producer\":\"\xff\",\"version\":[1,\"a\"]},\"seq\":1}",
        "{\"pairing\":{\"producer\":\"a\\u0000\",\"version\":[1,\"a\"]},\"seq\":1}",
        "{\"pairing\":{\"producer\":null,\"version\":[0,\"\"]},\"seq\":01}",
        "{\"pairing\":{\"producer\":null,\"version\":[0,\"\"]},\"seq\":NaN}",
    };
    struct yk_durable state;
    char cause[YK_CAUSE_MAX];

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cause[0] = 0;
        ck_assert_msg(!yk_state_decode(yk_slice_of(bad[i]), &state, cause), "%s", bad[i]);
        ck_assert_msg(cause[0] != 0, "no cause: %s", bad[i]);
    }
}
END_TEST

START_TEST(a_refusal_names_place_and_value_bounded_and_escaped)
{
    static const struct {
        const char *text, *cause;
    } cases[] = {
        {"{\"pairing\":{\"producer\":null,\"version\":[true,\"a\"]},\"seq\":1}",
         "pairing.version[0] is true, not an integer from 0 to 2^63-1"},
        {"{\"pairing\":{\"producer\":null,\"version\":[0,\"\"]},\"seq\":-4}",
         "seq is -4, not an integer from 0 to 2^63-1"},
        {"{\"pairing\":{\"producer\":\"enc-1\",\"version\":[0,\"\"]},\"seq\":1}",
         "pairing.producer is \"enc-1\", not null, as the zero version has it"},
        {"{\"pairing\":{\"producer\":null,\"version\":[0,\"op\"]},\"seq\":1}",
         "pairing.version[1] is \"op\", not \"\", as the zero version has it"},
        {"{\"pairing\":{\"producer\":\"a\\n\xe2\x80\xae\",\"version\":[1,\"a\"]},\"seq\":1}",
         "pairing.producer is \"a\\n\\u202E\", not a node id"},
        {"{\"pairing\":{\"producer\":null,\"version\":[7]},\"seq\":1}",
         "pairing.version is [7], not an array of a counter and an author"},
        {"{\"pairing\":7,\"seq\":1}",
         "pairing is 7, not an object of exactly producer and version"},
        {"[1]", "it is [1], not an object of exactly pairing and seq"},
        {"[\"0123456789012345678901234567890123456789012345678901234567890123456789012345678\"]",
         "it is [\"01234567890123456789012345678901234567890123456789012345678901234567890123..., "
         "not an object of exactly pairing and seq"},
    };
    struct yk_durable state;
    char cause[YK_CAUSE_MAX];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert(!yk_state_decode(yk_slice_of(cases[i].text), &state, cause));
        ck_assert_str_eq(cause, cases[i].cause);
    }
}
END_TEST

START_TEST(a_state_with_a_nul_is_refused)
{
    static const char behind[] = PAIRED "\0";
    static const char inside[] =
        "{\"pairing\":{\"producer\":null,\"version\":[0,\"\"]},\"seq\":5\0}";
    struct yk_durable state;
    char cause[YK_CAUSE_MAX];

    ck_assert(
        !yk_state_decode((struct yk_slice){(const uint8_t *)behind, sizeof behind}, &state, cause));
    ck_assert(!yk_state_decode((struct yk_slice){(const uint8_t *)inside, sizeof inside - 1},
                               &state, cause));
    ck_assert_str_eq(cause, "line 1, column 54: a zero byte");
}
END_TEST

START_TEST(a_state_truncated_at_any_byte_is_refused)
{
    struct yk_durable state = paired(), read;
    char text[YK_STATE_MAX], cause[YK_CAUSE_MAX];
    size_t size = yk_state_encode(&state, text);

    for (size_t cut = 0; cut < size; cut++) {
        ck_assert_msg(!yk_state_decode((struct yk_slice){(const uint8_t *)text, cut}, &read, cause),
                      "cut at %zu", cut);
    }
}
END_TEST

/* Refused with that exit status, and the file is what it was. */
static void refused(const char *name, enum yk_exit exit, const char *cause)
{
    struct yk_durable state;
    struct stat before, after;
    char path[600];

    snprintf(path, sizeof path, "%s", files_path(name));
    ck_assert_int_eq(lstat(path, &before), 0);
    ck_assert_msg(!yk_state_load(path, &state, &why), "%s", name);
    ck_assert_msg(why.exit == exit, "exit %d: %s", (int)why.exit, why.text);
    ck_assert_msg(strstr(why.text, cause) != NULL && strstr(why.text, path) != NULL, "%s",
                  why.text);
    ck_assert_ptr_nonnull(strchr(why.text, ';'));
    ck_assert_int_eq(lstat(path, &after), 0);
    ck_assert_uint_eq(before.st_ino, after.st_ino);
    ck_assert_int_eq(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    ck_assert_int_eq(before.st_size, after.st_size);
    ck_assert_uint_eq(before.st_mode, after.st_mode);
}

START_TEST(symbolic_links_and_nonregular_state_files_are_refused)
{
    char target[600];

    snprintf(target, sizeof target, "%s", files_text("good", PAIRED));
    ck_assert_int_eq(symlink(target, files_path("link")), 0);
    refused("link", YK_EXIT_CONFIG, "is a symbolic link");
    ck_assert_int_eq(symlink("/nonexistent", files_path("dangling")), 0);
    refused("dangling", YK_EXIT_CONFIG, "is a symbolic link");
    ck_assert_int_eq(mkfifo(files_path("fifo"), 0600), 0);
    refused("fifo", YK_EXIT_CONFIG, "is a FIFO");
    ck_assert_int_eq(mkdir(files_path("directory"), 0700), 0);
    refused("directory", YK_EXIT_CONFIG, "is a directory");
}
END_TEST

START_TEST(state_input_is_limited_to_4096_bytes)
{
    char text[YK_STATE_MAX + 1];
    struct yk_durable state;

    memset(text, ' ', sizeof text);
    memcpy(text, PAIRED, strlen(PAIRED));
    ck_assert_msg(yk_state_load(files_write("fits", text, YK_STATE_MAX, 0600), &state, &why), "%s",
                  why.text);
    files_write("large", text, YK_STATE_MAX + 1, 0600);
    refused("large", YK_EXIT_CONFIG, "larger than 4096 bytes: it has 4097");
}
END_TEST

START_TEST(a_state_others_may_write_is_unsafe)
{
    struct yk_durable state;

    files_write("group", PAIRED, strlen(PAIRED), 0620);
    refused("group", YK_EXIT_UNSAFE, "0620");
    files_write("others", PAIRED, strlen(PAIRED), 0602);
    refused("others", YK_EXIT_UNSAFE, "0602");
    ck_assert(yk_state_load(files_write("read", PAIRED, strlen(PAIRED), 0644), &state, &why));
}
END_TEST

START_TEST(a_state_of_a_stranger_is_unsafe_unless_root_runs_in_its_directory)
{
    struct yk_durable state;
    const char *path = files_text("state", PAIRED);

    if (geteuid() != 0) {
        return; /* only root can give files away */
    }
    ck_assert_int_eq(chown(path, 12345, 12345), 0);
    refused("state", YK_EXIT_UNSAFE, "12345");
    ck_assert_int_eq(chown(files_path("."), 12345, 12345), 0);
    ck_assert_msg(yk_state_load(files_path("state"), &state, &why), "%s", why.text);
}
END_TEST

START_TEST(a_corrupt_state_never_becomes_a_fresh_one)
{
    files_text("state", "{\"seq\":");
    refused("state", YK_EXIT_CONFIG, "corrupt");
    files_text("empty", "");
    refused("empty", YK_EXIT_CONFIG, "empty");
}
END_TEST

START_TEST(a_missing_state_names_commissioning)
{
    struct yk_durable state;

    ck_assert(!yk_state_load(files_path("absent"), &state, &why));
    ck_assert_int_eq(why.exit, YK_EXIT_CONFIG);
    ck_assert_ptr_nonnull(strstr(why.text, "--commission"));
    ck_assert_int_eq(access(files_path("absent"), F_OK), -1);
}
END_TEST

START_TEST(commissioning_makes_the_zero_state_once)
{
    struct yk_durable state;
    struct stat facts;

    ck_assert_msg(yk_state_commission(files_path("state"), &why), "%s", why.text);
    ck_assert(yk_state_load(files_path("state"), &state, &why));
    ck_assert_uint_eq(state.seq, 0);
    ck_assert_uint_eq(state.pairing.version.n, 0);
    ck_assert_int_eq(stat(files_path("state"), &facts), 0);
    ck_assert_uint_eq(facts.st_mode & 07777, 0600);
    ck_assert(!yk_state_commission(files_path("state"), &why));
    ck_assert_int_eq(why.exit, YK_EXIT_CANNOT_MAKE);
    ck_assert_uint_eq(files_count(), 1);
}
END_TEST

START_TEST(commissioning_replaces_nothing_whatever_it_is)
{
    ck_assert_int_eq(symlink("/nonexistent", files_path("dangling")), 0);
    ck_assert(!yk_state_commission(files_path("dangling"), &why));
    ck_assert_int_eq(mkdir(files_path("directory"), 0700), 0);
    ck_assert(!yk_state_commission(files_path("directory"), &why));
    files_text("corrupt", "x");
    ck_assert(!yk_state_commission(files_path("corrupt"), &why));
    ck_assert_uint_eq(files_count(), 3);
}
END_TEST

START_TEST(commissioning_without_a_directory_fails)
{
    ck_assert(!yk_state_commission(files_path("absent/state"), &why));
    ck_assert_int_eq(why.exit, YK_EXIT_CANNOT_MAKE);
    ck_assert_ptr_nonnull(strstr(why.text, "No such file or directory"));
}
END_TEST

START_TEST(commissioning_gives_the_file_to_its_directorys_owner)
{
    struct stat facts;

    if (geteuid() != 0) {
        return; /* only root can give files away */
    }
    ck_assert_int_eq(chown(files_path("."), 12345, 23456), 0);
    ck_assert_msg(yk_state_commission(files_path("state"), &why), "%s", why.text);
    ck_assert_int_eq(stat(files_path("state"), &facts), 0);
    ck_assert_uint_eq(facts.st_uid, 12345);
    ck_assert_uint_eq(facts.st_gid, 23456);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_state_is_written_canonically,
        the_largest_state_fits_its_bound_and_is_read_back,
        any_spelling_of_a_valid_state_is_read,
        an_unpaired_state_with_a_version_is_valid,
        what_is_not_exactly_a_state_is_refused,
        a_refusal_names_place_and_value_bounded_and_escaped,
        a_state_with_a_nul_is_refused,
        a_state_truncated_at_any_byte_is_refused,
        symbolic_links_and_nonregular_state_files_are_refused,
        state_input_is_limited_to_4096_bytes,
        a_state_others_may_write_is_unsafe,
        a_state_of_a_stranger_is_unsafe_unless_root_runs_in_its_directory,
        a_corrupt_state_never_becomes_a_fresh_one,
        a_missing_state_names_commissioning,
        commissioning_makes_the_zero_state_once,
        commissioning_replaces_nothing_whatever_it_is,
        commissioning_without_a_directory_fails,
        commissioning_gives_the_file_to_its_directorys_owner,
        NULL,
    };

    return suite_main("state", tests);
}
