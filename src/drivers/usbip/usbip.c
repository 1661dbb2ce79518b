#include "drivers/usbip/usbip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/members.h"
#include "drivers/usbip/side.h"
#include "drivers/usbip/store.h"

#define JOURNAL_SUFFIX ".usbip"
#define STOP_LIMIT_MS 9000 /* a tool that is ended, a record that may come, a port to be free */

struct usbip {
    const struct yk_usbip_side *side;
    void *self;
};

bool yk_usbip_journal_path(char *out, size_t capacity, const json_t *config,
                           const struct yk_driver_site *site, struct yk_refusal *why)
{
    const char *path = NULL;
    size_t size;

    if (!yk_member_string(config, "driver", "journal_file", capacity - 1, &path, why)) {
        return false;
    }
    size = (size_t)snprintf(out, capacity, "%s%s", path != NULL ? path : site->state_file,
                            path != NULL ? "" : JOURNAL_SUFFIX);
    if (size >= capacity || strchr(out, '/') == NULL || out[size - 1] == '/') {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "driver.journal_file: \"%.200s\" is no path of a file; write one like "
                         "\"/var/lib/yoke/ID.usbip\"",
                         out);
    }
    return true;
}

static void *parse(json_t *config, const struct yk_driver_site *site, struct yk_refusal *why)
{
    struct usbip *usbip = calloc(1, sizeof *usbip);

    if (usbip == NULL) {
        yk_refuse(why, YK_EXIT_INTERNAL, "driver: out of memory; free some");
        return NULL;
    }
    if (site->kind != YK_KIND_USB) {
        yk_refuse(why, YK_EXIT_CONFIG,
                  "driver.type: \"usbip\" carries USB devices; set node.kind to \"usb\"");
    } else {
        usbip->side = site->role == YK_ROLE_CONSUMER ? &yk_usbip_consumer : &yk_usbip_producer;
        usbip->self = usbip->side->ops.parse(config, site, why);
    }
    if (usbip->self == NULL) {
        free(usbip);
        return NULL;
    }
    return usbip;
}

static bool check_media(void *context, json_t *media, struct yk_refusal *why)
{
    struct usbip *usbip = context;

    return usbip->side->ops.check_media(usbip->self, media, why);
}

static const char *longest_media(void *context)
{
    struct usbip *usbip = context;

    return usbip->side->ops.longest_media != NULL ? usbip->side->ops.longest_media(usbip->self)
                                                  : NULL;
}

static void survey(void *context, void (*note)(const char *line))
{
    struct usbip *usbip = context;

    usbip->side->ops.survey(usbip->self, note);
}

static bool open_driver(void *context, const struct yk_driver_env *env, struct yk_refusal *why)
{
    struct usbip *usbip = context;

    return usbip->side->ops.open(usbip->self, env, why);
}

static void attach(void *context, uint64_t generation, struct yk_slice media)
{
    struct usbip *usbip = context;

    usbip->side->ops.attach(usbip->self, generation, media);
}

static void detach(void *context, uint64_t generation, enum yk_detach_reason reason)
{
    struct usbip *usbip = context;

    usbip->side->ops.detach(usbip->self, generation, reason);
}

static void poll_driver(void *context)
{
    struct usbip *usbip = context;

    usbip->side->ops.poll(usbip->self);
}

static void close_driver(void *context, void (*closed)(void *host))
{
    struct usbip *usbip = context;

    usbip->side->ops.close(usbip->self, closed);
}

static void free_driver(void *context)
{
    struct usbip *usbip = context;

    usbip->side->ops.free(usbip->self);
    free(usbip);
}

void yk_usbip_use_places(void *context, const struct yk_usbip_places *places)
{
    struct usbip *usbip = context;

    usbip->side->use_places(usbip->self, places);
}

const struct yk_driver_ops yk_driver_usbip = {
    .name = "usbip",
    .stop_limit_ms = STOP_LIMIT_MS,
    .parse = parse,
    .check_media = check_media,
    .longest_media = longest_media,
    .survey = survey,
    .open = open_driver,
    .attach = attach,
    .detach = detach,
    .poll = poll_driver,
    .close = close_driver,
    .free = free_driver,
};
