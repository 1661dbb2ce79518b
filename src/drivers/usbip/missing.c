#include "drivers/usbip/missing.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_MAX_ 256

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* As execvp finds it. */
static bool is_program(const char *name)
{
    const char *path = getenv("PATH");
    char full[PATH_MAX];

    if (strchr(name, '/') != NULL) {
        return access(name, X_OK) == 0;
    }
    while (path != NULL && path[0] != 0) {
        size_t size = strcspn(path, ":");

        if (snprintf(full, sizeof full, "%.*s/%s", (int)size, path, name) < (int)sizeof full &&
            access(full, X_OK) == 0) {
            return true;
        }
        path += size + (path[size] == ':');
    }
    return false;
}

void yk_usbip_say_missing(const struct yk_usbip_places *places, enum yk_role role,
                          void (*note)(const char *line))
{
    bool consumes = role == YK_ROLE_CONSUMER;
    const char *module = consumes ? "vhci-hcd" : "usbip-host";
    bool all = true;
    char line[LINE_MAX_];

    if (!is_there(consumes ? places->vhci : places->host_driver)) {
        snprintf(line, sizeof line,
                 "usbip: missing: kernel module %s; modprobe %s, and name it in "
                 "/etc/modules-load.d/yoke.conf",
                 module, module);
        note(line);
        all = false;
    }
    if (!is_program(places->tool)) {
        snprintf(line, sizeof line, "usbip: missing: program %s; apt install usbip", places->tool);
        note(line);
        all = false;
    }
    if (geteuid() != 0) {
        note("usbip: missing: root; the agent has to run as root to reach the kernel's ports");
        all = false;
    }
    if (all) {
        note("usbip: kernel module, program and root are there");
    }
}
