#include "base/atomic.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/file.h"

/* A temporary file is called ".BASE.HEX.tmp", with that many random digits. */
#define RANDOM_DIGITS 16
#define SWEEP_LOOK_MAX 4096 /* directory entries looked at */
#define SWEEP_MAX 64        /* files removed */

/* One write under way. */
struct attempt {
    int directory, fd;
    const char *base;
    char temporary[NAME_MAX + 1];
    const char *step;
};

static int open_directory(const char *path)
{
    char directory[PATH_MAX];

    if (!yk_file_directory(path, directory, sizeof directory)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int make_temporary(struct attempt *attempt)
{
    uint64_t random;

    attempt->step = "making a temporary file";
    if (getrandom(&random, sizeof random, 0) != sizeof random) {
        return errno;
    }
    snprintf(attempt->temporary, sizeof attempt->temporary, ".%s.%0*" PRIx64 ".tmp", attempt->base,
             RANDOM_DIGITS, random);
    attempt->fd = openat(attempt->directory, attempt->temporary,
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return attempt->fd < 0 ? errno : 0;
}

static int fill(struct attempt *attempt, const void *data, size_t size, enum yk_atomic_mode mode)
{
    int error;

    attempt->step = "giving it to the directory's owner";
    error = yk_file_give_to_owner(attempt->fd, attempt->directory);
    /* A save must not fail for a loss of privileges since: root's own file is safe as well. */
    if (error != 0 && mode == YK_ATOMIC_CREATE) {
        return error;
    }
    attempt->step = "write";
    error = yk_file_write_all(attempt->fd, data, size);
    if (error != 0) {
        return error;
    }
    attempt->step = "fsync";
    return fsync(attempt->fd) == 0 ? 0 : errno;
}

/* rename(2) would replace a symbolic link or fail late on a directory: both are somebody's mistake
 * to be told. */
static int check_target(struct attempt *attempt)
{
    struct stat facts;

    attempt->step = "looking at the old file";
    if (fstatat(attempt->directory, attempt->base, &facts, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno == ENOENT ? 0 : errno;
    }
    attempt->step = "replacing what is no regular file";
    return S_ISREG(facts.st_mode) ? 0 : EINVAL;
}

static int create_name(struct attempt *attempt)
{
    if (renameat2(attempt->directory, attempt->temporary, attempt->directory, attempt->base,
                  RENAME_NOREPLACE) == 0) {
        return 0;
    }
    /* Some file systems have no such rename, but links. */
    if (errno != EINVAL ||
        linkat(attempt->directory, attempt->temporary, attempt->directory, attempt->base, 0) != 0) {
        return errno;
    }
    unlinkat(attempt->directory, attempt->temporary, 0);
    return 0;
}

static int put_in_place(struct attempt *attempt, enum yk_atomic_mode mode)
{
    int error = 0;

    if (mode == YK_ATOMIC_CREATE) {
        attempt->step = "naming it";
        return create_name(attempt);
    }
    error = check_target(attempt);
    if (error != 0) {
        return error;
    }
    attempt->step = "rename";
    return renameat(attempt->directory, attempt->temporary, attempt->directory, attempt->base) == 0
               ? 0
               : errno;
}

static int write_in(struct attempt *attempt, const void *data, size_t size,
                    enum yk_atomic_mode mode)
{
    int error = make_temporary(attempt);

    if (error != 0) {
        return error;
    }
    error = fill(attempt, data, size, mode);
    if (close(attempt->fd) != 0 && error == 0) {
        attempt->step = "close";
        error = errno;
    }
    if (error == 0) {
        error = put_in_place(attempt, mode);
    }
    if (error != 0) {
        unlinkat(attempt->directory, attempt->temporary, 0);
        return error;
    }
    attempt->step = "fsync of the directory";
    return fsync(attempt->directory) == 0 ? 0 : errno;
}

int yk_atomic_write(const char *path, const void *data, size_t size, enum yk_atomic_mode mode,
                    const char **step)
{
    struct attempt attempt = {.base = yk_file_base(path), .step = "opening its directory"};
    int error;

    attempt.directory = open_directory(path);
    if (attempt.directory < 0) {
        error = errno;
    } else {
        error = write_in(&attempt, data, size, mode);
        close(attempt.directory);
    }
    *step = attempt.step;
    return error;
}

static bool is_temporary(const char *name, const char *base)
{
    size_t base_size = strlen(base);
    const char *digits;

    if (name[0] != '.' || strncmp(name + 1, base, base_size) != 0 || name[1 + base_size] != '.') {
        return false;
    }
    digits = name + base_size + 2;
    return strspn(digits, "0123456789abcdef") == RANDOM_DIGITS &&
           strcmp(digits + RANDOM_DIGITS, ".tmp") == 0;
}

void yk_atomic_sweep(const char *path)
{
    int fd = open_directory(path);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    unsigned removed = 0;

    if (directory == NULL) {
        if (fd >= 0) {
            close(fd);
        }
        return;
    }
    for (unsigned looked = 0; looked < SWEEP_LOOK_MAX && removed < SWEEP_MAX; looked++) {
        const struct dirent *entry = readdir(directory);

        if (entry == NULL) {
            break;
        }
        if (is_temporary(entry->d_name, yk_file_base(path))) {
            removed += unlinkat(fd, entry->d_name, 0) == 0;
        }
    }
    closedir(directory);
}
