#include "drivers/group.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define STAT_MAX 512 /* bytes of /proc/PID/stat read; state and group come early */

/* Is the process of that number in the group, and running? */
static bool is_live_member(const char *number, pid_t group)
{
    char path[64], text[STAT_MAX];
    const char *after_name;
    size_t size;
    FILE *file;
    char state;
    int of;

    snprintf(path, sizeof path, "/proc/%.20s/stat", number);
    file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = 0;
    after_name = strrchr(text, ')'); /* the name in parentheses may hold anything */
    if (after_name == NULL || sscanf(after_name, ") %c %*d %d", &state, &of) != 2) {
        return false;
    }
    return of == group && state != 'Z' && state != 'X';
}

static bool has_live_member(pid_t group)
{
    DIR *processes = opendir("/proc");
    bool found = false;

    if (processes == NULL) {
        return true; /* not known: no release is claimed */
    }
    for (struct dirent *entry = readdir(processes); entry != NULL && !found;
         entry = readdir(processes)) {
        found = isdigit((unsigned char)entry->d_name[0]) && is_live_member(entry->d_name, group);
    }
    closedir(processes);
    return found;
}

bool yk_group_is_alive(pid_t group)
{
    while (waitpid(-group, NULL, WNOHANG) > 0) {
        /* an orphan of the group that was given to us */
    }
    if (kill(-group, 0) != 0 && errno == ESRCH) {
        return false;
    }
    return has_live_member(group);
}
