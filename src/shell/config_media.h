/* config_media.h - the media a producer is configured with, checked and spelled canonically. */
#ifndef YK_SHELL_CONFIG_MEDIA_H
#define YK_SHELL_CONFIG_MEDIA_H

#include "shell/config.h"

/* Takes the configuration's "media" (NULL when absent) into `config`, whose role and driver are
 * known. Refused, with its place: anything on a consumer, what is neither object nor null, a number
 * that is no integer, more nesting than a frame has room for, more bytes than a frame, and what the
 * driver cannot serve. */
bool yk_config_set_media(struct yk_config *config, json_t *media, struct yk_refusal *why);

#endif
