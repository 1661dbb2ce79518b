#include <stdio.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"

void fuzz_fail(const char *file, int line, const char *rule)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, rule);
    abort();
}
