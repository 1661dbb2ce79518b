/* hook.h - the room's own command (on_change in the configuration): started when the node's state or its
 * producer changes, to switch a display or a light. One at a time, ended when it takes too long; what
 * changes meanwhile is told by one more run. Its failure is logged and changes nothing. */
#ifndef YK_SHELL_HOOK_H
#define YK_SHELL_HOOK_H

#include <jansson.h>
#include <uv.h>

#include "base/refusal.h"
#include "core/node.h"

#define YK_HOOK_WORDS_MAX 32
#define YK_HOOK_WORD_BYTES_MAX 1024
#define YK_HOOK_SECONDS 10 /* then it is ended */

struct yk_hook {
    uv_signal_t child;
    int pid; /* 0: none runs */
    int exec_result;
    struct {
        bool given;
        enum yk_state state;
        struct yk_id producer;
    } told;
    char failure[256]; /* the last one logged; "" after a success */
};

/* Refuses what is no command. */
bool yk_hook_check(const json_t *command, struct yk_refusal *why);

void yk_hook_open(struct yk_hook *hook, uv_loop_t *loop);
/* The memory stays until the loop has run once more. A command that runs is left to its end. */
void yk_hook_close(struct yk_hook *hook);
/* Starts `command` (NULL: none is wanted) when the node is not as it was told last. */
void yk_hook_look(struct yk_hook *hook, const json_t *command, const struct yk_node_view *view);

#endif
