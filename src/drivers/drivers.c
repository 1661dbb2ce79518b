#include "drivers/driver.h"

#include <stdio.h>
#include <string.h>

#include "base/module.h"
#include "base/nearest.h"
#include "drivers/igmp/igmp.h"
#include "drivers/null/null.h"
#include "drivers/usbip/usbip.h"

#define NAMES_MAX 128 /* bytes of all names in a text */

static const struct {
    const char *name;
    const struct yk_driver_ops *ops; /* NULL: in the module of that name */
} drivers[] = {{"igmp", &yk_driver_igmp},
               {"jap", NULL},
               {"null", &yk_driver_null},
               {"usbip", &yk_driver_usbip}};
#define DRIVERS (sizeof drivers / sizeof drivers[0])

static const struct yk_driver_ops *load(const char *name, struct yk_refusal *why)
{
    struct yk_refusal cause;
    const struct yk_driver_ops *ops = yk_module_table(name, sizeof *ops, &cause);

    if (ops == NULL) {
        yk_refuse(why, cause.exit, "driver.type: \"%s\" is a module: %s", name, cause.text);
    }
    return ops;
}

static void refuse_unknown(const char *name, struct yk_refusal *why)
{
    const char *known[DRIVERS], *nearest;

    for (size_t i = 0; i < DRIVERS; i++) {
        known[i] = drivers[i].name;
    }
    nearest = yk_nearest(name, known, DRIVERS);
    if (nearest != NULL) {
        yk_refuse(why, YK_EXIT_CONFIG, "driver.type: \"%.64s\" is unknown; did you mean \"%s\"?",
                  name, nearest);
    } else {
        yk_refuse(why, YK_EXIT_CONFIG, "driver.type: \"%.64s\" is unknown; write one of: %s", name,
                  yk_driver_names());
    }
}

const struct yk_driver_ops *yk_driver_find(const char *name, struct yk_refusal *why)
{
    for (size_t i = 0; i < DRIVERS; i++) {
        if (strcmp(drivers[i].name, name) == 0) {
            return drivers[i].ops != NULL ? drivers[i].ops : load(name, why);
        }
    }
    refuse_unknown(name, why);
    return NULL;
}

const char *yk_driver_names(void)
{
    static char names[NAMES_MAX];
    size_t used = 0;

    for (size_t i = 0; i < DRIVERS && used < sizeof names; i++) {
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
                                 drivers[i].name);
    }
    return names;
}
