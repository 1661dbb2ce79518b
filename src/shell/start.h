/* start.h - what `yoke agent` does with its options: check, commission, or run. */
#ifndef YK_SHELL_START_H
#define YK_SHELL_START_H

#include <stdbool.h>

#include "drivers/driver.h"

struct yk_start_options {
    const char *config;
    bool check, commission;
    bool device;                 /* the check asks the device too */
    enum yk_log_level log_level; /* 0: the configuration's */
};

/* Does it; refusals and warnings go to standard error, the result of a check to standard output.
 * Gives the exit status. */
int yk_start(const struct yk_start_options *options);

/* One line of ours on standard error, escaped for terminals. */
void yk_start_say(const char *text);

#endif
