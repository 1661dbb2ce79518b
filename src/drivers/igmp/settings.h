/* settings.h - the igmp driver's part of the configuration. */
#ifndef YK_DRIVERS_IGMP_SETTINGS_H
#define YK_DRIVERS_IGMP_SETTINGS_H

#include <jansson.h>
#include <net/if.h>

#include "drivers/igmp/command.h"

struct yk_igmp_settings {
    char interface[IF_NAMESIZE]; /* a name or an IPv4 address; "": the kernel's choice */
    struct yk_command command;   /* count 0: none */
};

/* Reads the object "driver". False and `why` when it is wrong; nothing is then kept. */
bool yk_igmp_settings_parse(struct yk_igmp_settings *settings, const json_t *config,
                            struct yk_refusal *why);
void yk_igmp_settings_fini(struct yk_igmp_settings *settings);

#endif
