#include "drivers/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver_rig.h"
#include "drivers/group.h"
#include "lib/suite.h"

#define TEXT_MAX 4096

/* A real loop, one process on it, and what was told of it. */
static uv_loop_t loop;
static struct yk_process *process;
static bool settled, overdue, ended;
static char how[TEXT_MAX];
static char path[] = "/tmp/yoke-test-XXXXXX"; /* where the process writes */
static bool made;

static void tell(void *owner, enum yk_process_event event, const char *text)
{
    ck_assert_ptr_eq(owner, &loop);
    settled |= event == YK_PROCESS_SETTLED;
    overdue |= event == YK_PROCESS_OVERDUE;
    if (event == YK_PROCESS_ENDED) {
        ck_assert(!ended);
        ended = true;
        process = NULL;
        snprintf(how, sizeof how, "%s", text);
    }
}

static void make_loop(void)
{
    if (loop.data == NULL) {
        uv_loop_init(&loop);
        loop.data = &loop;
    }
}

static void start(const char *const argv[])
{
    struct yk_refusal why;

    make_loop();
    settled = overdue = ended = false;
    process = yk_process_start(&loop, argv, &loop, tell, &why);
    ck_assert_msg(process != NULL, "%s", why.text);
}

/* Runs a shell script as the process; "%s" in it is the file to write to. */
static void start_script(const char *format)
{
    static char script[TEXT_MAX];
    const char *argv[] = {"sh", "-c", script, NULL};

    if (!made) {
        int fd = mkstemp(path);

        ck_assert_int_ge(fd, 0);
        close(fd);
        made = true;
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(script, sizeof script, format, path);
#pragma GCC diagnostic pop
    start(argv);
}

static uint64_t now_ms(void)
{
    return uv_hrtime() / 1000000;
}

/* Runs the loop until `flag`, which must come within `limit`; gives the milliseconds it took. */
static uint64_t wait_for(const bool *flag, uint64_t limit)
{
    uint64_t begin = now_ms();

    while (!*flag) {
        uv_run(&loop, UV_RUN_NOWAIT);
        usleep(1000);
        ck_assert_msg(now_ms() - begin < limit, "not within %u ms", (unsigned)limit);
    }
    return now_ms() - begin;
}

/* What the process wrote, once it wrote a whole line. */
static const char *written(void)
{
    static char text[TEXT_MAX];
    uint64_t begin = now_ms();
    ssize_t size;

    do {
        int fd = open(path, O_RDONLY);

        uv_run(&loop, UV_RUN_NOWAIT);
        size = read(fd, text, sizeof text - 1);
        close(fd);
        ck_assert_uint_lt(now_ms() - begin, RIG_WAIT_MS);
    } while (size <= 0 || text[size - 1] != '\n');
    text[size] = 0;
    return text;
}

static void expect_ended(const char *part)
{
    wait_for(&ended, RIG_WAIT_MS);
    ck_assert_msg(strstr(how, part) != NULL, "%s", how);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* nothing left to collect */
    ck_assert_int_eq(errno, ECHILD);
    ck_assert_int_eq(uv_loop_close(&loop), 0); /* nothing left on the loop */
    loop.data = NULL;
    unlink(path);
}

static void stop(const char *part)
{
    yk_process_stop(process);
    expect_ended(part);
}

/* ---- how it ends by itself */

START_TEST(a_program_that_cannot_start_is_named_with_the_cause)
{
    const char *argv[] = {"/nowhere/ffplay", NULL};

    start(argv);
    expect_ended("cannot start \"ffplay\": No such file or directory; ");
    ck_assert(!settled);
    argv[0] = "/etc/passwd";
    start(argv);
    expect_ended("cannot start \"passwd\": Permission denied; ");
}
END_TEST

START_TEST(an_end_is_told_with_status_and_duration)
{
    start_script("sleep 0.2; exit 3 # %s");
    expect_ended("sh ended with status 3 after 0.");
    start_script("kill -SEGV $$ # %s");
    expect_ended("sh was ended by signal 11 (Segmentation fault) after 0.");
}
END_TEST

START_TEST(what_a_process_left_behind_ends_with_it)
{
    pid_t left;

    start_script("sleep 1000 & echo $! >%s; exit 0");
    left = atoi(written());
    expect_ended("sh ended with status 0");
    ck_assert(kill(left, 0) != 0 || !yk_group_is_alive(left));
}
END_TEST

START_TEST(a_process_that_dies_at_once_was_never_up)
{
    start_script("sleep 0.5 # %s");
    wait_for(&ended, RIG_WAIT_MS);
    ck_assert(!settled);
    expect_ended("ended with status 0");
}
END_TEST

START_TEST(a_process_is_up_when_it_outlived_its_start)
{
    uint64_t took;

    start_script("exec sleep 1000 # %s");
    ck_assert_int_eq(yk_process_state(process), YK_PROCESS_STARTS);
    took = wait_for(&settled, RIG_WAIT_MS);
    ck_assert_uint_ge(took, YK_PROCESS_SETTLE_MS - 1);
    ck_assert_int_eq(yk_process_state(process), YK_PROCESS_RUNS);
    stop("sh was ended by signal 15");
}
END_TEST

/* ---- how it is ended */

START_TEST(term_comes_first_and_can_be_answered)
{
    start_script("trap 'exit 5' TERM; echo ready >%s; while :; do sleep 0.01; done");
    written();
    stop("ended with status 5");
}
END_TEST

START_TEST(who_ignores_term_is_killed_after_a_second)
{
    uint64_t took;

    start_script("trap '' TERM; echo ready >%s; while :; do sleep 0.05; done");
    written();
    yk_process_stop(process);
    took = wait_for(&ended, YK_PROCESS_OVERDUE_MS);
    ck_assert_uint_ge(took, YK_PROCESS_TERM_MS - 1);
    expect_ended("was ended by signal 9 (Killed)");
    ck_assert(!overdue);
}
END_TEST

START_TEST(the_end_is_told_only_when_the_whole_group_is_gone)
{
    pid_t group;

    /* The leader goes at TERM, its child stays until KILL. */
    start_script("trap 'exit 0' TERM; "
                 "sh -c 'trap \"\" TERM; echo $$ >%s; while :; do sleep 0.05; done' & "
                 "while :; do sleep 0.01; done");
    written();
    group = yk_process_id(process);
    yk_process_stop(process);
    ck_assert_uint_ge(wait_for(&ended, YK_PROCESS_OVERDUE_MS), YK_PROCESS_TERM_MS - 1);
    ck_assert(!yk_group_is_alive(group));
    expect_ended("sh ended with status 0");
}
END_TEST

START_TEST(a_second_stop_changes_nothing)
{
    uint64_t begin;

    start_script("trap '' TERM; echo ready >%s; while :; do sleep 0.05; done");
    written();
    begin = now_ms();
    yk_process_stop(process);
    while (!ended) {
        yk_process_stop(process);
        usleep(10000);
        uv_run(&loop, UV_RUN_NOWAIT);
    }
    ck_assert_uint_lt(now_ms() - begin, YK_PROCESS_OVERDUE_MS);
    expect_ended("signal 9");
}
END_TEST

START_TEST(a_stop_right_after_the_start_works)
{
    start_script("exec sleep 1000 # %s");
    stop("was ended by signal");
}
END_TEST

static _Noreturn void wait_to_be_killed(void)
{
    for (;;) {
        pause();
    }
}

/* Makes a child of ours hold on to the process, so that even its death is not told to us. */
static pid_t seize(pid_t target)
{
    int ready[2];
    char sign = 0;
    pid_t tracer;

    ck_assert_int_eq(pipe(ready), 0);
    tracer = fork();
    if (tracer == 0) {
        sign = ptrace(PTRACE_SEIZE, target, NULL, NULL) == 0 ? 'y' : 'n';
        (void)!write(ready[1], &sign, 1);
        wait_to_be_killed();
    }
    ck_assert_int_eq(read(ready[0], &sign, 1), 1);
    close(ready[0]);
    close(ready[1]);
    if (sign == 'y') {
        return tracer;
    }
    kill(tracer, SIGKILL);
    waitpid(tracer, NULL, 0);
    return 0;
}

START_TEST(an_end_that_does_not_come_is_told_as_overdue)
{
    uint64_t took;
    pid_t tracer;

    start_script("echo ready >%s; exec sleep 1000");
    written();
    tracer = seize(yk_process_id(process));
    if (tracer == 0) {
        stop(""); /* tracing is not allowed here: nothing can be shown */
        return;
    }
    yk_process_stop(process);
    took = wait_for(&overdue, RIG_WAIT_MS);
    ck_assert_uint_ge(took, YK_PROCESS_OVERDUE_MS - 1);
    ck_assert(!ended);
    kill(tracer, SIGKILL);
    waitpid(tracer, NULL, 0);
    expect_ended("was ended by signal"); /* still watched */
}
END_TEST

START_TEST(an_abandoned_process_is_not_waited_for)
{
    start_script("trap '' TERM; echo ready >%s; while :; do sleep 0.05; done");
    written();
    yk_process_abandon(process);
    ck_assert_uint_lt(wait_for(&ended, RIG_WAIT_MS), 500);
    ck_assert_ptr_nonnull(strstr(how, "does not end"));
    unlink(path);
}
END_TEST

/* ---- what it inherits */

/* Starts a process that only sleeps and expects its descriptors to be exactly these. */
static void expect_descriptors(const char *const wanted[3])
{
    const char *argv[] = {"sleep", "1000", NULL};
    char name[64], target[TEXT_MAX];
    unsigned count = 0;
    DIR *directory;

    start(argv);
    wait_for(&settled, RIG_WAIT_MS);
    snprintf(name, sizeof name, "/proc/%d/fd", (int)yk_process_id(process));
    directory = opendir(name);
    ck_assert_ptr_nonnull(directory);
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        if (entry->d_name[0] != '.') {
            ssize_t size = readlinkat(dirfd(directory), entry->d_name, target, sizeof target - 1);

            ck_assert_int_gt(size, 0);
            target[size] = 0;
            ck_assert_int_le(atoi(entry->d_name), 2);
            ck_assert_str_eq(target, wanted[atoi(entry->d_name)]);
            count++;
        }
    }
    closedir(directory);
    ck_assert_uint_eq(count, 3);
    stop("signal 15");
}

START_TEST(a_process_has_null_for_input_and_our_standard_error_for_both_outputs)
{
    char own[TEXT_MAX];
    ssize_t size = readlink("/proc/self/fd/2", own, sizeof own - 1);

    ck_assert_int_gt(size, 0);
    own[size] = 0;
    ck_assert_int_eq(dup2(1, 40), 40); /* not close-on-exec, and yet not inherited */
    expect_descriptors((const char *const[]){"/dev/null", own, own});
}
END_TEST

START_TEST(closed_standard_descriptors_become_null)
{
    make_loop(); /* its own descriptors are elsewhere */
    close(0);
    close(1);
    close(2);
    expect_descriptors((const char *const[]){"/dev/null", "/dev/null", "/dev/null"});
}
END_TEST

START_TEST(signals_are_as_for_a_new_login)
{
    sigset_t mask;

    signal(SIGUSR1, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&mask);
    sigaddset(&mask, SIGTERM);
    sigaddset(&mask, SIGUSR2);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    /* The first 31: a program started by posix_spawn, like make's, has one of libc's own ignored. */
    start_script("while read -r name bits; do case $name in SigBlk:|SigIgn:) "
                 "all=\"$all$name $((0x$bits & 0x7fffffff)) \";; esac; done </proc/self/status; "
                 "echo $all >%s; exec sleep 1000");
    ck_assert_str_eq(written(), "SigBlk: 0 SigIgn: 0\n");
    sigprocmask(SIG_BLOCK, NULL, &mask);
    ck_assert(sigismember(&mask, SIGUSR2)); /* ours is as it was */
    stop("signal 15");
}
END_TEST

START_TEST(a_process_leads_a_group_of_its_own)
{
    start_script("cut -d' ' -f5 /proc/self/stat >%s; exec sleep 1000");
    ck_assert_int_eq(atoi(written()), yk_process_id(process));
    ck_assert_int_ne(yk_process_id(process), getpgrp());
    stop("signal 15");
}
END_TEST

START_TEST(arguments_are_not_seen_by_a_shell)
{
    const char *argv[] = {
        "sh", "-c", "test \"$1\" = '$HOME; exit 9 *' || exit 8; exit 4", "x", "$HOME; exit 9 *",
        NULL};

    start(argv);
    expect_ended("status 4");
}
END_TEST

/* ---- who else is concerned */

START_TEST(no_process_outlives_a_killed_agent)
{
    int from_agent[2];
    pid_t agent, started;

    ck_assert_int_eq(pipe(from_agent), 0);
    agent = fork();
    if (agent == 0) {
        start_script("exec sleep 1000 # %s");
        started = yk_process_id(process);
        wait_for(&settled, RIG_WAIT_MS);
        unlink(path);
        (void)!write(from_agent[1], &started, sizeof started);
        wait_to_be_killed();
    }
    ck_assert_int_eq(read(from_agent[0], &started, sizeof started), sizeof started);
    ck_assert(yk_group_is_alive(started));
    kill(agent, SIGKILL);
    waitpid(agent, NULL, 0);
    for (uint64_t begin = now_ms(); yk_group_is_alive(started);) {
        usleep(1000);
        ck_assert_uint_lt(now_ms() - begin, 1000);
    }
}
END_TEST

START_TEST(the_status_of_another_child_is_left_alone)
{
    int status;
    pid_t other = fork();

    if (other == 0) {
        _exit(7);
    }
    start_script("exit 0 # %s");
    wait_for(&ended, RIG_WAIT_MS);
    ck_assert_int_eq(waitpid(other, &status, 0), other);
    ck_assert_int_eq(WEXITSTATUS(status), 7);
    expect_ended("status 0");
}
END_TEST

START_TEST(two_processes_are_kept_apart)
{
    struct yk_process *first;
    pid_t second;

    start_script("exec sleep 1000 # %s");
    first = process;
    start_script("exec sleep 1000 # %s");
    second = yk_process_id(process);
    yk_process_stop(first);
    wait_for(&ended, RIG_WAIT_MS);
    ck_assert(yk_group_is_alive(second));
    kill(second, SIGUSR1);
    ended = false;
    expect_ended("signal 10");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_program_that_cannot_start_is_named_with_the_cause,
        an_end_is_told_with_status_and_duration,
        what_a_process_left_behind_ends_with_it,
        a_process_that_dies_at_once_was_never_up,
        a_process_is_up_when_it_outlived_its_start,
        term_comes_first_and_can_be_answered,
        who_ignores_term_is_killed_after_a_second,
        the_end_is_told_only_when_the_whole_group_is_gone,
        a_second_stop_changes_nothing,
        a_stop_right_after_the_start_works,
        an_end_that_does_not_come_is_told_as_overdue,
        an_abandoned_process_is_not_waited_for,
        a_process_has_null_for_input_and_our_standard_error_for_both_outputs,
        closed_standard_descriptors_become_null,
        signals_are_as_for_a_new_login,
        a_process_leads_a_group_of_its_own,
        arguments_are_not_seen_by_a_shell,
        no_process_outlives_a_killed_agent,
        the_status_of_another_child_is_left_alone,
        two_processes_are_kept_apart,
        NULL,
    };

    return suite_main("process", tests);
}
