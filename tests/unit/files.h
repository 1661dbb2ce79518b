/* files.h - a scratch directory for tests of what lies in files. */
#ifndef YK_TESTS_FILES_H
#define YK_TESTS_FILES_H

#include <stddef.h>
#include <sys/types.h>

/* A path in this test's own directory, which is made at first use and removed, with all in it, when
 * the test's process ends. The text lives until four more were asked for. */
const char *files_path(const char *name);
/* Makes a file there with exactly this content and mode; gives its path. */
const char *files_write(const char *name, const void *data, size_t size, mode_t mode);
const char *files_text(const char *name, const char *text);
/* Reads it whole; gives its size. */
size_t files_read(const char *name, char *out, size_t capacity);
/* How many entries the directory has. */
size_t files_count(void);

#endif
