/* warnings.h - what an operator should know of a running node, in the same words in log and status. */
#ifndef YK_SHELL_WARNINGS_H
#define YK_SHELL_WARNINGS_H

#include "core/node.h"

#define YK_WARNING_MAX 512 /* bytes of one */

/* This node's numbers are ahead of the clocks (completions section 5). */
void yk_warning_clock_ahead(char out[YK_WARNING_MAX]);
/* Its clock is far from the peers'. */
void yk_warning_clocks(char out[YK_WARNING_MAX], const struct yk_clocks *clocks);
/* Another node uses this node's id; `view` says from where. */
void yk_warning_id_conflict(char out[YK_WARNING_MAX], const struct yk_node_view *view);
/* Of a peer whose id two senders use. */
void yk_warning_two_senders(char out[YK_WARNING_MAX], const struct yk_peer *peer);

/* True, and `out` filled, when this node never heard anybody though frames came in: why it drops
 * them. */
bool yk_warning_deaf(char out[YK_WARNING_MAX], const struct yk_node_view *view,
                     const struct yk_auth *auth);

/* After so long every node that is there has been heard, even where a switch learns its spanning tree
 * first. */
#define YK_ALONE_AFTER (40 * YK_SECOND)
/* True, and `out` filled, when nothing at all came in though this node has run for `up`. */
bool yk_warning_alone(char out[YK_WARNING_MAX], const struct yk_node_view *view, yk_time up);
/* True, and `out` filled, when the wall clock (Unix nanoseconds) cannot be right. */
bool yk_warning_clock_wrong(char out[YK_WARNING_MAX], int64_t wall_ns);

#endif
