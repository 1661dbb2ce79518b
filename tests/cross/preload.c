/* preload.c - loaded before a test under an emulator of user programs (qemu 7.2), which passes on
 * some options of multicast sockets badly or not at all. Two are granted, so that the tests run that
 * only need that; those that look at what they do are skipped by name in tests/cross/run. The interface
 * to send by is chosen in another way; the one to join on is spelled as the emulator reads it, with a
 * long for its index. */
#include <net/if.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As the kernel numbers them: the header of sockets would declare the functions below otherwise. */
enum { IP = 0, MULTICAST_IF = 32, JOIN = 35, LEAVE = 36, MULTICAST_ALL = 49 };
enum { SOCKET = 1, BIND_TO_DEVICE = 25, COUNT_DROPS = 40 };

struct membership { /* struct ip_mreqn */
    unsigned group, address;
    int index;
};
struct emulators_membership {
    unsigned group, address;
    long index;
};

/* What a test starts is a program of this machine, which would complain on standard error. */
__attribute__((constructor)) static void not_for_children(void)
{
    unsetenv("LD_PRELOAD");
}

int setsockopt(int fd, int level, int option, const void *value, unsigned size);
int __setsockopt64(int fd, int level, int option, const void *value, unsigned size);

int setsockopt(int fd, int level, int option, const void *value, unsigned size)
{
    const struct membership *given = value;
    struct emulators_membership taken;
    char name[IF_NAMESIZE] = "";

    if ((level == IP && option == MULTICAST_ALL) || (level == SOCKET && option == COUNT_DROPS)) {
        return 0;
    }
    if (level == IP && option == MULTICAST_IF && size == sizeof *given) {
        if_indextoname((unsigned)given->index, name);
        return setsockopt(fd, SOCKET, BIND_TO_DEVICE, name, sizeof name);
    }
    if (level == IP && (option == JOIN || option == LEAVE) && size == sizeof *given) {
        taken = (struct emulators_membership){given->group, given->address, given->index};
        value = &taken;
        size = sizeof taken;
    }
    return (int)syscall(SYS_setsockopt, fd, level, option, value, size);
}

/* Its name where seconds of 64 bits are a choice. */
int __setsockopt64(int fd, int level, int option, const void *value, unsigned size)
{
    return setsockopt(fd, level, option, value, size);
}
