#include "shell/warnings.h"

#include <stdio.h>

void yk_warning_clock_ahead(char out[YK_WARNING_MAX])
{
    snprintf(out, YK_WARNING_MAX,
             "this node's numbers are over an hour ahead of the clock, so others drop its frames; "
             "set the clocks right (after a wrong date that was in the future: wait, or commission "
             "this node anew)");
}

void yk_warning_id_conflict(char out[YK_WARNING_MAX], const struct yk_node_view *view)
{
    const uint8_t *ip = view->conflict_from.ip;

    snprintf(out, YK_WARNING_MAX,
             "id conflict: %u.%u.%u.%u port %u sends under the id %s too; give one of them another "
             "id",
             ip[0], ip[1], ip[2], ip[3], view->conflict_from.port, view->options->id.text);
}
