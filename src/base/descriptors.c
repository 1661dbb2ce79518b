#include "base/descriptors.h"

#include <fcntl.h>
#include <unistd.h>

void yk_descriptors_fill(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0) {
            (void)!open("/dev/null", O_RDONLY);
        }
    }
}
