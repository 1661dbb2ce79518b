/* outbox.h - the effects of the step that runs, and our voice: everything that leaves the core is
 * put here. */
#ifndef YK_CORE_OUTBOX_H
#define YK_CORE_OUTBOX_H

#include "core/frame.h"
#include "core/node.h"
#include "core/sequence.h"

/* Bytes of text an event may carry, as spelled in JSON: any event then fits a frame. */
#define YK_EVENT_TEXT_MAX 500

struct yk_outbox {
    const struct yk_id *origin;
    const struct yk_auth *auth;
    struct yk_sequence sequence;
    struct yk_wall wall;
    bool mute;                  /* a frame was held back for want of a number */
    struct yk_effects *effects; /* of the step that runs */
    yk_time now;                /* of the step that runs */
};

/* Begins a step: what was there before is gone. */
void yk_outbox_begin(struct yk_outbox *outbox, struct yk_effects *effects, yk_time now);

/* Signs and queues a frame; `type` and `as` are given, the rest is filled here. False when it does
 * not fit or no sequence number is left: then nothing is sent. */
bool yk_outbox_send(struct yk_outbox *outbox, struct yk_frame *frame);

/* An event on the wire with its copy to the local log. The detail is {"detail": text}, with
 * {"producer": id} beside it when `producer` is not NULL; an empty `text` is left out. */
void yk_outbox_event(struct yk_outbox *outbox, enum yk_event event, const struct yk_id *producer,
                     struct yk_slice text);
/* An event whose detail the caller wrote as a canonical JSON object. */
void yk_outbox_event_raw(struct yk_outbox *outbox, enum yk_event event, struct yk_slice detail);
/* The local log alone: {"node": id, "detail": text}, either may be absent. */
void yk_outbox_note(struct yk_outbox *outbox, enum yk_event note, const struct yk_id *node,
                    struct yk_slice text);

void yk_outbox_persist(struct yk_outbox *outbox, uint64_t request, const struct yk_durable *state);
void yk_outbox_attach(struct yk_outbox *outbox, uint64_t generation, struct yk_slice media);
void yk_outbox_detach(struct yk_outbox *outbox, uint64_t generation, enum yk_detach_reason reason);
void yk_outbox_poll(struct yk_outbox *outbox, uint64_t generation);
void yk_outbox_stopped(struct yk_outbox *outbox);

#endif
