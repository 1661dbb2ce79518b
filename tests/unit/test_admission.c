#include <string.h>

#include "core/admission.h"
#include "lib/suite.h"

#define NOW_NS INT64_C(1796018523000000000) /* Unix time when the monotonic clock shows START */
#define START (100 * YK_SECOND)

static struct yk_receiver receiver;
static void *memory;
static struct yk_auth site;
static struct yk_auth stranger;
static struct yk_frame heard;

static void make_receiver(const struct yk_auth *auth)
{
    struct yk_wall wall = {NOW_NS, START};

    free(memory);
    memory = calloc(1, yk_receiver_memory(16));
    ck_assert_ptr_nonnull(memory);
    yk_receiver_init(&receiver, memory, 16, auth, wall, 1);
}

static void setup(void)
{
    yk_auth_init(&site, yk_slice_of("site"), (struct yk_slice){NULL, 0});
    yk_auth_init(&stranger, yk_slice_of("stranger"), (struct yk_slice){NULL, 0});
    make_receiver(&site);
}

static struct yk_frame bye(const char *origin, uint64_t seq)
{
    struct yk_frame frame = {.type = YK_TYPE_BYE, .seq = seq, .ts_ms = 1500};

    ck_assert(yk_id_parse(&frame.origin, yk_slice_of(origin)));
    return frame;
}

static enum yk_drop hear_bytes(const uint8_t *bytes, size_t size, yk_time now)
{
    return yk_receiver_admit(&receiver, (struct yk_slice){bytes, size}, now, &heard);
}

static enum yk_drop hear(const struct yk_frame *frame, const struct yk_auth *auth, yk_time now)
{
    uint8_t bytes[YK_FRAME_MAX];
    size_t size = yk_frame_encode(frame, auth, bytes);

    ck_assert_uint_gt(size, 0);
    return hear_bytes(bytes, size, now);
}

static enum yk_drop hear_bye(uint64_t seq)
{
    struct yk_frame frame = bye("dec-3", seq);

    return hear(&frame, &site, START);
}

/* An acknowledgment whose reason is on no list: well signed, with a malformed body. */
static enum yk_drop hear_malformed(uint64_t seq, const struct yk_auth *auth)
{
    struct yk_frame frame = bye("dec-3", seq);

    frame.type = YK_TYPE_ACK;
    frame.as.ack.version.n = 1;
    ck_assert(yk_id_parse(&frame.as.ack.version.author, yk_slice_of("a")));
    return hear(&frame, auth, START);
}

START_TEST(a_good_frame_is_accepted_and_counted)
{
    setup();
    ck_assert_int_eq(hear_bye(7), YK_DROP_NONE);
    ck_assert_int_eq(heard.type, YK_TYPE_BYE);
    ck_assert_str_eq(heard.origin.text, "dec-3");
    ck_assert_uint_eq(heard.seq, 7);
    ck_assert_int_eq(heard.ts_ms, 1500);
    ck_assert_ptr_eq(receiver.signer, &site.key);
    ck_assert_uint_eq(receiver.drops[YK_DROP_NONE], 1);
}
END_TEST

START_TEST(every_drop_is_counted_by_its_name)
{
    uint8_t big[YK_FRAME_MAX + 1] = {0};
    struct yk_frame frame = bye("dec-3", 9);

    setup();
    ck_assert_int_eq(hear_bytes(big, sizeof(big), START), YK_DROP_OVERSIZE);
    ck_assert_int_eq(hear_bytes((const uint8_t *)"", 0, START), YK_DROP_MALFORMED);
    ck_assert_int_eq(hear_bytes((const uint8_t *)"{\"v\":2}", 7, START), YK_DROP_VERSION);
    ck_assert_int_eq(hear(&frame, &stranger, START), YK_DROP_AUTH);
    ck_assert_int_eq(hear_bye(7), YK_DROP_NONE);
    ck_assert_int_eq(hear_bye(7), YK_DROP_DUP);
    ck_assert_int_eq(hear_bye(6), YK_DROP_STALE);
    for (int drop = YK_DROP_NONE; drop < YK_DROP_END; drop++) {
        ck_assert_uint_eq(receiver.drops[drop], 1);
    }
}
END_TEST

START_TEST(the_signature_is_checked_before_the_body)
{
    setup();
    ck_assert_int_eq(hear_malformed(7, &stranger), YK_DROP_AUTH);
    ck_assert_int_eq(hear_malformed(7, &site), YK_DROP_MALFORMED);
}
END_TEST

START_TEST(the_body_is_checked_before_the_future_bound)
{
    setup();
    ck_assert_int_eq(hear_malformed(YK_COUNT_MAX, &site), YK_DROP_MALFORMED);
    ck_assert_int_eq(hear_bye(YK_COUNT_MAX), YK_DROP_STALE);
}
END_TEST

START_TEST(only_an_accepted_frame_moves_the_high_water)
{
    struct yk_frame forged = bye("dec-3", 9);

    setup();
    ck_assert_int_eq(hear(&forged, &stranger, START), YK_DROP_AUTH);
    ck_assert_int_eq(hear_malformed(9, &site), YK_DROP_MALFORMED);
    ck_assert_int_eq(hear_bye(NOW_NS + YK_SEQ_FUTURE + 1), YK_DROP_STALE);
    ck_assert_int_eq(hear_bye(7), YK_DROP_NONE);
    ck_assert_int_eq(hear_bye(8), YK_DROP_NONE);
}
END_TEST

START_TEST(a_seq_over_an_hour_ahead_is_stale)
{
    struct yk_frame frame = bye("dec-3", NOW_NS + YK_SEQ_FUTURE + 1);

    setup();
    ck_assert_int_eq(hear(&frame, &site, START), YK_DROP_STALE);
    ck_assert_int_eq(hear(&frame, &site, START + 1), YK_DROP_NONE);
    ck_assert_int_eq(hear_bye(NOW_NS + YK_SEQ_FUTURE), YK_DROP_STALE); /* replay */
    setup();
    ck_assert_int_eq(hear_bye(NOW_NS + YK_SEQ_FUTURE), YK_DROP_NONE);
}
END_TEST

START_TEST(the_future_bound_is_never_below_our_own_bound)
{
    setup();
    receiver.wall = (struct yk_wall){0, START}; /* a board without a clock */
    ck_assert_int_eq(hear_bye(NOW_NS), YK_DROP_STALE);
    receiver.seq_floor = NOW_NS;
    ck_assert_int_eq(hear_bye(NOW_NS), YK_DROP_NONE);
    ck_assert_int_eq(hear_bye(NOW_NS + YK_SEQ_FUTURE), YK_DROP_NONE);
    ck_assert_int_eq(hear_bye(NOW_NS + YK_SEQ_FUTURE + 1), YK_DROP_STALE);
}
END_TEST

START_TEST(the_future_bound_does_not_overflow)
{
    setup();
    receiver.seq_floor = UINT64_MAX;
    ck_assert_int_eq(hear_bye(YK_COUNT_MAX), YK_DROP_NONE);
    setup();
    receiver.wall = (struct yk_wall){INT64_MAX, START};
    ck_assert_int_eq(hear_bye(YK_COUNT_MAX), YK_DROP_NONE);
}
END_TEST

START_TEST(the_wall_clock_runs_with_the_monotonic_one)
{
    struct yk_wall wall = {NOW_NS, START};
    struct yk_wall before_1970 = {-5, START};
    struct yk_wall far = {INT64_MAX, 0};

    ck_assert_uint_eq(yk_wall_at(&wall, START), NOW_NS);
    ck_assert_uint_eq(yk_wall_at(&wall, START + 5), NOW_NS + 5);
    ck_assert_uint_eq(yk_wall_at(&wall, START - 5), NOW_NS);
    ck_assert_uint_eq(yk_wall_at(&before_1970, START), 0);
    ck_assert_uint_eq(yk_wall_at(&before_1970, START + 7), 2);
    ck_assert_uint_eq(yk_wall_at(&far, UINT64_MAX), UINT64_MAX);
}
END_TEST

START_TEST(a_duplicate_spelled_otherwise_is_a_dup)
{
    struct yk_frame frame = bye("dec-3", 7);
    uint8_t bytes[YK_FRAME_MAX + 1];
    size_t size;

    setup();
    size = yk_frame_encode(&frame, &site, bytes + 1);
    bytes[0] = ' ';
    ck_assert_int_eq(hear_bytes(bytes + 1, size, START), YK_DROP_NONE);
    ck_assert_int_eq(hear_bytes(bytes, size + 1, START), YK_DROP_DUP);
}
END_TEST

START_TEST(open_mode_drops_signed_frames_and_a_keyed_one_unsigned)
{
    struct yk_auth open;
    struct yk_frame frame = bye("dec-3", 7);

    setup();
    yk_auth_init(&open, (struct yk_slice){NULL, 0}, (struct yk_slice){NULL, 0});
    ck_assert_int_eq(hear(&frame, &open, START), YK_DROP_AUTH);
    make_receiver(&open);
    ck_assert_int_eq(hear(&frame, &site, START), YK_DROP_AUTH);
    ck_assert_int_eq(hear(&frame, &open, START), YK_DROP_NONE);
    ck_assert_ptr_null(receiver.signer);
    ck_assert_int_eq(hear(&frame, &open, START), YK_DROP_DUP);
}
END_TEST

START_TEST(both_paths_give_the_same_verdict)
{
    static const enum yk_path paths[] = {YK_PATH_AUTO, YK_PATH_FAST, YK_PATH_GENERAL};

    for (size_t i = 0; i < 3; i++) {
        setup();
        receiver.path = paths[i];
        ck_assert_int_eq(hear_bye(7), YK_DROP_NONE);
        ck_assert_int_eq(hear_bye(7), YK_DROP_DUP);
        ck_assert_int_eq(hear_malformed(9, &site), YK_DROP_MALFORMED);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_good_frame_is_accepted_and_counted,
        every_drop_is_counted_by_its_name,
        the_signature_is_checked_before_the_body,
        the_body_is_checked_before_the_future_bound,
        only_an_accepted_frame_moves_the_high_water,
        a_seq_over_an_hour_ahead_is_stale,
        the_future_bound_is_never_below_our_own_bound,
        the_future_bound_does_not_overflow,
        the_wall_clock_runs_with_the_monotonic_one,
        a_duplicate_spelled_otherwise_is_a_dup,
        open_mode_drops_signed_frames_and_a_keyed_one_unsigned,
        both_paths_give_the_same_verdict,
        NULL,
    };

    return suite_main("admission", tests);
}
