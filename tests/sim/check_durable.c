/* Pairings (spec, Consumer state machine): what is said is saved; a version never goes back; of two
 * intents with one version at most one is ever applied; what must be rejected never governs. */
#include "sim/heard.h"

struct record {
    struct yk_pairing said; /* the highest that was announced or acknowledged, over all lives */
};

static void *make(const struct world *world)
{
    return check_records(world, sizeof(struct record));
}

/* Saved: durable, or a save that failed has left a newer one there by accident. */
static bool is_durable(const struct agent *agent, const struct yk_pairing *pairing)
{
    const struct yk_pairing *durable = &agent->disk.durable.pairing;
    int order = version_order(&durable->version, &pairing->version);

    return order > 0 || (order == 0 && yk_id_equal(&durable->producer, &pairing->producer));
}

static void see_pairing(struct record *record, struct world *world, const struct agent *agent,
                        const struct yk_pairing *pairing)
{
    int order = version_order(&pairing->version, &record->said.version);

    check_that(world, order >= 0, "version-never-back", agent, "version %s after %s",
               version_text(&pairing->version).text, version_text(&record->said.version).text);
    check_that(world, order > 0 || yk_id_equal(&pairing->producer, &record->said.producer),
               "equal-versions-one-applied", agent, "version %s names %s and named %s",
               version_text(&pairing->version).text, pairing->producer.text,
               record->said.producer.text);
    record->said = *pairing;
}

/* The ack answers an intent that was heard now: it must be the one that governs. */
static void answers_its_intent(struct world *world, const struct agent *agent,
                               const struct step *step)
{
    const struct sent *sent = step->datagram != NULL ? step->datagram->sent : NULL;

    check_that(world,
               sent == NULL || sent->frame.type != YK_TYPE_INT ||
                   yk_id_equal(&sent->frame.as.intent.producer, &agent->view.pairing->producer),
               "equal-versions-one-applied", agent,
               "acknowledges another intent than the one that governs, under the same version");
}

static void see_ack(struct record *record, struct world *world, const struct agent *agent,
                    const struct step *step, const struct yk_ack *ack)
{
    const struct yk_pairing *pairing = agent->view.pairing;

    if (!ack->applied) {
        return;
    }
    check_that(world, version_order(&ack->version, &pairing->version) == 0, "applied-is-durable",
               agent, "%s acknowledged as applied while %s governs",
               version_text(&ack->version).text, version_text(&pairing->version).text);
    check_that(world, is_durable(agent, pairing), "applied-is-durable", agent,
               "%s acknowledged as applied, but %s is saved", version_text(&ack->version).text,
               version_text(&agent->disk.durable.pairing.version).text);
    answers_its_intent(world, agent, step);
    see_pairing(record, world, agent, pairing);
}

static bool announces(const struct step *step)
{
    for (size_t i = 0; i < step->effects->count; i++) {
        if (step->sent[i] != NULL && step->sent[i]->frame.type == YK_TYPE_ANN) {
            return true;
        }
    }
    return false;
}

/* Everything waits behind a save, so what is known now was known when the intent was judged. */
static void see_commit(struct world *world, const struct agent *agent, const struct step *step)
{
    const struct yk_id *producer = &agent->view.pairing->producer;
    const struct sent *ann;
    uint32_t number;

    if (step->before == NULL ||
        version_order(&step->pairing_before.version, &agent->view.pairing->version) == 0) {
        return;
    }
    check_that(world, announces(step) || step->after->seq_left == 0, "announces-at-once", agent,
               "has another pairing and does not say so");
    check_that(world, !yk_id_equal(producer, &agent->id), "self-pair-is-rejected", agent,
               "is paired to itself");
    number = world_find(world, producer);
    if (number == UINT32_MAX || world->plan.tracked < world->agent_count) {
        return; /* who is not known cannot be judged, and a small table forgets */
    }
    ann = heard_of(world, agent, number)->ann;
    check_that(world,
               ann == NULL || ann->frame.as.ann.role != YK_ROLE_PRODUCER ||
                   ann->frame.as.ann.kind == agent->kind,
               "kind-mismatch-is-rejected", agent, "is paired to %s, which has another kind",
               producer->text);
}

static void step(void *self, struct world *world, struct agent *agent, const struct step *step)
{
    struct record *record = (struct record *)self + agent->number;

    see_commit(world, agent, step);
    for (size_t i = 0; i < step->effects->count; i++) {
        const struct yk_frame *frame = step->sent[i] != NULL ? &step->sent[i]->frame : NULL;

        if (frame == NULL) {
            continue;
        }
        if (frame->type == YK_TYPE_ACK) {
            see_ack(record, world, agent, step, &frame->as.ack);
        } else if (frame->type == YK_TYPE_ANN && frame->as.ann.role == YK_ROLE_CONSUMER) {
            check_that(world, is_durable(agent, &frame->as.ann.pairing), "announced-is-durable",
                       agent, "announces %s, but %s is saved",
                       version_text(&frame->as.ann.pairing.version).text,
                       version_text(&agent->disk.durable.pairing.version).text);
            see_pairing(record, world, agent, &frame->as.ann.pairing);
        }
    }
}

const struct checker check_durable = {.rule = "durable", .make = make, .step = step};
