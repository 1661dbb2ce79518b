/* Hosts that run the real core, and what the agent's shell does around it: one save at a time, one
 * driver, a timer. */
#include <stdlib.h>
#include <string.h>

#include "scale/site.h"

#define STOP_LIMIT (2 * YK_SECOND)
#define TRACKED_SPARE 64 /* for tools */

enum question { ASKED_NOTHING, ASKED_ATTACH, ASKED_DETACH, ASKED_POLL };

struct real {
    struct yk_node *node;
    void *memory;
    yk_time tick_at;
    uint64_t tick_token;
    uint64_t request;
    struct yk_durable asked;
    enum question question; /* to the driver, not answered yet */
    uint64_t question_token;
    uint64_t generation;
    bool attached;
    bool answer_waits; /* for the end of a save */
};

static struct yk_effects effects; /* of the step that runs */

static struct real *real_of(struct site *site, const struct host *host)
{
    return &site->real[host->number];
}

struct real *real_new(struct site *site)
{
    return site_get(site->options.real + 1, sizeof(struct real));
}

void real_free(struct site *site)
{
    for (uint32_t i = 0; i < site->options.real; i++) {
        free(site->real[i].memory);
    }
    free(site->real);
}

static void ask(struct site *site, struct host *host, enum question question, uint64_t generation,
                yk_time takes)
{
    struct real *real = real_of(site, host);

    real->question = question;
    real->generation = generation;
    site_later(site, takes,
               (struct happening){
                   .kind = HAPPENS_DRIVER, .who = host->number, .token = ++real->question_token});
}

static void perform(struct site *site, struct host *host, const struct yk_effect *effect)
{
    struct real *real = real_of(site, host);

    switch (effect->kind) {
    case YK_EFFECT_SEND:
        air_send(site, host->number, effect->as.send.bytes);
        break;
    case YK_EFFECT_PERSIST:
        real->request = effect->as.persist.request;
        real->asked = effect->as.persist.state;
        site_later(
            site, dice_between(&host->dice, SAVE_LEAST, SAVE_MOST),
            (struct happening){.kind = HAPPENS_SAVED, .who = host->number, .token = host->life});
        break;
    case YK_EFFECT_ATTACH:
        ask(site, host, ASKED_ATTACH, effect->as.attach.generation,
            dice_between(&host->dice, ATTACH_LEAST, ATTACH_MOST));
        break;
    case YK_EFFECT_DETACH:
        ask(site, host, ASKED_DETACH, effect->as.detach.generation,
            dice_between(&host->dice, RELEASE_LEAST, RELEASE_MOST));
        break;
    case YK_EFFECT_POLL:
        if (real->question == ASKED_NOTHING) {
            ask(site, host, ASKED_POLL, effect->as.poll.generation,
                dice_between(&host->dice, RELEASE_LEAST, RELEASE_MOST));
        }
        break;
    case YK_EFFECT_EVENT:
    case YK_EFFECT_STOPPED:
        break;
    }
}

static void look(struct site *site, struct host *host)
{
    struct yk_node_view view;

    yk_node_view(real_of(site, host)->node, &view);
    site_note_settled(
        site, host,
        view.pairing->version.n == host->wanted_version &&
            (view.state == YK_STATE_ACTIVE || (host->consumer && host->wanted_producer == NOBODY)));
}

static void set_tick(struct site *site, struct host *host)
{
    struct real *real = real_of(site, host);
    yk_time due = yk_node_deadline(real->node);

    due = due < site->now ? site->now : due;
    if (due < real->tick_at) {
        real->tick_at = due;
        site_later(site, due - site->now,
                   (struct happening){
                       .kind = HAPPENS_TICK, .who = host->number, .token = ++real->tick_token});
    }
}

static void step(struct site *site, struct host *host, struct yk_input *input)
{
    struct real *real = real_of(site, host);

    input->now = site->now;
    yk_node_step(real->node, input, &effects);
    for (size_t i = 0; i < effects.count; i++) {
        perform(site, host, &effects.list[i]);
    }
    air_pause(site, host->number, yk_node_is_blocked(real->node));
    look(site, host);
    set_tick(site, host);
}

void real_boot(struct site *site, struct host *host)
{
    struct real *real = real_of(site, host);
    struct yk_node_options options = {
        .id = host->id,
        .name = yk_slice_of(site_name(host->number)),
        .role = host->consumer ? YK_ROLE_CONSUMER : YK_ROLE_PRODUCER,
        .kind = YK_KIND_HDMI,
        .auth = &site->auth,
        .tracked = site->options.hosts + TRACKED_SPARE,
        .seed = dice_roll(&host->dice),
        .start_spread = site->options.start_spread,
        .stop_limit = STOP_LIMIT,
    };
    struct yk_input input = {.kind = YK_INPUT_START};
    struct yk_pairing *pairing = &input.as.start.state.pairing;

    if (!host->consumer) {
        options.media = yk_slice_of(site_media(host->number));
    } else {
        pairing->producer = site_id(site, host->producer);
        pairing->version.n = host->version;
        if (!yk_id_parse(&pairing->version.author, yk_slice_of(SITE_AUTHOR))) {
            abort();
        }
    }
    input.as.start.wall_ns = SITE_EPOCH_NS + (int64_t)site->now;
    input.as.start.state.seq = host->seq_bound;
    *real = (struct real){.memory = site_get(1, yk_node_memory(options.tracked)),
                          .tick_at = YK_TIME_NEVER,
                          .tick_token = real->tick_token,
                          .question_token = real->question_token};
    real->node = yk_node_init(real->memory, &options);
    air_open(site, host->number, true);
    step(site, host, &input);
}

void real_kill(struct site *site, struct host *host)
{
    struct real *real = real_of(site, host);

    air_open(site, host->number, false);
    real->tick_token++;
    real->question_token++;
    free(real->memory);
    real->memory = NULL;
    real->node = NULL;
}

void real_return(struct site *site, struct host *host)
{
    struct yk_input input = {.kind = YK_INPUT_RETURN};

    if (!yk_node_is_blocked(real_of(site, host)->node)) {
        step(site, host, &input);
    }
}

void real_hear(struct site *site, uint32_t number, const struct packet *packet)
{
    struct yk_input input = {.kind = YK_INPUT_DATAGRAM};

    input.as.datagram.bytes = (struct yk_slice){packet->bytes, packet->size};
    input.as.datagram.from = (struct yk_address){
        {10, 9, (uint8_t)(packet->origin / 250), (uint8_t)(packet->origin % 250)}, 9753};
    step(site, &site->hosts[number], &input);
}

void real_tick(struct site *site, struct host *host, uint64_t token)
{
    struct real *real = real_of(site, host);
    struct yk_input input = {.kind = YK_INPUT_TICK};

    if (token != real->tick_token) {
        return;
    }
    real->tick_at = YK_TIME_NEVER;
    if (!yk_node_is_blocked(real->node)) {
        step(site, host, &input);
    }
}

static void answer(struct site *site, struct host *host)
{
    struct real *real = real_of(site, host);
    struct yk_input input = {.kind = YK_INPUT_REPORT};

    if (real->question == ASKED_NOTHING) {
        return;
    }
    if (real->question != ASKED_POLL) {
        real->attached = real->question == ASKED_ATTACH;
    }
    /* A producer's driver has its source as soon as it looks. */
    input.as.report.status = real->attached || !host->consumer ? YK_REPORT_ACTIVE : YK_REPORT_IDLE;
    input.as.report.generation = real->generation;
    if (input.as.report.status == YK_REPORT_ACTIVE) {
        input.as.report.detail =
            yk_slice_of(site_evidence(host->consumer ? host->wanted_producer : host->number));
    }
    real->question = ASKED_NOTHING;
    step(site, host, &input);
}

void real_driver(struct site *site, struct host *host, uint64_t token)
{
    struct real *real = real_of(site, host);

    if (token != real->question_token || real->node == NULL) {
        return;
    }
    if (yk_node_is_blocked(real->node)) {
        real->answer_waits = true;
    } else {
        answer(site, host);
    }
}

void real_saved(struct site *site, struct host *host, uint64_t token)
{
    struct real *real = real_of(site, host);
    struct yk_input input = {.kind = YK_INPUT_PERSISTED};

    if (token != host->life) {
        return; /* the power went meanwhile */
    }
    host->seq_bound = real->asked.seq;
    host->version = real->asked.pairing.version.n;
    host->producer = site_find(site, &real->asked.pairing.producer);
    input.as.persisted.request = real->request;
    input.as.persisted.ok = true;
    step(site, host, &input);
    if (real->answer_waits && !yk_node_is_blocked(real->node)) {
        real->answer_waits = false;
        answer(site, host);
    }
}
