/* atomic.h - makes or replaces a file whole or not at all, durably. Blocking: for start-up and for
 * the thread pool. */
#ifndef YK_BASE_ATOMIC_H
#define YK_BASE_ATOMIC_H

#include <stdbool.h>
#include <stddef.h>

enum yk_atomic_mode {
    YK_ATOMIC_CREATE, /* EEXIST when anything is there; the file must go to the directory's owner */
    YK_ATOMIC_REPLACE /* whatever regular file is there */
};

/* Unique temporary file in the same directory, whole write, fsync, rename, fsync of the directory;
 * mode 0600, when root runs owned by the directory's owner. 0, or an errno with `step` saying what
 * failed; no temporary file is left then, and unless the last step failed the file is as it was. */
int yk_atomic_write(const char *path, const void *data, size_t size, enum yk_atomic_mode mode,
                    const char **step);

/* Removes temporary files of killed writes of `path`, a bounded number of them. Nobody else may be
 * writing it. */
void yk_atomic_sweep(const char *path);

#endif
