#include "sim/plan.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/dice.h"

static const char *const words[] = {"",
#define PLAN_WORD(id, word, meaning) word,
                                    PLAN_KINDS(PLAN_WORD)
#undef PLAN_WORD
};

static const char *const meanings[] = {"",
#define PLAN_MEANING(id, word, meaning) meaning,
                                       PLAN_KINDS(PLAN_MEANING)
#undef PLAN_MEANING
};

/* How often each kind happens in ten minutes among ten nodes, when the run has it at all. */
static const unsigned frequency[PLAN_KIND_END] = {
    [PLAN_LOSS] = 6,         [PLAN_DUPLICATE] = 4,   [PLAN_DELAY] = 4,
    [PLAN_PARTITION] = 5,    [PLAN_DEAF] = 5,        [PLAN_MUTE] = 5,
    [PLAN_UNPLUG] = 5,       [PLAN_CORRUPT] = 4,     [PLAN_FORGE] = 12,
    [PLAN_REPLAY] = 20,      [PLAN_CRASH] = 12,      [PLAN_CRASH_AT_SAVE] = 12,
    [PLAN_STOP] = 8,         [PLAN_STALL] = 6,       [PLAN_DISK_SLOW] = 6,
    [PLAN_DISK_FAIL] = 8,    [PLAN_WALL_STEP] = 6,   [PLAN_DRIVER_SLOW] = 8,
    [PLAN_DRIVER_FAIL] = 10, [PLAN_DRIVER_LIE] = 6,  [PLAN_DRIVER_LOSE] = 10,
    [PLAN_DRIVER_LATE] = 6,  [PLAN_RECONFIGURE] = 8, [PLAN_MEDIA] = 6,
    [PLAN_ROTATE] = 3,       [PLAN_FLOOD] = 1,       [PLAN_OPERATE] = 60,
};

static bool concerns_everybody(enum plan_kind kind)
{
    return kind == PLAN_DUPLICATE || kind == PLAN_DELAY || kind == PLAN_PARTITION ||
           kind == PLAN_CORRUPT || kind == PLAN_FORGE || kind == PLAN_ROTATE;
}

static int64_t wrong_clock_ms(struct dice *dice)
{
    static const int64_t minute = 60000;

    switch (dice_below(dice, 6)) {
    case 0: /* hours back */
        return -(int64_t)dice_between(dice, 60, 600) * minute;
    case 1: /* hours ahead: its frames are refused until the time has come */
        return (int64_t)dice_between(dice, 61, 300) * minute;
    case 2:
        return 0;
    default: /* within what the future bound allows */
        return (int64_t)dice_between(dice, 0, 100) * minute - 50 * minute;
    }
}

/* The wall clock at boot, milliseconds from the truth: right, 1970, or years ahead. */
static int64_t boot_clock_ms(struct dice *dice)
{
    static const int64_t day = 86400000;

    switch (dice_below(dice, 12)) {
    case 0:
    case 1:
    case 2:
        return -20786 * day;
    case 3:
        return 5 * 365 * day;
    case 4:
        return wrong_clock_ms(dice);
    default:
        return 0;
    }
}

static void fill_operation(struct item *item, const struct plan *plan, struct dice *dice)
{
    static const uint32_t odd[] = {PLAN_SELF, PLAN_NO_ID, PLAN_STRANGER};
    unsigned luck = (unsigned)dice_below(dice, 100);
    uint32_t producer = (uint32_t)dice_between(dice, plan->consumers, plan->nodes - 1);

    item->who = (uint32_t)dice_below(dice, plan->consumers);
    if (luck < 25) {
        producer = PLAN_UNPAIR;
    } else if (luck < 35) {
        producer = odd[dice_below(dice, 3)];
    } else if (luck < 38) {
        producer = (uint32_t)dice_below(dice, plan->consumers);
    }
    item->x = producer;
    for (unsigned flag = 1; flag <= PLAN_TWIN; flag *= 2) {
        item->y |= dice_chance(dice, 120) ? (int64_t)flag : 0;
    }
}

static void fill(struct item *item, const struct plan *plan, struct dice *dice)
{
    switch (item->kind) {
    case PLAN_LOSS:
        item->who = dice_chance(dice, 500) ? PLAN_EVERYBODY : item->who;
        item->x = (int64_t)dice_between(dice, 5, 60);
        break;
    case PLAN_DUPLICATE:
        item->x = (int64_t)dice_between(dice, 5, 50);
        break;
    case PLAN_DELAY:
        item->x = (int64_t)dice_between(dice, 5, 3000);
        break;
    case PLAN_CORRUPT:
        item->x = (int64_t)dice_between(dice, 5, 100);
        break;
    case PLAN_FORGE:
        item->x = (int64_t)dice_between(dice, 1, 20);
        break;
    case PLAN_REPLAY:
        item->who = dice_chance(dice, 500) ? PLAN_EVERYBODY : item->who;
        item->x = (int64_t)dice_between(dice, 1, 40);
        break;
    case PLAN_CRASH_AT_SAVE:
        item->x = (int64_t)dice_below(dice, PLAN_LEFT_END);
        item->y = dice_chance(dice, 500);
        break;
    case PLAN_CRASH:
    case PLAN_STOP:
        item->x = dice_chance(dice, 500);
        item->y = boot_clock_ms(dice);
        break;
    case PLAN_DISK_SLOW:
    case PLAN_DRIVER_SLOW:
        item->x = (int64_t)dice_between(dice, 50, 8000);
        break;
    case PLAN_WALL_STEP:
        item->x = wrong_clock_ms(dice);
        item->y = dice_chance(dice, 700); /* noticed while running */
        break;
    case PLAN_RECONFIGURE:
        item->who = (uint32_t)dice_between(dice, plan->consumers, plan->nodes - 1);
        item->x = (int64_t)dice_below(dice, 4);
        item->y = dice_chance(dice, 150); /* and another kind */
        break;
    case PLAN_MEDIA:
        item->who = (uint32_t)dice_between(dice, plan->consumers, plan->nodes - 1);
        item->x = (int64_t)dice_below(dice, 4);
        break;
    case PLAN_FLOOD: /* up to more than a block of numbers for the answers */
        item->who = (uint32_t)dice_below(dice, plan->consumers);
        item->x = (int64_t)dice_between(dice, 1000, 6000);
        break;
    case PLAN_ROTATE:
        item->who = (uint32_t)dice_below(dice, plan->nodes);
        item->x = (int64_t)dice_below(dice, PLAN_ROTATION_END);
        break;
    case PLAN_OPERATE:
        fill_operation(item, plan, dice);
        break;
    default: /* a mode of three */
        item->x = (int64_t)dice_below(dice, 3);
        break;
    }
}

static void add_item(struct plan *plan, struct dice *dice, enum plan_kind kind, uint64_t begin)
{
    struct item *item = &plan->items[plan->count++];
    uint64_t at = dice_below(dice, plan->weather);
    uint64_t lasts =
        dice_chance(dice, 300) ? dice_between(dice, 20, 120) : dice_between(dice, 1, 15);

    *item = (struct item){.kind = kind, .at = begin + at, .lasts = lasts * YK_SECOND};
    if (at + item->lasts > plan->weather) {
        item->lasts = plan->weather - at;
    }
    item->who = concerns_everybody(kind) ? PLAN_EVERYBODY : (uint32_t)dice_below(dice, plan->nodes);
    fill(item, plan, dice);
}

/* While all else is well, so that everything has to converge under two keys. */
static void add_good_rotation(struct plan *plan, struct dice *dice, uint64_t calm)
{
    struct item *item = &plan->items[plan->count++];

    *item = (struct item){.kind = PLAN_ROTATE, .x = PLAN_ROTATES, .y = 1};
    item->at = calm + dice_between(dice, 1, 10) * YK_SECOND;
    item->lasts = dice_between(dice, 3, 30) * YK_SECOND;
}

static int by_time(const void *a_, const void *b_)
{
    const struct item *a = a_;
    const struct item *b = b_;

    if (a->at != b->at) {
        return a->at < b->at ? -1 : 1;
    }
    return (int)a->kind - (int)b->kind;
}

/* How many of a kind come in one round. */
static uint64_t quota(const struct plan *plan, struct dice *dice, enum plan_kind kind)
{
    uint64_t scale = concerns_everybody(kind) ? 10 : plan->nodes;
    uint64_t hundredths = frequency[kind] * scale * 10 * (plan->weather / YK_SECOND) / 600;

    assert(frequency[kind] > 0); /* or it would never happen */
    hundredths = hundredths * dice_between(dice, 30, 170) / 100;
    return hundredths / 100 + (dice_below(dice, 100) < hundredths % 100);
}

/* A run has only some of the kinds, so that one does not always hide another. */
static void add_items(struct plan *plan, struct dice *dice)
{
    bool present[PLAN_KIND_END];

    for (int kind = PLAN_NONE + 1; kind < PLAN_KIND_END; kind++) {
        present[kind] = kind == PLAN_OPERATE || dice_chance(dice, 500);
    }
    if (!plan->keyed) { /* anybody may say anything then */
        present[PLAN_FORGE] = present[PLAN_CORRUPT] = present[PLAN_ROTATE] = false;
    }
    for (unsigned round = 0; round < plan->rounds; round++) {
        for (int kind = PLAN_NONE + 1; kind < PLAN_KIND_END; kind++) {
            uint64_t wanted = present[kind] ? quota(plan, dice, (enum plan_kind)kind) : 0;

            for (; wanted > 0 && plan->count < PLAN_ITEMS_MAX; wanted--) {
                add_item(plan, dice, (enum plan_kind)kind, round * plan_round(plan));
            }
        }
        if (present[PLAN_ROTATE] && plan->count < PLAN_ITEMS_MAX) {
            add_good_rotation(plan, dice, round * plan_round(plan) + plan->weather);
        }
    }
    qsort(plan->items, plan->count, sizeof *plan->items, by_time);
}

void plan_make(struct plan *plan, const struct plan_options *options)
{
    struct dice dice = dice_of(options->seed, 0);
    uint64_t most = dice_chance(&dice, 50) ? 60 : 14;
    uint64_t nodes = dice_between(&dice, 2, most);

    memset(plan, 0, sizeof *plan);
    plan->seed = options->seed;
    plan->nodes = options->nodes != 0 ? options->nodes : (unsigned)nodes;
    plan->consumers = (unsigned)dice_between(&dice, 1, plan->nodes - 1);
    plan->keyed = !dice_chance(&dice, 100);
    plan->tracked = dice_chance(&dice, 100) ? YK_TRACKED_MIN : 1024;
    plan->weather = dice_between(&dice, 40, 300) * YK_SECOND;
    plan->rounds = (unsigned)dice_between(&dice, 1, 3);
    if (options->minutes != 0) {
        plan->rounds = (unsigned)(options->minutes * 60 * YK_SECOND / plan_round(plan));
        plan->rounds = plan->rounds == 0 ? 1 : plan->rounds;
    }
    plan->items = calloc(PLAN_ITEMS_MAX, sizeof *plan->items);
    if (plan->items == NULL) {
        abort();
    }
    add_items(plan, &dice);
}

void plan_free(struct plan *plan)
{
    free(plan->items);
    plan->items = NULL;
}

void plan_describe(const struct item *item, char *text, size_t size)
{
    char who[32] = "all";

    if (item->who != PLAN_EVERYBODY) {
        snprintf(who, sizeof who, "node %" PRIu32, item->who);
    }
    snprintf(text, size, "%10.3f s  for %.0f s  %-13s %s x=%" PRId64 " y=%" PRId64 "  (%s)",
             (double)item->at / (double)YK_SECOND, (double)item->lasts / (double)YK_SECOND,
             words[item->kind], who, item->x, item->y, meanings[item->kind]);
}
