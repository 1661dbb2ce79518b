#include "shell/driver_host.h"

#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "shell/log.h"

/* A call is answered by any report under its generation. Older ones cannot say anything about now. */
static void take_report(void *host_, uint64_t generation, enum yk_report status, const char *detail)
{
    struct yk_driver_host *host = host_;
    struct yk_host_report *report = &host->report;
    struct yk_slice text = yk_slice_of(detail == NULL ? "" : detail);

    if (generation != host->generation || host->closing) {
        return;
    }
    report->generation = generation;
    report->status = status;
    report->detail_size =
        text.size <= sizeof report->detail ? text.size : yk_utf8_cut(text, sizeof report->detail);
    memcpy(report->detail, text.data, report->detail_size);
    host->has_report = true;
    uv_async_send(&host->wake);
}

static void take_media(void *host_, const char *media)
{
    struct yk_driver_host *host = host_;
    struct yk_slice text = yk_slice_of(media);

    if (text.size > sizeof host->media || host->closing) {
        return; /* no frame carries that much: refused at the start */
    }
    memcpy(host->media, text.data, text.size);
    host->media_size = text.size;
    host->has_media = true;
    uv_async_send(&host->wake);
}

static bool is_paired(void *host_)
{
    struct yk_driver_host *host = host_;

    return host->is_paired != NULL && host->is_paired(host->owner);
}

__attribute__((format(printf, 3, 4))) static void log_line(void *host_, enum yk_log_level level,
                                                           const char *format, ...)
{
    struct yk_driver_host *host = host_;
    char text[YK_LOG_LINE_MAX / 2];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    yk_log_kind(level, format, "driver %s: %s", host->ops->name, text);
}

static void woken(uv_async_t *wake)
{
    struct yk_driver_host *host = wake->data;

    if ((host->has_report || host->has_media) && !host->closing) {
        host->reported(host->owner);
    }
}

bool yk_driver_host_open(struct yk_driver_host *host, const struct yk_driver_ops *ops, void *self,
                         const struct yk_driver_site *site, uv_loop_t *loop, void *owner,
                         void (*reported)(void *owner), struct yk_refusal *why)
{
    struct yk_driver_env env = {.site = *site,
                                .loop = loop,
                                .host = host,
                                .report = take_report,
                                .announce = take_media,
                                .is_paired = is_paired,
                                .log = log_line};
    int error;

    memset(host, 0, sizeof *host);
    host->ops = ops;
    host->self = self;
    host->owner = owner;
    host->reported = reported;
    error = uv_async_init(loop, &host->wake, woken);
    if (error != 0) {
        return yk_refuse(why, YK_EXIT_INTERNAL, "driver %s: cannot be hosted: %s; start again",
                         ops->name, uv_strerror(error));
    }
    host->wake.data = host;
    if (!ops->open(self, &env, why)) {
        uv_close((uv_handle_t *)&host->wake, NULL);
        return false;
    }
    return true;
}

static void begin(struct yk_driver_host *host, uint64_t generation)
{
    host->generation = generation;
    host->has_report = false; /* it was about an older route */
    host->in_flight = true;
}

static void call_detach(struct yk_driver_host *host)
{
    host->detach.wanted = false;
    host->detaching = true;
    begin(host, host->detach.generation);
    host->ops->detach(host->self, host->detach.generation, host->detach.reason);
}

static void call_attach(struct yk_driver_host *host)
{
    host->attach.wanted = false;
    begin(host, host->attach.generation);
    host->ops->attach(host->self, host->attach.generation,
                      (struct yk_slice){host->attach.media, host->attach.media_size});
}

void yk_driver_host_go_on(struct yk_driver_host *host)
{
    if (host->in_flight || host->closing) {
        return;
    }
    if (host->detach.wanted) {
        call_detach(host);
    } else if (host->attach.wanted && !host->detaching) {
        call_attach(host);
    }
}

void yk_driver_host_attach(struct yk_driver_host *host, uint64_t generation, struct yk_slice media)
{
    if (media.size > sizeof host->attach.media) {
        return; /* no frame carries that much */
    }
    host->attach.wanted = true;
    host->attach.generation = generation;
    host->attach.media_size = media.size;
    if (media.size > 0) {
        memcpy(host->attach.media, media.data, media.size);
    }
    yk_driver_host_go_on(host);
}

void yk_driver_host_detach(struct yk_driver_host *host, uint64_t generation,
                           enum yk_detach_reason reason)
{
    /* An unpair that still waits must release, even when the agent stops meanwhile. */
    bool unpair =
        host->detach.wanted && host->detach.reason == YK_DETACH_UNPAIR && reason == YK_DETACH_STOP;

    host->attach.wanted = false;
    host->detach.wanted = true;
    host->detach.generation = generation;
    host->detach.reason = unpair ? YK_DETACH_UNPAIR : reason;
    yk_driver_host_go_on(host);
}

void yk_driver_host_poll(struct yk_driver_host *host)
{
    if (host->in_flight || host->closing || host->detach.wanted || host->attach.wanted) {
        return;
    }
    host->in_flight = true;
    host->ops->poll(host->self);
}

bool yk_driver_host_take(struct yk_driver_host *host, struct yk_host_report *report)
{
    if (!host->has_report) {
        return false;
    }
    *report = host->report;
    host->has_report = false;
    host->in_flight = false;
    if (report->status == YK_REPORT_IDLE) {
        host->detaching = false;
    }
    return true;
}

bool yk_driver_host_take_media(struct yk_driver_host *host, struct yk_slice *media)
{
    if (!host->has_media) {
        return false;
    }
    *media = (struct yk_slice){host->media, host->media_size};
    host->has_media = false;
    return true;
}

static void wake_closed(uv_handle_t *wake)
{
    struct yk_driver_host *host = wake->data;

    host->closed(host->owner);
}

static void driver_closed(void *host_)
{
    struct yk_driver_host *host = host_;

    uv_close((uv_handle_t *)&host->wake, wake_closed);
}

void yk_driver_host_close(struct yk_driver_host *host, void (*closed)(void *owner))
{
    host->closing = true;
    host->closed = closed;
    host->ops->close(host->self, driver_closed);
}
