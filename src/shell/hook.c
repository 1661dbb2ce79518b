#include "shell/hook.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/members.h"
#include "base/spawn.h"
#include "shell/log.h"

/* What the command finds in its environment. */
enum variable { ID, ROLE, KIND, STATE, FORMER_STATE, PRODUCER, VARIABLE_COUNT };
static const char *const variables[VARIABLE_COUNT] = {
    "YOKE_ID", "YOKE_ROLE", "YOKE_KIND", "YOKE_STATE", "YOKE_FORMER_STATE", "YOKE_PRODUCER",
};

bool yk_hook_check(const json_t *command, struct yk_refusal *why)
{
    size_t count = json_array_size(command);
    char shown[YK_SHOWN_MAX];

    if (command == NULL) {
        return true;
    }
    yk_shown(shown, command);
    if (count < 1 || count > YK_HOOK_WORDS_MAX) {
        return yk_refuse(
            why, YK_EXIT_CONFIG,
            "on_change: %s is no command; write an array of 1 to %d strings, the program "
            "first",
            shown, YK_HOOK_WORDS_MAX);
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *word = json_array_get(command, i);
        size_t size = json_string_length(word);

        if (!json_is_string(word) || size > YK_HOOK_WORD_BYTES_MAX || (i == 0 && size == 0) ||
            strlen(json_string_value(word)) != size) {
            yk_shown(shown, word);
            return yk_refuse(
                why, YK_EXIT_CONFIG,
                "on_change[%zu]: %s is no word of a command; write a string of at most %d "
                "bytes",
                i, shown, YK_HOOK_WORD_BYTES_MAX);
        }
    }
    return true;
}

static void say_failure(struct yk_hook *hook, const char *text)
{
    if (strcmp(hook->failure, text) != 0) {
        snprintf(hook->failure, sizeof hook->failure, "%s", text);
        yk_log(YK_LOG_WARNING, "on_change: %s; look at the command, nothing else is concerned",
               text);
    }
}

/* How the command ended; `error` is that of exec, 0 when it was started. */
static void judge(struct yk_hook *hook, int status, int error)
{
    char text[sizeof hook->failure];

    if (error != 0) {
        snprintf(text, sizeof text, "cannot be started: %s", strerror(error));
    } else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
        snprintf(text, sizeof text, "took longer than %d s and was ended", YK_HOOK_SECONDS);
    } else if (WIFSIGNALED(status)) {
        snprintf(text, sizeof text, "ended by signal %d", WTERMSIG(status));
    } else if (WEXITSTATUS(status) != 0) {
        snprintf(text, sizeof text, "exit status %d", WEXITSTATUS(status));
    } else {
        hook->failure[0] = '\0';
        return;
    }
    say_failure(hook, text);
}

static void collect(uv_signal_t *child, int number)
{
    struct yk_hook *hook = child->data;
    int status, error = 0;

    (void)number;
    if (hook->pid == 0 || waitpid(hook->pid, &status, WNOHANG) != hook->pid) {
        return; /* a child of somebody else */
    }
    if (read(hook->exec_result, &error, sizeof error) != sizeof error) {
        error = 0;
    }
    close(hook->exec_result);
    hook->pid = 0;
    judge(hook, status, error);
}

void yk_hook_open(struct yk_hook *hook, uv_loop_t *loop)
{
    memset(hook, 0, sizeof *hook);
    hook->child.data = hook;
    uv_signal_init(loop, &hook->child);
}

void yk_hook_close(struct yk_hook *hook)
{
    if (hook->pid != 0) {
        close(hook->exec_result);
        hook->pid = 0;
    }
    uv_close((uv_handle_t *)&hook->child, NULL);
}

/* Ours for the moment of the fork: the process has no thread that reads it. */
static void set_environment(const struct yk_hook *hook, const struct yk_node_view *view)
{
    const char *values[VARIABLE_COUNT] = {
        [ID] = view->options->id.text,
        [ROLE] = yk_role_word(view->options->role),
        [KIND] = yk_kind_word(view->options->kind),
        [STATE] = yk_state_word(view->state),
        [FORMER_STATE] = hook->told.given ? yk_state_word(hook->told.state) : "",
        [PRODUCER] = view->pairing->producer.text,
    };

    for (int i = 0; i < VARIABLE_COUNT; i++) {
        setenv(variables[i], values[i], 1);
    }
}

static void start(struct yk_hook *hook, const json_t *command, const struct yk_node_view *view)
{
    const struct yk_spawn_how how = {.output = -1, .keep = -1, .outlive_s = YK_HOOK_SECONDS};
    const char *words[YK_HOOK_WORDS_MAX + 1] = {NULL};
    struct yk_spawned spawned;
    int error;

    for (size_t i = 0; i < json_array_size(command); i++) {
        words[i] = json_string_value(json_array_get(command, i));
    }
    if (!uv_is_active((uv_handle_t *)&hook->child)) {
        uv_signal_start(&hook->child, collect, SIGCHLD);
        uv_unref((uv_handle_t *)&hook->child);
    }
    set_environment(hook, view);
    error = yk_spawn(&spawned, words, &how);
    for (int i = 0; i < VARIABLE_COUNT; i++) {
        unsetenv(variables[i]);
    }
    if (error != 0) {
        judge(hook, 0, error);
        return;
    }
    hook->pid = spawned.pid;
    hook->exec_result = spawned.exec_result;
}

void yk_hook_look(struct yk_hook *hook, const json_t *command, const struct yk_node_view *view)
{
    if (hook->pid != 0 || (hook->told.given && hook->told.state == view->state &&
                           yk_id_equal(&hook->told.producer, &view->pairing->producer))) {
        return;
    }
    if (command != NULL) {
        start(hook, command, view);
    }
    hook->told.given = true;
    hook->told.state = view->state;
    hook->told.producer = view->pairing->producer;
}
