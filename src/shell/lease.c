/* One agent a state file: a lock the kernel lets go when its holder ends, however it ends. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/store.h"

/* The lock file gets the owner of the state file's directory, like the state file. */
static int give_to_owner(int fd, const char *path)
{
    char directory[YK_PATH_MAX];
    int directory_fd, error;

    if (!yk_file_directory(path, directory, sizeof directory)) {
        return ENAMETOOLONG;
    }
    directory_fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (directory_fd < 0) {
        return errno;
    }
    error = yk_file_give_to_owner(fd, directory_fd);
    close(directory_fd);
    return error;
}

static int open_lock(const char *path, int *error)
{
    struct stat facts;
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);

    if (fd < 0) {
        *error = errno;
        return -1;
    }
    *error = fstat(fd, &facts) != 0 ? errno : !S_ISREG(facts.st_mode) ? EINVAL : 0;
    if (*error == 0) {
        *error = give_to_owner(fd, path);
    }
    if (*error != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

int yk_lease_take(const char *state_path, struct yk_refusal *why)
{
    char path[YK_PATH_MAX + sizeof ".lock"];
    int fd, error;

    snprintf(path, sizeof path, "%s.lock", state_path);
    fd = open_lock(path, &error);
    if (fd < 0) {
        yk_refuse(why, YK_EXIT_CANNOT_MAKE,
                  "%s: the lease cannot be opened: %s; it must be a regular file in a directory "
                  "this user may write",
                  path, strerror(error));
        return -1;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        return fd;
    }
    error = errno;
    close(fd);
    if (error == EWOULDBLOCK) {
        yk_refuse(
            why, YK_EXIT_NOT_YET,
            "state_file %s: in use by another agent, which holds %s; stop that agent, or give "
            "this one a state file of its own",
            state_path, path);
    } else {
        yk_refuse(why, YK_EXIT_CANNOT_MAKE,
                  "%s: cannot be locked: %s; put the state on a local file system", path,
                  strerror(error));
    }
    return -1;
}
