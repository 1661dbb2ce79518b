/* The way to the driver (spec, Consumer state machine), from what was asked and what was answered:
 * active only on evidence of the present question; a changed producer is announced pending first; an
 * old route is let go, and confirmed, before another attaches; a picture that plays is not torn down
 * because its producer is silent, leaves or starts again. */
#include <inttypes.h>
#include <string.h>

#include "sim/heard.h"

enum question { ASKED_NOTHING, ASKED_ATTACH, ASKED_DETACH };

struct record {
    enum question question;
    uint64_t generation;
    bool evidence; /* the last answer to the attach was active */
    bool played;   /* and one before was, since it was asked first */
    bool clean;    /* nothing can be held: a release was confirmed, or nothing was ever asked */
    size_t media_size;
    uint8_t media[YK_FRAME_MAX]; /* asked for last */
    size_t detail_size;          /* of the evidence */
    uint8_t detail[YK_REPORT_DETAIL_MAX];
    bool detail_usable;
    enum yk_state announced;
    size_t said_size; /* the producer's media, announced last */
    uint8_t said[YK_FRAME_MAX];
    bool stopping;
    yk_time ticked; /* until then silence was noticed: nothing was due any more */
};

static void *make(const struct world *world)
{
    return check_records(world, sizeof(struct record));
}

static void boot(void *self, struct world *world, struct agent *agent)
{
    struct record *record = (struct record *)self + agent->number;

    (void)world;
    *record = (struct record){0};
    /* A former life may have left something where anything was ever paired. */
    record->clean = agent->role == YK_ROLE_PRODUCER || agent->disk.seen.pairing.version.n == 0;
}

static struct yk_slice media_of(const struct record *record)
{
    return (struct yk_slice){record->media, record->media_size};
}

static const struct heard *producer_heard(const struct world *world, const struct agent *agent)
{
    uint32_t number = world_find(world, &agent->view.pairing->producer);

    return number == UINT32_MAX ? NULL : heard_of(world, agent, number);
}

/* ---- answers */

static void see_report(struct record *record, const struct yk_input *input)
{
    struct yk_slice detail = input->as.report.detail;

    if (input->as.report.generation != record->generation) {
        return;
    }
    if (record->question == ASKED_DETACH && input->as.report.status == YK_REPORT_IDLE) {
        record->clean = true;
    }
    record->evidence =
        record->question == ASKED_ATTACH && input->as.report.status == YK_REPORT_ACTIVE;
    if (!record->evidence) {
        return;
    }
    record->played = true;
    record->detail_usable = yk_utf8_valid(detail, NULL);
    record->detail_size = record->detail_usable ? yk_utf8_cut(detail, YK_REPORT_DETAIL_MAX) : 0;
    if (record->detail_size > 0) {
        memcpy(record->detail, detail.data, record->detail_size);
    }
}

/* ---- questions */

static void see_attach(struct record *record, struct world *world, const struct agent *agent,
                       const struct yk_effect *effect)
{
    struct yk_slice media = effect->as.attach.media;
    bool other = !yk_slice_equal(media, media_of(record));

    check_that(world, record->clean || (record->question == ASKED_ATTACH && !other),
               "teardown-first", agent,
               "attaches %" PRIu64 " before the release of what was there is confirmed",
               effect->as.attach.generation);
    check_that(world, !other || record->announced != YK_STATE_ACTIVE || agent->view.seq_left == 0,
               "pending-first", agent, "attaches other media while it is announced as active");
    record->question = ASKED_ATTACH;
    record->generation = effect->as.attach.generation;
    record->evidence = record->clean = false;
    record->played = record->played && !other;
    record->media_size = media.size;
    if (media.size > 0) {
        memcpy(record->media, media.data, media.size);
    }
}

/* The pairing names whom it named, and that one's media is still what plays. */
static bool plays_on(const struct record *record, const struct world *world,
                     const struct agent *agent, const struct step *step)
{
    const struct heard *heard = producer_heard(world, agent);

    return record->question == ASKED_ATTACH && record->played && heard != NULL &&
           heard->media_ann != NULL &&
           yk_id_equal(&step->pairing_before.producer, &agent->view.pairing->producer) &&
           yk_slice_equal(heard->media_ann->frame.as.ann.media, media_of(record));
}

static void see_detach(struct record *record, struct world *world, const struct agent *agent,
                       const struct step *step, const struct yk_effect *effect)
{
    enum yk_detach_reason reason = effect->as.detach.reason;

    check_that(world, agent->role == YK_ROLE_CONSUMER || reason == YK_DETACH_STOP,
               "picture-outlives", agent, "a producer lets go without being stopped");
    check_that(world, reason == YK_DETACH_STOP || !plays_on(record, world, agent, step),
               "picture-outlives", agent, "a picture that plays is torn down");
    record->question = ASKED_DETACH;
    record->generation = effect->as.detach.generation;
    record->evidence = record->played = record->clean = false;
}

/* ---- announcements */

static void see_consumer_active(const struct record *record, struct world *world,
                                const struct agent *agent)
{
    const struct heard *heard = producer_heard(world, agent);
    const struct yk_ann *ann =
        heard != NULL && heard->ann != NULL ? &heard->ann->frame.as.ann : NULL;

    check_that(world, ann != NULL && !heard->gone, "active-evidence", agent,
               "announces active and its producer is not there");
    check_that(world, record->ticked < heard->at + YK_PEER_TIMEOUT, "active-evidence", agent,
               "announces active and its producer has been silent for too long");
    check_that(world,
               ann->role == YK_ROLE_PRODUCER && ann->kind == agent->kind && ann->media.size > 0,
               "active-evidence", agent, "announces active with a producer that it cannot show");
    check_that(world, yk_slice_equal(ann->media, media_of(record)), "active-evidence", agent,
               "announces active with media that its producer does not have any more");
}

static void see_announcement(struct record *record, struct world *world, const struct agent *agent,
                             const struct yk_ann *ann)
{
    record->announced = ann->state;
    record->said_size = ann->media.size;
    if (ann->media.size > 0) {
        memcpy(record->said, ann->media.data, ann->media.size);
    }
    check_that(world, ann->state != YK_STATE_IDLE || record->clean, "idle-is-released", agent,
               "announces idle before a release is confirmed");
    if (ann->state != YK_STATE_ACTIVE) {
        return;
    }
    check_that(world, record->question == ASKED_ATTACH && record->evidence, "active-evidence",
               agent, "announces active without evidence for question %" PRIu64,
               record->generation);
    if (ann->has_evidence && record->detail_usable) {
        check_that(
            world,
            yk_slice_equal(ann->evidence, (struct yk_slice){record->detail, record->detail_size}),
            "active-evidence", agent, "announces evidence that the driver did not give");
    }
    if (agent->role == YK_ROLE_CONSUMER) {
        see_consumer_active(record, world, agent);
    }
}

static void see_media(const struct record *record, struct world *world, const struct agent *agent,
                      const struct step *step)
{
    struct yk_slice said = {record->said, record->said_size};

    check_that(world,
               step->input->kind != YK_INPUT_MEDIA || record->announced == YK_STATE_NONE ||
                   agent->view.seq_left == 0 || record->stopping ||
                   yk_slice_equal(said, agent->view.options->media),
               "announces-at-once", agent, "has other media and does not say so");
}

static void step(void *self, struct world *world, struct agent *agent, const struct step *step)
{
    struct record *record = (struct record *)self + agent->number;

    if (!step->is_blocked && agent->deadline > step->input->now) {
        record->ticked = step->input->now;
    }
    if (step->input->kind == YK_INPUT_REPORT) {
        see_report(record, step->input);
    }
    for (size_t i = 0; i < step->effects->count; i++) {
        const struct yk_effect *effect = &step->effects->list[i];

        if (effect->kind == YK_EFFECT_ATTACH) {
            see_attach(record, world, agent, effect);
        } else if (effect->kind == YK_EFFECT_DETACH) {
            see_detach(record, world, agent, step, effect);
        } else if (step->sent[i] != NULL && step->sent[i]->frame.type == YK_TYPE_ANN) {
            see_announcement(record, world, agent, &step->sent[i]->frame.as.ann);
        }
    }
    record->stopping = record->stopping || step->input->kind == YK_INPUT_STOP;
    see_media(record, world, agent, step);
}

const struct checker check_route = {.rule = "route", .make = make, .boot = boot, .step = step};
