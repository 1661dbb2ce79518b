#include "drivers/driver.h"

#include <stdio.h>
#include <string.h>

#include "drivers/igmp/igmp.h"
#include "drivers/null/null.h"

#define NAMES_MAX 128 /* bytes of all names in a text */

static const struct yk_driver_ops *const drivers[] = {&yk_driver_igmp, &yk_driver_null};
#define DRIVERS (sizeof drivers / sizeof drivers[0])

const struct yk_driver_ops *yk_driver_find(const char *name)
{
    for (size_t i = 0; i < DRIVERS; i++) {
        if (strcmp(drivers[i]->name, name) == 0) {
            return drivers[i];
        }
    }
    return NULL;
}

const char *yk_driver_names(void)
{
    static char names[NAMES_MAX];
    size_t used = 0;

    for (size_t i = 0; i < DRIVERS && used < sizeof names; i++) {
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
                                 drivers[i]->name);
    }
    return names;
}
