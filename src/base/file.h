/* file.h - reads a small regular file whole, never waiting for what is none, and judges its owner
 * and mode (completions section 6). */
#ifndef YK_BASE_FILE_H
#define YK_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define YK_CAUSE_MAX 192 /* bytes of a cause, like "is a directory, not a regular file" */

/* The next step where errno is EACCES. */
#define YK_FILE_BE_OWNER "run this as its owner or as root (sudo), or set owner and directory right"

/* Reads at most `capacity` bytes of `path` into `out`; a longer file is refused. `links`: a symbolic
 * link as the last part of the path is followed. `facts` gets what fstat says of the file read. On
 * false `cause` says why and errno is ENOENT exactly when nothing is there, EACCES when it may not be
 * looked at. */
bool yk_file_read(const char *path, bool links, uint8_t *out, size_t capacity, size_t *size,
                  struct stat *facts, char cause[YK_CAUSE_MAX]);

/* True when none of the `forbidden` mode bits is set and the owner is root or the user who runs (or,
 * when root runs, the owner of the file's directory), or when the path is inside
 * $CREDENTIALS_DIRECTORY. Else `cause` has the cause and the command that mends it. */
bool yk_file_is_safe(const char *path, const struct stat *facts, mode_t forbidden,
                     char cause[YK_CAUSE_MAX]);

/* The directory part of `path` ("." when there is none); false when `out` is too small. */
bool yk_file_directory(const char *path, char *out, size_t capacity);
/* The part behind the last slash. */
const char *yk_file_base(const char *path);

/* When root runs, gives the open file to the owner of the open directory. 0, or the errno. */
int yk_file_give_to_owner(int fd, int directory_fd);
/* Writes all of it; 0, or the errno. */
int yk_file_write_all(int fd, const void *data, size_t size);

#endif
