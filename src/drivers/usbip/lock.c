#include "drivers/usbip/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

int yk_usbip_lock_take(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    int error;

    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0) {
        return fd;
    }
    error = errno;
    close(fd);
    errno = error;
    return -1;
}
