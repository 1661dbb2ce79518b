/* What a group of modelled hosts hears, for all of them at once: which producers are there, which
 * consumers are behind, and who offers them the newest intent (spec, Anti-entropy). Each member would
 * wait for a time of its own in [0.2 s, 1.2 s]; drawn here are the first of so many, and while nobody
 * is heard to have offered it, the next. */
#include <math.h>

#include "scale/model.h"

#define SWEEP (100 * YK_MS)

/* Which part of the time each member waits for, as the core draws it: how many for each. */
static void divide(struct group *group, struct waiting *waiting)
{
    uint32_t left = group->members;

    waiting->parts = 1;
    for (uint32_t few = group->heard / 2; few >= YK_REISSUE_CROWD; few /= 2) {
        waiting->parts++;
    }
    for (unsigned part = waiting->parts - 1; part > 0; part--) {
        uint32_t here = 0;

        for (uint32_t i = 0; i < left; i++) {
            here += dice_below(&group->dice, 2);
        }
        waiting->members[part] = here;
        left -= here;
    }
    waiting->members[0] = left;
}

/* The next of `members` times that are all in (from, until], whoever they belong to. */
static yk_time next_of(struct dice *dice, uint32_t members, yk_time from, yk_time until)
{
    double luck = (double)(dice_below(dice, UINT64_C(1) << 52) + 1) / 0x1p52;

    return from + (yk_time)((1 - pow(luck, 1.0 / members)) * (double)(until - from));
}

static struct waiting *find_waiting(struct group *group, uint32_t consumer)
{
    for (uint32_t i = 0; i < group->waiting_count; i++) {
        if (group->waiting[i].consumer == consumer) {
            return &group->waiting[i];
        }
    }
    return NULL;
}

static void cancel(struct group *group, uint32_t consumer)
{
    struct waiting *waiting = find_waiting(group, consumer);

    if (waiting != NULL) {
        *waiting = group->waiting[--group->waiting_count];
    }
}

/* Draws who is next, or nobody is left. */
static void await(struct site *site, uint32_t number, struct waiting *waiting)
{
    struct group *group = &site->model->groups[number];
    yk_time span = (YK_REISSUE_MAX - YK_REISSUE_MIN) / waiting->parts;

    while (waiting->members[waiting->part] == 0) {
        if (++waiting->part == waiting->parts) {
            cancel(group, waiting->consumer);
            return;
        }
        waiting->from = waiting->begin + waiting->part * span;
    }
    waiting->due = next_of(&group->dice, waiting->members[waiting->part], waiting->from,
                           waiting->begin + (waiting->part + 1) * span);
    waiting->token = ++group->token;
    site_later(site, waiting->due > site->now ? waiting->due - site->now : 0,
               (struct happening){.kind = HAPPENS_REISSUE, .who = number, .token = waiting->token});
}

void model_reissue(struct site *site, uint32_t number, uint64_t token)
{
    struct group *group = &site->model->groups[number];
    struct waiting *waiting = NULL;

    for (uint32_t i = 0; i < group->waiting_count && waiting == NULL; i++) {
        waiting = group->waiting[i].token == token ? &group->waiting[i] : NULL;
    }
    if (waiting == NULL) {
        return; /* cancelled */
    }
    say_reissue(site, &site->hosts[group->list[dice_below(&group->dice, group->members)]],
                waiting->consumer, group->cached[waiting->consumer]);
    waiting->members[waiting->part]--;
    waiting->from = waiting->due;
    await(site, number, waiting);
}

static void hear_consumer(struct site *site, uint32_t number, uint32_t consumer, uint64_t version)
{
    struct group *group = &site->model->groups[number];

    if (group->cached[consumer] <= version) {
        cancel(group, consumer);
    } else if (find_waiting(group, consumer) == NULL && group->waiting_count < WAITING_MAX) {
        struct waiting *waiting = &group->waiting[group->waiting_count++];

        *waiting = (struct waiting){.consumer = consumer,
                                    .begin = site->now + YK_REISSUE_MIN,
                                    .from = site->now + YK_REISSUE_MIN};
        divide(group, waiting);
        await(site, number, waiting);
    }
}

static void hear_announcement(struct site *site, uint32_t number, const struct packet *packet)
{
    const struct yk_ann *ann = &packet->frame.as.ann;
    struct group *group = &site->model->groups[number];

    group->heard += group->heard_at[packet->origin] == 0;
    group->heard_at[packet->origin] = site->now;
    if (ann->role == YK_ROLE_PRODUCER) {
        model_producer_heard(site, number, packet->origin);
    } else {
        hear_consumer(site, number, packet->origin, ann->pairing.version.n);
    }
}

static void hear_intent(struct site *site, uint32_t number, const struct yk_intent *intent)
{
    struct group *group = &site->model->groups[number];
    uint32_t consumer = site_find(site, &intent->consumer);

    if (intent->version.n >= group->cached[consumer]) {
        group->cached[consumer] = intent->version.n;
        cancel(group, consumer);
    }
    if (!site_is_real(site, consumer) && site->hosts[consumer].up &&
        site->model->puppets[consumer].group == number) {
        model_intent(site, &site->hosts[consumer], intent);
    }
}

void model_sweep(struct site *site, uint32_t number, uint64_t token)
{
    struct group *group = &site->model->groups[number];

    if (!group->up || token != group->sweep_token) {
        return;
    }
    for (uint32_t i = 0; i < site->options.hosts; i++) {
        if (group->heard_at[i] != 0 && site->now >= group->heard_at[i] + YK_PEER_TIMEOUT) {
            group->heard_at[i] = 0;
            group->heard--;
            model_producer_lost(site, number, i);
        }
    }
    site_later(site, SWEEP,
               (struct happening){.kind = HAPPENS_SWEEP, .who = number, .token = token});
}

void model_hear(struct site *site, uint32_t number, const struct packet *packet)
{
    if (packet->frame.type == YK_TYPE_ANN) {
        hear_announcement(site, number, packet);
    } else if (packet->frame.type == YK_TYPE_INT) {
        hear_intent(site, number, &packet->frame.as.intent);
    }
}
