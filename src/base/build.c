/* For what is linked without commit.o; a program that has it never takes this from the archive. */
#include "base/build.h"

const char yk_build_commit[] = "unknown";
const int64_t yk_build_time = 0;
