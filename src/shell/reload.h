/* reload.h - reads the configuration anew while the agent runs: what can change at once changes, what
 * cannot is named and left, and a broken file changes nothing. */
#ifndef YK_SHELL_RELOAD_H
#define YK_SHELL_RELOAD_H

#include "core/auth.h"
#include "shell/config.h"

struct yk_reload {
    const char *path;   /* of the configuration; borrowed, NULL: there is none to read */
    bool level_is_held; /* the command line's log level goes before the configuration's */
    json_t *in_force;   /* the configuration as it is followed */
};

void yk_reload_init(struct yk_reload *reload, const char *path, const struct yk_config *config,
                    bool level_is_held);
void yk_reload_fini(struct yk_reload *reload);

/* Puts the file's keys into `auth` and sets its log level. False when the file, or a key that it names,
 * cannot be used: nothing changed. The log says what came of it. */
bool yk_reload(struct yk_reload *reload, struct yk_auth *auth);

#endif
