/* yoke - the tools, one verb each; the agent and the snooper are programs of their own beside it. */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/nearest.h"
#include "cli/say.h"
#include "cli/verbs.h"

#ifndef YK_LIBEXECDIR
#error "YK_LIBEXECDIR: where the programs beside yoke are installed"
#endif

static const struct yk_verb *const verbs[] = {
    &yk_verb_pair, &yk_verb_unpair, &yk_verb_list, &yk_verb_why, &yk_verb_keygen, &yk_verb_version,
};
#define VERB_COUNT (sizeof verbs / sizeof verbs[0])

/* Verbs that are programs of their own. */
static const struct program {
    const char *name, *words, *summary, *file;
} programs[] = {
    {"agent", "--config FILE", "run a node: an encoder or a decoder", "yoke-agent"},
    {"snoop", "", "see every frame and what it changes; transmit nothing", "yoke-snoop"},
};
#define PROGRAM_COUNT (sizeof programs / sizeof programs[0])

static void print_verb(FILE *out, const char *name, const char *words, const char *summary)
{
    char left[64];

    snprintf(left, sizeof left, "%s %s", name, words);
    fprintf(out, "  %-28s %s\n", left, summary);
}

static void print_help(FILE *out)
{
    fprintf(out, "usage: yoke VERB [arguments]\n\n");
    for (size_t i = 0; i < PROGRAM_COUNT; i++) {
        print_verb(out, programs[i].name, programs[i].words, programs[i].summary);
    }
    for (size_t i = 0; i < VERB_COUNT; i++) {
        print_verb(out, verbs[i]->name, verbs[i]->words, verbs[i]->summary);
    }
    fprintf(out, "\n\"yoke VERB --help\" tells more about each.\n");
}

/* Becomes another program: the one beside this, so that a build tree uses its own, or the installed
 * one. Comes back only when there is none. */
static int run_program(const struct program *program, char **arguments)
{
    char self[PATH_MAX], path[PATH_MAX + 64];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);

    arguments[0] = (char *)program->file; /* what ps shows; execv writes to none of them */
    if (size > 0) {
        self[size] = '\0';
        snprintf(path, sizeof path, "%s/%s", dirname(self), program->file);
        execv(path, arguments);
    }
    snprintf(path, sizeof path, "%s/%s", YK_LIBEXECDIR, program->file);
    execv(path, arguments);
    yk_say("%s: %s: %s; install %s there or beside yoke", program->name, path, strerror(errno),
           program->file);
    return YK_EXIT_INTERNAL;
}

static int refuse_verb(const char *name)
{
    const char *known[PROGRAM_COUNT + VERB_COUNT];
    const char *nearest;

    for (size_t i = 0; i < PROGRAM_COUNT; i++) {
        known[i] = programs[i].name;
    }
    for (size_t i = 0; i < VERB_COUNT; i++) {
        known[PROGRAM_COUNT + i] = verbs[i]->name;
    }
    nearest = yk_nearest(name, known, PROGRAM_COUNT + VERB_COUNT);
    if (nearest != NULL) {
        yk_say("%s: no such verb; did you mean %s?", name, nearest);
    } else {
        yk_say("%s: no such verb; see yoke --help", name);
    }
    return YK_EXIT_USAGE;
}

static int run(const char *name, int count, char **arguments)
{
    for (size_t i = 0; i < PROGRAM_COUNT; i++) {
        if (strcmp(name, programs[i].name) == 0) {
            return run_program(&programs[i], arguments + 1);
        }
    }
    for (size_t i = 0; i < VERB_COUNT; i++) {
        if (strcmp(name, verbs[i]->name) == 0) {
            signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of the write, and said */
            return yk_verb_main(verbs[i], count - 2, arguments + 2);
        }
    }
    return refuse_verb(name);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";

    yk_descriptors_fill();
    if (argc < 2) {
        print_help(stderr);
        return YK_EXIT_USAGE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_help(stdout);
        return fflush(stdout) == 0 ? YK_EXIT_OK : YK_EXIT_INTERNAL;
    }
    return run(strcmp(name, "--version") == 0 ? "version" : name, argc, argv);
}
