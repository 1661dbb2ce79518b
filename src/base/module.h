/* module.h - parts of a program that are loaded only when they are configured: shared objects
 * yoke-NAME.so beside the program, each with one table of functions (ADR 13). */
#ifndef YK_BASE_MODULE_H
#define YK_BASE_MODULE_H

#include <stddef.h>

#include "base/refusal.h"

#ifndef YK_VERSION
#error "YK_VERSION: what the program and its modules were built from"
#endif

/* What a module shows; these members stay first and as they are, for other versions read them. */
struct yk_module {
    const char *version;
    size_t table_size;
    const void *table;
};
#define YK_MODULE_SYMBOL "yk_module"

/* Stands once in a module, at file level, with the variable that is its table. */
#define YK_MODULE(what)                                                         \
    extern const struct yk_module yk_module;                                    \
    __attribute__((visibility("default"))) const struct yk_module yk_module = { \
        .version = YK_VERSION, .table_size = sizeof(what), .table = &(what)}

/* The table, of `size` bytes, of module `name`, which lies beside this program. It stays loaded: a
 * module is never unloaded. NULL and `why` when it is not there, cannot be loaded, or was built from
 * another version. */
const void *yk_module_table(const char *name, size_t size, struct yk_refusal *why);
/* The same of the file at an absolute path. */
const void *yk_module_load(const char *path, size_t size, struct yk_refusal *why);

#endif
