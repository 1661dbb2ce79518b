#include "drivers/igmp/settings.h"

#include <stdio.h>
#include <string.h>

#include "base/members.h"

#define PLACE "driver"

/* What the kernel allows in an interface's name, less what nobody means. */
static bool is_interface_name(const char *name)
{
    for (; name[0] != 0; name++) {
        if (name[0] <= ' ' || name[0] > '~' || name[0] == '/') {
            return false;
        }
    }
    return true;
}

static bool parse_interface(struct yk_igmp_settings *settings, const json_t *config,
                            struct yk_refusal *why)
{
    char shown[YK_SHOWN_MAX];
    const char *name = "";

    if (!yk_member_string(config, PLACE, "interface", IF_NAMESIZE - 1, &name, why)) {
        return false;
    }
    if (!is_interface_name(name)) {
        yk_shown(shown, json_object_get(config, "interface"));
        return yk_refuse(why, YK_EXIT_CONFIG,
                         PLACE
                         ".interface: %s is no interface; write a name from \"ip link\" or an "
                         "IPv4 address of this host",
                         shown);
    }
    if (strcmp(name, "0.0.0.0") != 0) {
        snprintf(settings->interface, sizeof settings->interface, "%s", name);
    }
    return true;
}

bool yk_igmp_settings_parse(struct yk_igmp_settings *settings, const json_t *config,
                            struct yk_refusal *why)
{
    static const char *const known[] = {"type", "interface", "command"};
    const json_t *command = json_object_get(config, "command");

    memset(settings, 0, sizeof *settings);
    return yk_members_check(config, PLACE, known, sizeof known / sizeof known[0], why) &&
           parse_interface(settings, config, why) &&
           (command == NULL ||
            yk_command_parse(&settings->command, command, PLACE ".command", why));
}

void yk_igmp_settings_fini(struct yk_igmp_settings *settings)
{
    yk_command_fini(&settings->command);
}
