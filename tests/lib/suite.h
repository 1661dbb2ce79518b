/* suite.h - the main of a unit test program: one suite, one list of tests. */
#ifndef YK_TESTS_SUITE_H
#define YK_TESTS_SUITE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* True for a test that $TESTS_SKIPPED, names with blanks between them, says not to run. */
static inline int suite_skips(const char *name)
{
    const char *left = getenv("TESTS_SKIPPED");

    while (left != NULL && *left != 0) {
        size_t size = strcspn(left, " ");

        if (size == strlen(name) && strncmp(left, name, size) == 0) {
            return 1;
        }
        left += size + strspn(left + size, " ");
    }
    return 0;
}

/* Runs `tests`, which end with NULL, each in a process of its own (Check's default); gives the exit
 * status of the program. */
static inline int suite_main(const char *name, const TTest *const *tests)
{
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    SRunner *runner;
    int failed;

    for (; *tests != NULL; tests++) {
        if (suite_skips((*tests)->name)) {
            printf("skip %s\n", (*tests)->name);
        } else {
            tcase_add_test(tcase, *tests);
        }
    }
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
