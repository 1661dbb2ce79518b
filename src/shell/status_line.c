#include "shell/status_line.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"

/* What the state is about: ", shows player-1", or "" where there is nothing to say. */
static void write_route(char *out, size_t capacity, const struct yk_node_view *view)
{
    const char *producer = view->pairing->producer.text;

    if (view->options->role == YK_ROLE_PRODUCER) {
        out[0] = '\0';
    } else if (producer[0] == '\0') {
        snprintf(out, capacity, ", not paired");
    } else if (view->state == YK_STATE_ACTIVE) {
        snprintf(out, capacity, ", shows %s", producer);
    } else {
        snprintf(out, capacity, ", paired with %s", producer);
    }
}

void yk_status_line(char out[YK_STATUS_LINE_MAX], const struct yk_node_view *view,
                    const char *problem)
{
    char raw[YK_STATUS_LINE_MAX], route[YK_ID_MAX + 32], cause[YK_STATUS_LINE_MAX] = "";
    const char *before = problem[0] != '\0' ? "; " : "";

    write_route(route, sizeof route, view);
    if (view->err.size > 0) {
        snprintf(cause, sizeof cause, ": %.*s", (int)view->err.size, (const char *)view->err.data);
    }
    snprintf(raw, sizeof raw, "%s%s%s%s, %u nodes heard%s", problem, before,
             yk_state_word(view->state), route, view->peers->live_count, cause);
    yk_escape(out, YK_STATUS_LINE_MAX, raw, strlen(raw));
}
