/* explain.h - after an operation that did not go as asked: the likely cause and the next step, on
 * standard error. */
#ifndef YK_CLI_EXPLAIN_H
#define YK_CLI_EXPLAIN_H

#include "cli/operation.h"
#include "cli/site.h"

/* `send_error` is the errno of the last send, 0 when it went out. Says nothing after a success. */
void yk_explain(const struct yk_operation *operation, const struct yk_site *site, int send_error);

/* Of a producer that is not heard: that the pairing waits for it, and whom else may be meant. */
void yk_explain_stranger(const struct yk_operation *operation);

#endif
