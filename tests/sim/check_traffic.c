/* What a node says: it announces itself in time whatever its driver says, it answers only what it was
 * asked, it says each event, and never more than a stated number of frames a minute. */
#include <inttypes.h>

#include "sim/check.h"

#define LONGEST_GAP (YK_ANN_INTERVAL + YK_ANN_INTERVAL / 4)
#define MINUTE (60 * YK_SECOND)
/* Frames of one node in a minute, but for acks (one for each intent it is sent) and re-issues (at
 * most one for each announcement of a consumer that is behind): 40 announcements by the clock, 30
 * drop reports, and what a driver asked once a second can make of it: two changes of state, each an
 * event and an announcement, with two more events for the error and the retry. */
#define FRAMES_MAX (40 + 30 + 60 * 2 * 4)

struct record {
    yk_time minute;
    unsigned frames, acks, reissues; /* in this minute */
    unsigned asked, behind;          /* intents for it, announcements of consumers */
    yk_time announced;               /* last, or when it had an excuse not to */
    yk_time drops_said;
    yk_time stop_at;
    bool stalled;
};

static void *make(const struct world *world)
{
    return check_records(world, sizeof(struct record));
}

static void boot(void *self, struct world *world, struct agent *agent)
{
    yk_time now = clock_local(&agent->clock, world->now);

    ((struct record *)self)[agent->number] =
        (struct record){.minute = now, .announced = now, .stop_at = YK_TIME_NEVER};
}

static void see_minute(struct record *record, struct world *world, const struct agent *agent,
                       yk_time now)
{
    if (now < record->minute + MINUTE) {
        return;
    }
    check_that(world, record->frames <= FRAMES_MAX, "traffic-bounded", agent,
               "%u frames in a minute", record->frames);
    check_that(world, record->acks <= record->asked, "traffic-bounded", agent,
               "%u acks for %u intents", record->acks, record->asked);
    check_that(world, record->reissues <= record->behind, "traffic-bounded", agent,
               "%u re-issues for %u announcements", record->reissues, record->behind);
    if (record->frames > world->trace->busiest_minute) {
        world->trace->busiest_minute = record->frames;
    }
    record->minute = now;
    /* What was asked in the last moment may be answered in the next minute. */
    record->asked = record->asked > record->acks ? record->asked - record->acks : 0;
    record->behind = record->behind > record->reissues ? record->behind - record->reissues : 0;
    record->frames = record->acks = record->reissues = 0;
}

static void see_heard(struct record *record, const struct agent *agent, const struct sent *sent)
{
    if (sent->frame.type == YK_TYPE_INT &&
        yk_id_equal(&sent->frame.as.intent.consumer, &agent->id)) {
        record->asked++;
    }
    if (sent->frame.type == YK_TYPE_ANN && sent->frame.as.ann.role == YK_ROLE_CONSUMER) {
        record->behind++;
    }
}

static void see_event(struct record *record, struct world *world, const struct agent *agent,
                      enum yk_event event, yk_time now)
{
    if (event == YK_EVENT_RX_DROP) {
        check_that(world, record->drops_said == 0 || now >= record->drops_said + YK_ANN_INTERVAL,
                   "rx-drop-once-an-interval", agent, "%" PRIu64 " ms after the last",
                   (now - record->drops_said) / YK_MS);
        record->drops_said = now;
    }
}

/* Each event that the local log has goes out, if a number is left for it. */
static void events_encode(struct world *world, const struct agent *agent, const struct step *step)
{
    unsigned logged = 0;
    unsigned said = 0;

    for (size_t i = 0; i < step->effects->count; i++) {
        const struct yk_effect *effect = &step->effects->list[i];

        logged += effect->kind == YK_EFFECT_EVENT && effect->as.event.event < YK_NOTE_PEER_NEW;
        said += step->sent[i] != NULL && step->sent[i]->frame.type == YK_TYPE_EVT;
    }
    check_that(world, logged == said || step->after->seq_left == 0, "encodes", agent,
               "%u events in the log and %u sent", logged, said);
}

static void see_sent(struct record *record, struct world *world, const struct agent *agent,
                     const struct sent *sent, yk_time now)
{
    switch (sent->frame.type) {
    case YK_TYPE_ACK:
        record->acks++;
        return;
    case YK_TYPE_INT:
        record->reissues++;
        return;
    case YK_TYPE_ANN:
        record->announced = now;
        break;
    case YK_TYPE_EVT:
        see_event(record, world, agent, sent->frame.as.evt.event, now);
        break;
    default:
        break;
    }
    record->frames++;
}

static void see_stop(struct record *record, struct world *world, const struct agent *agent,
                     const struct step *step)
{
    const struct yk_effects *effects = step->effects;
    const struct sent *last;

    if (step->input->kind == YK_INPUT_STOP) {
        record->stop_at = step->input->now;
        record->stalled = false;
    }
    record->stalled = record->stalled || agent->stalled_until != 0;
    if (effects->count == 0 || effects->list[effects->count - 1].kind != YK_EFFECT_STOPPED) {
        return;
    }
    check_that(world, record->stalled || step->input->now <= record->stop_at + 2 * YK_SECOND,
               "stop-in-time", agent, "took %" PRIu64 " ms",
               (step->input->now - record->stop_at) / YK_MS);
    last = effects->count > 1 ? step->sent[effects->count - 2] : NULL;
    check_that(world,
               step->after->seq_left == 0 || (last != NULL && last->frame.type == YK_TYPE_BYE),
               "bye-is-last", agent, "stops without a bye");
}

static void step(void *self, struct world *world, struct agent *agent, const struct step *step)
{
    struct record *record = (struct record *)self + agent->number;
    yk_time now = step->input->now;

    see_minute(record, world, agent, now);
    if (step->datagram != NULL && step->datagram->sent != NULL && step->verdict == YK_DROP_NONE) {
        see_heard(record, agent, step->datagram->sent);
    }
    for (size_t i = 0; i < step->effects->count; i++) {
        if (step->sent[i] != NULL) {
            see_sent(record, world, agent, step->sent[i], now);
        }
    }
    events_encode(world, agent, step);
    see_stop(record, world, agent, step);
    if (step->was_blocked || step->is_blocked || step->after->seq_left == 0 ||
        record->stop_at != YK_TIME_NEVER) {
        record->announced = now; /* it cannot */
    }
    check_that(world, now <= record->announced + LONGEST_GAP + YK_MS, "announces-in-time", agent,
               "silent for %" PRIu64 " ms", (now - record->announced) / YK_MS);
}

const struct checker check_traffic = {.rule = "traffic", .make = make, .boot = boot, .step = step};
