#include "files.h"

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/yoke-test-XXXXXX";

static int remove_entry(const char *path, const struct stat *facts, int type, struct FTW *place)
{
    (void)facts;
    (void)type;
    (void)place;
    return remove(path);
}

static void remove_all(void)
{
    nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

const char *files_path(const char *name)
{
    static char paths[4][512];
    static unsigned next;
    static bool made;
    char *path = paths[next++ % 4];

    if (!made) {
        made = true;
        ck_assert_ptr_nonnull(mkdtemp(directory));
        atexit(remove_all);
    }
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

const char *files_write(const char *name, const void *data, size_t size, mode_t mode)
{
    const char *path = files_path(name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, data, size), (ssize_t)size);
    ck_assert_int_eq(fchmod(fd, mode), 0);
    close(fd);
    return path;
}

const char *files_text(const char *name, const char *text)
{
    return files_write(name, text, strlen(text), 0600);
}

size_t files_read(const char *name, char *out, size_t capacity)
{
    int fd = open(files_path(name), O_RDONLY | O_CLOEXEC);
    ssize_t size;

    ck_assert_int_ge(fd, 0);
    size = read(fd, out, capacity);
    ck_assert_int_ge(size, 0);
    close(fd);
    return (size_t)size;
}

size_t files_count(void)
{
    DIR *list = opendir(files_path("."));
    size_t count = 0;

    ck_assert_ptr_nonnull(list);
    while (readdir(list) != NULL) {
        count++;
    }
    closedir(list);
    return count - 2; /* "." and ".." */
}
