/* inspect.h - what can be told of a device before anything depends on it (agent --check --device). */
#ifndef YK_DRIVERS_JAP_INSPECT_H
#define YK_DRIVERS_JAP_INSPECT_H

#include "drivers/jap/answer.h"
#include "drivers/jap/settings.h"

/* Asks the device for model, firmware, mode and channel, which takes as long as it takes to answer
 * four questions. `announced` is the channel that a producer announces, -1 for none. False and `why`
 * when it does not answer or is not what the role needs. */
bool yk_jap_inspect(const struct yk_jap_settings *settings, enum yk_role role, int announced,
                    void (*fact)(const char *line), void (*warn)(const char *line),
                    struct yk_refusal *why);

#endif
