#include "sim/run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/world.h"

struct trace *run_trace(void)
{
    struct trace *trace =
        mmap(NULL, sizeof *trace, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (trace == MAP_FAILED) {
        perror("sim: mmap");
        exit(70);
    }
    return trace;
}

/* Ends by exit, so that everything printed is. */
static void child(const struct plan *plan, struct trace *trace)
{
    static struct world *world; /* reachable when a verdict ends the process */

    prctl(PR_SET_PDEATHSIG, SIGKILL); /* who is not waited for does not run on */
    world = world_new(plan, trace);
    world_run(world);
    world_free(world);
    exit(0);
}

bool run_plan(const struct plan *plan, struct trace *trace, enum run_lines lines)
{
    pid_t pid;
    int status;

    memset(trace, 0, sizeof *trace);
    trace->wanted = lines != RUN_NO_LINES;
    trace->all = lines == RUN_ALL_LINES;
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        child(plan, trace);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        perror("sim: fork");
        exit(70);
    }
    if (!trace->failed && status != 0) {
        trace->failed = true;
        snprintf(trace->rule, sizeof trace->rule, "no-crash");
        snprintf(trace->text, sizeof trace->text, "the process ended with %s %d",
                 WIFSIGNALED(status) ? "signal" : "status",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    return !trace->failed;
}
