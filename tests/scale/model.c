/* When a modelled host says something: the core's conduct at start, while nothing happens, and when a
 * pairing changes. */
#include "scale/model.h"

#include <stdlib.h>

/* What the core does when the network is back (YK_RETURN_TIMES and so on). */
#define RETURN_TIMES 5
#define RETURN_JITTER (200 * YK_MS)
#define RETURN_APART (300 * YK_MS)
#define RETURN_CROWD 1024

static struct puppet *puppet_of(struct site *site, const struct host *host)
{
    return &site->model->puppets[host->number];
}

static void follow(struct site *site, const struct host *host)
{
    struct puppet *puppet = puppet_of(site, host);

    if (host->producer != NOBODY) {
        puppet->next = site->model->consumers_of[host->producer];
        site->model->consumers_of[host->producer] = host->number;
    }
}

static void unfollow(struct site *site, const struct host *host)
{
    uint32_t *link;

    if (host->producer == NOBODY) {
        return;
    }
    link = &site->model->consumers_of[host->producer];
    while (*link != host->number) {
        link = &site->model->puppets[*link].next;
    }
    *link = puppet_of(site, host)->next;
}

/* Those that lose power together hear together. */
static uint32_t choose_group(const struct host *host)
{
    uint32_t block = host->number / (AWAY_BLOCK * AWAY_EVERY);

    return host->away ? block % GROUPS_AWAY : GROUPS_AWAY + host->number % (GROUPS - GROUPS_AWAY);
}

struct model *model_new(struct site *site)
{
    struct model *model = site->model = site_get(1, sizeof *model);
    uint32_t hosts = site->options.hosts;

    model->puppets = site_get(hosts, sizeof *model->puppets);
    model->consumers_of = site_get(hosts, sizeof *model->consumers_of);
    for (uint32_t i = 0; i < GROUPS; i++) {
        struct group *group = &model->groups[i];

        group->list = site_get(hosts, sizeof *group->list);
        group->cached = site_get(hosts, sizeof *group->cached);
        group->heard_at = site_get(hosts, sizeof *group->heard_at);
        group->dice = dice_of(site->options.seed, 6000000 + i);
    }
    for (uint32_t i = 0; i < hosts; i++) {
        model->consumers_of[i] = NOBODY;
    }
    for (uint32_t i = site->options.real; i < hosts; i++) {
        struct host *host = &site->hosts[i];
        struct group *group = &model->groups[choose_group(host)];

        puppet_of(site, host)->group = choose_group(host);
        group->list[group->members++] = i;
        follow(site, host);
    }
    return model;
}

void model_free(struct site *site)
{
    for (uint32_t i = 0; i < GROUPS; i++) {
        free(site->model->groups[i].list);
        free(site->model->groups[i].cached);
        free(site->model->groups[i].heard_at);
    }
    free(site->model->consumers_of);
    free(site->model->puppets);
    free(site->model);
}

static void look(struct site *site, struct host *host)
{
    const struct puppet *puppet = puppet_of(site, host);

    site_note_settled(site, host,
                      host->version == host->wanted_version &&
                          (puppet->active || (host->consumer && host->wanted_producer == NOBODY)));
}

static yk_time return_time(const struct site *site, yk_time among_few)
{
    yk_time time = among_few * (1 + site->options.hosts / RETURN_CROWD);

    return time < YK_ANN_INTERVAL ? time : YK_ANN_INTERVAL;
}

static void announce(struct site *site, struct host *host)
{
    struct puppet *puppet = puppet_of(site, host);
    yk_time next = dice_between(&host->dice, YK_ANN_INTERVAL - YK_ANN_INTERVAL / 4,
                                YK_ANN_INTERVAL + YK_ANN_INTERVAL / 4);

    if (puppet->returns_left > 0 && --puppet->returns_left > 0) {
        next = return_time(site, RETURN_APART);
    }
    say_announcement(site, host);
    site_later(site, next,
               (struct happening){.kind = HAPPENS_ANNOUNCE,
                                  .who = host->number,
                                  .token = ++puppet->announce_token});
}

void model_return(struct site *site, struct host *host)
{
    struct puppet *puppet = puppet_of(site, host);

    puppet->returns_left = RETURN_TIMES;
    site_later(site, dice_below(&host->dice, return_time(site, RETURN_JITTER)),
               (struct happening){.kind = HAPPENS_ANNOUNCE,
                                  .who = host->number,
                                  .token = ++puppet->announce_token});
}

void model_announce_due(struct site *site, struct host *host, uint64_t token)
{
    if (token == puppet_of(site, host)->announce_token && host->up) {
        announce(site, host);
    }
}

static void ask_driver(struct site *site, struct host *host, yk_time begin)
{
    struct puppet *puppet = puppet_of(site, host);
    yk_time wait = begin > site->now ? begin - site->now : 0;

    puppet->attaching = true;
    site_later(site, wait + dice_between(&host->dice, ATTACH_LEAST, ATTACH_MOST),
               (struct happening){
                   .kind = HAPPENS_DRIVER, .who = host->number, .token = ++puppet->driver_token});
}

void model_boot(struct site *site, struct host *host)
{
    struct puppet *puppet = puppet_of(site, host);
    struct group *group = &site->model->groups[puppet->group];
    yk_time save = dice_between(&host->dice, SAVE_LEAST, SAVE_MOST);

    if (!group->up) {
        group->up = true;
        air_open(site, site->options.real + puppet->group, true);
        model_sweep(site, puppet->group, ++group->sweep_token);
    }
    puppet->saved_at = puppet->ready_at = site->now + save;
    puppet->turn = dice_below(&host->dice, 65536);
    puppet->lost = puppet->spoke = puppet->saving = puppet->attaching = puppet->active = false;
    puppet->seq = (uint64_t)SITE_EPOCH_NS + site->now;
    if (host->consumer) {
        puppet->ready_at += dice_between(&host->dice, RELEASE_LEAST, RELEASE_MOST);
    } else {
        ask_driver(site, host, puppet->ready_at);
    }
    site_later(site, save,
               (struct happening){.kind = HAPPENS_SPEAK, .who = host->number, .token = host->life});
    look(site, host);
}

void model_kill(struct site *site, struct host *host)
{
    struct puppet *puppet = puppet_of(site, host);
    struct group *group = &site->model->groups[puppet->group];

    puppet->announce_token++;
    puppet->driver_token++;
    if (group->up) {
        group->up = false;
        group->waiting_count = group->heard = 0;
        air_open(site, site->options.real + puppet->group, false);
        for (uint32_t i = 0; i < site->options.hosts; i++) {
            group->cached[i] = 0;
            group->heard_at[i] = 0;
        }
    }
}

static void begin_to_speak(struct site *site, struct host *host)
{
    struct puppet *puppet = puppet_of(site, host);

    if (puppet->spoke) {
        return;
    }
    puppet->spoke = true;
    say_started(site, host);
    if (puppet->active) {
        say_media_up(site, host);
    } else {
        say_media_pending(site, host);
    }
    announce(site, host);
}

/* The wait grows with those who are heard to start. */
void model_speak(struct site *site, struct host *host, uint64_t token)
{
    const struct puppet *puppet = puppet_of(site, host);
    yk_time spread = site->options.start_spread;
    yk_time due;

    if (token != host->life) {
        return;
    }
    spread += spread * site->model->groups[puppet->group].heard / YK_START_SPREAD_PEERS;
    spread = spread < YK_ANN_INTERVAL ? spread : YK_ANN_INTERVAL;
    due = puppet->saved_at + spread * puppet->turn / 65536;
    if (due <= site->now) {
        begin_to_speak(site, host);
    } else {
        site_later(
            site, due - site->now,
            (struct happening){.kind = HAPPENS_SPEAK, .who = host->number, .token = host->life});
    }
}

/* Attached. */
void model_driver(struct site *site, struct host *host, uint64_t token)
{
    struct puppet *puppet = puppet_of(site, host);

    if (token != puppet->driver_token || !host->up) {
        return;
    }
    puppet->attaching = false;
    puppet->active = true;
    look(site, host);
    if (puppet->spoke) {
        say_media_up(site, host);
        announce(site, host);
    }
}

void model_producer_heard(struct site *site, uint32_t group, uint32_t producer)
{
    struct model *model = site->model;

    for (uint32_t i = model->consumers_of[producer]; i != NOBODY; i = model->puppets[i].next) {
        struct puppet *puppet = &model->puppets[i];

        if (puppet->group == group && site->hosts[i].up && !puppet->active && !puppet->attaching &&
            !puppet->saving) {
            if (puppet->lost) {
                puppet->lost = false;
                say_peer(site, &site->hosts[i], YK_EVENT_PEER_RETURNED);
            }
            ask_driver(site, &site->hosts[i], puppet->ready_at);
        }
    }
}

/* The picture stays, but it is announced as pending. */
void model_producer_lost(struct site *site, uint32_t group, uint32_t producer)
{
    struct model *model = site->model;

    for (uint32_t i = model->consumers_of[producer]; i != NOBODY; i = model->puppets[i].next) {
        struct puppet *puppet = &model->puppets[i];

        if (puppet->group == group && site->hosts[i].up && puppet->active) {
            puppet->active = false;
            puppet->lost = true;
            say_peer(site, &site->hosts[i], YK_EVENT_PEER_LOST);
            say_media_pending(site, &site->hosts[i]);
            announce(site, &site->hosts[i]);
            look(site, &site->hosts[i]);
        }
    }
}

void model_intent(struct site *site, struct host *host, const struct yk_intent *intent)
{
    struct puppet *puppet = puppet_of(site, host);

    if (puppet->saving) {
        puppet->again++;
    } else if (intent->version.n <= host->version) {
        say_ack(site, host, intent->version.n, intent->version.n == host->version);
    } else {
        puppet->saving = true;
        puppet->again = 0;
        site_later(
            site, dice_between(&host->dice, SAVE_LEAST, SAVE_MOST),
            (struct happening){.kind = HAPPENS_SAVED, .who = host->number, .token = host->life});
    }
}

/* The newest intent governs. */
void model_saved(struct site *site, struct host *host, uint64_t token)
{
    struct puppet *puppet = puppet_of(site, host);
    const struct group *group = &site->model->groups[puppet->group];
    bool was_active = puppet->active;

    if (token != host->life) {
        return;
    }
    begin_to_speak(site, host);
    unfollow(site, host);
    host->version = host->wanted_version;
    host->producer = host->wanted_producer;
    follow(site, host);
    puppet->saving = puppet->attaching = puppet->active = puppet->lost = false;
    puppet->driver_token++;
    say_ack(site, host, host->version, true);
    say_applied(site, host);
    if (group->heard_at[host->producer] + YK_PEER_TIMEOUT > site->now &&
        group->heard_at[host->producer] != 0) {
        ask_driver(site, host, site->now + dice_between(&host->dice, RELEASE_LEAST, RELEASE_MOST));
    }
    if (was_active) {
        say_media_pending(site, host);
    }
    announce(site, host);
    for (; puppet->again > 0; puppet->again--) {
        say_ack(site, host, host->version, true);
    }
    look(site, host);
}
