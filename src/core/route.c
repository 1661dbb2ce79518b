#include "core/route.h"

#include <string.h>

void yk_route_init(struct yk_route *route, yk_time now)
{
    memset(route, 0, sizeof *route);
    route->phase = YK_ROUTE_FREE;
    route->poll_due = now + YK_DRIVER_POLL;
    yk_backoff_reset(&route->retry);
}

static struct yk_slice text_slice(const struct yk_text *text)
{
    return (struct yk_slice){text->bytes, text->size};
}

/* Keeps what fits of a driver's words; bytes that are no UTF-8 cannot go on the wire. */
static void set_detail(struct yk_route *route, struct yk_slice text)
{
    if (!yk_utf8_valid(text, NULL)) {
        text = yk_slice_of("(the driver's text is not UTF-8)");
    }
    route->detail.size = yk_utf8_cut(text, YK_REPORT_DETAIL_MAX);
    if (route->detail.size > 0) {
        memcpy(route->detail.bytes, text.data, route->detail.size);
    }
}

static void clear_detail(struct yk_route *route)
{
    route->detail.size = 0;
}

static void ask_attach(struct yk_route *route, struct yk_outbox *outbox)
{
    route->phase = YK_ROUTE_ATTACHING;
    yk_outbox_attach(outbox, ++route->generation,
                     (struct yk_slice){route->media, route->media_size});
}

static void ask_detach(struct yk_route *route, struct yk_outbox *outbox)
{
    route->phase = YK_ROUTE_RELEASING;
    yk_outbox_detach(outbox, ++route->generation, route->reason);
}

static bool is_held(const struct yk_route *route)
{
    return route->phase >= YK_ROUTE_ATTACHING;
}

static bool is_releasing(const struct yk_route *route)
{
    return route->phase == YK_ROUTE_RELEASING || route->phase == YK_ROUTE_STUCK;
}

static void start_afresh(struct yk_route *route)
{
    route->failing = false;
    yk_backoff_reset(&route->retry);
    clear_detail(route);
}

static void begin_release(struct yk_route *route, enum yk_detach_reason reason,
                          struct yk_outbox *outbox)
{
    start_afresh(route);
    route->reason = reason;
    ask_detach(route, outbox);
}

/* The media last attached, or wanted, is this. */
static bool serves(const struct yk_route *route, struct yk_slice media)
{
    return yk_slice_equal(media, (struct yk_slice){route->media, route->media_size});
}

void yk_route_attach(struct yk_route *route, struct yk_slice media, struct yk_outbox *outbox)
{
    bool same = serves(route, media);

    route->wanted = true;
    route->media_size = media.size;
    if (media.size > 0) {
        memcpy(route->media, media.data, media.size);
    }
    if (is_releasing(route)) {
        return; /* attached when the release is confirmed */
    }
    if (is_held(route) && !same) {
        begin_release(route, YK_DETACH_REPLACE, outbox);
        return;
    }
    start_afresh(route);
    ask_attach(route, outbox);
}

/* A release for another reason leaves the backend as it is where tuning is the release (an
 * appliance); only one for an unpair shows nothing afterwards. */
static bool unpair_needs_more(const struct yk_route *route, enum yk_detach_reason reason)
{
    return reason == YK_DETACH_UNPAIR && route->reason != 0 && route->reason != YK_DETACH_UNPAIR;
}

void yk_route_release(struct yk_route *route, enum yk_detach_reason reason,
                      struct yk_outbox *outbox)
{
    route->wanted = false;
    if (is_held(route) || unpair_needs_more(route, reason)) {
        begin_release(route, reason, outbox);
    }
}

void yk_route_demand_release(struct yk_route *route, enum yk_detach_reason reason,
                             struct yk_outbox *outbox)
{
    route->wanted = false;
    begin_release(route, reason, outbox);
}

void yk_route_forget_wish(struct yk_route *route)
{
    if (!is_held(route)) {
        route->wanted = false;
    }
}

static void released(struct yk_route *route, struct yk_outbox *outbox)
{
    start_afresh(route);
    route->phase = YK_ROUTE_FREE;
    if (route->wanted) {
        ask_attach(route, outbox);
    }
}

static void failed(struct yk_route *route, enum yk_route_phase phase, struct yk_slice detail,
                   struct yk_outbox *outbox)
{
    set_detail(route, detail.size > 0 ? detail : yk_slice_of("the driver gives no reason"));
    if (route->phase == YK_ROUTE_ATTACHING) {
        route->retry.due = YK_TIME_NEVER; /* of our patience with an attempt that has now ended */
    }
    route->phase = phase;
    route->failing = true;
    yk_backoff_schedule(&route->retry, outbox->now);
    yk_outbox_event(outbox, YK_EVENT_DRIVER_ERROR, NULL, text_slice(&route->detail));
}

static void attached(struct yk_route *route, struct yk_slice evidence)
{
    route->phase = YK_ROUTE_ATTACHED;
    route->failing = false;
    yk_backoff_reset(&route->retry);
    set_detail(route, evidence);
}

static void drifted(struct yk_route *route, struct yk_slice detail, struct yk_outbox *outbox)
{
    route->phase = YK_ROUTE_DRIFTED;
    set_detail(route, detail);
    yk_backoff_schedule(&route->retry, outbox->now);
}

/* The driver works on it. Should its answer get lost, it is asked again after the longest wait. */
static void be_patient(struct yk_route *route, struct yk_slice detail, yk_time now)
{
    if (!route->failing) {
        set_detail(route, detail);
    }
    if (route->retry.due == YK_TIME_NEVER) {
        route->retry.due = now + YK_RETRY_MAX;
    }
}

/* Nothing should be held. What the backend says beside "idle" is not a release: it is asked again,
 * at once when it was thought free, else when the retry is due. */
static void report_while_letting_go(struct yk_route *route, enum yk_report status,
                                    struct yk_slice detail, struct yk_outbox *outbox)
{
    if (status == YK_REPORT_IDLE) {
        if (route->phase != YK_ROUTE_FREE) {
            released(route, outbox);
        }
        return;
    }
    if (route->phase == YK_ROUTE_FREE) {
        begin_release(route, route->reason != 0 ? route->reason : YK_DETACH_UNPAIR, outbox);
    } else if (status == YK_REPORT_ERROR && route->phase == YK_ROUTE_RELEASING) {
        failed(route, YK_ROUTE_STUCK, detail, outbox);
    } else {
        yk_backoff_schedule(&route->retry, outbox->now);
    }
}

static void report_while_held(struct yk_route *route, enum yk_report status, struct yk_slice detail,
                              struct yk_outbox *outbox)
{
    switch (status) {
    case YK_REPORT_ACTIVE:
        attached(route, detail);
        break;
    case YK_REPORT_ERROR:
        if (route->phase != YK_ROUTE_FAILED) {
            failed(route, YK_ROUTE_FAILED, detail, outbox);
        }
        break;
    case YK_REPORT_PENDING:
    case YK_REPORT_IDLE:
        if (route->phase == YK_ROUTE_ATTACHED) {
            drifted(route, detail, outbox);
        } else if (route->phase == YK_ROUTE_ATTACHING && status == YK_REPORT_PENDING) {
            be_patient(route, detail, outbox->now);
        } else {
            yk_backoff_schedule(&route->retry, outbox->now);
        }
        break;
    }
}

void yk_route_report(struct yk_route *route, uint64_t generation, enum yk_report status,
                     struct yk_slice detail, struct yk_outbox *outbox)
{
    if (generation != route->generation) {
        return;
    }
    if (is_held(route)) {
        report_while_held(route, status, detail, outbox);
    } else {
        report_while_letting_go(route, status, detail, outbox);
    }
}

static void retry(struct yk_route *route, bool may_attach, struct yk_outbox *outbox)
{
    if (is_held(route) && !may_attach) {
        return;
    }
    yk_outbox_event(outbox, YK_EVENT_DRIVER_RETRY, NULL, text_slice(&route->detail));
    if (is_held(route)) {
        ask_attach(route, outbox);
    } else {
        ask_detach(route, outbox);
    }
}

void yk_route_tick(struct yk_route *route, bool may_attach, struct yk_outbox *outbox)
{
    if (yk_backoff_take(&route->retry, outbox->now)) {
        retry(route, may_attach, outbox);
    }
    if (outbox->now >= route->poll_due) {
        route->poll_due = outbox->now + YK_DRIVER_POLL;
        yk_outbox_poll(outbox, route->generation);
    }
}

yk_time yk_route_deadline(const struct yk_route *route)
{
    return route->retry.due < route->poll_due ? route->retry.due : route->poll_due;
}

void yk_route_status(const struct yk_route *route, bool wanted, struct yk_status_text *status)
{
    status->err_size = status->evidence_size = 0;
    if (route->phase == YK_ROUTE_ATTACHED) {
        status->state = YK_STATE_ACTIVE;
        status->evidence_size = route->detail.size;
        memcpy(status->evidence, route->detail.bytes, route->detail.size);
        return;
    }
    if (route->failing) {
        status->state = YK_STATE_ERROR;
    } else {
        status->state = route->phase == YK_ROUTE_FREE && !wanted ? YK_STATE_IDLE : YK_STATE_PENDING;
    }
    status->err_size = route->detail.size;
    memcpy(status->err, route->detail.bytes, route->detail.size);
}
