/* spawn.h - fork and exec of a process that inherits nothing of ours by accident. */
#ifndef YK_BASE_SPAWN_H
#define YK_BASE_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

struct yk_spawned {
    pid_t pid;       /* leads a process group of its own, of the same number; the caller collects
                      * its status */
    int exec_result; /* end of a pipe: an errno (int) when exec failed, else nothing and the end;
                      * non-blocking; the caller closes it */
};

/* What differs from one kind of child to another. */
struct yk_spawn_how {
    int output;         /* becomes its standard output and error; -1: both are our standard error */
    int keep;           /* stays open in it, under its number (a lock); -1: none */
    unsigned outlive_s; /* 0: the kernel kills it when we end, however we end; else it lives on, and
                         * SIGALRM ends it that many seconds after its start */
};
#define YK_SPAWN_STREAM ((struct yk_spawn_how){.output = -1, .keep = -1})

/* Starts `argv` (searched in PATH, no shell): default signals, none blocked, standard input is
 * /dev/null, no other descriptor is open. Processes that it starts itself are not ended with it.
 * Waits for nothing. 0, or an errno. */
int yk_spawn(struct yk_spawned *spawned, const char *const argv[], const struct yk_spawn_how *how);

#endif
