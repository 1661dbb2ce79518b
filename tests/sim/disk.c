#include "sim/disk.h"

uint64_t disk_save(struct disk *disk, uint64_t request, const struct yk_durable *state)
{
    disk->saving = true;
    disk->request = request;
    disk->asked = *state;
    if (disk->slow_ms > 0) {
        return dice_between(&disk->dice, 1, disk->slow_ms) * YK_MS;
    }
    return dice_between(&disk->dice, 100, 20000) * (YK_MS / 1000);
}

static void leave(struct disk *disk, enum plan_left left)
{
    if (left != PLAN_LEFT_OLD) {
        disk->seen = disk->asked;
    }
    if (left == PLAN_LEFT_NEW) {
        disk->durable = disk->asked;
    }
}

bool disk_end(struct disk *disk)
{
    disk->saving = false;
    leave(disk, disk->failing ? disk->failure_leaves : PLAN_LEFT_NEW);
    return !disk->failing;
}

void disk_interrupt(struct disk *disk, bool power_cut, enum plan_left left)
{
    if (disk->saving) {
        leave(disk, left);
        disk->saving = false;
    }
    if (power_cut) {
        disk->seen = disk->durable;
    }
}
