/* What is asked next, and what is reported: histories as tables of what happens and what follows. */
#include <stdio.h>
#include <string.h>

#include "drivers/jap/tuner.h"
#include "lib/suite.h"

#define HOST "10.0.5.20"
#define PARK 9999

enum happens {
    TUNE = 1, /* attach: `value` is the channel */
    UNPAIR,
    LEAVE,
    DEVICE,  /* answered: the device is what the role needs */
    CHANNEL, /* answered: it is on `value` */
    OK,      /* answered: the command's OK */
    REFUSED,
    SPOILT,
    UNSENT,
    LATER, /* so many seconds pass */
    WAIT   /* until the tuner wants to ask again, which takes `value` ms at least */
};

enum follows { NOTHING = 0, ASKS_DEVICE, ASKS_CHANNEL, SETS };

/* What happens, and then: the question (with its channel), and the report (0: none). */
struct row {
    enum happens what;
    unsigned value;
    enum follows next;
    unsigned channel;
    enum yk_report status;
    const char *detail; /* a part of it; NULL: any */
};

static struct yk_jap_tuner tuner;
static yk_time now;
static enum yk_jap_ask asked;

static const char *name_of(enum yk_jap_ask ask)
{
    static const char *const names[] = {
        [YK_JAP_ASK_DEVICE] = "device", [YK_JAP_ASK_CHANNEL] = "channel", [YK_JAP_ASK_SET] = "set"};

    return names[ask];
}

static void tune(unsigned channel)
{
    struct yk_jap_media media = {
        .channel = (uint16_t)channel,
        .group = {239, 92, (uint8_t)(channel / 100), (uint8_t)(channel % 100)}};

    snprintf(media.text, sizeof media.text, "channel %u (239.92.%u.%u)", channel, channel / 100,
             channel % 100);
    yk_jap_tuner_tune(&tuner, &media, now);
}

static void give(enum yk_jap_fate fate, unsigned channel, const char *reason)
{
    struct yk_jap_answer answer = {.ask = asked, .fate = fate, .channel = (uint16_t)channel};

    answer.device.kind = tuner.role == YK_ROLE_CONSUMER ? YK_JAP_DECODER : YK_JAP_ENCODER;
    snprintf(answer.device.model, sizeof answer.device.model, "\"3G\"");
    snprintf(answer.device.status, sizeof answer.device.status, "\"Fine\"");
    snprintf(answer.reason, sizeof answer.reason, "%s", reason);
    now += 50 * YK_MS; /* it takes a while */
    yk_jap_tuner_took(&tuner, &answer, now);
}

static void happen(size_t number, const struct row *row)
{
    switch (row->what) {
    case TUNE:
        tune(row->value);
        break;
    case UNPAIR:
        yk_jap_tuner_park(&tuner, PARK, now);
        break;
    case LEAVE:
        yk_jap_tuner_leave(&tuner);
        break;
    case DEVICE:
        ck_assert_int_eq(asked, YK_JAP_ASK_DEVICE);
        give(YK_JAP_ANSWERED, 0, "");
        break;
    case CHANNEL:
        ck_assert_int_eq(asked, YK_JAP_ASK_CHANNEL);
        give(YK_JAP_ANSWERED, row->value, "");
        break;
    case OK:
        ck_assert_int_eq(asked, YK_JAP_ASK_SET);
        give(YK_JAP_ANSWERED, 0, "");
        break;
    case REFUSED:
        give(YK_JAP_REFUSED, 0, "says no");
        break;
    case SPOILT:
        give(YK_JAP_SPOILT, 0, "says nothing");
        break;
    case UNSENT:
        give(YK_JAP_UNSENT, 0, "is away");
        break;
    case LATER:
        now += row->value * YK_SECOND;
        break;
    case WAIT:
        ck_assert_msg(yk_jap_tuner_deadline(&tuner) != YK_TIME_NEVER, "row %zu: waits for nothing",
                      number);
        ck_assert_msg(yk_jap_tuner_deadline(&tuner) >= now + row->value * YK_MS,
                      "row %zu: asks already after %llu ms", number,
                      (unsigned long long)((yk_jap_tuner_deadline(&tuner) - now) / YK_MS));
        now = yk_jap_tuner_deadline(&tuner);
        break;
    }
}

static void check_next(size_t number, const struct row *row)
{
    static const enum yk_jap_ask asks[] = {[ASKS_DEVICE] = YK_JAP_ASK_DEVICE,
                                           [ASKS_CHANNEL] = YK_JAP_ASK_CHANNEL,
                                           [SETS] = YK_JAP_ASK_SET};
    uint16_t channel;
    bool next = yk_jap_tuner_next(&tuner, now, &asked, &channel);

    ck_assert_msg(next == (row->next != NOTHING), "row %zu: asks %s", number,
                  next ? name_of(asked) : "nothing");
    if (next) {
        ck_assert_msg(asked == asks[row->next], "row %zu: asks %s", number, name_of(asked));
        ck_assert_msg(row->next != SETS || channel == row->channel, "row %zu: sets %u", number,
                      channel);
        ck_assert(!yk_jap_tuner_next(&tuner, now + YK_HOUR, &asked, &channel)); /* one at a time */
        asked = asks[row->next];
    }
}

static void check_report(size_t number, const struct row *row)
{
    ck_assert_msg(tuner.news == (row->status != 0), "row %zu: reports %d: %s", number,
                  tuner.news ? (int)tuner.status : 0, tuner.detail);
    if (tuner.news) {
        ck_assert_msg(tuner.status == row->status, "row %zu: reports %d: %s", number,
                      (int)tuner.status, tuner.detail);
    }
    if (row->detail != NULL) {
        ck_assert_msg(strstr(tuner.detail, row->detail) != NULL, "row %zu: no \"%s\" in: %s",
                      number, row->detail, tuner.detail);
    }
    tuner.news = false;
}

static void run(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        happen(i, &rows[i]);
        check_next(i, &rows[i]);
        check_report(i, &rows[i]);
    }
}

static void start(enum yk_role role)
{
    now = 1000 * YK_SECOND;
    yk_jap_tuner_init(&tuner, role, HOST, 4711);
}

#define PENDING YK_REPORT_PENDING
#define ACTIVE YK_REPORT_ACTIVE
#define IDLE YK_REPORT_IDLE
#define ERROR YK_REPORT_ERROR
#define READ_BACK "channel 7 (239.92.0.7), read back"
#define HISTORY(role, ...)                              \
    do {                                                \
        static const struct row rows[] = {__VA_ARGS__}; \
        start(role);                                    \
        run(rows, sizeof rows / sizeof *rows);          \
    } while (0)
#define CONSUMER(...) HISTORY(YK_ROLE_CONSUMER, __VA_ARGS__)
#define PRODUCER(...) HISTORY(YK_ROLE_PRODUCER, __VA_ARGS__)
/* The way to channel 7 from channel 3. */
#define TUNED                                                                  \
    {TUNE, 7, ASKS_DEVICE, 0, PENDING, HOST ": asked for channel 7"},          \
        {DEVICE, 0, ASKS_CHANNEL, 0, 0, NULL}, {CHANNEL, 3, SETS, 7, 0, NULL}, \
        {OK, 0, ASKS_CHANNEL, 0, 0, NULL},                                     \
    {                                                                          \
        CHANNEL, 7, NOTHING, 0, ACTIVE, READ_BACK                              \
    }

START_TEST(only_what_is_read_back_is_active)
{
    CONSUMER(TUNED, {WAIT, 3750, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 7, NOTHING, 0, ACTIVE, READ_BACK});
}
END_TEST

START_TEST(a_device_that_is_there_already_is_not_commanded)
{
    CONSUMER({TUNE, 7, ASKS_DEVICE, 0, PENDING, NULL}, {DEVICE, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 7, NOTHING, 0, ACTIVE, READ_BACK}, {TUNE, 7, NOTHING, 0, ACTIVE, READ_BACK});
}
END_TEST

START_TEST(channel_zero_is_a_channel)
{
    CONSUMER({TUNE, 0, ASKS_DEVICE, 0, PENDING, NULL}, {DEVICE, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 7, SETS, 0, 0, NULL}, {OK, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 0, NOTHING, 0, ACTIVE, "channel 0 (239.92.0.0), read back"});
}
END_TEST

START_TEST(a_read_back_may_lag)
{
    CONSUMER({TUNE, 7, ASKS_DEVICE, 0, PENDING, NULL}, {DEVICE, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 3, SETS, 7, 0, NULL}, {OK, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 3, NOTHING, 0, 0, NULL}, {WAIT, 500, ASKS_CHANNEL, 0, 0, NULL},
             {SPOILT, 0, NOTHING, 0, 0, NULL}, {WAIT, 500, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 7, NOTHING, 0, ACTIVE, READ_BACK});
}
END_TEST

START_TEST(a_lost_answer_is_read_back_before_anything_else)
{
    CONSUMER({TUNE, 7, ASKS_DEVICE, 0, PENDING, NULL}, {DEVICE, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 3, SETS, 7, 0, NULL}, {SPOILT, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 7, NOTHING, 0, ACTIVE, READ_BACK});
}
END_TEST

/* Rows until the time for settling is over: ten reads, and the last. */
static void never_settles(unsigned channel, const char *detail)
{
    struct row wait = {WAIT, 500, ASKS_CHANNEL, 0, 0, NULL};
    struct row there = {CHANNEL, channel, NOTHING, 0, 0, NULL};
    struct row over = {CHANNEL, channel, NOTHING, 0, ERROR, detail};
    unsigned reads = 0;

    for (; now + 50 * YK_MS < tuner.settled; reads++) {
        run(&there, 1);
        run(&wait, 1);
    }
    run(&over, 1);
    ck_assert_uint_ge(reads, 5);
}

START_TEST(an_ok_that_moves_nothing_is_an_error_with_both_channels)
{
    CONSUMER({TUNE, 7, ASKS_DEVICE, 0, PENDING, NULL}, {DEVICE, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 3, SETS, 7, 0, NULL}, {OK, 0, ASKS_CHANNEL, 0, 0, NULL});
    never_settles(3, HOST ": is on channel 3, not channel 7 (239.92.0.7), though it answered OK");
}
END_TEST

START_TEST(a_lost_answer_that_moved_nothing_keeps_its_reason)
{
    CONSUMER({TUNE, 7, ASKS_DEVICE, 0, PENDING, NULL}, {DEVICE, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 3, SETS, 7, 0, NULL}, {SPOILT, 0, ASKS_CHANNEL, 0, 0, NULL});
    never_settles(3, "is on channel 3, not channel 7 (239.92.0.7); commanded, it says nothing");
}
END_TEST

START_TEST(a_refused_command_is_read_back_once)
{
    CONSUMER({TUNE, 7, ASKS_DEVICE, 0, PENDING, NULL}, {DEVICE, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 3, SETS, 7, 0, NULL}, {REFUSED, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 3, NOTHING, 0, ERROR, "commanded, it says no"},
             /* not commanded again before it is asked for */
             {WAIT, 3750, ASKS_CHANNEL, 0, 0, NULL}, {CHANNEL, 3, NOTHING, 0, 0, NULL},
             {TUNE, 7, ASKS_CHANNEL, 0, PENDING, NULL}, {CHANNEL, 3, SETS, 7, 0, NULL});
}
END_TEST

START_TEST(a_command_that_was_not_sent_is_not_read_back)
{
    CONSUMER({TUNE, 7, ASKS_DEVICE, 0, PENDING, NULL}, {DEVICE, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 3, SETS, 7, 0, NULL}, {UNSENT, 0, NOTHING, 0, ERROR, HOST ": is away"});
}
END_TEST

START_TEST(who_comes_back_is_asked_what_it_is_and_tuned_without_being_asked_for)
{
    CONSUMER(TUNED, {WAIT, 3750, ASKS_CHANNEL, 0, 0, NULL},
             {UNSENT, 0, NOTHING, 0, ERROR, HOST ": is away"},
             {TUNE, 7, ASKS_DEVICE, 0, PENDING, NULL}, {SPOILT, 0, NOTHING, 0, ERROR, "nothing"},
             {WAIT, 3750, ASKS_DEVICE, 0, 0, NULL}, {DEVICE, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 0, SETS, 7, 0, NULL}, {OK, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 7, NOTHING, 0, ACTIVE, READ_BACK});
}
END_TEST

START_TEST(a_channel_that_others_change_is_set_again_when_asked_for_and_later_each_time)
{
    static const struct row again[] = {{WAIT, 3750, ASKS_CHANNEL, 0, 0, NULL},
                                       {CHANNEL, 5, NOTHING, 0, PENDING, "left channel 7"},
                                       {TUNE, 7, ASKS_CHANNEL, 0, PENDING, "left channel 7"}};
    static const struct row held[] = {{CHANNEL, 5, NOTHING, 0, 0, NULL},
                                      {WAIT, 0, SETS, 7, 0, NULL},
                                      {OK, 0, ASKS_CHANNEL, 0, 0, NULL},
                                      {CHANNEL, 7, NOTHING, 0, ACTIVE, READ_BACK}};
    static const unsigned waits_ms[] = {1000, 2000, 4000, 8000, 16000, 30000, 30000};
    char times[32];

    CONSUMER(TUNED);
    for (size_t i = 0; i < sizeof waits_ms / sizeof *waits_ms; i++) {
        yk_time drifted;

        run(again, 2);
        drifted = now;
        snprintf(times, sizeof times, "%zu times", i + 1);
        ck_assert_msg(i == 0 || strstr(tuner.detail, times) != NULL, "%s", tuner.detail);
        run(&again[2], 1);
        run(held, 2);
        ck_assert_uint_eq(now, drifted + waits_ms[i] * YK_MS);
        run(&held[2], 2);
    }
}
END_TEST

START_TEST(another_channel_is_not_held_back_by_a_fight_over_the_last)
{
    CONSUMER(TUNED, {WAIT, 3750, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 5, NOTHING, 0, PENDING, "left channel 7"},
             {TUNE, 8, ASKS_CHANNEL, 0, PENDING, NULL}, {CHANNEL, 5, SETS, 8, 0, NULL},
             {OK, 0, ASKS_CHANNEL, 0, 0, NULL}, {CHANNEL, 8, NOTHING, 0, ACTIVE, NULL},
             {WAIT, 3750, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 5, NOTHING, 0, PENDING, "left channel 8 (239.92.0.8) for channel 5; it is"});
}
END_TEST

START_TEST(who_was_away_once_is_not_commanded_by_a_poll_for_ever)
{
    CONSUMER({TUNE, 7, ASKS_DEVICE, 0, PENDING, NULL}, {UNSENT, 0, NOTHING, 0, ERROR, "is away"},
             {WAIT, 3750, ASKS_DEVICE, 0, 0, NULL}, {DEVICE, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 7, NOTHING, 0, ACTIVE, READ_BACK}, {WAIT, 3750, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 5, NOTHING, 0, PENDING, NULL}, {WAIT, 3750, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 5, NOTHING, 0, 0, NULL});
}
END_TEST

START_TEST(a_lost_command_that_was_read_back_is_forgotten)
{
    CONSUMER({TUNE, 7, ASKS_DEVICE, 0, PENDING, NULL}, {DEVICE, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 3, SETS, 7, 0, NULL}, {SPOILT, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 7, NOTHING, 0, ACTIVE, READ_BACK}, {LEAVE, 0, NOTHING, 0, IDLE, ""},
             {TUNE, 7, ASKS_CHANNEL, 0, PENDING, NULL}, {CHANNEL, 7, NOTHING, 0, ACTIVE, NULL});
}
END_TEST

START_TEST(a_channel_that_held_for_a_minute_was_not_fought_over)
{
    static const struct row poll[] = {{WAIT, 3750, ASKS_CHANNEL, 0, 0, NULL},
                                      {CHANNEL, 7, NOTHING, 0, ACTIVE, NULL}};
    static const struct row left[] = {{WAIT, 3750, ASKS_CHANNEL, 0, 0, NULL},
                                      {CHANNEL, 5, NOTHING, 0, PENDING, "it is set again"}};
    static const struct row back[] = {{WAIT, 3750, ASKS_CHANNEL, 0, 0, NULL},
                                      {CHANNEL, 7, NOTHING, 0, ACTIVE, NULL}};

    CONSUMER(TUNED);
    for (int i = 0; i < 3; i++) {
        for (yk_time since = now; now - since < 61 * YK_SECOND;) {
            run(poll, 2);
        }
        run(left, 2);
        run(back, 2);
    }
}
END_TEST

START_TEST(parking_says_nothing_before_it_is_read_back)
{
    CONSUMER(TUNED, {UNPAIR, 0, ASKS_CHANNEL, 0, 0, NULL}, {CHANNEL, 7, SETS, PARK, 0, NULL},
             {OK, 0, ASKS_CHANNEL, 0, 0, NULL}, {CHANNEL, 7, NOTHING, 0, 0, NULL},
             {WAIT, 500, ASKS_CHANNEL, 0, 0, NULL}, {CHANNEL, PARK, NOTHING, 0, IDLE, ""});
    ck_assert_uint_eq(yk_jap_tuner_deadline(&tuner), YK_TIME_NEVER); /* and is then left alone */
}
END_TEST

START_TEST(parking_that_is_not_confirmed_is_an_error_and_is_never_given_up)
{
    CONSUMER(TUNED, {UNPAIR, 0, ASKS_CHANNEL, 0, 0, NULL}, {UNSENT, 0, NOTHING, 0, ERROR, "away"},
             {UNPAIR, 0, ASKS_DEVICE, 0, 0, NULL}, {SPOILT, 0, NOTHING, 0, ERROR, "nothing"},
             {WAIT, 3750, ASKS_DEVICE, 0, 0, NULL}, {DEVICE, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 7, SETS, PARK, 0, NULL}, {OK, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, PARK, NOTHING, 0, IDLE, ""});
}
END_TEST

START_TEST(a_device_that_is_parked_already_is_done)
{
    CONSUMER({UNPAIR, 0, ASKS_DEVICE, 0, 0, NULL}, {DEVICE, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, PARK, NOTHING, 0, IDLE, ""});
}
END_TEST

START_TEST(after_a_lost_command_being_there_is_no_proof_of_staying_there)
{
    CONSUMER({UNPAIR, 0, ASKS_DEVICE, 0, 0, NULL}, {DEVICE, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, PARK, NOTHING, 0, IDLE, ""}, {TUNE, 7, ASKS_CHANNEL, 0, PENDING, NULL},
             {CHANNEL, PARK, SETS, 7, 0, NULL},
             {UNPAIR, 0, NOTHING, 0, 0, NULL}, /* while the command is under way */
             {SPOILT, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, PARK, SETS, PARK, 0, NULL}, /* it may still obey the lost one */
             {OK, 0, ASKS_CHANNEL, 0, 0, NULL}, {CHANNEL, PARK, NOTHING, 0, IDLE, ""});
}
END_TEST

START_TEST(a_lost_command_is_not_forgotten_over_one_that_was_never_sent)
{
    CONSUMER({UNPAIR, 0, ASKS_DEVICE, 0, 0, NULL}, {DEVICE, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, PARK, NOTHING, 0, IDLE, ""}, {TUNE, 7, ASKS_CHANNEL, 0, PENDING, NULL},
             {CHANNEL, PARK, SETS, 7, 0, NULL}, {UNPAIR, 0, NOTHING, 0, 0, NULL},
             {SPOILT, 0, ASKS_CHANNEL, 0, 0, NULL}, {CHANNEL, PARK, SETS, PARK, 0, NULL},
             {UNSENT, 0, NOTHING, 0, ERROR, "is away"}, {UNPAIR, 0, ASKS_DEVICE, 0, 0, NULL},
             {DEVICE, 0, ASKS_CHANNEL, 0, 0, NULL}, {CHANNEL, PARK, SETS, PARK, 0, NULL},
             {OK, 0, ASKS_CHANNEL, 0, 0, NULL}, {CHANNEL, PARK, NOTHING, 0, IDLE, ""});
}
END_TEST

START_TEST(another_wish_waits_for_the_question_under_way)
{
    CONSUMER({TUNE, 7, ASKS_DEVICE, 0, PENDING, NULL}, {DEVICE, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 3, SETS, 7, 0, NULL}, {LEAVE, 0, NOTHING, 0, IDLE, NULL},
             {TUNE, 8, NOTHING, 0, PENDING, "channel 8"}, {OK, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 7, SETS, 8, 0, NULL}, {OK, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 8, NOTHING, 0, ACTIVE, "channel 8 (239.92.0.8), read back"});
}
END_TEST

START_TEST(a_device_that_is_left_is_neither_asked_nor_spoken_of)
{
    CONSUMER(TUNED, {LEAVE, 0, NOTHING, 0, IDLE, ""});
    ck_assert_uint_eq(yk_jap_tuner_deadline(&tuner), YK_TIME_NEVER);
    CONSUMER({TUNE, 7, ASKS_DEVICE, 0, PENDING, NULL}, {LEAVE, 0, NOTHING, 0, IDLE, ""},
             {UNSENT, 0, NOTHING, 0, 0, ""});
    CONSUMER({TUNE, 7, ASKS_DEVICE, 0, PENDING, NULL}, {DEVICE, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 3, SETS, 7, 0, NULL}, {LEAVE, 0, NOTHING, 0, IDLE, ""},
             {UNSENT, 0, NOTHING, 0, 0, ""});
}
END_TEST

START_TEST(who_was_not_heard_for_a_minute_is_asked_again_what_it_is)
{
    CONSUMER(TUNED, {LEAVE, 0, NOTHING, 0, IDLE, ""}, {LATER, 50, NOTHING, 0, 0, NULL},
             {TUNE, 8, ASKS_CHANNEL, 0, PENDING, NULL}, {CHANNEL, 7, SETS, 8, 0, NULL},
             {OK, 0, ASKS_CHANNEL, 0, 0, NULL}, {CHANNEL, 8, NOTHING, 0, ACTIVE, NULL},
             {LEAVE, 0, NOTHING, 0, IDLE, ""}, {LATER, 61, NOTHING, 0, 0, NULL},
             {TUNE, 7, ASKS_DEVICE, 0, PENDING, NULL}, {DEVICE, 0, ASKS_CHANNEL, 0, 0, NULL});
    /* a poll that comes late, after a suspension: only a reading makes active */
    CONSUMER(TUNED, {LATER, 70, ASKS_DEVICE, 0, 0, NULL}, {DEVICE, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 7, NOTHING, 0, ACTIVE, READ_BACK});
}
END_TEST

START_TEST(contact_that_is_lost_while_it_is_left_is_lost_all_the_same)
{
    CONSUMER(TUNED, {WAIT, 3750, ASKS_CHANNEL, 0, 0, NULL}, {LEAVE, 0, NOTHING, 0, IDLE, ""},
             {UNSENT, 0, NOTHING, 0, 0, NULL}, {TUNE, 8, ASKS_DEVICE, 0, PENDING, NULL});
}
END_TEST

START_TEST(the_same_wish_disturbs_nothing_that_is_under_way)
{
    CONSUMER({TUNE, 7, ASKS_DEVICE, 0, PENDING, NULL}, {TUNE, 7, NOTHING, 0, PENDING, NULL},
             {DEVICE, 0, ASKS_CHANNEL, 0, 0, NULL}, {TUNE, 7, NOTHING, 0, PENDING, NULL},
             {CHANNEL, 3, SETS, 7, 0, NULL}, {TUNE, 7, NOTHING, 0, PENDING, NULL},
             {OK, 0, ASKS_CHANNEL, 0, 0, NULL}, {TUNE, 7, NOTHING, 0, PENDING, NULL},
             {CHANNEL, 7, NOTHING, 0, ACTIVE, READ_BACK});
}
END_TEST

static void answer_device(enum yk_jap_kind kind, const char *mode)
{
    struct yk_jap_answer answer = {.ask = YK_JAP_ASK_DEVICE, .fate = YK_JAP_ANSWERED};

    answer.device.kind = kind;
    snprintf(answer.device.mode, sizeof answer.device.mode, "%s", mode);
    yk_jap_tuner_took(&tuner, &answer, now);
}

START_TEST(the_wrong_sort_of_device_is_named_and_asked_again_what_it_is)
{
    CONSUMER({TUNE, 7, ASKS_DEVICE, 0, PENDING, NULL});
    answer_device(YK_JAP_ENCODER, "\"Transmitter\"");
    ck_assert_int_eq(tuner.status, YK_REPORT_ERROR);
    ck_assert_ptr_nonnull(strstr(tuner.detail, "is an encoder (mode \"Transmitter\""));
    tuner.news = false;
    run((const struct row[]){{TUNE, 7, ASKS_DEVICE, 0, PENDING, NULL}}, 1);
    answer_device(YK_JAP_KIND_UNKNOWN, "");
    ck_assert_ptr_nonnull(strstr(tuner.detail, "neither decoder nor encoder by its mode (none)"));
    PRODUCER({TUNE, 7, ASKS_DEVICE, 0, PENDING, NULL});
    answer_device(YK_JAP_DECODER, "\"Receiver\"");
    ck_assert_ptr_nonnull(strstr(tuner.detail, "is a decoder (mode \"Receiver\""));
}
END_TEST

START_TEST(who_has_become_an_encoder_is_not_commanded)
{
    CONSUMER(TUNED, {LEAVE, 0, NOTHING, 0, IDLE, ""}, {LATER, 61, NOTHING, 0, 0, NULL},
             {TUNE, 8, ASKS_DEVICE, 0, PENDING, NULL});
    answer_device(YK_JAP_ENCODER, "\"Transmitter\"");
    tuner.news = false;
    run((const struct row[]){{TUNE, 8, ASKS_DEVICE, 0, PENDING, NULL}}, 1);
}
END_TEST

START_TEST(what_it_says_it_is_while_it_is_left_is_asked_again)
{
    CONSUMER(TUNED, {LEAVE, 0, NOTHING, 0, IDLE, ""}, {LATER, 61, NOTHING, 0, 0, NULL},
             {TUNE, 8, ASKS_DEVICE, 0, PENDING, NULL}, {LEAVE, 0, NOTHING, 0, IDLE, ""});
    answer_device(YK_JAP_ENCODER, "\"Transmitter\"");
    run((const struct row[]){{TUNE, 7, ASKS_DEVICE, 0, PENDING, NULL}}, 1);
}
END_TEST

START_TEST(a_producer_sets_nothing)
{
    PRODUCER({TUNE, 7, ASKS_DEVICE, 0, PENDING, NULL}, {DEVICE, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 9, NOTHING, 0, ERROR,
              "sends on channel 9, and channel 7 (239.92.0.7) is announced"},
             {WAIT, 3750, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 7, NOTHING, 0, ACTIVE, "encoder \"3G\", channel 7 (239.92.0.7), says"},
             {WAIT, 3750, ASKS_CHANNEL, 0, 0, NULL}, {CHANNEL, 9, NOTHING, 0, ERROR, "sends on"});
}
END_TEST

START_TEST(a_producer_asks_for_channel_and_health_by_turns)
{
    PRODUCER({TUNE, 7, ASKS_DEVICE, 0, PENDING, NULL}, {DEVICE, 0, ASKS_CHANNEL, 0, 0, NULL},
             {CHANNEL, 7, NOTHING, 0, ACTIVE, "says \"Fine\""},
             {WAIT, 3750, ASKS_CHANNEL, 0, 0, NULL}, {CHANNEL, 7, NOTHING, 0, ACTIVE, NULL},
             {WAIT, 3750, ASKS_DEVICE, 0, 0, NULL}, {DEVICE, 0, NOTHING, 0, ACTIVE, NULL},
             {WAIT, 3750, ASKS_CHANNEL, 0, 0, NULL});
}
END_TEST

START_TEST(polls_are_spread_by_a_quarter)
{
    static const struct row poll[] = {{WAIT, 0, ASKS_CHANNEL, 0, 0, NULL},
                                      {CHANNEL, 7, NOTHING, 0, ACTIVE, NULL}};
    yk_time least = YK_TIME_NEVER, most = 0;

    CONSUMER(TUNED);
    for (int i = 0; i < 1000; i++) {
        yk_time gap = yk_jap_tuner_deadline(&tuner) - now;

        least = gap < least ? gap : least;
        most = gap > most ? gap : most;
        run(poll, 2);
    }
    ck_assert_uint_ge(least, 3750 * YK_MS);
    ck_assert_uint_lt(least, 3800 * YK_MS);
    ck_assert_uint_le(most, 6250 * YK_MS);
    ck_assert_uint_gt(most, 6200 * YK_MS);
}
END_TEST

START_TEST(what_cannot_be_served_is_said_and_the_device_left_alone)
{
    CONSUMER(TUNED);
    yk_jap_tuner_refuse(&tuner, "media: no");
    ck_assert_int_eq(tuner.status, YK_REPORT_ERROR);
    ck_assert_str_eq(tuner.detail, "media: no");
    ck_assert_uint_eq(yk_jap_tuner_deadline(&tuner), YK_TIME_NEVER);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        only_what_is_read_back_is_active,
        a_device_that_is_there_already_is_not_commanded,
        channel_zero_is_a_channel,
        a_read_back_may_lag,
        a_lost_answer_is_read_back_before_anything_else,
        an_ok_that_moves_nothing_is_an_error_with_both_channels,
        a_lost_answer_that_moved_nothing_keeps_its_reason,
        a_refused_command_is_read_back_once,
        a_command_that_was_not_sent_is_not_read_back,
        who_comes_back_is_asked_what_it_is_and_tuned_without_being_asked_for,
        a_channel_that_others_change_is_set_again_when_asked_for_and_later_each_time,
        another_channel_is_not_held_back_by_a_fight_over_the_last,
        who_was_away_once_is_not_commanded_by_a_poll_for_ever,
        a_lost_command_that_was_read_back_is_forgotten,
        a_channel_that_held_for_a_minute_was_not_fought_over,
        parking_says_nothing_before_it_is_read_back,
        parking_that_is_not_confirmed_is_an_error_and_is_never_given_up,
        a_device_that_is_parked_already_is_done,
        after_a_lost_command_being_there_is_no_proof_of_staying_there,
        a_lost_command_is_not_forgotten_over_one_that_was_never_sent,
        another_wish_waits_for_the_question_under_way,
        a_device_that_is_left_is_neither_asked_nor_spoken_of,
        who_was_not_heard_for_a_minute_is_asked_again_what_it_is,
        contact_that_is_lost_while_it_is_left_is_lost_all_the_same,
        the_same_wish_disturbs_nothing_that_is_under_way,
        the_wrong_sort_of_device_is_named_and_asked_again_what_it_is,
        who_has_become_an_encoder_is_not_commanded,
        what_it_says_it_is_while_it_is_left_is_asked_again,
        a_producer_sets_nothing,
        a_producer_asks_for_channel_and_health_by_turns,
        polls_are_spread_by_a_quarter,
        what_cannot_be_served_is_said_and_the_device_left_alone,
        NULL,
    };

    return suite_main("jap tuner", tests);
}
