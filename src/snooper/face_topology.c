/* The graph, drawn when the listening is over. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/say.h"
#include "snooper/topology.h"

extern char **environ;

/* Where the graph goes: standard output, or graphviz, which draws it there. */
struct face {
    FILE *out;
    pid_t painter; /* 0: none */
};

static bool is_wanted(const struct yk_snoop_options *options)
{
    return options->topology != YK_TOPOLOGY_NONE;
}

/* It is started before the listening: who waited for a picture should not learn then that nobody
 * draws it. In a group of its own, so that the Control-C that ends the listening is ours alone. */
static int start_painter(pid_t *painter, int input)
{
    char name[] = "dot", form[] = "-Tsvg";
    char *const arguments[] = {name, form, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error;

    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    error = posix_spawnp(painter, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static bool open_painter(struct face *face, struct yk_refusal *why)
{
    int ends[2];
    int error = pipe2(ends, O_CLOEXEC) == 0 ? start_painter(&face->painter, ends[0]) : errno;

    if (error != 0) {
        face->painter = 0;
        return yk_refuse(why, YK_EXIT_INTERNAL,
                         "--topology svg: the program dot cannot be started: %s; install graphviz, "
                         "or give --topology dot",
                         strerror(error));
    }
    close(ends[0]);
    face->out = fdopen(ends[1], "w");
    return face->out != NULL || yk_refuse(why, YK_EXIT_INTERNAL, "memory: none left; free some");
}

static bool open_face(const struct yk_snoop *snoop, void **self, struct yk_refusal *why)
{
    struct face *face = calloc(1, sizeof *face);

    if (face == NULL) {
        return yk_refuse(why, YK_EXIT_INTERNAL, "memory: none left; free some and try again");
    }
    face->out = stdout;
    if (snoop->options->topology == YK_TOPOLOGY_SVG && !open_painter(face, why)) {
        free(face);
        return false;
    }
    if (!snoop->options->common.listen_given) {
        yk_progress("listening; the graph is drawn when you interrupt (Control-C)");
    }
    *self = face;
    return true;
}

static void draw(const struct yk_topology *topology, enum yk_topology_form form, FILE *out)
{
    switch (form) {
    case YK_TOPOLOGY_TEXT:
        yk_topology_text(topology, out);
        break;
    case YK_TOPOLOGY_JSON:
        yk_topology_json(topology, out);
        break;
    case YK_TOPOLOGY_DOT:
    case YK_TOPOLOGY_SVG:
        yk_topology_dot(topology, out);
        break;
    case YK_TOPOLOGY_NONE:
        break;
    }
}

/* False when it drew nothing, and said why itself. */
static bool wait_for_painter(struct face *face)
{
    int status = 0;

    fclose(face->out);
    while (waitpid(face->painter, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static enum yk_exit draw_all(const struct face *face, const struct yk_snoop *snoop, yk_time now)
{
    struct yk_topology topology;
    char sum[YK_REFUSAL_MAX];

    if (!yk_topology_init(&topology, snoop, now)) {
        yk_say("memory: none left; free some and try again");
        return YK_EXIT_INTERNAL;
    }
    draw(&topology, snoop->options->topology, face->out);
    yk_topology_fini(&topology);
    yk_snoop_sum(snoop, sum);
    yk_say("%s", sum);
    return YK_EXIT_OK;
}

static enum yk_exit close_face(void *self, const struct yk_snoop *snoop, struct yk_moment at)
{
    struct face *face = self;
    enum yk_exit status = snoop->started ? draw_all(face, snoop, at.now) : YK_EXIT_OK;

    if (face->painter != 0 && !wait_for_painter(face) && snoop->started) {
        yk_say("--topology svg: dot failed; look at its message, or give --topology dot");
        status = YK_EXIT_INTERNAL;
    }
    free(face);
    return status;
}

const struct yk_face yk_face_topology = {
    .name = "topology",
    .is_wanted = is_wanted,
    .open = open_face,
    .close = close_face,
};
