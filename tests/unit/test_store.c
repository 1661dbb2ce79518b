#include "shell/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic.h"
#include "files.h"
#include "lib/suite.h"

static uv_loop_t loop;
static struct yk_store store;
static unsigned answers;
static bool saved_ok;
static uint64_t saved_request;
static char saved_cause[YK_CAUSE_MAX];

/* Takes the place of the C library's, for the saves of this program: fails once, at that call. */
static unsigned syncs, sync_fails_at;

int fsync(int fd);
int fsync(int fd)
{
    if (++syncs == sync_fails_at) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fsync, fd);
}

static void saved(void *owner, uint64_t request, bool ok, const char *cause)
{
    ck_assert_ptr_eq(owner, &store);
    answers++;
    saved_ok = ok;
    saved_request = request;
    snprintf(saved_cause, sizeof saved_cause, "%s", cause);
}

static void open_store(const char *name)
{
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    yk_store_init(&store, files_path(name), &store, saved);
}

static bool save(uint64_t request, uint64_t seq)
{
    struct yk_durable state = {.seq = seq};

    answers = syncs = 0;
    yk_store_save(&store, &loop, request, &state);
    ck_assert_uint_eq(answers, 0); /* never from inside the call */
    ck_assert_int_eq(uv_run(&loop, UV_RUN_DEFAULT), 0);
    ck_assert_uint_eq(answers, 1);
    ck_assert_uint_eq(saved_request, request);
    return saved_ok;
}

static uint64_t seq_in_file(void)
{
    struct yk_durable state;
    struct yk_refusal why;

    ck_assert_msg(yk_state_load(files_path("state"), &state, &why), "%s", why.text);
    return state.seq;
}

START_TEST(a_save_replaces_the_file_by_a_new_private_one)
{
    struct stat before, after;

    open_store("state");
    ck_assert(save(1, 10));
    ck_assert_uint_eq(seq_in_file(), 10);
    ck_assert_int_eq(stat(files_path("state"), &before), 0);
    ck_assert_uint_eq(before.st_mode & 07777, 0600);
    ck_assert(save(2, 20));
    ck_assert_uint_eq(seq_in_file(), 20);
    ck_assert_int_eq(stat(files_path("state"), &after), 0);
    ck_assert_uint_ne(before.st_ino, after.st_ino);
    ck_assert_uint_eq(files_count(), 1);
    ck_assert_uint_eq(syncs, 2); /* the file and the directory */
}
END_TEST

START_TEST(a_failed_fsync_is_a_failed_save_and_the_next_writes_anew)
{
    open_store("state");
    ck_assert(save(1, 10));
    sync_fails_at = 1;
    ck_assert(!save(2, 20));
    ck_assert_ptr_nonnull(strstr(saved_cause, "fsync: "));
    ck_assert_uint_eq(seq_in_file(), 10);
    ck_assert_uint_eq(files_count(), 1);
    sync_fails_at = 0;
    ck_assert(save(3, 30));
    ck_assert_uint_eq(seq_in_file(), 30);
    ck_assert_str_eq(saved_cause, "");
}
END_TEST

START_TEST(a_failed_fsync_of_the_directory_is_a_failed_save)
{
    open_store("state");
    ck_assert(save(1, 10));
    sync_fails_at = 2;
    ck_assert(!save(2, 20));
    ck_assert_ptr_nonnull(strstr(saved_cause, "directory"));
    ck_assert_uint_eq(files_count(), 1);
}
END_TEST

START_TEST(a_save_where_no_regular_file_is_fails_and_leaves_it)
{
    struct stat facts;

    ck_assert_int_eq(symlink("/nonexistent", files_path("state")), 0);
    open_store("state");
    ck_assert(!save(1, 10));
    ck_assert_int_eq(lstat(files_path("state"), &facts), 0);
    ck_assert(S_ISLNK(facts.st_mode));
    ck_assert_uint_eq(files_count(), 1);
}
END_TEST

START_TEST(a_save_without_its_directory_fails)
{
    open_store("absent/state");
    ck_assert(!save(1, 10));
    ck_assert_ptr_nonnull(strstr(saved_cause, "No such file or directory"));
}
END_TEST

START_TEST(a_save_by_root_keeps_the_directorys_owner)
{
    struct stat facts;

    if (geteuid() != 0) {
        return; /* only root can give files away */
    }
    ck_assert_int_eq(chown(files_path("."), 12345, 23456), 0);
    open_store("state");
    ck_assert(save(1, 10));
    ck_assert_int_eq(stat(files_path("state"), &facts), 0);
    ck_assert_uint_eq(facts.st_uid, 12345);
    ck_assert_uint_eq(facts.st_gid, 23456);
}
END_TEST

START_TEST(only_our_own_temporary_files_are_swept)
{
    static const char *const kept[] = {"state",
                                       ".state.0123456789abcdef.tmpx",
                                       ".state.0123456789abcde.tmp",
                                       ".state.tmp",
                                       ".other.0123456789abcdef.tmp",
                                       "state.0123456789abcdef.tmp",
                                       ".state.0123456789ABCDEF.tmp"};

    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        files_text(kept[i], "x");
    }
    files_text(".state.0123456789abcdef.tmp", "x");
    files_text(".state.ffffffffffffffff.tmp", "x");
    yk_atomic_sweep(files_path("state"));
    ck_assert_uint_eq(files_count(), sizeof kept / sizeof *kept);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        ck_assert_msg(access(files_path(kept[i]), F_OK) == 0, "%s", kept[i]);
    }
}
END_TEST

START_TEST(a_second_lease_on_a_state_is_refused)
{
    struct yk_refusal why;
    int first = yk_lease_take(files_path("state"), &why);

    ck_assert_msg(first >= 0, "%s", why.text);
    ck_assert_int_eq(yk_lease_take(files_path("state"), &why), -1);
    ck_assert_int_eq(why.exit, YK_EXIT_NOT_YET);
    ck_assert_ptr_nonnull(strstr(why.text, files_path("state")));
    close(first);
    first = yk_lease_take(files_path("state"), &why);
    ck_assert_int_ge(first, 0);
}
END_TEST

START_TEST(the_lease_is_private_stays_and_is_not_inherited)
{
    struct yk_refusal why;
    struct stat facts;
    int fd = yk_lease_take(files_path("state"), &why);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    close(fd);
    ck_assert_int_eq(stat(files_path("state.lock"), &facts), 0);
    ck_assert_uint_eq(facts.st_mode & 07777, 0600);
}
END_TEST

START_TEST(a_lease_ends_with_its_process)
{
    struct yk_refusal why;
    const char *path = files_path("state");
    pid_t child = fork();

    if (child == 0) {
        _exit(yk_lease_take(path, &why) >= 0 ? 0 : 1);
    } else {
        int status;

        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_int_eq(status, 0);
        ck_assert_int_eq(access(files_path("state.lock"), F_OK), 0);
        ck_assert_int_ge(yk_lease_take(path, &why), 0);
    }
}
END_TEST

START_TEST(a_lock_that_is_no_regular_file_is_refused)
{
    struct yk_refusal why;

    ck_assert_int_eq(mkfifo(files_path("state.lock"), 0600), 0);
    ck_assert_int_eq(yk_lease_take(files_path("state"), &why), -1);
    ck_assert_int_eq(why.exit, YK_EXIT_CANNOT_MAKE);
    ck_assert_int_eq(unlink(files_path("state.lock")), 0);
    ck_assert_int_eq(symlink(files_path("elsewhere"), files_path("state.lock")), 0);
    ck_assert_int_eq(yk_lease_take(files_path("state"), &why), -1);
    ck_assert_int_eq(access(files_path("elsewhere"), F_OK), -1);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_save_replaces_the_file_by_a_new_private_one,
        a_failed_fsync_is_a_failed_save_and_the_next_writes_anew,
        a_failed_fsync_of_the_directory_is_a_failed_save,
        a_save_where_no_regular_file_is_fails_and_leaves_it,
        a_save_without_its_directory_fails,
        a_save_by_root_keeps_the_directorys_owner,
        only_our_own_temporary_files_are_swept,
        a_second_lease_on_a_state_is_refused,
        the_lease_is_private_stays_and_is_not_inherited,
        a_lease_ends_with_its_process,
        a_lock_that_is_no_regular_file_is_refused,
        NULL,
    };

    return suite_main("store", tests);
}
