/* access.h - the control group and the keys that a tool's command line names. */
#ifndef YK_CLI_ACCESS_H
#define YK_CLI_ACCESS_H

#include "cli/options.h"
#include "core/auth.h"
#include "shell/config.h"

struct yk_access {
    struct yk_network network;
    bool interface_given;
    bool open;                       /* no key: nothing is signed */
    struct yk_auth auth;             /* to be wiped by yk_auth_fini, also after a failure */
    char status_socket[YK_PATH_MAX]; /* of the configuration; "" is none */
};

/* Reads configuration and key, and says on standard error when there is none. False and `why` when
 * something is wrong. */
bool yk_access_read(struct yk_access *access, const struct yk_options *options,
                    struct yk_refusal *why);

/* A warning about a key, on standard error. */
void yk_access_warn(const char *line);

/* "239.121.111.107:9753 on eth0"; the text lives until the next call. */
const char *yk_access_place(const struct yk_network *network);

#endif
