/* yoke - the tools, one verb each; the agent is a program of its own beside this one. */
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
    &yk_verb_pair, &yk_verb_unpair, &yk_verb_list, &yk_verb_keygen, &yk_verb_version,
};
#define VERB_COUNT (sizeof verbs / sizeof verbs[0])

static void print_help(FILE *out)
{
    fprintf(out, "usage: yoke VERB [arguments]\n\n  %-28s %s\n", "agent --config FILE",
            "run a node: an encoder or a decoder");
    for (size_t i = 0; i < VERB_COUNT; i++) {
        char left[64];

        snprintf(left, sizeof left, "%s %s", verbs[i]->name, verbs[i]->words);
        fprintf(out, "  %-28s %s\n", left, verbs[i]->summary);
    }
    fprintf(out, "\n\"yoke VERB --help\" tells more about each.\n");
}

/* Becomes the agent: the one beside this program, so that a build tree uses its own, or the
 * installed one. Comes back only when there is none. */
static int run_agent(char **arguments)
{
    char self[PATH_MAX], beside[PATH_MAX + sizeof "/yoke-agent"];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);

    if (size > 0) {
        self[size] = '\0';
        snprintf(beside, sizeof beside, "%s/yoke-agent", dirname(self));
        execv(beside, arguments);
    }
    execv(YK_LIBEXECDIR "/yoke-agent", arguments);
    yk_say("agent: %s: %s; install yoke-agent there or beside yoke", YK_LIBEXECDIR "/yoke-agent",
           strerror(errno));
    return YK_EXIT_INTERNAL;
}

static int refuse_verb(const char *name)
{
    const char *known[VERB_COUNT + 1] = {"agent"};
    const char *nearest;

    for (size_t i = 0; i < VERB_COUNT; i++) {
        known[i + 1] = verbs[i]->name;
    }
    nearest = yk_nearest(name, known, VERB_COUNT + 1);
    if (nearest != NULL) {
        yk_say("%s: no such verb; did you mean %s?", name, nearest);
    } else {
        yk_say("%s: no such verb; see yoke --help", name);
    }
    return YK_EXIT_USAGE;
}

static int run(const char *name, int count, char **arguments)
{
    if (strcmp(name, "agent") == 0) {
        return run_agent(arguments + 1);
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
