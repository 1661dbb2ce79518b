/* config_site.h - the part of a configuration that agents and tools both read: network and keys. It
 * knows no driver, so that a tool needs none. */
#ifndef YK_SHELL_CONFIG_SITE_H
#define YK_SHELL_CONFIG_SITE_H

#include "shell/config.h"

/* The document in a configuration file, to be given back with json_decref; NULL and `why`. */
json_t *yk_config_read(const char *path, struct yk_refusal *why);
/* Puts the file's name before a refusal that has only the place; false. */
bool yk_config_refuse_in(const char *path, struct yk_refusal *why);

/* Each takes its members from the document's top. */
bool yk_config_set_network(struct yk_config *config, const json_t *root, struct yk_refusal *why);
bool yk_config_set_keys(struct yk_config *config, const json_t *root, struct yk_refusal *why);
/* A path of at most `most` bytes; "" when it is absent. */
bool yk_config_set_path(const json_t *root, const char *name, size_t most, char out[YK_PATH_MAX],
                        struct yk_refusal *why);

#endif
