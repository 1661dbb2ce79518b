/* route.h - the way to the driver: what is wanted, what was asked, what it holds (spec, Consumer
 * state machine: teardown, retry, generations). Consumers and producers have one each. */
#ifndef YK_CORE_ROUTE_H
#define YK_CORE_ROUTE_H

#include "core/backoff.h"
#include "core/outbox.h"
#include "core/report.h"
#include "core/status.h"

enum yk_route_phase {
    YK_ROUTE_FREE = 1,  /* nothing is held: release confirmed, or nothing ever asked */
    YK_ROUTE_RELEASING, /* asked to let go, not confirmed */
    YK_ROUTE_STUCK,     /* letting go failed; asked again when the retry is due */
    YK_ROUTE_ATTACHING, /* asked to attach, not there yet */
    YK_ROUTE_ATTACHED,  /* confirmed by evidence of this generation */
    YK_ROUTE_DRIFTED,   /* was attached and is not any more, no failure; asked again when due */
    YK_ROUTE_FAILED,    /* attaching failed; asked again when the retry is due */
    YK_ROUTE_PHASE_END
};

struct yk_text {
    size_t size;
    uint8_t bytes[YK_REPORT_DETAIL_MAX];
};

struct yk_route {
    enum yk_route_phase phase;
    uint64_t generation; /* of the last question to the driver; answers to older ones are void */
    bool wanted;         /* attach `media` once what is held is let go */
    bool failing;        /* the last attempt failed, and none succeeded since */
    enum yk_detach_reason reason; /* of the last release; 0 before any */
    struct yk_backoff retry;
    yk_time poll_due;
    struct yk_text detail; /* ATTACHED: the evidence; failing: the error; else what it waits for */
    size_t media_size;
    uint8_t media[YK_FRAME_MAX];
};

/* Nothing held, nothing wanted. */
void yk_route_init(struct yk_route *route, yk_time now);

/* Wants this media attached. The same media is attached again at once, which drivers take as
 * idempotent; other media waits until what is held is let go. Either way backoff starts afresh. */
void yk_route_attach(struct yk_route *route, struct yk_slice media, struct yk_outbox *outbox);
/* Lets go what is held and wants nothing. */
void yk_route_release(struct yk_route *route, enum yk_detach_reason reason,
                      struct yk_outbox *outbox);
/* The same, and the driver is asked in any case: a former life may have left something. */
void yk_route_demand_release(struct yk_route *route, enum yk_detach_reason reason,
                             struct yk_outbox *outbox);
/* No attach after a release that is under way; what is attached stays. */
void yk_route_forget_wish(struct yk_route *route);

void yk_route_report(struct yk_route *route, uint64_t generation, enum yk_report status,
                     struct yk_slice detail, struct yk_outbox *outbox);
/* Polls and retries that are due. A retry to attach is made only when `may_attach`, else dropped:
 * yk_route_attach comes when circumstances change. */
void yk_route_tick(struct yk_route *route, bool may_attach, struct yk_outbox *outbox);
yk_time yk_route_deadline(const struct yk_route *route);

/* The state that the route alone makes, with its text; nothing held is idle unless `wanted`. */
void yk_route_status(const struct yk_route *route, bool wanted, struct yk_status_text *status);

#endif
