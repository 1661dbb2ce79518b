/* config_overflow.h - where in a configuration an integer stands that no 64 bits hold. */
#ifndef YK_SHELL_CONFIG_OVERFLOW_H
#define YK_SHELL_CONFIG_OVERFLOW_H

#include <stdbool.h>

#include "base/refusal.h"
#include "core/types.h"

/* Refuses the first such integer of the text with its place and value. False and `why` untouched
 * when none is found: the text is larger or deeper than what a frame may carry, or has none. */
bool yk_config_refuse_overflow(struct yk_slice text, struct yk_refusal *why);

#endif
