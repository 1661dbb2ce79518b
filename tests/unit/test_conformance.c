/* Every rule of conformance.def: a case that breaks it and nothing else, and one near it that keeps
 * it. A rule without both fails. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/suite.h"
#include "snooper/conformance.h"
#include "unit/snoop_rig.h"

#define SENDERS 8

static struct snoop_rig rig;
static struct yk_conformance check;
static void *memory;
static char told[4096];            /* the words of what was broken, a space behind each */
static struct yk_violation last;   /* the last of them */
static const char *known[SENDERS]; /* senders and the next number of each */
static uint64_t numbers[SENDERS];  /* as they come: nothing is missed */
static int64_t ts_shift_ms;        /* of the senders' clocks */
static struct yk_address home = {{10, 0, 0, 1}, 4000}, away = {{10, 0, 0, 2}, 4000};

static void start_keys(const char *site_key, const char *own_key)
{
    if (memory != NULL) {
        snoop_fini(&rig);
        free(memory);
    }
    snoop_init_keys(&rig, site_key, own_key);
    memory = calloc(1, yk_conformance_memory(SNOOP_TRACKED));
    ck_assert_ptr_nonnull(memory);
    yk_conformance_init(&check, memory, SNOOP_TRACKED, 7, &rig.auth, rig.now);
    memset(told, 0, sizeof told);
    memset(known, 0, sizeof known);
    ts_shift_ms = 0;
    rig.from = home;
}

static void start(void)
{
    start_keys("site", "site");
}

static void collect(void)
{
    for (size_t i = 0; i < check.count; i++) {
        size_t used = strlen(told);

        last = check.violations[i];
        snprintf(told + used, sizeof told - used, "%s ", yk_rule_text(last.rule)->word);
        ck_assert_uint_gt(strlen(last.detail), 0);
    }
}

static void pass(yk_time duration)
{
    snoop_pass(&rig, duration);
    while (yk_conformance_deadline(&check) <= rig.now) {
        yk_conformance_tick(&check, rig.observer, rig.now);
        collect();
    }
}

static void hear(const void *bytes, size_t size)
{
    snoop_bytes(&rig, bytes, size);
    yk_conformance_hear(&check, rig.observer, &rig.heard);
    collect();
}

static void again(void)
{
    uint8_t bytes[YK_FRAME_MAX + 1];

    memcpy(bytes, rig.bytes, rig.size);
    hear(bytes, rig.size);
}

/* ---- frames */

static uint64_t *number_of(const char *origin)
{
    size_t i = 0;

    while (i < SENDERS - 1 && known[i] != NULL && strcmp(known[i], origin) != 0) {
        i++;
    }
    if (known[i] == NULL) {
        known[i] = origin;
        numbers[i] = (uint64_t)SNOOP_WALL_NS;
    }
    return &numbers[i];
}

static int64_t sender_ms(void)
{
    return (SNOOP_WALL_NS + (int64_t)rig.now) / (int64_t)YK_MS + ts_shift_ms;
}

static struct yk_id id_of(const char *text)
{
    struct yk_id id = {.size = 0};

    ck_assert(text == NULL || yk_id_parse(&id, yk_slice_of(text)));
    return id;
}

static struct yk_version version_of(uint64_t n, const char *author)
{
    return (struct yk_version){n, id_of(n == 0 ? NULL : author)};
}

/* The frame of `origin` with its next number, unless it has one. */
static void say(const char *origin, struct yk_frame frame)
{
    uint8_t bytes[YK_FRAME_MAX];
    uint64_t *number = number_of(origin);
    size_t size;

    frame.origin = id_of(origin);
    if (frame.seq == 0) {
        frame.seq = (*number)++;
    }
    frame.ts_ms = sender_ms();
    size = yk_frame_encode(&frame, &rig.site, bytes);
    ck_assert_uint_gt(size, 0);
    hear(bytes, size);
}

/* The same for a body that we would not write; `sig` NULL: the right one. */
static void say_text(const char *origin, const char *type, const char *body, const char *sig)
{
    char head[2 * YK_FRAME_MAX], tail[128], whole[3 * YK_FRAME_MAX], made[YK_SIG_SIZE + 1] = "";
    struct yk_slice parts[2];
    int64_t ms = sender_ms();

    snprintf(head, sizeof head, "{\"body\":%s,\"origin\":\"%s\",\"seq\":%llu", body, origin,
             (unsigned long long)(*number_of(origin))++);
    snprintf(tail, sizeof tail, ",\"ts\":%lld,\"type\":\"%s\",\"v\":1}", (long long)(ms / 1000),
             type);
    parts[0] = yk_slice_of(head);
    parts[1] = yk_slice_of(tail);
    made[yk_auth_sign(&rig.site, parts, made)] = '\0';
    snprintf(whole, sizeof whole, "%s,\"sig\":\"%s\"%s", head, sig != NULL ? sig : made, tail);
    ck_assert_uint_le(strlen(whole), YK_FRAME_MAX);
    hear(whole, strlen(whole));
}

/* Announcement of "dec" or "enc", the rest as given. */
static void consumer(enum yk_state state, const char *producer, uint64_t n, const char *author)
{
    struct yk_frame frame = {.type = YK_TYPE_ANN};

    frame.as.ann = (struct yk_ann){.role = YK_ROLE_CONSUMER,
                                   .kind = YK_KIND_HDMI,
                                   .name = yk_slice_of("Room 3"),
                                   .state = state,
                                   .pairing = {id_of(producer), version_of(n, author)}};
    say("dec", frame);
}

static void idle(void)
{
    consumer(YK_STATE_IDLE, NULL, 0, NULL);
}

static struct yk_frame producing(enum yk_kind kind)
{
    struct yk_frame frame = {.type = YK_TYPE_ANN};

    frame.as.ann = (struct yk_ann){.role = YK_ROLE_PRODUCER,
                                   .kind = kind,
                                   .name = yk_slice_of("Player"),
                                   .state = YK_STATE_ACTIVE,
                                   .media = yk_slice_of("{\"port\":5004}")};
    return frame;
}

static void intend(const char *tool, const char *producer, uint64_t n, const char *author)
{
    struct yk_frame frame = {.type = YK_TYPE_INT};

    frame.as.intent = (struct yk_intent){producer != NULL ? YK_OP_PAIR : YK_OP_UNPAIR, id_of("dec"),
                                         id_of(producer), version_of(n, author)};
    say(tool, frame);
}

static void acknowledge(const char *origin, uint64_t n, const char *author, bool applied,
                        enum yk_reason reason)
{
    struct yk_frame frame = {.type = YK_TYPE_ACK};

    frame.as.ack = (struct yk_ack){version_of(n, author), applied, reason};
    say(origin, frame);
}

static void applied(uint64_t n, const char *author)
{
    acknowledge("dec", n, author, true, YK_REASON_APPLIED);
}

static void superseded(uint64_t n, const char *author)
{
    acknowledge("dec", n, author, false, YK_REASON_SUPERSEDED);
}

#define DROPS "{\"auth\":1,\"malformed\":0,\"oversize\":0,\"stale\":0,\"version\":0}"

static void event(enum yk_event which, const char *detail)
{
    struct yk_frame frame = {.type = YK_TYPE_EVT};

    frame.as.evt = (struct yk_evt){.event = which, .detail = yk_slice_of(detail)};
    say("dec", frame);
}

static void bye(void)
{
    say("dec", (struct yk_frame){.type = YK_TYPE_BYE});
}

static void restart(void) /* the block of numbers is left behind */
{
    *number_of("dec") += YK_SEQ_BLOCK;
}

/* ---- one datagram */

static void too_big(void)
{
    uint8_t bytes[YK_FRAME_MAX + 1] = {0};

    hear(bytes, sizeof bytes);
}

static void largest(void) /* a frame of 1200 bytes */
{
    char body[YK_FRAME_MAX];
    int room = YK_FRAME_MAX;

    say_text("a", "bye", "{}", NULL);
    room -= (int)rig.size - 2;
    snprintf(body, sizeof body, "{\"x\":\"%0*d\"}", room - 8, 0);
    say_text("a", "bye", body, NULL);
    ck_assert_uint_eq(rig.size, YK_FRAME_MAX);
}

static void no_json(void)
{
    hear("{\"v\":1", 6);
}

static void good(void)
{
    say_text("a", "bye", "{\"x\":[1,\"\\n\"]}", NULL);
}

static void spaced(void)
{
    char bytes[YK_FRAME_MAX];
    size_t size;

    good();
    size = rig.size;
    memcpy(bytes, rig.bytes, size);
    bytes[size] = ' ';
    start();
    hear(bytes, size + 1);
    ck_assert_ptr_nonnull(strstr(last.detail, "byte"));
}

static void real_in_body(void)
{
    say_text("a", "bye", "{\"x\":[{\"y\":1.5}]}", NULL);
}

static void real_ts(void) /* that of every frame is one */
{
    bye();
    ck_assert_ptr_nonnull(memmem(rig.bytes, rig.size, "\"ts\":1796018524.0,", 18));
}

static void v_text(void)
{
    hear("{\"v\":\"1\"}", 9);
}

static void v_missing(void)
{
    hear("{\"w\":1}", 7);
}

static void v_two(void)
{
    hear("{\"v\":2}", 7);
}

static void sig_large(void)
{
    say_text("a", "bye", "{}", "ABCDEF6789012345678901234567890123456789012345678901234567890123");
}

static void sig_short(void)
{
    say_text("a", "bye", "{}", "abcdef");
}

static void sig_wrong(void)
{
    say_text("a", "bye", "{}", "abcdef6789012345678901234567890123456789012345678901234567890123");
}

static void sig_empty(void)
{
    say_text("a", "bye", "{}", "");
}

static void open_unsigned(void)
{
    start_keys("", "");
    good();
}

static void open_signed(void)
{
    start_keys("site", "");
    good();
}

static void far_ahead(void)
{
    say("a", (struct yk_frame){.type = YK_TYPE_BYE,
                               .seq = (uint64_t)SNOOP_WALL_NS + YK_HOUR + YK_SECOND});
}

static void nearly_far_ahead(void)
{
    say("a", (struct yk_frame){.type = YK_TYPE_BYE,
                               .seq = (uint64_t)SNOOP_WALL_NS + YK_HOUR - YK_SECOND});
}

/* ---- bodies */

#define ANN(err, kind, media, name, pairing, role, state)                   \
    "{\"err\":" err ",\"kind\":" kind ",\"media\":" media ",\"name\":" name \
    ",\"pairing\":" pairing ",\"role\":" role ",\"state\":" state "}"
#define DEC(pairing) ANN("null", "\"hdmi\"", "null", "\"n\"", pairing, "\"consumer\"", "\"idle\"")
#define UNPAIRED "{\"producer\":null,\"version\":[0,\"\"]}"
#define TEN "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
#define SIXTY_FOUR TEN TEN TEN TEN TEN TEN "abcd"

static void int_zero(void)
{
    say_text("t", "int", "{\"consumer\":\"dec\",\"op\":\"unpair\",\"version\":[0,\"\"]}", NULL);
}

static void ann_version_text(void)
{
    say_text("dec", "ann", DEC("{\"producer\":null,\"version\":\"3/op\"}"), NULL);
}

static void ann_zero(void)
{
    say_text("dec", "ann", DEC(UNPAIRED), NULL);
}

static void zero_with_producer(void)
{
    say_text("dec", "ann", DEC("{\"producer\":\"enc\",\"version\":[0,\"\"]}"), NULL);
}

static void odd_state(void)
{
    say_text("dec", "ann",
             ANN("null", "\"hdmi\"", "null", "\"n\"", UNPAIRED, "\"consumer\"", "\"bored\""), NULL);
}

static void odd_reason(void)
{
    say_text("dec", "ack", "{\"applied\":false,\"reason\":\"no\",\"version\":[1,\"op\"]}", NULL);
}

static void missing_op(void)
{
    say_text("t", "int", "{\"consumer\":\"dec\",\"version\":[1,\"op\"]}", NULL);
}

static void long_name(void)
{
    say_text("dec", "ann",
             ANN("null", "\"hdmi\"", "null", "\"" SIXTY_FOUR "e\"", UNPAIRED, "\"consumer\"",
                 "\"idle\""),
             NULL);
}

static void name_of_64(void)
{
    say_text(
        "dec", "ann",
        ANN("null", "\"hdmi\"", "null", "\"" SIXTY_FOUR "\"", UNPAIRED, "\"consumer\"", "\"idle\""),
        NULL);
}

static void paired_producer(void)
{
    say_text("enc", "ann",
             ANN("null", "\"hdmi\"", "null", "\"n\"", UNPAIRED, "\"producer\"", "\"active\""),
             NULL);
}

static void plain_producer(void)
{
    say_text("enc", "ann",
             ANN("null", "\"hdmi\"", "{}", "\"n\"", "null", "\"producer\"", "\"active\""), NULL);
}

static void media_of_consumer(void)
{
    say_text("dec", "ann",
             ANN("null", "\"hdmi\"", "{}", "\"n\"", UNPAIRED, "\"consumer\"", "\"idle\""), NULL);
}

static void odd_slug(void)
{
    say_text("dec", "evt", "{\"detail\":{},\"event\":\"Started\"}", NULL);
}

static void slug_without_detail(void) /* another rule's affair */
{
    say_text("dec", "evt", "{\"event\":\"Started\"}", NULL);
}

static void unknown_event(void)
{
    say_text("dec", "evt", "{\"detail\":{},\"event\":\"lunch\"}", NULL);
}

static void known_event(void)
{
    event(YK_EVENT_STARTED, "{}");
}

static void four_counters(void)
{
    event(YK_EVENT_RX_DROP, "{\"auth\":1,\"malformed\":0,\"stale\":0,\"version\":0}");
}

static void five_counters(void)
{
    event(YK_EVENT_RX_DROP, DROPS);
}

static void applied_superseded(void)
{
    acknowledge("dec", 1, "op", true, YK_REASON_SUPERSEDED);
}

static void refused_applied(void)
{
    acknowledge("dec", 1, "op", false, YK_REASON_APPLIED);
}

static void both_odd_acks(void)
{
    applied_superseded();
    refused_applied();
    ck_assert_str_eq(told, "ack-reason ack-reason ");
    told[strlen("ack-reason ")] = '\0';
}

static void refused_self_pair(void)
{
    acknowledge("dec", 1, "op", false, YK_REASON_SELF_PAIR);
}

#define WITH_STATUS(status)                                                        \
    "{\"driver_status\":" status ",\"err\":null,\"kind\":\"hdmi\",\"media\":null," \
    "\"name\":\"n\",\"pairing\":" UNPAIRED ",\"role\":\"consumer\",\"state\":\"idle\"}"

static void odd_evidence(void)
{
    say_text("dec", "ann", WITH_STATUS("\"joined\""), NULL);
}

static void evidence(void)
{
    say_text("dec", "ann", WITH_STATUS("{\"detail\":\"joined\"}"), NULL);
}

/* Media of `size` bytes from a producer without a name, in state idle. */
static void media_of(int size)
{
    char media[YK_FRAME_MAX];
    struct yk_frame frame = producing(YK_KIND_HDMI);

    snprintf(media, sizeof media, "{\"x\":\"%0*d\"}", size - 8, 0);
    frame.as.ann.state = YK_STATE_IDLE;
    frame.as.ann.media = yk_slice_of(media);
    say("enc", frame);
}

/* The first that is told of still fits into this announcement, but not into every one. */
static void media_too_large(void)
{
    for (int size = 900; told[0] == '\0'; size++) {
        media_of(size);
        ck_assert_int_eq(rig.heard.verdict, YK_DROP_NONE);
    }
}

static void media_large(void)
{
    media_of(900);
}

static void with_itself(void)
{
    consumer(YK_STATE_PENDING, "dec", 1, "op");
}

static void with_another(void)
{
    consumer(YK_STATE_PENDING, "enc", 1, "op");
}

static void active_unpaired(void)
{
    consumer(YK_STATE_ACTIVE, NULL, 1, "op");
}

static void active_paired(void)
{
    consumer(YK_STATE_ACTIVE, "enc", 1, "op");
}

static void idle_paired(void)
{
    consumer(YK_STATE_IDLE, "enc", 1, "op");
}

static void error_unpaired(void)
{
    consumer(YK_STATE_ERROR, NULL, 1, "op");
}

/* ---- conduct */

static void back_in_numbers(void)
{
    bye();
    restart();
    idle();
    pass(YK_SECOND);
    say("dec", (struct yk_frame){.type = YK_TYPE_BYE, .seq = (uint64_t)SNOOP_WALL_NS + 5});
}

static void overtaken(void)
{
    *number_of("dec") += 5;
    idle();
    ts_shift_ms = -20; /* said before, heard after */
    say("dec", (struct yk_frame){.type = YK_TYPE_BYE, .seq = (uint64_t)SNOOP_WALL_NS + 3});
    ck_assert_int_eq(rig.heard.verdict, YK_DROP_STALE);
}

static void one_number_twice(void)
{
    idle();
    say("dec", (struct yk_frame){.type = YK_TYPE_BYE, .seq = (uint64_t)SNOOP_WALL_NS});
}

static void doubled_on_its_way(void)
{
    idle();
    pass(50 * YK_MS);
    again();
    ck_assert_int_eq(rig.heard.verdict, YK_DROP_DUP);
}

static void said_again(void)
{
    intend("cli", "enc", 1, "op");
    pass(1500 * YK_MS);
    again();
}

static void old_said_again(void)
{
    uint8_t bytes[YK_FRAME_MAX];
    size_t size;

    idle();
    size = rig.size;
    memcpy(bytes, rig.bytes, size);
    pass(3 * YK_SECOND);
    idle();
    hear(bytes, size);
}

static void said_again_both(void)
{
    said_again();
    ck_assert_str_eq(told, "seq-repeated ");
    start();
    old_said_again();
}

static void for_another(void)
{
    intend("cli", "enc", 1, "op");
    pass(50 * YK_MS);
    rig.from = away;
    again();
}

static void relayed(void)
{
    intend("cli", "enc", 1, "op");
    rig.from = away;
    intend("relay", "enc", 1, "op");
}

static void in_turn(struct yk_address first, struct yk_address second)
{
    for (int i = 0; i < 4; i++) {
        rig.from = i % 2 == 0 ? first : second;
        idle();
        pass(2 * YK_SECOND);
    }
}

static void two_under_one(void)
{
    in_turn(home, away);
}

static void a_new_lease(void)
{
    in_turn(home, home);
    rig.from = away;
    idle();
}

static void a_long_pause(void)
{
    idle();
    pass(4 * YK_SECOND);
    idle();
}

static void a_loss(void)
{
    idle();
    pass(4 * YK_SECOND);
    (*number_of("dec"))++;
    idle();
}

/* We were held up, not the sender: its own clock says so. */
static void a_pause_of_ours(void)
{
    idle();
    pass(4 * YK_SECOND);
    ts_shift_ms = -2000;
    idle();
}

static void no_pause(void)
{
    a_loss();
    start();
    a_pause_of_ours();
    start();
    idle();
    pass(2500 * YK_MS);
    idle();
    bye();
    pass(9 * YK_SECOND);
    restart();
    idle();
}

static void hasty(void)
{
    for (int i = 0; i < 4; i++) {
        idle();
        pass(500 * YK_MS);
    }
}

/* ADR 9: who asks under an old version soon hears the one that governs. */
static void hasty_with_cause(void)
{
    consumer(YK_STATE_PENDING, "enc", 7, "op");
    for (uint64_t i = 0; i < 12; i++) {
        intend("cli", "enc", 2, "op-2");
        superseded(2, "op-2");
        pass(250 * YK_MS);
        consumer(YK_STATE_PENDING, "enc", 7, "op");
    }
}

static void changing(void)
{
    for (int i = 0; i < 6; i++) {
        consumer(i % 2 == 0 ? YK_STATE_PENDING : YK_STATE_ACTIVE, "enc", 7, "op");
        pass(100 * YK_MS);
    }
}

/* Announcements that lay waiting for us came together. */
static void read_late(void)
{
    for (int i = 0; i < 6; i++) {
        idle();
        ts_shift_ms += 2000;
    }
}

static void hasty_restart(void)
{
    idle();
    pass(YK_SECOND);
    restart();
    idle();
    pass(2 * YK_SECOND);
    idle();
}

static void not_hasty(void)
{
    hasty_with_cause();
    changing();
    start();
    read_late();
    start();
    hasty_restart();
}

static void drops_after(yk_time pause)
{
    event(YK_EVENT_RX_DROP, DROPS);
    pass(pause);
    event(YK_EVENT_RX_DROP, DROPS);
}

static void drops_too_often(void)
{
    drops_after(YK_SECOND);
}

static void drops_at_their_rate(void)
{
    drops_after(2 * YK_SECOND);
    restart();
    event(YK_EVENT_STARTED, "{}");
    event(YK_EVENT_RX_DROP, DROPS);
}

static void after_bye(void)
{
    bye();
    idle();
}

static void restarted(void)
{
    bye();
    restart();
    idle();
}

/* ---- pairings */

static void producer_answers(void)
{
    say("enc", producing(YK_KIND_HDMI));
    acknowledge("enc", 1, "op", false, YK_REASON_SELF_PAIR);
}

static void asked(void)
{
    intend("cli", "enc", 1, "op");
    applied(1, "op");
}

static void unasked(void)
{
    pass(6 * YK_SECOND);
    applied(1, "op");
    pass(3 * YK_SECOND);
    ck_assert_str_eq(last.id.text, "dec");
}

static void asked_late(void) /* ours came before, or theirs behind */
{
    applied(1, "op");
    pass(9 * YK_SECOND);
    applied(2, "op-2");
    pass(YK_SECOND);
    intend("cli", "enc", 2, "op-2");
    pass(9 * YK_SECOND);
}

static void old_applied(void)
{
    consumer(YK_STATE_PENDING, "enc", 7, "op-7");
    intend("cli", "enc", 3, "op-3");
    applied(3, "op-3");
}

static void old_superseded(void)
{
    consumer(YK_STATE_PENDING, "enc", 7, "op-7");
    intend("cli", "enc", 3, "op-3");
    superseded(3, "op-3");
    applied(7, "op-7");
    consumer(YK_STATE_PENDING, "enc", 7, "op-7");
}

static void applied_unshown(void)
{
    consumer(YK_STATE_PENDING, "enc", 1, "op");
    intend("cli", "enc-2", 2, "op-2");
    applied(2, "op-2");
    consumer(YK_STATE_PENDING, "enc", 1, "op");
}

static void applied_shown(void)
{
    intend("cli", "enc-2", 2, "op-2");
    applied(2, "op-2");
    intend("cli", "enc", 3, "op-3");
    consumer(YK_STATE_PENDING, "enc", 3, "op-3");
}

static void superseded_by_nothing(void)
{
    consumer(YK_STATE_PENDING, "enc", 1, "op");
    intend("cli", "enc-2", 2, "op-2");
    superseded(2, "op-2");
    consumer(YK_STATE_PENDING, "enc", 1, "op");
}

static void versions_back(void)
{
    consumer(YK_STATE_PENDING, "enc", 2, "op-2");
    consumer(YK_STATE_PENDING, "enc", 1, "op");
}

static void versions_forth(void)
{
    consumer(YK_STATE_PENDING, "enc", 1, "op");
    consumer(YK_STATE_ACTIVE, "enc", 1, "op");
    consumer(YK_STATE_PENDING, "enc-2", 1, "op-2");
}

static void one_version_two_pairings(void)
{
    consumer(YK_STATE_PENDING, "enc", 1, "op");
    consumer(YK_STATE_PENDING, "enc-2", 1, "op");
}

static void not_what_was_asked(void)
{
    intend("cli", "enc", 1, "op");
    consumer(YK_STATE_PENDING, "enc-2", 1, "op");
}

static void two_ways_of_two_pairings(void)
{
    one_version_two_pairings();
    ck_assert_str_eq(told, "version-twice ");
    start();
    not_what_was_asked();
}

static void two_intents(void)
{
    intend("cli", "enc", 1, "op");
    intend("cli", "enc-2", 1, "op");
    intend("cli", "enc-2", 1, "op"); /* a retry is no news */
}

static void retried(void)
{
    intend("cli", "enc", 1, "op");
    intend("cli", "enc", 1, "op");
    intend("relay", "enc", 1, "op");
}

static void author_again(void)
{
    intend("cli", "enc", 1, "op");
    intend("cli", "enc-2", 2, "op");
    intend("cli", "enc-2", 2, "op");
}

static void author_fresh(void)
{
    intend("cli", "enc", 1, "op");
    intend("cli", "enc-2", 2, "op-2");
}

static void other_kind(void)
{
    say("enc", producing(YK_KIND_USB));
    active_paired();
}

static void other_kind_in_error(void)
{
    say("enc", producing(YK_KIND_USB));
    consumer(YK_STATE_ERROR, "enc", 1, "op");
}

static const struct {
    void (*breaks)(void);
    void (*keeps)(void);
} cases[YK_RULE_END] = {
    [YK_RULE_OVERSIZE] = {too_big, largest},
    [YK_RULE_JSON] = {no_json, good},
    [YK_RULE_CANONICAL] = {spaced, good},
    [YK_RULE_NON_INTEGER] = {real_in_body, real_ts},
    [YK_RULE_VERSION_FORM] = {v_text, v_two},
    [YK_RULE_VERSION_OTHER] = {v_two, v_text},
    [YK_RULE_ENVELOPE] = {v_missing, v_text},
    [YK_RULE_SIG_FORM] = {sig_short, sig_wrong},
    [YK_RULE_UNSIGNED] = {sig_empty, open_unsigned},
    [YK_RULE_SIGNED_OPEN] = {open_signed, good},
    [YK_RULE_SIGNATURE] = {sig_wrong, sig_large},
    [YK_RULE_FUTURE] = {far_ahead, nearly_far_ahead},
    [YK_RULE_PAIRING_VERSION] = {int_zero, ann_zero},
    [YK_RULE_ZERO_PAIRED] = {zero_with_producer, ann_version_text},
    [YK_RULE_WORD] = {odd_state, missing_op},
    [YK_RULE_NAME_LENGTH] = {long_name, name_of_64},
    [YK_RULE_PRODUCER_PAIRING] = {paired_producer, plain_producer},
    [YK_RULE_CONSUMER_MEDIA] = {media_of_consumer, plain_producer},
    [YK_RULE_SLUG_FORM] = {odd_slug, slug_without_detail},
    [YK_RULE_BODY] = {missing_op, odd_reason},
    [YK_RULE_EVENT] = {unknown_event, known_event},
    [YK_RULE_DROPS_FORM] = {four_counters, five_counters},
    [YK_RULE_ACK_REASON] = {both_odd_acks, refused_self_pair},
    [YK_RULE_EVIDENCE] = {odd_evidence, evidence},
    [YK_RULE_MEDIA_BUDGET] = {media_too_large, media_large},
    [YK_RULE_SELF_PAIR] = {with_itself, with_another},
    [YK_RULE_ACTIVE_UNPAIRED] = {active_unpaired, active_paired},
    [YK_RULE_IDLE_PAIRED] = {idle_paired, error_unpaired},
    [YK_RULE_SEQ_BACK] = {back_in_numbers, overtaken},
    [YK_RULE_SEQ_REUSED] = {one_number_twice, doubled_on_its_way},
    [YK_RULE_REPEATED] = {said_again_both, doubled_on_its_way},
    [YK_RULE_FOREIGN] = {for_another, relayed},
    [YK_RULE_TWO_SENDERS] = {two_under_one, a_new_lease},
    [YK_RULE_SILENT] = {a_long_pause, no_pause},
    [YK_RULE_HASTY] = {hasty, not_hasty},
    [YK_RULE_DROPS_RATE] = {drops_too_often, drops_at_their_rate},
    [YK_RULE_AFTER_BYE] = {after_bye, restarted},
    [YK_RULE_ACK_PRODUCER] = {producer_answers, asked},
    [YK_RULE_ACK_UNASKED] = {unasked, asked_late},
    [YK_RULE_ACK_OLD] = {old_applied, old_superseded},
    [YK_RULE_ACK_UNSHOWN] = {applied_unshown, applied_shown},
    [YK_RULE_ACK_BELOW] = {superseded_by_nothing, old_superseded},
    [YK_RULE_VERSION_BACK] = {versions_back, versions_forth},
    [YK_RULE_VERSION_TWICE] = {two_ways_of_two_pairings, versions_forth},
    [YK_RULE_TWO_BODIES] = {two_intents, retried},
    [YK_RULE_AUTHOR_REUSED] = {author_again, author_fresh},
    [YK_RULE_KIND_MISMATCH] = {other_kind, other_kind_in_error},
};

/* All rules are tried before the first failure is told. */
static char failures[8192];

static void fail_later(enum yk_rule rule, const char *why)
{
    size_t used = strlen(failures);

    snprintf(failures + used, sizeof failures - used, "%s: %s: \"%s\"\n", yk_rule_text(rule)->word,
             why, told);
}

START_TEST(every_rule_speaks_when_it_is_broken_and_no_other_does)
{
    for (int rule = YK_RULE_NONE + 1; rule < YK_RULE_END; rule++) {
        char wanted[64];

        ck_assert_msg(cases[rule].breaks != NULL, "%s", yk_rule_text((enum yk_rule)rule)->word);
        start();
        cases[rule].breaks();
        snprintf(wanted, sizeof wanted, "%s ", yk_rule_text((enum yk_rule)rule)->word);
        if (strcmp(told, wanted) != 0) {
            fail_later((enum yk_rule)rule, "broken, and told is");
        }
    }
    ck_assert_msg(failures[0] == '\0', "\n%s", failures);
}
END_TEST

START_TEST(no_rule_speaks_when_it_is_kept)
{
    for (int rule = YK_RULE_NONE + 1; rule < YK_RULE_END; rule++) {
        char wanted[64];

        ck_assert_msg(cases[rule].keeps != NULL, "%s", yk_rule_text((enum yk_rule)rule)->word);
        start();
        cases[rule].keeps();
        snprintf(wanted, sizeof wanted, "%s ", yk_rule_text((enum yk_rule)rule)->word);
        if (strstr(told, wanted) != NULL) {
            fail_later((enum yk_rule)rule, "kept, and told is");
        }
    }
    ck_assert_msg(failures[0] == '\0', "\n%s", failures);
}
END_TEST

START_TEST(every_rule_has_an_id_of_its_own_a_section_and_a_sentence)
{
    ck_assert_int_ge(YK_RULE_END - 1, 20);
    for (int rule = YK_RULE_NONE + 1; rule < YK_RULE_END; rule++) {
        const struct yk_rule_text *text = yk_rule_text((enum yk_rule)rule);

        ck_assert_uint_gt(strlen(text->section), 0);
        ck_assert_uint_gt(strlen(text->sentence), 0);
        for (int other = YK_RULE_NONE + 1; other < rule; other++) {
            ck_assert_str_ne(text->word, yk_rule_text((enum yk_rule)other)->word);
        }
    }
}
END_TEST

START_TEST(what_does_not_verify_says_nothing_about_its_origin)
{
    start_keys("another", "site");
    idle();
    bye();
    idle();
    ck_assert_str_eq(told, "signature signature signature ");
    ck_assert(!last.verified);
    ck_assert_uint_eq(check.totals[YK_RULE_SIGNATURE], 3);
    ck_assert_uint_eq(check.totals[YK_RULE_NONE], 3);
    ck_assert_uint_eq(check.senders.count, 0);
}
END_TEST

START_TEST(a_violation_names_the_sender_and_its_address)
{
    start();
    rig.from = away;
    idle_paired();
    ck_assert_str_eq(told, "idle-paired ");
    ck_assert_str_eq(last.id.text, "dec");
    ck_assert(last.verified);
    ck_assert_mem_eq(last.from.ip, away.ip, 4);
    ck_assert_str_eq(last.detail, "idle with the producer enc");
}
END_TEST

/* However many senders there are, the table holds the latest. */
START_TEST(memory_is_bounded_and_what_is_not_kept_is_counted)
{
    static char ids[3 * SNOOP_TRACKED][16];

    start();
    for (size_t i = 0; i < 3 * SNOOP_TRACKED; i++) {
        struct yk_frame frame = producing(YK_KIND_HDMI);

        frame.seq = (uint64_t)SNOOP_WALL_NS;
        snprintf(ids[i], sizeof ids[i], "enc-%zu", i);
        say(ids[i], frame);
    }
    ck_assert_uint_eq(check.senders.count, SNOOP_TRACKED);
    ck_assert_uint_eq(check.not_kept, 2 * SNOOP_TRACKED);
    pass(6 * YK_SECOND);
    for (uint64_t n = 1; n <= YK_ACKS_WAITING_MAX + 5; n++) {
        applied(n, "op");
    }
    ck_assert_uint_eq(check.unasked_count, YK_ACKS_WAITING_MAX);
    pass(9 * YK_SECOND);
    ck_assert_uint_eq(check.unasked_count, 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {every_rule_speaks_when_it_is_broken_and_no_other_does,
                                  no_rule_speaks_when_it_is_kept,
                                  every_rule_has_an_id_of_its_own_a_section_and_a_sentence,
                                  what_does_not_verify_says_nothing_about_its_origin,
                                  a_violation_names_the_sender_and_its_address,
                                  memory_is_bounded_and_what_is_not_kept_is_counted,
                                  NULL};

    return suite_main("conformance", tests);
}
