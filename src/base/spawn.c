#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define FIRST_OTHER (STDERR_FILENO + 1)
#define MARK_MAX 65536   /* descriptors looked at one by one */
#define EXIT_NO_EXEC 127 /* as shells have it; nobody sees it, for the pipe said why */

/* ---- in the child: only calls that are safe between fork and exec */

static void reset_signals(void)
{
    sigset_t none;

    for (int number = 1; number < NSIG; number++) {
        signal(number,
               SIG_DFL); /* fails for those that cannot be changed, which are as they should */
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool arrange_standard_descriptors(const struct yk_spawn_how *how, bool has_stderr)
{
    int null = open("/dev/null", O_RDWR);

    if (null < 0 || dup2(null, STDIN_FILENO) < 0) {
        return false;
    }
    if (how->output >= 0) {
        return dup2(how->output, STDOUT_FILENO) >= 0 && dup2(how->output, STDERR_FILENO) >= 0;
    }
    if (!has_stderr && dup2(null, STDERR_FILENO) < 0) {
        return false;
    }
    return dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
}

/* Whoever is to live on without us gets an end of its own: the alarm outlives the exec. */
static bool arrange_end(const struct yk_spawn_how *how, pid_t parent)
{
    if (how->outlive_s > 0) {
        alarm(how->outlive_s);
        return true;
    }
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
        return false;
    }
    if (getppid() != parent) {
        _exit(EXIT_NO_EXEC); /* it ended before the kernel knew our wish */
    }
    return true;
}

/* Nothing but the standard descriptors survives the exec. */
static void mark_others(void)
{
    struct rlimit limit;

    if (close_range(FIRST_OTHER, ~0u, CLOSE_RANGE_CLOEXEC) == 0 ||
        getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return;
    }
    for (rlim_t fd = FIRST_OTHER; fd < limit.rlim_cur && fd < MARK_MAX; fd++) {
        fcntl((int)fd, F_SETFD, FD_CLOEXEC); /* a kernel before 5.11 */
    }
}

static _Noreturn void be_child(const char *const argv[], const struct yk_spawn_how *how, int report,
                               pid_t parent, bool has_stderr)
{
    int error;

    report = fcntl(report, F_DUPFD_CLOEXEC, FIRST_OTHER); /* out of the way of the standard ones */
    if (setpgid(0, 0) == 0 && arrange_end(how, parent) &&
        arrange_standard_descriptors(how, has_stderr)) {
        mark_others();
        if (how->keep >= 0) {
            fcntl(how->keep, F_SETFD, 0);
        }
        reset_signals();
        execvp(argv[0], (char *const *)(uintptr_t)argv); /* which changes nothing in it */
    }
    error = errno;
    (void)!write(report, &error, sizeof error); /* when it fails, nobody is left to be told */
    _exit(EXIT_NO_EXEC);
}

/* ---- in the parent */

/* When we were started without one, its number may have gone to something of our own since, which is
 * close-on-exec as all of that is. */
static bool has_standard_error(void)
{
    int flags = fcntl(STDERR_FILENO, F_GETFD);

    return flags >= 0 && (flags & FD_CLOEXEC) == 0;
}

static int fork_child(struct yk_spawned *spawned, const char *const argv[],
                      const struct yk_spawn_how *how, int report)
{
    sigset_t all, former;
    pid_t parent = getpid();
    bool has_stderr = has_standard_error();
    int error;

    /* A handler of ours that ran in the child would write into the loop's own pipe. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    spawned->pid = fork();
    error = errno;
    if (spawned->pid == 0) {
        be_child(argv, how, report, parent, has_stderr);
    }
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    if (spawned->pid < 0) {
        return error;
    }
    setpgid(spawned->pid, spawned->pid); /* whoever comes first; it fails after the exec */
    return 0;
}

int yk_spawn(struct yk_spawned *spawned, const char *const argv[], const struct yk_spawn_how *how)
{
    int ends[2];
    int error;

    if (pipe2(ends, O_CLOEXEC) != 0) {
        return errno;
    }
    error =
        fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 ? fork_child(spawned, argv, how, ends[1]) : errno;
    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
        return error;
    }
    spawned->exec_result = ends[0];
    return 0;
}
