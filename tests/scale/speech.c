/* What a modelled host says: frames as the core spells them, encoded by the core's own encoder. */
#include <stdio.h>
#include <stdlib.h>

#include "scale/model.h"

static struct puppet *puppet_of(const struct site *site, const struct host *host)
{
    return &site->model->puppets[host->number];
}

static void say(struct site *site, const struct host *host, struct yk_frame *frame)
{
    uint8_t bytes[YK_FRAME_MAX];
    size_t size;

    frame->origin = host->id;
    frame->seq = puppet_of(site, host)->seq++;
    frame->ts_ms = (SITE_EPOCH_NS + (int64_t)site->now) / (int64_t)YK_MS;
    size = yk_frame_encode(frame, &site->auth, bytes);
    air_send(site, host->number, (struct yk_slice){bytes, size});
}

static void say_event(struct site *site, const struct host *host, enum yk_event event,
                      const char *detail)
{
    struct yk_frame frame = {.type = YK_TYPE_EVT};

    frame.as.evt.event = event;
    frame.as.evt.detail = yk_slice_of(detail);
    say(site, host, &frame);
}

void say_started(struct site *site, const struct host *host)
{
    say_event(site, host, YK_EVENT_STARTED, "{}");
}

static void set_author(struct yk_version *version, uint64_t n)
{
    version->n = n;
    if (!yk_id_parse(&version->author, yk_slice_of(SITE_AUTHOR))) {
        abort();
    }
}

/* What a consumer misses while its producer is not heard. */
static const char *complaint(const struct site *site, const struct host *host)
{
    static char text[128];
    struct yk_id producer = site_id(site, host->producer);

    snprintf(text, sizeof text, "producer %s is not heard", producer.text);
    return text;
}

void say_media_pending(struct site *site, const struct host *host)
{
    char detail[256] = "{}";

    if (host->consumer) {
        snprintf(detail, sizeof detail, "{\"detail\":\"%s\",\"producer\":\"%s\"}",
                 complaint(site, host), site_id(site, host->producer).text);
    }
    say_event(site, host, YK_EVENT_MEDIA_PENDING, detail);
}

void say_media_up(struct site *site, const struct host *host)
{
    char detail[256];

    if (host->consumer) {
        snprintf(detail, sizeof detail, "{\"detail\":\"%s\",\"producer\":\"%s\"}",
                 site_evidence(host->producer), site_id(site, host->producer).text);
    } else {
        snprintf(detail, sizeof detail, "{\"detail\":\"%s\"}", site_evidence(host->number));
    }
    say_event(site, host, YK_EVENT_MEDIA_UP, detail);
}

void say_peer(struct site *site, const struct host *host, enum yk_event event)
{
    char detail[128];

    snprintf(detail, sizeof detail, "{\"producer\":\"%s\"}", site_id(site, host->producer).text);
    say_event(site, host, event, detail);
}

void say_applied(struct site *site, const struct host *host)
{
    char detail[256];

    snprintf(detail, sizeof detail, "{\"producer\":\"%s\",\"version\":[%llu,\"%s\"]}",
             site_id(site, host->producer).text, (unsigned long long)host->version, SITE_AUTHOR);
    say_event(site, host, YK_EVENT_PAIRING_APPLIED, detail);
}

void say_ack(struct site *site, const struct host *host, uint64_t version, bool applied)
{
    struct yk_frame frame = {.type = YK_TYPE_ACK};

    set_author(&frame.as.ack.version, version);
    frame.as.ack.applied = applied;
    frame.as.ack.reason = applied ? YK_REASON_APPLIED : YK_REASON_SUPERSEDED;
    say(site, host, &frame);
}

void say_announcement(struct site *site, const struct host *host)
{
    struct yk_frame frame = {.type = YK_TYPE_ANN};
    struct yk_ann *ann = &frame.as.ann;
    const struct puppet *puppet = puppet_of(site, host);
    bool waits = host->consumer && !puppet->active && !puppet->attaching;

    ann->role = host->consumer ? YK_ROLE_CONSUMER : YK_ROLE_PRODUCER;
    ann->kind = YK_KIND_HDMI;
    ann->name = yk_slice_of(site_name(host->number));
    ann->state = puppet->active ? YK_STATE_ACTIVE : YK_STATE_PENDING;
    ann->has_err = waits;
    ann->err = yk_slice_of(waits ? complaint(site, host) : "");
    ann->has_evidence = puppet->active;
    ann->evidence = yk_slice_of(
        puppet->active ? site_evidence(host->consumer ? host->producer : host->number) : "");
    if (host->consumer) {
        ann->pairing.producer = site_id(site, host->producer);
        set_author(&ann->pairing.version, host->version);
    } else {
        ann->media = yk_slice_of(site_media(host->number));
    }
    say(site, host, &frame);
}

void say_reissue(struct site *site, const struct host *host, uint32_t consumer, uint64_t version)
{
    struct yk_frame frame = {.type = YK_TYPE_INT};
    const struct host *to = &site->hosts[consumer];

    frame.as.intent.op = YK_OP_PAIR;
    frame.as.intent.consumer = to->id;
    frame.as.intent.producer = site_id(site, to->wanted_producer);
    set_author(&frame.as.intent.version, version);
    say(site, host, &frame);
}
