#include "core/producer.h"

void yk_producer_start(struct yk_producer *producer, struct yk_slice media,
                       struct yk_outbox *outbox)
{
    yk_route_init(&producer->route, outbox->now);
    yk_route_attach(&producer->route, media, outbox);
}

void yk_producer_tick(struct yk_producer *producer, struct yk_outbox *outbox)
{
    yk_route_tick(&producer->route, true, outbox);
}

void yk_producer_status(const struct yk_producer *producer, struct yk_status_text *status)
{
    yk_route_status(&producer->route, true, status);
}
