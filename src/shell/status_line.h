/* status_line.h - how a node is, in one line for the service manager. */
#ifndef YK_SHELL_STATUS_LINE_H
#define YK_SHELL_STATUS_LINE_H

#include "core/node.h"

#define YK_STATUS_LINE_MAX 384 /* bytes; a longer error text is cut */

/* `problem` comes before everything else; "" is none. The line is escaped: no text of a driver can end
 * it. */
void yk_status_line(char out[YK_STATUS_LINE_MAX], const struct yk_node_view *view,
                    const char *problem);

#endif
