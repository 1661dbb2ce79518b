/* announced.h - media as a producer announces it, for the driver that reads it. It may be hostile. */
#ifndef YK_DRIVERS_ANNOUNCED_H
#define YK_DRIVERS_ANNOUNCED_H

#include "base/members.h"
#include "core/json.h"

/* Indexes a canonical JSON object of at most a frame's size; false when it is none (size 0 is null). */
YK_MUST_USE bool yk_announced_index(struct yk_json *index, struct yk_slice json);
/* The value as spelled, fit for terminals, cut when long; "" for token 0, a member that is absent. */
void yk_announced_show(char out[YK_SHOWN_MAX], const struct yk_json *index, size_t token);

#endif
