#include "drivers/jap/jap.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/module.h"
#include "drivers/jap/client.h"
#include "drivers/jap/firmware.h"
#include "drivers/jap/inspect.h"
#include "drivers/jap/media.h"
#include "drivers/jap/settings.h"
#include "drivers/jap/tuner.h"

/* A stop leaves the device as it is and waits for nothing but a parking under way. */
#define STOP_LIMIT_MS 1000

struct jap {
    struct yk_jap_settings settings;
    struct yk_driver_site site;
    struct yk_driver_env env;
    int announced; /* a producer's configured channel; -1: none */
    uint64_t generation;
    struct yk_jap_tuner tuner;
    struct yk_jap_client *client;            /* from open to close */
    uv_timer_t timer;                        /* for the tuner's deadline */
    char known_as[2 * YK_JAP_WORD_MAX + 16]; /* model and firmware, as logged last */
    void (*closed)(void *host);
};

static void *parse(json_t *config, const struct yk_driver_site *site, struct yk_refusal *why)
{
    struct jap *self = calloc(1, sizeof *self);

    if (self == NULL) {
        yk_refuse(why, YK_EXIT_INTERNAL, "driver: out of memory; free some");
        return NULL;
    }
    self->site = *site;
    self->announced = -1;
    if (!yk_jap_settings_parse(&self->settings, config, site->role, why)) {
        free(self);
        return NULL;
    }
    return self;
}

static bool check_media(void *context, json_t *media, struct yk_refusal *why)
{
    struct jap *self = context;

    if (!yk_jap_media_check(media, self->site.control_group, why)) {
        return false;
    }
    self->announced = (int)json_integer_value(json_object_get(media, "channel"));
    return true;
}

/* ---- the tuner's questions, and what it says */

static void answered(void *context, const struct yk_jap_answer *answer);

static void report(struct jap *self)
{
    self->tuner.news = false;
    self->env.report(self->env.host, self->generation, self->tuner.status, self->tuner.detail);
}

static void due(uv_timer_t *timer);

static void wait_until(struct jap *self, yk_time deadline)
{
    yk_time now = uv_hrtime();

    if (deadline == YK_TIME_NEVER) {
        uv_timer_stop(&self->timer);
    } else {
        uv_update_time(self->env.loop); /* the timer counts from the loop's time */
        uv_timer_start(&self->timer, due, deadline > now ? (deadline - now) / YK_MS + 1 : 0, 0);
    }
}

/* Says what is new, asks what is next, and waits for what comes then. */
static void go_on(struct jap *self)
{
    struct yk_jap_answer failure;
    enum yk_jap_ask ask;
    uint16_t channel;

    if (yk_jap_tuner_next(&self->tuner, uv_hrtime(), &ask, &channel)) {
        if (ask == YK_JAP_ASK_SET) {
            self->env.log(self->env.host, YK_LOG_INFO, "%s: set to channel %u", self->settings.host,
                          channel);
        }
        if (!yk_jap_client_ask(self->client, ask, channel)) {
            yk_jap_answer_fail(&failure, ask, YK_JAP_UNSENT,
                               "could not be asked: out of memory; free some");
            yk_jap_tuner_took(&self->tuner, &failure, uv_hrtime());
        }
    }
    if (self->tuner.news) {
        report(self);
    }
    wait_until(self, yk_jap_tuner_deadline(&self->tuner));
}

static void due(uv_timer_t *timer)
{
    go_on(timer->data);
}

static void log_device(struct jap *self, const struct yk_jap_device *device)
{
    char text[sizeof self->known_as];
    char warning[YK_JAP_REASON_MAX];

    snprintf(text, sizeof text, "%s, firmware %s", device->model, device->firmware);
    if (strcmp(text, self->known_as) == 0) {
        return;
    }
    memcpy(self->known_as, text, sizeof text);
    self->env.log(self->env.host, YK_LOG_INFO, "%s: is %s", self->settings.host, text);
    if (yk_jap_firmware_warning(device->firmware, warning)) {
        self->env.log(self->env.host, YK_LOG_WARNING, "%s: %s", self->settings.host, warning);
    }
}

static void answered(void *context, const struct yk_jap_answer *answer)
{
    struct jap *self = context;

    if (answer->ask == YK_JAP_ASK_DEVICE && answer->fate == YK_JAP_ANSWERED) {
        log_device(self, &answer->device);
    }
    if (answer->ask == YK_JAP_ASK_SET && answer->fate != YK_JAP_ANSWERED) {
        self->env.log(self->env.host, YK_LOG_WARNING, "%s: %s; its channel is read back",
                      self->settings.host, answer->reason);
    }
    yk_jap_tuner_took(&self->tuner, answer, uv_hrtime());
    go_on(self);
}

/* ---- what the host calls */

static bool open_driver(void *context, const struct yk_driver_env *env, struct yk_refusal *why)
{
    struct jap *self = context;
    uint64_t seed;

    self->env = *env;
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed) {
        return yk_refuse(why, YK_EXIT_INTERNAL, "random numbers: none; start again");
    }
    yk_jap_tuner_init(&self->tuner, self->site.role, self->settings.host, seed);
    self->client = yk_jap_client_open(env->loop, self->settings.host, self->settings.port, self,
                                      answered, why);
    if (self->client == NULL) {
        return false;
    }
    uv_timer_init(env->loop, &self->timer);
    self->timer.data = self;
    return true;
}

static void attach(void *context, uint64_t generation, struct yk_slice json)
{
    struct jap *self = context;
    struct yk_jap_media media;
    struct yk_refusal why;

    self->generation = generation;
    if (!yk_jap_media_read(&media, json, self->site.control_group, &why)) {
        yk_jap_tuner_refuse(&self->tuner, why.text);
    } else if (self->site.role == YK_ROLE_CONSUMER &&
               media.channel == self->settings.park_channel) {
        yk_refuse(&why, YK_EXIT_CONFIG,
                  "media.channel: %u is this decoder's park_channel; give one of them another",
                  media.channel);
        yk_jap_tuner_refuse(&self->tuner, why.text);
    } else {
        yk_jap_tuner_tune(&self->tuner, &media, uv_hrtime());
    }
    go_on(self);
}

static void detach(void *context, uint64_t generation, enum yk_detach_reason reason)
{
    struct jap *self = context;

    self->generation = generation;
    if (reason == YK_DETACH_UNPAIR && self->site.role == YK_ROLE_CONSUMER) {
        yk_jap_tuner_park(&self->tuner, self->settings.park_channel, uv_hrtime());
    } else {
        yk_jap_tuner_leave(&self->tuner); /* tuning is the release: no dark between two pictures */
    }
    go_on(self);
}

static void poll_driver(void *context)
{
    report(context);
}

static void timer_closed(uv_handle_t *timer)
{
    struct jap *self = timer->data;

    self->closed(self->env.host);
}

static void client_closed(void *context)
{
    struct jap *self = context;

    uv_close((uv_handle_t *)&self->timer, timer_closed);
}

static void close_driver(void *context, void (*closed)(void *host))
{
    struct jap *self = context;

    self->closed = closed;
    uv_timer_stop(&self->timer);
    yk_jap_client_close(self->client, client_closed);
}

static bool inspect(void *context, void (*fact)(const char *line), void (*warn)(const char *line),
                    struct yk_refusal *why)
{
    struct jap *self = context;

    return yk_jap_inspect(&self->settings, self->site.role, self->announced, fact, warn, why);
}

const struct yk_driver_ops yk_driver_jap = {
    .name = "jap",
    .stop_limit_ms = STOP_LIMIT_MS,
    .parse = parse,
    .check_media = check_media,
    .open = open_driver,
    .attach = attach,
    .detach = detach,
    .poll = poll_driver,
    .close = close_driver,
    .inspect = inspect,
    .free = free,
};
YK_MODULE(yk_driver_jap);
