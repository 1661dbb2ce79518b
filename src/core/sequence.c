#include "core/sequence.h"

void yk_sequence_start(struct yk_sequence *sequence, uint64_t saved_bound, int64_t wall_ns)
{
    uint64_t floor = wall_ns > 0 ? (uint64_t)wall_ns / YK_SECOND * YK_SECOND : 0;

    if (floor < saved_bound) {
        floor = saved_bound;
    }
    *sequence = (struct yk_sequence){.first = floor + 1, .next = floor + 1};
}

uint64_t yk_sequence_left(const struct yk_sequence *sequence)
{
    return sequence->bound > sequence->next ? sequence->bound - sequence->next : 0;
}

uint64_t yk_sequence_proposal(const struct yk_sequence *sequence)
{
    uint64_t base = sequence->bound;

    if (yk_sequence_left(sequence) > YK_SEQ_BLOCK / 2) {
        return sequence->bound;
    }
    if (base < sequence->next - 1) {
        base = sequence->next - 1;
    }
    return base > YK_COUNT_MAX - YK_SEQ_BLOCK ? YK_COUNT_MAX : base + YK_SEQ_BLOCK;
}

bool yk_sequence_wants_save(const struct yk_sequence *sequence)
{
    return yk_sequence_proposal(sequence) > sequence->bound;
}

void yk_sequence_saved(struct yk_sequence *sequence, uint64_t bound)
{
    sequence->bound = bound;
}

bool yk_sequence_take(struct yk_sequence *sequence, uint64_t *number)
{
    if (yk_sequence_left(sequence) == 0) {
        return false;
    }
    *number = sequence->next++;
    return true;
}
