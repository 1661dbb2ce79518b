#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *kind_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return "a directory";
    case S_IFIFO:
        return "a FIFO";
    case S_IFSOCK:
        return "a socket";
    case S_IFLNK:
        return "a symbolic link";
    case S_IFCHR:
    case S_IFBLK:
        return "a device";
    default:
        return "something else";
    }
}

/* Looked at before opening: opening a device may have effects, and a socket cannot be opened. */
static bool check_kind(const char *path, bool links, char cause[YK_CAUSE_MAX])
{
    struct stat facts;
    int failed = links ? stat(path, &facts) : lstat(path, &facts);

    if (failed) {
        snprintf(cause, YK_CAUSE_MAX, "%s", errno == ENOENT ? "does not exist" : strerror(errno));
        return false;
    }
    if (!S_ISREG(facts.st_mode)) {
        snprintf(cause, YK_CAUSE_MAX, "is %s, not a regular file", kind_of(facts.st_mode));
        errno = EINVAL;
        return false;
    }
    return true;
}

/* A file that grew since it was looked at has no size worth telling. */
static void say_larger(char cause[YK_CAUSE_MAX], size_t most, const struct stat *facts)
{
    if (facts->st_size > (off_t)most) {
        snprintf(cause, YK_CAUSE_MAX, "is larger than %zu bytes: it has %jd", most,
                 (intmax_t)facts->st_size);
    } else {
        snprintf(cause, YK_CAUSE_MAX, "is larger than %zu bytes", most);
    }
}

static bool read_open(int fd, uint8_t *out, size_t capacity, size_t *size, struct stat *facts,
                      char cause[YK_CAUSE_MAX])
{
    size_t used = 0;
    uint8_t beyond;

    if (fstat(fd, facts) != 0 || !S_ISREG(facts->st_mode)) {
        snprintf(cause, YK_CAUSE_MAX, "is not a regular file any more");
        return false;
    }
    for (;;) {
        bool full = used == capacity;
        ssize_t got = full ? read(fd, &beyond, 1) : read(fd, out + used, capacity - used);

        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            snprintf(cause, YK_CAUSE_MAX, "cannot be read: %s", strerror(errno));
            return false;
        }
        if (got == 0) {
            *size = used;
            return true;
        }
        if (full) {
            say_larger(cause, capacity, facts);
            return false;
        }
        used += (size_t)got;
    }
}

bool yk_file_read(const char *path, bool links, uint8_t *out, size_t capacity, size_t *size,
                  struct stat *facts, char cause[YK_CAUSE_MAX])
{
    int fd;
    bool ok;

    if (!check_kind(path, links, cause)) {
        return false;
    }
    fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | (links ? 0 : O_NOFOLLOW));
    if (fd < 0) {
        snprintf(cause, YK_CAUSE_MAX, "cannot be opened: %s", strerror(errno));
        return false;
    }
    ok = read_open(fd, out, capacity, size, facts, cause);
    close(fd);
    if (!ok) {
        errno = EINVAL;
    }
    return ok;
}

bool yk_file_directory(const char *path, char *out, size_t capacity)
{
    const char *slash = strrchr(path, '/');
    size_t size = slash == NULL ? 0 : (size_t)(slash - path);

    if (slash == path) {
        size = 1;
    }
    if ((size == 0 ? 1 : size) >= capacity) {
        return false;
    }
    memcpy(out, size == 0 ? "." : path, size == 0 ? 1 : size);
    out[size == 0 ? 1 : size] = 0;
    return true;
}

const char *yk_file_base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

static bool has_parent_step(const char *path)
{
    for (const char *at = path; (at = strstr(at, "..")) != NULL; at += 2) {
        bool begins = at == path || at[-1] == '/';

        if (begins && (at[2] == '/' || at[2] == 0)) {
            return true;
        }
    }
    return false;
}

/* systemd's credentials belong to whom systemd decides, with a mode and ACL of its own. */
static bool is_credential(const char *path)
{
    const char *directory = getenv("CREDENTIALS_DIRECTORY");
    size_t size = directory == NULL ? 0 : strlen(directory);

    while (size > 0 && directory[size - 1] == '/') {
        size--;
    }
    if (size < 2 || directory[0] != '/') {
        return false;
    }
    return strncmp(path, directory, size) == 0 && path[size] == '/' &&
           !has_parent_step(path + size);
}

static bool is_directory_owner(const char *path, uid_t owner)
{
    char directory[PATH_MAX];
    struct stat facts;

    return yk_file_directory(path, directory, sizeof directory) && stat(directory, &facts) == 0 &&
           facts.st_uid == owner;
}

bool yk_file_is_safe(const char *path, const struct stat *facts, mode_t forbidden,
                     char cause[YK_CAUSE_MAX])
{
    uid_t user = geteuid();

    if (is_credential(path)) {
        return true;
    }
    if ((facts->st_mode & forbidden) != 0) {
        snprintf(cause, YK_CAUSE_MAX,
                 "mode %04o is unsafe, group or others may %s it; chmod 600 it",
                 (unsigned)(facts->st_mode & 07777), forbidden & 044 ? "use" : "change");
        return false;
    }
    if (facts->st_uid != 0 && facts->st_uid != user &&
        !(user == 0 && is_directory_owner(path, facts->st_uid))) {
        snprintf(cause, YK_CAUSE_MAX,
                 "belongs to user %u, who is neither root nor the user who runs (%u); chown it to "
                 "one of them",
                 (unsigned)facts->st_uid, (unsigned)user);
        return false;
    }
    return true;
}

int yk_file_give_to_owner(int fd, int directory_fd)
{
    struct stat directory;

    if (geteuid() != 0) {
        return 0;
    }
    if (fstat(directory_fd, &directory) != 0) {
        return errno;
    }
    if (directory.st_uid == 0) {
        return 0;
    }
    return fchown(fd, directory.st_uid, directory.st_gid) == 0 ? 0 : errno;
}

int yk_file_write_all(int fd, const void *data, size_t size)
{
    const uint8_t *rest = data;

    while (size > 0) {
        ssize_t written = write(fd, rest, size);

        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return written == 0 ? EIO : errno;
        }
        rest += written;
        size -= (size_t)written;
    }
    return 0;
}
