#include "drivers/usbip/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/spawn.h"

struct yk_usbip_tool {
    void *owner;
    void (*ended)(void *owner, const struct yk_usbip_end *end);
    struct yk_spawned spawned;
    int output;       /* our end of its pipe */
    bool over;        /* its end is known, and the handles are being closed */
    unsigned asked;   /* to end: by TERM, then by KILL */
    unsigned handles; /* not closed yet */
    uv_timer_t timer;
    uv_signal_t child_signal;
    uv_poll_t readable;
    struct yk_usbip_end end;
    size_t size;
    uint8_t bytes[YK_USBIP_OUTPUT_MAX];
};

/* ---- the end */

static void on_closed(uv_handle_t *handle)
{
    struct yk_usbip_tool *tool = handle->data;

    if (--tool->handles > 0) {
        return;
    }
    close(tool->output);
    close(tool->spawned.exec_result);
    tool->end.output = (struct yk_slice){tool->bytes, tool->size};
    tool->ended(tool->owner, &tool->end);
    free(tool);
}

static void close_if_open(void *handle)
{
    if (((uv_handle_t *)handle)->data != NULL) {
        uv_close(handle, on_closed);
    }
}

static void finish(struct yk_usbip_tool *tool)
{
    tool->over = true;
    close_if_open(&tool->timer);
    close_if_open(&tool->child_signal);
    close_if_open(&tool->readable);
}

/* Takes what is there to be read; false at the end. */
static bool drain(struct yk_usbip_tool *tool)
{
    uint8_t surplus[4096];

    for (;;) {
        size_t room = sizeof tool->bytes - tool->size;
        ssize_t got = room > 0 ? read(tool->output, tool->bytes + tool->size, room)
                               : read(tool->output, surplus, sizeof surplus);

        if (got > 0 && room > 0) {
            tool->size += (size_t)got;
        } else if (got == 0 || (got < 0 && errno != EINTR)) {
            return got < 0 && errno == EAGAIN;
        }
    }
}

static void describe_end(struct yk_usbip_tool *tool, int status)
{
    int error;

    if (read(tool->spawned.exec_result, &error, sizeof error) == (ssize_t)sizeof error) {
        tool->end.way = YK_USBIP_UNSTARTED;
        tool->end.number = error;
    } else if (WIFSIGNALED(status)) {
        tool->end.way = YK_USBIP_SIGNALLED;
        tool->end.number = WTERMSIG(status);
    } else {
        tool->end.way = YK_USBIP_EXITED;
        tool->end.number = WEXITSTATUS(status);
    }
}

/* Did it end? Its status is left uncollected until the rest of its group was killed, so that the
 * number is still its own. */
static bool look_for_end(struct yk_usbip_tool *tool)
{
    siginfo_t info = {.si_pid = 0};
    int status;

    if (tool->over ||
        waitid(P_PID, (id_t)tool->spawned.pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid == 0) {
        return tool->over;
    }
    kill(-tool->spawned.pid, SIGKILL);
    waitpid(tool->spawned.pid, &status, 0);
    drain(tool);
    describe_end(tool, status);
    finish(tool);
    return true;
}

static void escalate(uv_timer_t *timer)
{
    struct yk_usbip_tool *tool = timer->data;

    if (look_for_end(tool)) {
        return;
    }
    if (tool->asked == 0) {
        tool->end.late = true;
    }
    switch (tool->asked++) {
    case 0:
        kill(-tool->spawned.pid, SIGTERM);
        break;
    case 1:
        kill(-tool->spawned.pid, SIGKILL);
        break;
    default:
        tool->end.way = YK_USBIP_STUCK;
        finish(tool);
        return;
    }
    uv_timer_start(timer, escalate, YK_USBIP_TERM_MS, 0);
}

static void on_child_signal(uv_signal_t *handle, int number)
{
    (void)number;
    look_for_end(handle->data);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct yk_usbip_tool *tool = poll->data;

    (void)status;
    (void)events;
    if (!tool->over && !drain(tool)) {
        uv_poll_stop(poll);
        look_for_end(tool); /* it may have been over before signals were watched */
    }
}

/* ---- the start */

static bool start_process(struct yk_usbip_tool *tool, const char *const argv[], unsigned limit_ms,
                          int lock, struct yk_refusal *why)
{
    struct yk_spawn_how how = {.keep = lock, .outlive_s = limit_ms / 1000 + YK_USBIP_ORPHAN_S};
    int ends[2], error;

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        return yk_refuse(why, YK_EXIT_INTERNAL, "cannot start \"%.80s\": %s; it is tried again",
                         argv[0], strerror(errno));
    }
    /* The tool's end is to block like any other output. */
    how.output = ends[1];
    error = fcntl(ends[1], F_SETFL, 0) == 0 ? yk_spawn(&tool->spawned, argv, &how) : errno;
    close(ends[1]);
    tool->output = ends[0];
    if (error != 0) {
        close(ends[0]);
        return yk_refuse(why, YK_EXIT_INTERNAL, "cannot start \"%.80s\": %s; it is tried again",
                         argv[0], strerror(error));
    }
    return true;
}

/* A handle is in use when it has data; without the others the timer alone sees the end. */
static void watch(struct yk_usbip_tool *tool, uv_loop_t *loop, unsigned limit_ms)
{
    uv_timer_init(loop, &tool->timer); /* cannot fail */
    tool->timer.data = tool;
    tool->handles = 1;
    uv_timer_start(&tool->timer, escalate, limit_ms, 0);
    if (uv_signal_init(loop, &tool->child_signal) == 0) {
        tool->child_signal.data = tool;
        tool->handles++;
        uv_signal_start(&tool->child_signal, on_child_signal, SIGCHLD);
    }
    if (uv_poll_init(loop, &tool->readable, tool->output) == 0) {
        tool->readable.data = tool;
        tool->handles++;
        uv_poll_start(&tool->readable, UV_READABLE, on_readable);
    }
}

struct yk_usbip_tool *
yk_usbip_tool_start(uv_loop_t *loop, const char *const argv[], unsigned limit_ms, int lock,
                    void *owner, void (*ended)(void *owner, const struct yk_usbip_end *end),
                    struct yk_refusal *why)
{
    struct yk_usbip_tool *tool = calloc(1, sizeof *tool);

    if (tool == NULL) {
        yk_refuse(why, YK_EXIT_INTERNAL, "cannot start \"%.80s\": out of memory; free some",
                  argv[0]);
        return NULL;
    }
    tool->owner = owner;
    tool->ended = ended;
    if (!start_process(tool, argv, limit_ms, lock, why)) {
        free(tool);
        return NULL;
    }
    watch(tool, loop, limit_ms);
    return tool;
}

void yk_usbip_tool_stop(struct yk_usbip_tool *tool)
{
    if (!tool->over && tool->asked == 0) {
        tool->asked = 1;
        kill(-tool->spawned.pid, SIGTERM);
        uv_timer_start(&tool->timer, escalate, YK_USBIP_TERM_MS, 0);
    }
}
