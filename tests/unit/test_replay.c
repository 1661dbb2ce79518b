#include <stdio.h>
#include <string.h>

#include "core/replay.h"
#include "lib/suite.h"

static struct yk_replay replay;
static void *memory;

static void make(uint32_t tracked)
{
    free(memory);
    memory = calloc(1, yk_replay_memory(tracked));
    ck_assert_ptr_nonnull(memory);
    yk_replay_init(&replay, memory, tracked, 1);
}

static enum yk_drop hear(const char *origin, uint64_t seq, uint8_t content, yk_time now)
{
    struct yk_id id;
    struct yk_digest digest;

    ck_assert(yk_id_parse(&id, yk_slice_of(origin)));
    memset(&digest, content, sizeof(digest));
    return yk_replay_check(&replay, yk_replay_find(&replay, &id), &id, seq, &digest, now);
}

START_TEST(a_seq_not_above_the_highest_is_stale)
{
    make(16);
    ck_assert_int_eq(hear("a", 10, 1, 0), YK_DROP_NONE);
    ck_assert_int_eq(hear("a", 9, 2, 0), YK_DROP_STALE);
    ck_assert_int_eq(hear("a", 10, 2, 0), YK_DROP_STALE);
    ck_assert_int_eq(hear("a", 11, 2, 0), YK_DROP_NONE);
    ck_assert_int_eq(hear("a", YK_COUNT_MAX, 3, 0), YK_DROP_NONE);
    ck_assert_int_eq(hear("a", YK_COUNT_MAX - 1, 3, 0), YK_DROP_STALE);
}
END_TEST

START_TEST(the_same_frame_again_is_a_dup)
{
    make(16);
    ck_assert_int_eq(hear("a", 10, 1, 0), YK_DROP_NONE);
    ck_assert_int_eq(hear("a", 10, 1, 0), YK_DROP_DUP);
    ck_assert_int_eq(hear("a", 11, 2, 0), YK_DROP_NONE);
    ck_assert_int_eq(hear("a", 10, 1, 0), YK_DROP_STALE);
    ck_assert_int_eq(hear("a", 11, 1, 0), YK_DROP_STALE);
    ck_assert_int_eq(hear("a", 11, 2, 0), YK_DROP_DUP);
}
END_TEST

START_TEST(origins_are_separate)
{
    make(16);
    ck_assert_int_eq(hear("a", 10, 1, 0), YK_DROP_NONE);
    ck_assert_int_eq(hear("A", 5, 1, 0), YK_DROP_NONE);
    ck_assert_int_eq(hear("aa", 1, 1, 0), YK_DROP_NONE);
    ck_assert_int_eq(hear("A", 10, 1, 0), YK_DROP_NONE);
    ck_assert_int_eq(hear("a", 10, 1, 0), YK_DROP_DUP);
}
END_TEST

START_TEST(a_full_table_forgets_the_least_recently_heard)
{
    char origin[4];

    make(16);
    for (unsigned i = 0; i < 16; i++) {
        snprintf(origin, sizeof(origin), "n%u", i);
        ck_assert_int_eq(hear(origin, 10, 1, i), YK_DROP_NONE);
    }
    ck_assert_int_eq(hear("n0", 11, 1, 20), YK_DROP_NONE);
    ck_assert_int_eq(hear("new", 1, 1, 21), YK_DROP_NONE);
    ck_assert_int_eq(hear("n0", 11, 1, 22), YK_DROP_DUP);
    ck_assert_int_eq(hear("n2", 10, 1, 22), YK_DROP_DUP);
    ck_assert_int_eq(hear("n1", 1, 1, 22), YK_DROP_NONE); /* forgotten; n2 goes for it */
    ck_assert_int_eq(hear("n2", 1, 1, 22), YK_DROP_NONE);
}
END_TEST

START_TEST(what_anybody_can_repeat_keeps_no_origin_alive)
{
    char origin[4];

    make(16);
    for (unsigned i = 0; i < 16; i++) {
        snprintf(origin, sizeof(origin), "n%u", i);
        ck_assert_int_eq(hear(origin, 10, 1, i), YK_DROP_NONE);
    }
    ck_assert_int_eq(hear("n0", 10, 1, 20), YK_DROP_DUP);
    ck_assert_int_eq(hear("n0", 9, 1, 20), YK_DROP_STALE);
    ck_assert_int_eq(hear("new", 1, 1, 21), YK_DROP_NONE);
    ck_assert_int_eq(hear("n0", 1, 1, 22), YK_DROP_NONE);
}
END_TEST

START_TEST(an_origin_is_forgotten_after_24_hours_of_silence)
{
    make(16);
    ck_assert_uint_eq(yk_replay_expire(&replay, 0, 16), YK_TIME_NEVER);
    ck_assert_int_eq(hear("a", 10, 1, 5), YK_DROP_NONE);
    ck_assert_uint_eq(yk_replay_expire(&replay, 5 + YK_PEER_FORGET - 1, 16), 5 + YK_PEER_FORGET);
    ck_assert_int_eq(hear("a", 10, 1, 5 + YK_PEER_FORGET - 1), YK_DROP_DUP);
    ck_assert_uint_eq(yk_replay_expire(&replay, 5 + YK_PEER_FORGET, 16), YK_TIME_NEVER);
    ck_assert_int_eq(hear("a", 1, 1, 5 + YK_PEER_FORGET), YK_DROP_NONE);
}
END_TEST

START_TEST(forgetting_is_bounded_and_comes_again_at_once)
{
    make(16);
    ck_assert_int_eq(hear("a", 1, 1, 1), YK_DROP_NONE);
    ck_assert_int_eq(hear("b", 1, 1, 2), YK_DROP_NONE);
    ck_assert_int_eq(hear("c", 1, 1, 3), YK_DROP_NONE);
    ck_assert_int_eq(hear("d", 1, 1, YK_HOUR), YK_DROP_NONE);
    ck_assert_uint_le(yk_replay_expire(&replay, 9 + YK_PEER_FORGET, 2), 9 + YK_PEER_FORGET);
    ck_assert_uint_eq(replay.table.count, 2);
    ck_assert_uint_eq(yk_replay_expire(&replay, 9 + YK_PEER_FORGET, 2), YK_HOUR + YK_PEER_FORGET);
    ck_assert_uint_eq(replay.table.count, 1);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_seq_not_above_the_highest_is_stale,
        the_same_frame_again_is_a_dup,
        origins_are_separate,
        a_full_table_forgets_the_least_recently_heard,
        what_anybody_can_repeat_keeps_no_origin_alive,
        an_origin_is_forgotten_after_24_hours_of_silence,
        forgetting_is_bounded_and_comes_again_at_once,
        NULL,
    };

    return suite_main("replay", tests);
}
