/* build.h - which build this is. */
#ifndef YK_BASE_BUILD_H
#define YK_BASE_BUILD_H

#include <stdint.h>

/* The commit it was built from, "-dirty" behind it when the sources were changed since; "unknown"
 * where neither history nor COMMIT said. A program links commit.o, a test needs none. */
extern const char yk_build_commit[];
/* When that commit was made, Unix seconds: no clock can be right that is before. 0: unknown. */
extern const int64_t yk_build_time;

#endif
