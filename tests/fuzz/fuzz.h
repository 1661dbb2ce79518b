/* fuzz.h - what the fuzz targets share. A target is one function of one input. clang's libFuzzer
 * drives it (`make fuzz-TARGET`), and replay.c over the files of the corpus, built by any compiler. */
#ifndef YK_TESTS_FUZZ_H
#define YK_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* The target. Always 0; what breaks a rule does not return. The bytes are a block of their own, so
 * that a sanitizer sees a read beyond them. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process with the rule that does not hold, which is how a finding is told. */
_Noreturn void fuzz_fail(const char *file, int line, const char *rule);

#define FUZZ_CHECK(holds, rule)                    \
    do {                                           \
        if (!(holds)) {                            \
            fuzz_fail(__FILE__, __LINE__, (rule)); \
        }                                          \
    } while (0)

#endif
