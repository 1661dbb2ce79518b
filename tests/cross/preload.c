/* preload.c - loaded before a test under an emulator of user programs, which refuses three options of
 * multicast sockets that the kernel below it would take. Two are granted, so that the tests run that
 * only need that; those that look at what they do are skipped by name in tests/cross/run. The
 * interface to send by is chosen in another way that the emulator passes on. */
#include <net/if.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As the kernel numbers them: the header of sockets would declare the functions below otherwise. */
enum {
    IP = 0,
    MULTICAST_IF = 32,
    MULTICAST_ALL = 49,
    SOCKET = 1,
    BIND_TO_DEVICE = 25,
    COUNT_DROPS = 40
};

int setsockopt(int fd, int level, int option, const void *value, unsigned size);
int __setsockopt64(int fd, int level, int option, const void *value, unsigned size);

int setsockopt(int fd, int level, int option, const void *value, unsigned size)
{
    char name[IF_NAMESIZE] = "";

    if ((level == IP && option == MULTICAST_ALL) || (level == SOCKET && option == COUNT_DROPS)) {
        return 0;
    }
    if (level == IP && option == MULTICAST_IF && size == 3 * sizeof(int)) { /* struct ip_mreqn */
        if_indextoname(((const unsigned *)value)[2], name);
        level = SOCKET, option = BIND_TO_DEVICE, value = name, size = sizeof name;
    }
    return (int)syscall(SYS_setsockopt, fd, level, option, value, size);
}

/* Its name where seconds of 64 bits are a choice. */
int __setsockopt64(int fd, int level, int option, const void *value, unsigned size)
{
    return setsockopt(fd, level, option, value, size);
}
