#include "sim/heard.h"

#include <stdlib.h>
#include <string.h>

struct heard_all {
    uint32_t count;
    struct heard list[]; /* count rows of count */
};

struct heard_all *heard_make(const struct world *world)
{
    size_t count = world->agent_count;
    struct heard_all *all = calloc(1, sizeof *all + count * count * sizeof all->list[0]);

    if (all == NULL) {
        abort();
    }
    all->count = world->agent_count;
    return all;
}

static void keep(struct sent **place, struct sent *sent)
{
    if (sent != NULL) {
        sent->references++;
    }
    if (*place != NULL) {
        sent_release(*place);
    }
    *place = sent;
}

static void forget(struct heard *heard)
{
    keep(&heard->ann, NULL);
    keep(&heard->media_ann, NULL);
    *heard = (struct heard){0};
}

void heard_free(struct heard_all *all)
{
    for (size_t i = 0; i < (size_t)all->count * all->count; i++) {
        forget(&all->list[i]);
    }
    free(all);
}

static struct heard *row_of(struct heard_all *all, const struct agent *agent)
{
    return &all->list[(size_t)agent->number * all->count];
}

void heard_boot(struct heard_all *all, const struct world *world, const struct agent *agent)
{
    for (uint32_t i = 0; i < world->agent_count; i++) {
        forget(&row_of(all, agent)[i]);
    }
}

void heard_step(struct heard_all *all, const struct agent *agent, const struct step *step)
{
    struct sent *sent = step->datagram != NULL ? step->datagram->sent : NULL;
    struct heard *heard;

    if (sent == NULL || step->verdict != YK_DROP_NONE || sent->origin >= all->count ||
        sent->origin == agent->number) {
        return;
    }
    heard = &row_of(all, agent)[sent->origin];
    if (sent->frame.type == YK_TYPE_ANN) {
        keep(&heard->ann, sent);
        if (sent->frame.as.ann.media.size > 0) {
            keep(&heard->media_ann, sent);
        }
        heard->at = step->input->now;
        heard->gone = false;
    } else if (sent->frame.type == YK_TYPE_BYE) {
        heard->gone = true;
    }
}

const struct heard *heard_of(const struct world *world, const struct agent *agent, uint32_t number)
{
    return &row_of(checks_heard(world), agent)[number];
}
