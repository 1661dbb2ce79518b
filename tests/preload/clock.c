/* clock.so - clocks that a test sets, for a program under LD_PRELOAD. $YOKE_TEST_CLOCK names a file of two
 * numbers of 64 bits, in nanoseconds: how far the wall clock and the monotonic one are ahead of the
 * machine's. Beside it, FILE.set is a FIFO: eight bytes in it wake who watches the wall clock for being
 * set, as the kernel does. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

enum { WALL, MONOTONIC, CLOCKS };

static const volatile int64_t *ahead;
static const char *path;

__attribute__((constructor)) static void open_clock(void)
{
    int fd;
    void *map;

    path = getenv("YOKE_TEST_CLOCK");
    fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    map = fd >= 0 ? mmap(NULL, CLOCKS * sizeof *ahead, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (map == MAP_FAILED) {
        fputs("clock.so: YOKE_TEST_CLOCK: no file of two numbers\n", stderr);
        _exit(70);
    }
    ahead = map;
    close(fd);
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    int64_t shift = 0, ns;
    int result = (int)syscall(SYS_clock_gettime, clock, out);

    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) {
        shift = ahead[WALL];
    } else if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE ||
               clock == CLOCK_BOOTTIME) {
        shift = ahead[MONOTONIC];
    }
    if (result == 0 && shift != 0) {
        ns = (int64_t)out->tv_sec * SECOND + out->tv_nsec + shift;
        out->tv_sec = (time_t)(ns / SECOND - (ns % SECOND < 0));
        out->tv_nsec = (long)(ns % SECOND + (ns % SECOND < 0 ? SECOND : 0));
    }
    return result;
}

time_t time(time_t *out)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    if (out != NULL) {
        *out = now.tv_sec;
    }
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct timespec now;

    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    out->tv_sec = now.tv_sec;
    out->tv_usec = now.tv_nsec / 1000;
    return 0;
}

int timerfd_create(clockid_t clock, int flags)
{
    char name[4096];

    if (clock != CLOCK_REALTIME) {
        return (int)syscall(SYS_timerfd_create, clock, flags);
    }
    snprintf(name, sizeof name, "%s.set", path);
    return open(name, O_RDWR | O_NONBLOCK | O_CLOEXEC);
}

int timerfd_settime(int fd, int flags, const struct itimerspec *value, struct itimerspec *old)
{
    return flags & TFD_TIMER_CANCEL_ON_SET
               ? 0
               : (int)syscall(SYS_timerfd_settime, fd, flags, value, old);
}
