#include "drivers/jap/firmware.h"

#include <stdio.h>
#include <string.h>

/* The oldest firmware that switches channels by HTTP, by the letters before the version. */
static const struct floor {
    const char *family;
    unsigned least[3];
    const char *text;
} floors[] = {
    {"A", {~0u, 0, 0}, "2G firmware has no HTTP API"},
    {"B", {2, 1, 0}, "the oldest is B2.1.0"},
    {"MAX v", {3, 5, 2}, "the oldest is MAX v3.5.2"},
    {"v", {3, 5, 2}, "the oldest is MAX v3.5.2"},
};

bool yk_jap_firmware_warning(const char *firmware, char warning[YK_JAP_REASON_MAX])
{
    const char *text = firmware[0] == '"' ? firmware + 1 : firmware;

    for (size_t i = 0; i < sizeof floors / sizeof *floors; i++) {
        size_t size = strlen(floors[i].family);
        unsigned have[3] = {0};

        if (strncmp(text, floors[i].family, size) != 0 ||
            sscanf(text + size, "%3u.%3u.%3u", &have[0], &have[1], &have[2]) != 3) {
            continue;
        }
        for (int part = 0; part < 3; part++) {
            if (have[part] != floors[i].least[part]) {
                if (have[part] > floors[i].least[part]) {
                    return false;
                }
                snprintf(warning, YK_JAP_REASON_MAX,
                         "firmware %.40s is too old to be switched by channel; %s", firmware,
                         floors[i].text);
                return true;
            }
        }
        return false;
    }
    return false;
}
