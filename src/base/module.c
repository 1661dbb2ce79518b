#include "base/module.h"

#include <dlfcn.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FILE_NAME_MAX 64 /* "/yoke-NAME.so" */

static const void *refuse_load(const char *path, struct yk_refusal *why)
{
    if (access(path, F_OK) != 0) {
        yk_refuse(why, YK_EXIT_CONFIG, "%s: %s; install it there, from yoke " YK_VERSION, path,
                  strerror(errno));
    } else {
        yk_refuse(why, YK_EXIT_CONFIG,
                  "%s: cannot be loaded: %s; install what is missing, or the module anew", path,
                  dlerror());
    }
    return NULL;
}

const void *yk_module_load(const char *path, size_t size, struct yk_refusal *why)
{
    /* Bound wholly now: what is missing is said at the start, not in the middle of a picture. */
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct yk_module *module;

    if (handle == NULL) {
        return refuse_load(path, why);
    }
    module = dlsym(handle, YK_MODULE_SYMBOL);
    if (module == NULL) {
        yk_refuse(why, YK_EXIT_CONFIG,
                  "%s: is no module of yoke; install the one of yoke " YK_VERSION, path);
        return NULL;
    }
    if (strcmp(module->version, YK_VERSION) != 0) {
        yk_refuse(why, YK_EXIT_CONFIG,
                  "%s: is of yoke %.32s, and this is yoke " YK_VERSION
                  "; install both from one version",
                  path, module->version);
        return NULL;
    }
    if (module->table_size != size) {
        yk_refuse(why, YK_EXIT_CONFIG,
                  "%s: was built from other sources than this program; build both anew", path);
        return NULL;
    }
    return module->table;
}

const void *yk_module_table(const char *name, size_t size, struct yk_refusal *why)
{
    char self[PATH_MAX], path[PATH_MAX + FILE_NAME_MAX];
    ssize_t used = readlink("/proc/self/exe", self, sizeof self - 1);

    if (used <= 0) {
        yk_refuse(why, YK_EXIT_INTERNAL, "/proc/self/exe: %s; mount /proc, modules lie beside it",
                  strerror(errno));
        return NULL;
    }
    self[used] = 0;
    snprintf(path, sizeof path, "%s/yoke-%.32s.so", dirname(self), name);
    return yk_module_load(path, size, why);
}
