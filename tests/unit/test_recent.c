#include <stdio.h>
#include <string.h>

#include "core/admission.h"
#include "lib/suite.h"

#define WALL_NS INT64_C(1796018523000000000)
#define TRACKED 16

/* Two receivers hear everything: one remembers announcements, one reads each frame the long way. */
struct side {
    struct yk_receiver receiver;
    void *memory;
    struct yk_frame frame;
};

static struct side quick, slow;
static struct yk_auth site, rotated, stranger;
static uint64_t seq = WALL_NS;
static uint8_t sent[YK_FRAME_MAX];
static size_t sent_size;

static void start(struct side *side, const struct yk_auth *auth, enum yk_path path)
{
    struct yk_wall wall = {WALL_NS, 0};

    side->memory = calloc(1, yk_receiver_memory(TRACKED));
    ck_assert_ptr_nonnull(side->memory);
    yk_receiver_init(&side->receiver, side->memory, TRACKED, auth, wall, 1);
    side->receiver.path = path;
}

static void setup(void)
{
    yk_auth_init(&site, yk_slice_of("site"), yk_slice_of("next"));
    yk_auth_init(&rotated, yk_slice_of("next"), (struct yk_slice){NULL, 0});
    yk_auth_init(&stranger, yk_slice_of("stranger"), (struct yk_slice){NULL, 0});
    start(&quick, &site, YK_PATH_AUTO);
    start(&slow, &site, YK_PATH_GENERAL);
}

static void teardown(void)
{
    free(quick.memory);
    free(slow.memory);
}

static struct yk_frame producer(const char *origin, const char *name)
{
    struct yk_frame frame = {.type = YK_TYPE_ANN};

    yk_id_parse(&frame.origin, yk_slice_of(origin));
    frame.as.ann = (struct yk_ann){
        .role = YK_ROLE_PRODUCER,
        .kind = YK_KIND_HDMI,
        .state = YK_STATE_ACTIVE,
        .name = yk_slice_of(name),
        .media = yk_slice_of("{\"group\":\"239.10.0.5\",\"port\":5004}"),
        .has_evidence = true,
        .evidence = yk_slice_of("sending to the group"),
    };
    return frame;
}

static struct yk_frame consumer(const char *origin, const char *name)
{
    struct yk_frame frame = producer(origin, name);

    frame.as.ann.role = YK_ROLE_CONSUMER;
    frame.as.ann.media.size = 0;
    frame.as.ann.has_evidence = false;
    frame.as.ann.has_err = true;
    frame.as.ann.err = yk_slice_of("producer enc-1 is not heard");
    frame.as.ann.pairing.version.n = 7;
    yk_id_parse(&frame.as.ann.pairing.version.author, yk_slice_of("op-1"));
    yk_id_parse(&frame.as.ann.pairing.producer, yk_slice_of("enc-1"));
    return frame;
}

static bool is_recalled(const struct side *side)
{
    return side->frame.as.ann.name.data < sent ||
           side->frame.as.ann.name.data >= sent + sizeof sent;
}

static void expect_equal(const struct yk_frame *a, const struct yk_frame *b)
{
    ck_assert_int_eq(a->type, b->type);
    ck_assert(yk_id_equal(&a->origin, &b->origin));
    ck_assert_uint_eq(a->seq, b->seq);
    ck_assert_int_eq(a->ts_ms, b->ts_ms);
    if (a->type != YK_TYPE_ANN) {
        return;
    }
    ck_assert_int_eq(a->as.ann.role, b->as.ann.role);
    ck_assert_int_eq(a->as.ann.kind, b->as.ann.kind);
    ck_assert_int_eq(a->as.ann.state, b->as.ann.state);
    ck_assert(yk_slice_equal(a->as.ann.name, b->as.ann.name));
    ck_assert_int_eq(a->as.ann.has_err, b->as.ann.has_err);
    ck_assert(yk_slice_equal(a->as.ann.err, b->as.ann.err));
    ck_assert(yk_id_equal(&a->as.ann.pairing.producer, &b->as.ann.pairing.producer));
    ck_assert_int_eq(yk_version_compare(&a->as.ann.pairing.version, &b->as.ann.pairing.version), 0);
    ck_assert(yk_slice_equal(a->as.ann.media, b->as.ann.media));
    ck_assert_int_eq(a->as.ann.has_evidence, b->as.ann.has_evidence);
    ck_assert(yk_slice_equal(a->as.ann.evidence, b->as.ann.evidence));
}

/* Both hear what `sent` holds, and must say the same. */
static enum yk_drop hear_sent(void)
{
    struct yk_slice raw = {sent, sent_size};
    enum yk_drop drop = yk_receiver_admit(&slow.receiver, raw, 0, &slow.frame);

    ck_assert_int_eq(yk_receiver_admit(&quick.receiver, raw, 0, &quick.frame), drop);
    if (drop == YK_DROP_NONE) {
        expect_equal(&quick.frame, &slow.frame);
        ck_assert_ptr_eq(quick.receiver.signer, slow.receiver.signer);
    }
    return drop;
}

/* Under the next number; `step` back is an old one. */
static enum yk_drop hear(struct yk_frame frame, const struct yk_auth *auth, uint64_t step)
{
    seq++;
    frame.seq = seq - step;
    frame.ts_ms = (int64_t)(frame.seq / YK_MS);
    sent_size = yk_frame_encode(&frame, auth, sent);
    ck_assert_uint_gt(sent_size, 0);
    return hear_sent();
}

START_TEST(an_announcement_said_again_is_recalled)
{
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(hear(producer("enc-1", "Hörsaal"), &site, 0), YK_DROP_NONE);
        ck_assert_int_eq(is_recalled(&quick), i >= 2); /* the record, the memory, the use of it */
        ck_assert_int_eq(hear(consumer("dec-1", ""), &site, 0), YK_DROP_NONE);
        ck_assert_int_eq(is_recalled(&quick), i >= 2);
    }
    ck_assert_int_eq(hear_sent(), YK_DROP_DUP);
}
END_TEST

START_TEST(a_changed_announcement_is_read)
{
    struct yk_frame frame = producer("enc-1", "a");

    for (int i = 0; i < 40; i++) {
        frame.as.ann.state = i % 8 == 7 ? YK_STATE_ERROR : YK_STATE_ACTIVE;
        frame.as.ann.name = yk_slice_of(i < 20 ? "a" : i < 25 ? "b" : "\n");
        ck_assert_int_eq(hear(frame, &site, 0), YK_DROP_NONE);
    }
    frame = consumer("dec-1", "one");
    for (int i = 0; i < 20; i++) { /* nothing but a number, and no byte longer */
        frame.as.ann.pairing.version.n = i % 5 == 4 ? 8 : 7;
        ck_assert_int_eq(hear(frame, &site, 0), YK_DROP_NONE);
    }
}
END_TEST

/* An old frame is verified before it is found to be old, and must not pass for the newest. */
START_TEST(what_is_kept_goes_with_its_own_bytes)
{
    for (int i = 0; i < 3; i++) {
        hear(producer("enc-1", "one"), &site, 0);
    }
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(hear(producer("enc-1", "two"), &site, 1000), YK_DROP_STALE);
        ck_assert_int_eq(hear(producer("enc-1", "two"), &site, 0), YK_DROP_NONE);
        ck_assert_int_eq(hear(producer("enc-1", "six"), &site, 1000), YK_DROP_STALE);
        ck_assert_int_eq(hear(producer("enc-1", "one"), &site, 0), YK_DROP_NONE);
    }
    for (int i = 0; i < 12; i++) { /* what had an escape is not kept, and has the same size */
        struct yk_frame frame = consumer("dec-1", i % 4 < 2 ? "one" : "1\n");

        frame.as.ann.pairing.version.n = i % 4 < 2 ? 7 : 8;
        ck_assert_int_eq(hear(frame, &site, 0), YK_DROP_NONE);
    }
}
END_TEST

START_TEST(other_frames_come_between)
{
    struct yk_frame bye = {.type = YK_TYPE_BYE}, event = {.type = YK_TYPE_EVT};

    yk_id_parse(&bye.origin, yk_slice_of("enc-1"));
    event.origin = bye.origin;
    event.as.evt.event = YK_EVENT_MEDIA_UP;
    event.as.evt.detail = yk_slice_of("{}");
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(hear(producer("enc-1", "one"), &site, 0), YK_DROP_NONE);
        ck_assert_int_eq(hear(i % 3 == 0 ? bye : event, &site, 0), YK_DROP_NONE);
        ck_assert_int_eq(hear(producer("enc-1", "one"), &site, 0), YK_DROP_NONE);
    }
}
END_TEST

/* The body says all that is not well, and what was verified is malformed. */
START_TEST(a_verified_frame_that_is_malformed_leaves_nothing)
{
    static const char text[] = "{\"body\":{},\"origin\":\"enc-1\",\"seq\":%llu,\"sig\":\"%.64s\","
                               "\"ts\":1.5,\"type\":\"ann\",\"v\":1}";
    static const char no_sig[] =
        "{\"body\":{},\"origin\":\"enc-1\",\"seq\":%llu,\"ts\":1.5,\"type\":\"ann\",\"v\":1}";
    char sig[YK_SIG_SIZE];

    for (int i = 0; i < 6; i++) {
        struct yk_slice parts[2] = {{sent, 0}, {sent, 0}};

        ck_assert_int_eq(hear(producer("enc-1", "one"), &site, 0), YK_DROP_NONE);
        seq++;
        parts[0].size = (size_t)sprintf((char *)sent, no_sig, (unsigned long long)seq);
        yk_auth_sign(&site, parts, sig);
        sent_size = (size_t)sprintf((char *)sent, text, (unsigned long long)seq, sig);
        ck_assert_int_eq(hear_sent(), YK_DROP_MALFORMED);
    }
}
END_TEST

START_TEST(a_forged_frame_changes_nothing_that_is_kept)
{
    uint8_t *before = malloc(yk_receiver_memory(TRACKED));
    size_t size = yk_receiver_memory(TRACKED);

    ck_assert_ptr_nonnull(before);
    for (int i = 0; i < 4; i++) {
        hear(producer("enc-1", "one"), &site, 0);
        memcpy(before, quick.memory, size);
        ck_assert_int_eq(hear(producer("enc-1", "one"), &stranger, 0), YK_DROP_AUTH);
        ck_assert_int_eq(hear(producer("enc-1", "two"), &stranger, 0), YK_DROP_AUTH);
        ck_assert_int_eq(hear(producer("enc-2", "one"), &stranger, 0), YK_DROP_AUTH);
        ck_assert_mem_eq(before, quick.memory, size);
    }
    free(before);
}
END_TEST

/* Each bit of a frame whose head is known is signed. */
START_TEST(a_frame_whose_head_is_known_is_verified_to_the_last_bit)
{
    for (int i = 0; i < 3; i++) {
        hear(producer("enc-1", "one"), &site, 0);
    }
    seq++;
    hear(producer("enc-1", "one"), &stranger, 0);
    for (size_t bit = 0; bit < 8 * sent_size; bit++) {
        struct yk_frame frame = producer("enc-1", "one");

        frame.seq = ++seq;
        sent_size = yk_frame_encode(&frame, &site, sent);
        sent[bit / 8] ^= (uint8_t)(1 << bit % 8);
        ck_assert_int_ne(hear_sent(), YK_DROP_NONE);
    }
    ck_assert_int_eq(hear(producer("enc-1", "one"), &site, 0), YK_DROP_NONE);
    ck_assert(is_recalled(&quick));
}
END_TEST

START_TEST(a_head_validates_under_the_key_that_signs_it)
{
    for (int i = 0; i < 30; i++) {
        const struct yk_auth *auth = i % 7 < 4 ? &site : &rotated;

        ck_assert_int_eq(hear(producer("enc-1", "one"), auth, 0), YK_DROP_NONE);
        ck_assert_ptr_eq(quick.receiver.signer, auth == &site ? &site.key : &site.next);
    }
}
END_TEST

/* Its state ends a byte before the head does, which is then no more held in whole. */
START_TEST(an_old_number_with_fewer_digits_under_the_other_key_takes_the_head_away)
{
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(hear(producer("enc-1", "one"), &site, 0), YK_DROP_NONE);
    }
    ck_assert(is_recalled(&quick));
    ck_assert_int_eq(hear(producer("enc-1", "one"), &rotated, seq - UINT64_C(100000000000000000)),
                     YK_DROP_STALE);
    ck_assert_int_eq(hear(producer("enc-1", "one"), &site, 0), YK_DROP_NONE);
    ck_assert(!is_recalled(&quick));
}
END_TEST

START_TEST(a_record_that_changes_hands_takes_nothing_with_it)
{
    char id[16];

    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < TRACKED + 3; i++) {
            snprintf(id, sizeof id, "enc-%02d", i);
            for (int again = 0; again < 3; again++) {
                ck_assert_int_eq(hear(producer(id, "one"), &site, 0), YK_DROP_NONE);
            }
        }
    }
}
END_TEST

START_TEST(what_had_escapes_is_read_each_time)
{
    static char detail[800];
    struct yk_frame frame = producer("enc-1", "one");

    memset(detail, 'x', sizeof detail - 1);
    for (int i = 0; i < 4; i++) {
        frame.as.ann.evidence = yk_slice_of("line\nline");
        ck_assert_int_eq(hear(frame, &site, 0), YK_DROP_NONE);
        frame.as.ann.evidence = yk_slice_of(detail);
        ck_assert_int_eq(hear(frame, &site, 0), YK_DROP_NONE);
    }
}
END_TEST

START_TEST(open_mode_recalls_nothing)
{
    struct yk_auth open;

    teardown();
    yk_auth_init(&open, (struct yk_slice){NULL, 0}, (struct yk_slice){NULL, 0});
    start(&quick, &open, YK_PATH_AUTO);
    start(&slow, &open, YK_PATH_GENERAL);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(hear(producer("enc-1", "one"), &open, 0), YK_DROP_NONE);
        ck_assert(!is_recalled(&quick));
        ck_assert_int_eq(hear(consumer("dec-1", "two"), &open, 0), YK_DROP_NONE);
    }
}
END_TEST

/* Keeping costs: after the first, second, fourth, eighth ... in vain it is tried less often. */
START_TEST(who_never_says_the_same_is_kept_ever_less_often)
{
    static struct yk_recent recent;
    static struct yk_decoder decoder;
    static struct yk_frame frame;
    char pattern[41] = "";
    uint64_t editions = 0;

    for (int i = 0; i < 40; i++) {
        pattern[i] = yk_recent_is_wanted(&recent) ? 'k' : '.';
        yk_recent_note(&recent, YK_RECALL_NOTHING, &decoder, &frame, &editions);
    }
    ck_assert_str_eq(pattern, "kk.k...k.......k...............k........");
    yk_recent_note(&recent, YK_RECALL_HEAD, &decoder, &frame, &editions);
    ck_assert(yk_recent_is_wanted(&recent));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("recent");
    TCase *tcase = tcase_create("recent");
    SRunner *runner;
    int failed;
    const TTest *const tests[] = {
        an_announcement_said_again_is_recalled,
        a_changed_announcement_is_read,
        what_is_kept_goes_with_its_own_bytes,
        other_frames_come_between,
        a_verified_frame_that_is_malformed_leaves_nothing,
        a_forged_frame_changes_nothing_that_is_kept,
        a_frame_whose_head_is_known_is_verified_to_the_last_bit,
        a_head_validates_under_the_key_that_signs_it,
        an_old_number_with_fewer_digits_under_the_other_key_takes_the_head_away,
        a_record_that_changes_hands_takes_nothing_with_it,
        what_had_escapes_is_read_each_time,
        open_mode_recalls_nothing,
        who_never_says_the_same_is_kept_ever_less_often,
        NULL,
    };

    tcase_add_checked_fixture(tcase, setup, teardown);
    for (size_t i = 0; tests[i] != NULL; i++) {
        tcase_add_test(tcase, tests[i]);
    }
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
