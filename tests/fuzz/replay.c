/* replay - gives the files of a corpus to a target, each once, so that every compiler's build is held
 * to what the fuzzer found worth keeping.
 *
 *   replay FILE|DIRECTORY ...
 *
 * Prints how many inputs there were. Exit 0 when all were taken; a finding aborts with its input
 * named on standard error. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz/fuzz.h"

#define INPUT_MAX (1024 * 1024) /* bytes; what libFuzzer makes is far below */

static unsigned input_count;

static _Noreturn void die(const char *path, const char *cause)
{
    fprintf(stderr, "replay: %s: %s; give files or directories of inputs\n", path, cause);
    exit(EXIT_FAILURE);
}

static void replay_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes;

    if (file == NULL) {
        die(path, strerror(errno));
    }
    if (size > INPUT_MAX) {
        die(path, "is larger than a mebibyte");
    }
    bytes = malloc(size > 0 ? size : 1);
    if (bytes == NULL || fread(bytes, 1, size, file) != size) {
        die(path, "cannot be read");
    }
    fclose(file);
    fprintf(stderr, "%s\n", path); /* the last one printed is the one that fails */
    (void)LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    input_count++;
}

static void replay(const char *path);

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void replay_directory(const char *path)
{
    struct dirent **entries;
    char inside[PATH_MAX];
    int count = scandir(path, &entries, is_visible, alphasort);

    if (count < 0) {
        die(path, strerror(errno));
    }
    for (int i = 0; i < count; i++) {
        snprintf(inside, sizeof inside, "%s/%s", path, entries[i]->d_name);
        free(entries[i]);
        replay(inside);
    }
    free(entries);
}

static void replay(const char *path)
{
    struct stat facts;

    if (stat(path, &facts) != 0) {
        die(path, strerror(errno));
    }
    if (S_ISDIR(facts.st_mode)) {
        replay_directory(path);
    } else {
        replay_file(path, (size_t)facts.st_size);
    }
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        replay(argv[i]);
    }
    printf("%u inputs\n", input_count);
    return input_count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
