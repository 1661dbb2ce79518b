/* dice.h - the simulator's own generator (xorshift64*), one per component, so that taking a fault out
 * of a history leaves the luck of the others as it was. */
#ifndef YK_SIM_DICE_H
#define YK_SIM_DICE_H

#include <stdbool.h>
#include <stdint.h>

struct dice {
    uint64_t state;
};

/* Streams of one seed are independent of each other. */
static inline struct dice dice_of(uint64_t seed, uint64_t stream)
{
    uint64_t mixed =
        (seed + 1) * UINT64_C(0xd1342543de82ef95) ^ (stream + 1) * UINT64_C(0xaf251af3b0f025b5);

    mixed ^= mixed >> 32;
    mixed *= UINT64_C(0x2545f4914f6cdd1d);
    mixed ^= mixed >> 29;
    return (struct dice){mixed | 1};
}

static inline uint64_t dice_roll(struct dice *dice)
{
    dice->state ^= dice->state >> 12;
    dice->state ^= dice->state << 25;
    dice->state ^= dice->state >> 27;
    return dice->state * UINT64_C(0x2545f4914f6cdd1d);
}

/* In [0, count); 0 when count is 0. */
static inline uint64_t dice_below(struct dice *dice, uint64_t count)
{
    return count == 0 ? 0 : (dice_roll(dice) >> 11) % count;
}

/* In [least, most]. */
static inline uint64_t dice_between(struct dice *dice, uint64_t least, uint64_t most)
{
    return least + dice_below(dice, most - least + 1);
}

static inline bool dice_chance(struct dice *dice, unsigned per_mille)
{
    return per_mille > 0 && dice_below(dice, 1000) < per_mille;
}

#endif
