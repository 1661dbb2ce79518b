/* command.h - the stream process's command line: an array of arguments with placeholders. */
#ifndef YK_DRIVERS_IGMP_COMMAND_H
#define YK_DRIVERS_IGMP_COMMAND_H

#include <jansson.h>
#include <stdbool.h>

#include "base/refusal.h"

#define YK_COMMAND_ARGS_MAX 64        /* a long ffmpeg line has forty */
#define YK_COMMAND_ARG_BYTES_MAX 1024 /* a filter graph fits */

/* What may stand in braces inside an argument. Braces around anything but small letters are plain
 * text. */
enum yk_placeholder {
    YK_PLACEHOLDER_GROUP,
    YK_PLACEHOLDER_PORT,
    YK_PLACEHOLDER_ADDRESS, /* IPv4 address of the media interface */
    YK_PLACEHOLDER_ID,      /* this node's */
    YK_PLACEHOLDER_END
};

struct yk_command {
    size_t count; /* 0: no command */
    char *args[YK_COMMAND_ARGS_MAX];
    bool uses_address;
};

/* Copies `config`, the array found at `place`. False and `why` (nothing is then kept) when it is no
 * array of strings, too long, or names an unknown placeholder. */
bool yk_command_parse(struct yk_command *command, const json_t *config, const char *place,
                      struct yk_refusal *why);
void yk_command_fini(struct yk_command *command);

/* A new argument vector, ended by NULL, with the placeholders replaced by `values` (by enum
 * yk_placeholder). The caller frees it in one piece. NULL when memory is out. */
const char **yk_command_expand(const struct yk_command *command,
                               const char *const values[YK_PLACEHOLDER_END]);

#endif
