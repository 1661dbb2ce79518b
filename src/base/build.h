/* build.h - which build this is. */
#ifndef YK_BASE_BUILD_H
#define YK_BASE_BUILD_H

/* The commit it was built from, "-dirty" behind it when the sources were changed since; "unknown"
 * where neither history nor COMMIT said. A program links commit.o, a test needs none. */
extern const char yk_build_commit[];

#endif
