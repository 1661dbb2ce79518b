/* spawn.h - fork and exec of a stream process that inherits nothing of ours by accident. */
#ifndef YK_DRIVERS_IGMP_SPAWN_H
#define YK_DRIVERS_IGMP_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

struct yk_spawned {
    pid_t pid;       /* leads a process group of its own, of the same number; the caller collects
                      * its status */
    int exec_result; /* end of a pipe: an errno (int) when exec failed, else nothing and the end;
                      * non-blocking; the caller closes it */
};

/* Starts `argv` (searched in PATH, no shell): default signals, none blocked, standard input is
 * /dev/null, both outputs are our standard error, no other descriptor is open. It is killed by the
 * kernel when we end, however we end; processes that it started itself are not. Waits for nothing.
 * 0, or an errno. */
int yk_spawn(struct yk_spawned *spawned, const char *const argv[]);

#endif
