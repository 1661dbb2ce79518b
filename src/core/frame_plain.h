/* frame_plain.h - the short way for the frame that is nearly all there is: an announcement as yoke
 * and its like spell it. In two halves, for who knows
 * the first already. For frame_read.c and admission.c only. */
#ifndef YK_CORE_FRAME_PLAIN_H
#define YK_CORE_FRAME_PLAIN_H

#include "core/frame.h"

/* Both halves say true for an announcement that is canonical and well formed and has the known members
 * only: all of `frame` is then filled, and of `decoder` what is not the index. False says nothing about
 * `raw`. */

/* What comes behind the body: origin, seq, sig, ts. `decoder->head` is the text before the digits of
 * seq, the same in every announcement of an origin that has nothing new to say. */
YK_MUST_USE bool yk_frame_read_tail(struct yk_decoder *decoder, struct yk_slice raw,
                                    struct yk_frame *frame);
/* And the head, behind its tail: the body. */
YK_MUST_USE bool yk_frame_read_head(struct yk_decoder *decoder, struct yk_frame *frame);

/* A label of at most YK_NAME_MAX code points; `name` is valid UTF-8. */
bool yk_name_fits(struct yk_slice name);

#endif
