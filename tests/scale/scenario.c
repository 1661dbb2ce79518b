#include "scale/scenario.h"

#include <stdlib.h>
#include <string.h>

#define WATCHED (10 * YK_SECOND) /* from what happens on */
#define QUIET (3 * YK_SECOND)    /* the end of it */
#define CALM (8 * YK_SECOND)     /* until a site started host by host is at rest */
#define NOTICED (30 * YK_MS)     /* a port that is up again, by the last host */
#define SALVO_RATE 1000          /* intents a second */

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static double seconds(yk_time duration)
{
    return (double)duration / (double)YK_SECOND;
}

static void measure_settling(const struct site *site, yk_time since, struct finding *finding)
{
    double *list = site_get(site->options.hosts, sizeof *list);
    uint32_t count = 0;

    for (uint32_t i = 0; i < site->options.hosts; i++) {
        const struct host *host = &site->hosts[i];
        double took = host->settled_at > since ? seconds(host->settled_at - since) : 0;

        if (host->settled_at == 0) {
            *(site_is_real(site, i) ? &finding->unsettled : &finding->model_unsettled) += 1;
            continue;
        }
        if (site_is_real(site, i) && took > finding->real_most) {
            finding->real_most = took;
        }
        if (host->consumer && took > 0) {
            list[count++] = took;
        }
    }
    qsort(list, count, sizeof *list, compare);
    if (count > 0) {
        finding->settled_half = list[count / 2];
        finding->settled_most = list[count - 1];
    }
    free(list);
}

/* Lets the site go on for WATCHED and looks at it. */
static void watch(struct site *site, struct finding *finding)
{
    yk_time since = site->now;
    struct meter *meter = &site->meter;
    uint64_t frames, bits;

    memset(finding, 0, sizeof *finding);
    meter_reset(meter, since);
    air_longest_queue(site->air);
    site_run(site, since + WATCHED - QUIET);
    frames = meter_frames(meter);
    bits = meter->bits;
    finding->longest_queue = air_longest_queue(site->air);
    site_run(site, since + WATCHED);
    finding->queue_at_end = air_longest_queue(site->air);
    finding->frames = (double)meter_frames(meter);
    finding->frames_rate = (double)(meter_frames(meter) - frames) / seconds(QUIET);
    finding->bits_rate = (double)(meter->bits - bits) / seconds(QUIET);
    finding->peak = (double)meter_peak(meter, 0, WATCHED);
    finding->peak_bits = (double)meter_peak_bits(meter, 0, WATCHED);
    finding->announcements = (double)meter->frames[YK_TYPE_ANN];
    finding->intents = (double)meter->frames[YK_TYPE_INT];
    finding->acks = (double)meter->frames[YK_TYPE_ACK];
    finding->events = (double)meter->frames[YK_TYPE_EVT];
    finding->lost_in_port = (double)air_lost_in_ports(site->air);
    finding->lost_in_socket =
        (double)air_lost_in_sockets(site->air, 0, site->options.real + GROUPS);
    measure_settling(site, since, finding);
}

void scenario_power_up(const struct site_options *options, struct finding *finding)
{
    struct site *site = site_new(options);

    site_power_up(site, false, 0);
    watch(site, finding);
    site_free(site);
}

void scenario_return(const struct site_options *options, struct finding *finding)
{
    struct site *site = site_new(options);
    double behind = 0;

    site_power_up(site, false, 2 * YK_SECOND);
    site_run(site, site->now + CALM);
    site_power_cut_away(site);
    site_run(site, site->now + YK_SECOND);
    site_salvo(site, SALVO_RATE);
    site_run(site, site->now + CALM);
    for (uint32_t i = 0; i < options->hosts; i++) {
        behind += site->hosts[i].version < site->hosts[i].wanted_version;
    }
    site_power_up(site, true, 0);
    watch(site, finding);
    finding->behind = behind;
    site_free(site);
}

void scenario_switch(const struct site_options *options, struct finding *finding)
{
    struct site *site = site_new(options);

    site_power_up(site, false, 2 * YK_SECOND);
    site_run(site, site->now + CALM);
    site_cut(site);
    site_run(site, site->now + CALM);
    site_heal(site, NOTICED);
    watch(site, finding);
    site_free(site);
}

void scenario_rest(const struct site_options *options, struct finding *finding)
{
    struct site *site = site_new(options);

    site_power_up(site, false, 2 * YK_SECOND);
    site_run(site, site->now + CALM);
    watch(site, finding);
    site_free(site);
}
