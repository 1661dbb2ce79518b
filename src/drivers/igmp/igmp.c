#include "drivers/igmp/igmp.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/igmp/carrier.h"
#include "drivers/igmp/media.h"
#include "drivers/igmp/membership.h"
#include "drivers/igmp/settings.h"
#include "drivers/process.h"

/* Longest time to a report after detach: the end of the process, and some for a busy machine. */
#define STOP_LIMIT_MS (YK_PROCESS_OVERDUE_MS + 100)

struct igmp {
    struct yk_igmp_settings settings;
    struct yk_driver_env env;
    uint8_t control_group[4];
    enum yk_role role;
    uint64_t generation;
    bool wanted;
    struct yk_igmp_media media;           /* when wanted */
    struct yk_igmp_interface place;       /* index 0: not needed, or not found yet */
    struct yk_igmp_membership membership; /* consumers */
    uint32_t carrier_changes;             /* of the interface, when it was joined */
    struct yk_process *process;           /* NULL: none, not even an ending one */
    bool ending;                          /* the process was asked to stop */
    struct yk_refusal failure;            /* of the last attempt; text "": none */
    void (*closed)(void *host);           /* set while closing */
};

static void *parse(json_t *config, const struct yk_driver_site *site, struct yk_refusal *why)
{
    struct igmp *self = calloc(1, sizeof *self);

    if (self == NULL) {
        yk_refuse(why, YK_EXIT_INTERNAL, "driver: out of memory; free some");
        return NULL;
    }
    self->role = site->role;
    memcpy(self->control_group, site->control_group, sizeof self->control_group);
    yk_igmp_membership_init(&self->membership);
    if (!yk_igmp_settings_parse(&self->settings, config, why)) {
        free(self);
        return NULL;
    }
    return self;
}

static void free_driver(void *context)
{
    struct igmp *self = context;

    yk_igmp_settings_fini(&self->settings);
    free(self);
}

static bool check_media(void *context, json_t *media, struct yk_refusal *why)
{
    struct igmp *self = context;

    return yk_igmp_media_check(media, self->control_group, why);
}

static bool open_driver(void *context, const struct yk_driver_env *env, struct yk_refusal *why)
{
    struct igmp *self = context;

    (void)why;
    self->env = *env;
    return true;
}

/* ---- what is there, and saying it */

static bool has_command(const struct igmp *self)
{
    return self->settings.command.count > 0;
}

static bool needs_place(const struct igmp *self)
{
    return self->role == YK_ROLE_CONSUMER || self->settings.interface[0] != 0 ||
           self->settings.command.uses_address;
}

static bool is_placed(const struct igmp *self)
{
    return self->place.index != 0;
}

static void report(struct igmp *self, enum yk_report status, const char *detail)
{
    self->env.report(self->env.host, self->generation, status, detail);
}

/* Interface and membership as the kernel has them now. */
static bool is_attached(struct igmp *self, struct yk_refusal *why)
{
    struct yk_carrier carrier;

    if (!needs_place(self)) {
        return true;
    }
    if (!is_placed(self)) {
        return yk_refuse(why, YK_EXIT_CONFIG, "interface: not found yet; it is tried again");
    }
    if (!yk_igmp_interface_holds(&self->place, why)) {
        return false;
    }
    if (self->role == YK_ROLE_CONSUMER && !yk_igmp_is_joined(&self->membership, why)) {
        return false;
    }
    return (yk_carrier_read(&carrier, self->place.index) && carrier.up) ||
           yk_refuse(why, YK_EXIT_CONFIG, "interface \"%s\": no carrier; check cable and switch",
                     self->place.name);
}

/* "ffplay pid 4711 WHAT", never true. */
static bool refuse_process(const struct igmp *self, const char *what, struct yk_refusal *why)
{
    return yk_refuse(why, YK_EXIT_CONFIG, "%s pid %d %s", yk_process_name(self->process),
                     (int)yk_process_id(self->process), what);
}

static bool is_ending(const struct igmp *self)
{
    return self->process != NULL && yk_process_state(self->process) == YK_PROCESS_ENDS;
}

static bool is_running(const struct igmp *self, struct yk_refusal *why)
{
    if (!has_command(self)) {
        return true;
    }
    if (self->process == NULL) {
        return yk_refuse(why, YK_EXIT_CONFIG, "no stream process; it is started again");
    }
    return yk_process_state(self->process) == YK_PROCESS_RUNS ||
           refuse_process(self, "started; watched for a moment", why);
}

static void report_evidence(struct igmp *self)
{
    char text[YK_REFUSAL_MAX];
    char address[INET_ADDRSTRLEN];
    size_t used = (size_t)snprintf(text, sizeof text, "%s %s", self->media.text,
                                   self->role == YK_ROLE_CONSUMER ? "joined" : "announced");

    if (is_placed(self)) {
        inet_ntop(AF_INET, &self->place.address, address, sizeof address);
        used += (size_t)snprintf(text + used, sizeof text - used, " on %s (%s)", self->place.name,
                                 address);
    }
    if (self->process != NULL) {
        snprintf(text + used, sizeof text - used, ", %s pid %d running",
                 yk_process_name(self->process), (int)yk_process_id(self->process));
    } else if (self->role == YK_ROLE_PRODUCER) {
        snprintf(text + used, sizeof text - used, ", no stream process configured");
    }
    report(self, YK_REPORT_ACTIVE, text);
}

static void look(struct igmp *self)
{
    struct yk_refusal why;

    if (self->failure.text[0] != 0) {
        report(self, YK_REPORT_ERROR, self->failure.text);
    } else if (self->wanted && !is_ending(self)) {
        if (is_attached(self, &why) && is_running(self, &why)) {
            report_evidence(self);
        } else {
            report(self, YK_REPORT_PENDING, why.text);
        }
    } else if (self->process != NULL) {
        refuse_process(self, self->wanted ? "is being ended, to be started anew" : "is being ended",
                       &why);
        report(self, YK_REPORT_PENDING, why.text);
    } else {
        report(self, YK_REPORT_IDLE, "");
    }
}

/* ---- towards what is wanted */

static void end_process(struct igmp *self)
{
    if (self->process != NULL) {
        self->ending = true;
        yk_process_stop(self->process);
    }
}

static void let_go(struct igmp *self)
{
    yk_igmp_leave(&self->membership);
    self->place.index = 0;
    end_process(self);
}

/* Takes the interface as it is now. What was bound to a former one begins anew. */
static bool settle_place(struct igmp *self)
{
    struct yk_igmp_interface found;

    if (is_placed(self) && yk_igmp_interface_holds(&self->place, &self->failure)) {
        return true;
    }
    if (!yk_igmp_interface_find(&found, self->settings.interface, self->media.group,
                                &self->failure)) {
        return false;
    }
    if (found.index != self->place.index) {
        yk_igmp_leave(&self->membership);
    }
    if (is_placed(self) && (found.index != self->place.index ||
                            (self->settings.command.uses_address &&
                             found.address.s_addr != self->place.address.s_addr))) {
        end_process(self);
    }
    self->place = found;
    return true;
}

/* A switch forgets what it heard from a port when its cable is out, and the kernel says nothing of
 * its own when it is back: until the next query, a minute or two, the stream would not come. */
static bool was_unplugged(const struct igmp *self)
{
    struct yk_carrier carrier;

    return self->membership.fd >= 0 && yk_carrier_read(&carrier, self->place.index) && carrier.up &&
           carrier.changes != self->carrier_changes;
}

static bool settle_membership(struct igmp *self)
{
    struct yk_carrier carrier;

    if (yk_igmp_is_joined(&self->membership, &self->failure)) {
        return true;
    }
    yk_carrier_read(&carrier, self->place.index); /* before, so that no change is overlooked */
    self->carrier_changes = carrier.changes;
    if (!yk_igmp_join(&self->membership, self->media.group, &self->place, &self->failure)) {
        return false;
    }
    self->env.log(self->env.host, YK_LOG_INFO, "joined %s on %s", self->media.text,
                  self->place.name);
    return true;
}

static void on_process(void *context, enum yk_process_event event, const char *text);

static bool settle_process(struct igmp *self)
{
    char group[INET_ADDRSTRLEN], address[INET_ADDRSTRLEN], port[8];
    const char *values[YK_PLACEHOLDER_END] = {
        [YK_PLACEHOLDER_GROUP] = inet_ntop(AF_INET, &self->media.group, group, sizeof group),
        [YK_PLACEHOLDER_PORT] = port,
        [YK_PLACEHOLDER_ADDRESS] =
            inet_ntop(AF_INET, &self->place.address, address, sizeof address),
        [YK_PLACEHOLDER_ID] = self->env.site.node_id,
    };
    const char **argv;

    if (self->process != NULL) {
        return true; /* one that is ending is followed by a new one when it has ended */
    }
    snprintf(port, sizeof port, "%u", self->media.port);
    argv = yk_command_expand(&self->settings.command, values);
    if (argv == NULL) {
        return yk_refuse(&self->failure, YK_EXIT_INTERNAL,
                         "stream process: out of memory; free some");
    }
    self->process = yk_process_start(self->env.loop, argv, self, on_process, &self->failure);
    self->ending = false;
    free(argv);
    if (self->process == NULL) {
        return false;
    }
    self->env.log(self->env.host, YK_LOG_INFO, "started %s pid %d", yk_process_name(self->process),
                  (int)yk_process_id(self->process));
    return true;
}

/* Mends what is not as it should be, touches nothing else, and says how it is. */
static void converge(struct igmp *self)
{
    bool ok = !needs_place(self) || settle_place(self);

    if (ok && was_unplugged(self)) {
        /* Only the first to join a group makes the kernel report it, so all of us leave. */
        yk_igmp_leave(&self->membership);
        end_process(self);
    }
    if (ok && !is_ending(self)) {
        ok = (self->role != YK_ROLE_CONSUMER || settle_membership(self)) &&
             (!has_command(self) || settle_process(self));
    } /* else it goes on when the process has ended */
    if (ok) {
        self->failure.text[0] = 0; /* what was found amiss on the way was mended */
    }
    look(self);
}

static void poll_driver(void *context)
{
    struct igmp *self = context;

    if (self->wanted && self->failure.text[0] == 0 && was_unplugged(self)) {
        converge(self);
    } else {
        look(self);
    }
}

static void attach(void *context, uint64_t generation, struct yk_slice json)
{
    struct igmp *self = context;
    struct yk_igmp_media media;

    self->generation = generation;
    self->failure.text[0] = 0;
    if (!yk_igmp_media_read(&media, json, self->control_group, &self->failure)) {
        self->wanted = false;
        let_go(self);
        look(self);
        return;
    }
    if (self->wanted && !yk_igmp_media_equal(&media, &self->media)) {
        let_go(self);
    }
    self->wanted = true;
    self->media = media;
    converge(self);
}

static void detach(void *context, uint64_t generation, enum yk_detach_reason reason)
{
    struct igmp *self = context;

    /* Whatever the reason: a former life left nothing, for its membership ended with its socket and
     * its process was killed by the kernel. */
    (void)reason;
    self->generation = generation;
    self->failure.text[0] = 0;
    self->wanted = false;
    let_go(self);
    if (self->process == NULL) {
        report(self, YK_REPORT_IDLE, "");
    } /* else when it has ended */
}

static void process_overdue(struct igmp *self)
{
    struct yk_refusal why;

    if (self->closed != NULL) {
        yk_process_abandon(self->process);
        return;
    }
    refuse_process(self, "does not end even when killed; ask \"ps\" what it waits for", &why);
    report(self, YK_REPORT_ERROR, why.text);
}

static void process_ended(struct igmp *self, const char *how)
{
    self->env.log(self->env.host, self->ending ? YK_LOG_INFO : YK_LOG_WARNING, "%s", how);
    self->process = NULL;
    if (self->closed != NULL) {
        self->closed(self->env.host);
    } else if (!self->wanted) {
        look(self);
    } else if (self->ending) {
        converge(self);
    } else {
        yk_refuse(&self->failure, YK_EXIT_CONFIG, "%s", how);
        look(self);
    }
}

static void on_process(void *context, enum yk_process_event event, const char *text)
{
    struct igmp *self = context;

    switch (event) {
    case YK_PROCESS_SETTLED:
        look(self);
        break;
    case YK_PROCESS_ENDED:
        process_ended(self, text);
        break;
    case YK_PROCESS_OVERDUE:
        process_overdue(self);
        break;
    }
}

static void close_driver(void *context, void (*closed)(void *host))
{
    struct igmp *self = context;

    self->wanted = false;
    let_go(self);
    if (self->process == NULL) {
        closed(self->env.host);
    } else {
        self->closed = closed;
    }
}

const struct yk_driver_ops yk_driver_igmp = {
    .name = "igmp",
    .stop_limit_ms = STOP_LIMIT_MS,
    .parse = parse,
    .check_media = check_media,
    .open = open_driver,
    .attach = attach,
    .detach = detach,
    .poll = poll_driver,
    .close = close_driver,
    .free = free_driver,
};
