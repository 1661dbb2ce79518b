/* driver_host.h - between the core's effects and one driver: at most the call in flight and the
 * latest wanted route wait here, and a detach is never dropped between two attaches (spec, Consumer
 * state machine). A driver's report reaches the owner from the loop, never from inside a call. */
#ifndef YK_SHELL_DRIVER_HOST_H
#define YK_SHELL_DRIVER_HOST_H

#include <uv.h>

#include "core/types.h"
#include "drivers/driver.h"

/* One report, copied. */
struct yk_host_report {
    uint64_t generation;
    enum yk_report status;
    size_t detail_size;
    uint8_t detail[YK_REPORT_DETAIL_MAX];
};

struct yk_driver_host {
    const struct yk_driver_ops *ops;
    void *self;
    void *owner;
    void (*reported)(void *owner); /* there is something to take */
    uv_async_t wake;               /* brings a report made inside a call to the loop */
    bool in_flight;                /* a call was not answered yet */
    bool closing;
    uint64_t generation; /* given last to the driver */
    bool detaching;      /* the last call was a detach, not confirmed so far */
    struct {
        bool wanted;
        uint64_t generation;
        enum yk_detach_reason reason;
    } detach;
    struct {
        bool wanted; /* after the detach, if one waits too */
        uint64_t generation;
        size_t media_size;
        uint8_t media[YK_FRAME_MAX];
    } attach;
    bool has_report; /* not taken yet */
    struct yk_host_report report;
    bool has_media; /* not taken yet */
    size_t media_size;
    uint8_t media[YK_FRAME_MAX];
    bool (*is_paired)(void *owner); /* set by the owner after the opening */
    void (*closed)(void *owner);
};

/* Opens the driver; `self` is what its parse gave and stays the caller's. `reported` is called from
 * the loop. */
bool yk_driver_host_open(struct yk_driver_host *host, const struct yk_driver_ops *ops, void *self,
                         const struct yk_driver_site *site, uv_loop_t *loop, void *owner,
                         void (*reported)(void *owner), struct yk_refusal *why);

/* The core's effects. */
void yk_driver_host_attach(struct yk_driver_host *host, uint64_t generation, struct yk_slice media);
void yk_driver_host_detach(struct yk_driver_host *host, uint64_t generation,
                           enum yk_detach_reason reason);
/* Skipped while a call is in flight or waits: its answer is as good. */
void yk_driver_host_poll(struct yk_driver_host *host);

/* True and `report` filled with the latest report not taken yet. What waits for that answer is
 * called by the next effect or yk_driver_host_go_on, so that the core may change it first. */
bool yk_driver_host_take(struct yk_driver_host *host, struct yk_host_report *report);
void yk_driver_host_go_on(struct yk_driver_host *host);

/* True and `media` the latest that a producer's driver announced and that was not taken yet; valid
 * until the loop goes on. */
bool yk_driver_host_take_media(struct yk_driver_host *host, struct yk_slice *media);

/* Drops what waits and closes the driver; `closed` is called from the loop, later. */
void yk_driver_host_close(struct yk_driver_host *host, void (*closed)(void *owner));

#endif
