#include "drivers/null/null.h"

#include <stdlib.h>

#include "base/members.h"

struct null {
    struct yk_driver_env env;
    uint64_t generation;
    bool attached;
};

static void *parse(json_t *config, const struct yk_driver_site *site, struct yk_refusal *why)
{
    static const char *const known[] = {"type"};
    struct null *self;

    (void)site;
    if (!yk_members_check(config, "driver", known, sizeof known / sizeof known[0], why)) {
        return NULL;
    }
    self = calloc(1, sizeof *self);
    if (self == NULL) {
        yk_refuse(why, YK_EXIT_INTERNAL, "driver: out of memory; free some");
    }
    return self;
}

static bool check_media(void *self, json_t *media, struct yk_refusal *why)
{
    (void)self;
    (void)media;
    (void)why;
    return true;
}

static bool open_driver(void *context, const struct yk_driver_env *env, struct yk_refusal *why)
{
    struct null *self = context;

    (void)why;
    self->env = *env;
    return true;
}

static void poll_driver(void *context)
{
    struct null *self = context;

    if (self->attached) {
        self->env.report(self->env.host, self->generation, YK_REPORT_ACTIVE,
                         "null driver: takes any media, touches nothing");
    } else {
        self->env.report(self->env.host, self->generation, YK_REPORT_IDLE, "");
    }
}

static void attach(void *context, uint64_t generation, struct yk_slice media)
{
    struct null *self = context;

    (void)media;
    self->generation = generation;
    self->attached = true;
    poll_driver(self);
}

static void detach(void *context, uint64_t generation, enum yk_detach_reason reason)
{
    struct null *self = context;

    (void)reason;
    self->generation = generation;
    self->attached = false;
    poll_driver(self);
}

static void close_driver(void *context, void (*closed)(void *host))
{
    struct null *self = context;

    closed(self->env.host);
}

const struct yk_driver_ops yk_driver_null = {
    .name = "null",
    .stop_limit_ms = 0,
    .parse = parse,
    .check_media = check_media,
    .open = open_driver,
    .attach = attach,
    .detach = detach,
    .poll = poll_driver,
    .close = close_driver,
    .free = free,
};
