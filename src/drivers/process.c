#include "drivers/process.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/spawn.h"
#include "core/json.h"
#include "drivers/group.h"

#define CHECK_MS 20       /* between looks for what is left of the group */
#define SLOW_CHECK_MS 200 /* the same once it is overdue */
#define HOW_MAX 256

enum phase {
    STARTING = 1, /* forked; not known whether exec works */
    SETTLING,
    RUNNING,
    ENDING, /* TERM sent, or ended by itself; what is left is waited for */
    CLOSING /* the handles are being closed */
};

struct yk_process {
    void *owner;
    yk_process_tell tell;
    struct yk_spawned spawned; /* exec_result is -1 when closed */
    enum phase phase;
    bool reaped; /* the leader's status was collected */
    bool killed;
    bool overdue;
    uint64_t started;    /* uv_hrtime */
    uint64_t ending;     /* uv_hrtime of TERM */
    uv_poll_t exec_poll; /* `data` is NULL where a handle is not in use */
    uv_signal_t child_signal;
    uv_timer_t timer; /* end of settling, or the next look */
    unsigned handles; /* not closed yet */
    char name[YK_PROCESS_NAME_MAX + 1];
    char how[HOW_MAX]; /* it ended */
};

static uint64_t ms_since(uint64_t start)
{
    return (uv_hrtime() - start) / 1000000;
}

/* ---- the end */

static void on_closed(uv_handle_t *handle)
{
    struct yk_process *process = handle->data;

    if (--process->handles == 0) {
        process->tell(process->owner, YK_PROCESS_ENDED, process->how);
        free(process);
    }
}

static void close_exec_result(struct yk_process *process)
{
    if (process->spawned.exec_result < 0) {
        return;
    }
    if (process->exec_poll.data != NULL) { /* it is watched */
        uv_close((uv_handle_t *)&process->exec_poll, on_closed);
    }
    close(process->spawned.exec_result);
    process->spawned.exec_result = -1;
}

static void finish(struct yk_process *process)
{
    process->phase = CLOSING;
    close_exec_result(process);
    if (process->child_signal.data != NULL) {
        uv_close((uv_handle_t *)&process->child_signal, on_closed);
    }
    uv_close((uv_handle_t *)&process->timer, on_closed);
}

static void describe_end(struct yk_process *process, int status)
{
    double seconds = (double)ms_since(process->started) / 1000;

    if (process->how[0] != 0) {
        return; /* exec failed, and that says more */
    }
    if (WIFSIGNALED(status)) {
        snprintf(process->how, sizeof process->how, "%s was ended by signal %d (%s) after %.1f s",
                 process->name, WTERMSIG(status), strsignal(WTERMSIG(status)), seconds);
    } else {
        snprintf(process->how, sizeof process->how, "%s ended with status %d after %.1f s",
                 process->name, WEXITSTATUS(status), seconds);
    }
}

/* The number of a process group is not used again while the group has a member, so as long as it is
 * alive the signals go where they should. */
static void escalate(struct yk_process *process)
{
    uint64_t elapsed = ms_since(process->ending);

    if (elapsed >= YK_PROCESS_TERM_MS && !process->killed) {
        process->killed = true;
        kill(-process->spawned.pid, SIGKILL);
    }
    if (elapsed >= YK_PROCESS_OVERDUE_MS && !process->overdue) {
        process->overdue = true;
        uv_timer_set_repeat(&process->timer, SLOW_CHECK_MS);
        process->tell(process->owner, YK_PROCESS_OVERDUE, "");
    }
}

/* Collects the leader's status, when it is there. */
static void reap(struct yk_process *process)
{
    int status;

    if (!process->reaped &&
        waitpid(process->spawned.pid, &status, WNOHANG) == process->spawned.pid) {
        process->reaped = true;
        describe_end(process, status);
    }
}

static void look_for_rest(uv_timer_t *timer)
{
    struct yk_process *process = timer->data;

    reap(process);
    if (process->reaped && !yk_group_is_alive(process->spawned.pid)) {
        finish(process);
    } else {
        escalate(process);
    }
}

static void begin_ending(struct yk_process *process)
{
    process->phase = ENDING;
    process->killed = false;
    process->overdue = false;
    process->ending = uv_hrtime();
    kill(-process->spawned.pid, SIGTERM);
    uv_timer_start(&process->timer, look_for_rest, CHECK_MS, CHECK_MS);
}

/* ---- what is heard of it */

static void on_settled(uv_timer_t *timer)
{
    struct yk_process *process = timer->data;

    process->phase = RUNNING;
    process->tell(process->owner, YK_PROCESS_SETTLED, "");
}

/* Takes the outcome of exec, if it is there. */
static void take_exec_result(struct yk_process *process)
{
    int error;
    ssize_t size;

    if (process->spawned.exec_result < 0) {
        return;
    }
    size = read(process->spawned.exec_result, &error, sizeof error);
    if (size < 0) {
        return; /* not yet */
    }
    close_exec_result(process);
    if (size == (ssize_t)sizeof error) {
        snprintf(process->how, sizeof process->how,
                 "cannot start \"%s\": %s; install it, or correct driver.command", process->name,
                 strerror(error));
    } else if (process->phase == STARTING) {
        process->phase = SETTLING;
        uv_timer_start(&process->timer, on_settled, YK_PROCESS_SETTLE_MS, 0);
    }
}

/* Did the leader end? It is left uncollected at first, so that its number stays its own until the
 * rest of its group has been told to end. */
static void look_for_end(struct yk_process *process)
{
    siginfo_t info = {.si_pid = 0};

    if (process->reaped || process->phase == CLOSING ||
        waitid(P_PID, (id_t)process->spawned.pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid == 0) {
        return;
    }
    take_exec_result(process);
    if (process->phase != ENDING) {
        begin_ending(process);
    }
    look_for_rest(&process->timer);
}

static void on_exec_result(uv_poll_t *poll, int status, int events)
{
    struct yk_process *process = poll->data;

    (void)status;
    (void)events;
    take_exec_result(process);
    look_for_end(process); /* it may have been over before signals were watched */
}

/* Some child of ours ended, or more than one. */
static void on_child_signal(uv_signal_t *handle, int number)
{
    (void)number;
    look_for_end(handle->data);
}

/* ---- the start */

static void set_name(struct yk_process *process, const char *program)
{
    const char *slash = strrchr(program, '/');
    struct yk_slice name = yk_slice_of(slash != NULL ? slash + 1 : program);
    size_t size = yk_utf8_cut(name, YK_PROCESS_NAME_MAX);

    memcpy(process->name, name.data, size);
    process->name[size] = 0;
}

static int watch_exec_result(uv_loop_t *loop, struct yk_process *process)
{
    int error = uv_poll_init(loop, &process->exec_poll, process->spawned.exec_result);

    if (error == 0) {
        process->exec_poll.data = process;
        process->handles++;
        error = uv_poll_start(&process->exec_poll, UV_READABLE, on_exec_result);
    }
    return error;
}

static int watch_children(uv_loop_t *loop, struct yk_process *process)
{
    int error = uv_signal_init(loop, &process->child_signal);

    if (error == 0) {
        process->child_signal.data = process;
        process->handles++;
        error = uv_signal_start(&process->child_signal, on_child_signal, SIGCHLD);
    }
    return error;
}

static void watch(uv_loop_t *loop, struct yk_process *process)
{
    int error;

    uv_timer_init(loop, &process->timer); /* cannot fail */
    process->timer.data = process;
    process->handles = 1;
    error = watch_children(loop, process);
    if (error == 0) {
        error = watch_exec_result(loop, process);
    }
    if (error != 0) {
        snprintf(process->how, sizeof process->how, "cannot watch \"%s\": %s; it is tried again",
                 process->name, uv_strerror(error));
        begin_ending(process); /* the timer alone sees that through */
    }
}

struct yk_process *yk_process_start(uv_loop_t *loop, const char *const argv[], void *owner,
                                    yk_process_tell tell, struct yk_refusal *why)
{
    struct yk_process *process = calloc(1, sizeof *process);
    int error;

    if (process == NULL) {
        yk_refuse(why, YK_EXIT_INTERNAL, "cannot start \"%s\": out of memory; free some", argv[0]);
        return NULL;
    }
    process->owner = owner;
    process->tell = tell;
    process->phase = STARTING;
    process->started = uv_hrtime();
    set_name(process, argv[0]);
    error = yk_spawn(&process->spawned, argv, &YK_SPAWN_STREAM);
    if (error != 0) {
        yk_refuse(why, YK_EXIT_INTERNAL, "cannot start \"%s\": %s; it is tried again",
                  process->name, strerror(error));
        free(process);
        return NULL;
    }
    watch(loop, process);
    return process;
}

/* ---- what the owner asks */

void yk_process_stop(struct yk_process *process)
{
    if (process->phase < ENDING || (process->phase == ENDING && process->overdue)) {
        begin_ending(process);
    }
}

void yk_process_abandon(struct yk_process *process)
{
    if (process->phase != CLOSING) {
        kill(-process->spawned.pid, SIGKILL);
        snprintf(process->how, sizeof process->how, "%s does not end", process->name);
        finish(process);
    }
}

enum yk_process_state yk_process_state(const struct yk_process *process)
{
    switch (process->phase) {
    case STARTING:
    case SETTLING:
        return YK_PROCESS_STARTS;
    case RUNNING:
        return YK_PROCESS_RUNS;
    case ENDING:
    case CLOSING:
        break;
    }
    return YK_PROCESS_ENDS;
}

pid_t yk_process_id(const struct yk_process *process)
{
    return process->spawned.pid;
}

const char *yk_process_name(const struct yk_process *process)
{
    return process->name;
}
