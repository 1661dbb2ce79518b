/* producer.h - the producer's state machine (spec, Producer state machine): it announces its media,
 * keeps its driver at work and reports the driver's health. It applies no intents. */
#ifndef YK_CORE_PRODUCER_H
#define YK_CORE_PRODUCER_H

#include "core/route.h"
#include "core/status.h"

struct yk_producer {
    struct yk_route route;
};

/* `media` is what the driver serves; size 0 when the configuration has none. */
void yk_producer_start(struct yk_producer *producer, struct yk_slice media,
                       struct yk_outbox *outbox);
void yk_producer_tick(struct yk_producer *producer, struct yk_outbox *outbox);
void yk_producer_status(const struct yk_producer *producer, struct yk_status_text *status);

#endif
