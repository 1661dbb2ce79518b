/* spawn - how long commands take from their start, in turns.
 *
 *     spawn ROUNDS MODE COMMAND... [-- MODE COMMAND...]...
 *
 * Each round runs each command once and prints a line: for each its microseconds, and those of the processor
 * that it used. MODE says when it is over: "exit"
 * (it has ended, and well), "said" (it has printed something), "line" (a line has come on our standard
 * input: of another program that waits for what the command does), "inet" (it makes its first internet socket; it is ended
 * there). What the commands print is thrown away, but for errors. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COMMANDS_MAX 16
#define LENGTH(list) (sizeof(list) / sizeof *(list))

enum mode { EXIT, SAID, LINE, INET };

struct run {
    enum mode mode;
    char **argv;
};

static double now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static _Noreturn void die(const char *what, const char *cause)
{
    fprintf(stderr, "spawn: %s: %s\n", what, cause);
    exit(1);
}

/* The kernel ends this process at its first socket(AF_INET, ...). */
static void end_at_socket(void)
{
    static struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {LENGTH(program), program};
    struct rlimit no_core = {1, 1}; /* 1 stops a dump into a pipe too, core(5) */

    setrlimit(RLIMIT_CORE, &no_core);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
        _exit(126);
    }
}

static pid_t start(const struct run *run, int nowhere, int out)
{
    pid_t pid = fork();

    if (pid == 0) {
        dup2(nowhere, STDIN_FILENO);
        dup2(out, STDOUT_FILENO);
        if (run->mode == INET) {
            end_at_socket();
        }
        execvp(run->argv[0], run->argv);
        _exit(127);
    }
    return pid;
}

static void wait_line(int fd, const char *of)
{
    char line[4096];
    ssize_t size;

    do {
        size = read(fd, line, sizeof line);
        if (size <= 0) {
            die(of, size < 0 ? strerror(errno) : "ended without a word");
        }
    } while (line[size - 1] != '\n');
}

static void measure(const struct run *run, int nowhere)
{
    double begun = now_us(), ended = 0;
    int out[2] = {-1, nowhere};
    char what[64];
    pid_t pid;
    struct rusage used;
    int status;

    if (run->mode == SAID && pipe2(out, O_CLOEXEC) != 0) {
        die("pipe", strerror(errno));
    }
    pid = start(run, nowhere, out[1]);
    if (run->mode == SAID) {
        close(out[1]);
        wait_line(out[0], run->argv[0]);
        ended = now_us();
        close(out[0]);
    } else if (run->mode == LINE) {
        wait_line(STDIN_FILENO, "standard input");
        ended = now_us();
    }
    if (pid < 0 || wait4(pid, &status, 0, &used) != pid) {
        die(run->argv[0], strerror(errno));
    }
    if (run->mode == EXIT || run->mode == INET) {
        ended = now_us();
    }
    if (run->mode == INET ? !WIFSIGNALED(status) || WTERMSIG(status) != SIGSYS : status != 0) {
        snprintf(what, sizeof what, "%s %d", WIFSIGNALED(status) ? "signal" : "exit",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        die(run->argv[0], what);
    }
    printf("%.1f %.1f ", ended - begun,
           (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e6 +
               (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec));
}

static size_t read_runs(struct run runs[COMMANDS_MAX], char **argv)
{
    static const char *const words[] = {
        [EXIT] = "exit", [SAID] = "said", [LINE] = "line", [INET] = "inet"};
    size_t count = 0;

    while (*argv != NULL) {
        struct run *run = &runs[count++];

        while ((size_t)run->mode < LENGTH(words) && strcmp(words[run->mode], *argv) != 0) {
            run->mode++;
        }
        if ((size_t)run->mode == LENGTH(words) || count == COMMANDS_MAX || argv[1] == NULL) {
            die(*argv, "no mode, no command behind it, or one too many");
        }
        run->argv = ++argv;
        while (*argv != NULL && strcmp(*argv, "--") != 0) {
            argv++;
        }
        if (*argv != NULL) {
            *argv++ = NULL;
        }
    }
    return count;
}

int main(int argc, char **argv)
{
    struct run runs[COMMANDS_MAX] = {0};
    long rounds = argc > 3 ? strtol(argv[1], NULL, 10) : 0;
    size_t count = rounds > 0 ? read_runs(runs, argv + 2) : 0;
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (count == 0) {
        die("arguments", "see the head of spawn.c");
    }
    for (long round = 0; round < rounds; round++) {
        for (size_t i = 0; i < count; i++) {
            measure(&runs[i], nowhere);
        }
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
