#include "scale/site.h"

#include <stdio.h>
#include <stdlib.h>

#define KEY "the site's key"
#define BASE_VERSION 7
#define TOOL "cli-desk-5b1f0e6c"

void *site_get(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (memory == NULL) {
        abort();
    }
    return memory;
}

struct yk_id site_id(const struct site *site, uint32_t host)
{
    struct yk_id id;
    char text[32];

    if (host == NOBODY) {
        snprintf(text, sizeof text, "enc-nobody");
    } else {
        snprintf(text, sizeof text, "%s-%05u", site->hosts[host].consumer ? "dec" : "enc",
                 (unsigned)host);
    }
    if (!yk_id_parse(&id, yk_slice_of(text))) {
        abort();
    }
    return id;
}

uint32_t site_find(const struct site *site, const struct yk_id *id)
{
    unsigned host;
    char end;

    if (sscanf(id->text, "%*3[a-z]-%5u%c", &host, &end) == 1 && host < site->options.hosts) {
        return host;
    }
    return NOBODY;
}

const char *site_name(uint32_t host)
{
    static char text[32];

    snprintf(text, sizeof text, "Raum %u – links", (unsigned)host);
    return text;
}

const char *site_media(uint32_t host)
{
    static char text[64];

    snprintf(text, sizeof text, "{\"group\":\"239.10.%u.%u\",\"port\":5004}", (unsigned)host / 250,
             (unsigned)host % 250);
    return text;
}

const char *site_evidence(uint32_t host)
{
    static char text[64];

    snprintf(text, sizeof text, "member of 239.10.%u.%u on eth1", (unsigned)host / 250,
             (unsigned)host % 250);
    return text;
}

static void make_host(struct site *site, uint32_t number)
{
    struct host *host = &site->hosts[number];

    host->number = number;
    host->consumer = number % PRODUCER_EVERY != 0;
    host->away = number / AWAY_BLOCK % AWAY_EVERY == 0;
    host->dice = dice_of(site->options.seed, number);
    host->id = site_id(site, number);
    host->seq_bound = (uint64_t)SITE_EPOCH_NS - dice_below(&host->dice, 1000) * YK_HOUR;
    host->producer = NOBODY;
    if (host->consumer) {
        host->version = BASE_VERSION;
        if (dice_below(&host->dice, ORPHAN_EVERY) > 0) {
            host->producer = PRODUCER_EVERY * (uint32_t)dice_below(&host->dice, site->producers);
        }
    }
    host->wanted_producer = host->producer;
    host->wanted_version = host->version;
}

struct site *site_new(const struct site_options *options)
{
    struct site *site = site_get(1, sizeof *site);

    site->options = *options;
    site->now = SITE_BEGIN;
    site->dice = dice_of(options->seed, 7000000);
    yk_auth_init(&site->auth, yk_slice_of(KEY), (struct yk_slice){NULL, 0});
    site->hosts = site_get(options->hosts, sizeof *site->hosts);
    site->producers = options->hosts / PRODUCER_EVERY;
    for (uint32_t i = 0; i < options->hosts; i++) {
        make_host(site, i);
    }
    meter_reset(&site->meter, site->now);
    site->air = air_new(site, options->real + GROUPS);
    site->real = real_new(site);
    site->model = model_new(site);
    return site;
}

void site_free(struct site *site)
{
    while (site->queue.count > 0) {
        struct happening happening = heap_take(&site->queue);

        if (happening.carries != NULL) {
            air_release(happening.carries);
        }
    }
    heap_free(&site->queue);
    model_free(site);
    real_free(site);
    air_free(site->air);
    yk_auth_fini(&site->auth);
    free(site->hosts);
    free(site);
}

void site_later(struct site *site, yk_time delay, struct happening happening)
{
    happening.at = site->now + delay;
    heap_put(&site->queue, happening);
}

static void boot(struct site *site, struct host *host)
{
    host->up = true;
    host->life++;
    if (site_is_real(site, host->number)) {
        real_boot(site, host);
    } else {
        model_boot(site, host);
    }
}

static void handle(struct site *site, const struct happening *happening)
{
    bool of_host = happening->kind != HAPPENS_ARRIVAL && happening->kind != HAPPENS_SERVE &&
                   happening->kind != HAPPENS_SWEEP && happening->kind != HAPPENS_REISSUE;
    struct host *host = of_host ? &site->hosts[happening->who] : NULL;
    bool real = host != NULL && site_is_real(site, host->number);

    switch ((enum happening_kind)happening->kind) {
    case HAPPENS_BOOT:
        boot(site, host);
        break;
    case HAPPENS_ARRIVAL:
        air_arrival(site, happening->carries);
        break;
    case HAPPENS_SERVE:
        air_serve(site, happening->who, happening->token);
        break;
    case HAPPENS_RETURN:
        (real ? real_return : model_return)(site, host);
        break;
    case HAPPENS_TICK:
        real_tick(site, host, happening->token);
        break;
    case HAPPENS_SAVED:
        (real ? real_saved : model_saved)(site, host, happening->token);
        break;
    case HAPPENS_DRIVER:
        (real ? real_driver : model_driver)(site, host, happening->token);
        break;
    case HAPPENS_ANNOUNCE:
        model_announce_due(site, host, happening->token);
        break;
    case HAPPENS_SPEAK:
        model_speak(site, host, happening->token);
        break;
    case HAPPENS_SWEEP:
        model_sweep(site, happening->who, happening->token);
        break;
    case HAPPENS_REISSUE:
        model_reissue(site, happening->who, happening->token);
        break;
    }
}

void site_run(struct site *site, yk_time until)
{
    while (site->queue.count > 0 && site->queue.list[0].at < until) {
        struct happening happening = heap_take(&site->queue);

        site->now = happening.at;
        handle(site, &happening);
    }
    site->now = until;
}

void site_power_up(struct site *site, bool away_only, yk_time within)
{
    for (uint32_t i = 0; i < site->options.hosts; i++) {
        struct host *host = &site->hosts[i];

        if (!host->up && (host->away || !away_only)) {
            site_later(site, dice_below(&host->dice, within + 1),
                       (struct happening){.kind = HAPPENS_BOOT, .who = i});
        }
    }
}

void site_power_cut_away(struct site *site)
{
    for (uint32_t i = 0; i < site->options.hosts; i++) {
        struct host *host = &site->hosts[i];

        if (host->away) {
            host->up = false;
            host->life++;
            host->settled_at = 0;
            (site_is_real(site, i) ? real_kill : model_kill)(site, host);
        }
    }
}

void site_cut(struct site *site)
{
    site->cut = true;
}

void site_heal(struct site *site, yk_time within)
{
    site->cut = false;
    for (uint32_t i = 0; i < site->options.hosts; i++) {
        site_later(site, dice_below(&site->hosts[i].dice, within + 1),
                   (struct happening){.kind = HAPPENS_RETURN, .who = i});
    }
}

static void send_intent(struct site *site, const struct host *host)
{
    struct yk_frame frame = {.type = YK_TYPE_INT};
    uint8_t bytes[YK_FRAME_MAX];
    size_t size;

    frame.seq = (uint64_t)SITE_EPOCH_NS + site->now + site->intents++;
    frame.ts_ms = (int64_t)(frame.seq / YK_MS);
    frame.as.intent.op = YK_OP_PAIR;
    frame.as.intent.consumer = host->id;
    frame.as.intent.producer = site_id(site, host->wanted_producer);
    frame.as.intent.version.n = host->wanted_version;
    if (!yk_id_parse(&frame.origin, yk_slice_of(TOOL)) ||
        !yk_id_parse(&frame.as.intent.version.author, yk_slice_of(SITE_AUTHOR))) {
        abort();
    }
    size = yk_frame_encode(&frame, &site->auth, bytes);
    air_send(site, NOBODY, (struct yk_slice){bytes, size});
}

void site_salvo(struct site *site, unsigned per_second)
{
    for (uint32_t i = 0; i < site->options.hosts; i++) {
        struct host *host = &site->hosts[i];

        if (host->consumer && host->away) {
            uint32_t now = host->wanted_producer == NOBODY ? 0 : host->wanted_producer;

            host->wanted_producer = (now + PRODUCER_EVERY) % (site->producers * PRODUCER_EVERY);
            host->wanted_version++;
            send_intent(site, host);
            site_run(site, site->now + YK_SECOND / per_second);
        }
    }
}

void site_note_settled(struct site *site, struct host *host, bool shows)
{
    if (!shows) {
        host->settled_at = 0;
    } else if (host->settled_at == 0) {
        host->settled_at = site->now;
    }
}
