/* The rules of one body. */
#include <stdio.h>
#include <string.h>

#include "conformance_rig.h"
#include "lib/suite.h"

#define ANN(err, kind, media, name, pairing, role, state)                   \
    "{\"err\":" err ",\"kind\":" kind ",\"media\":" media ",\"name\":" name \
    ",\"pairing\":" pairing ",\"role\":" role ",\"state\":" state "}"
#define DEC(pairing) ANN("null", "\"hdmi\"", "null", "\"n\"", pairing, "\"consumer\"", "\"idle\"")
#define UNPAIRED "{\"producer\":null,\"version\":[0,\"\"]}"
#define TEN "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
#define SIXTY_FOUR TEN TEN TEN TEN TEN TEN "abcd"

static void int_zero(void)
{
    conf_say_text("t", "int", "{\"consumer\":\"dec\",\"op\":\"unpair\",\"version\":[0,\"\"]}",
                  NULL);
}

static void ann_version_text(void)
{
    conf_say_text("dec", "ann", DEC("{\"producer\":null,\"version\":\"3/op\"}"), NULL);
}

static void ann_zero(void)
{
    conf_say_text("dec", "ann", DEC(UNPAIRED), NULL);
}

static void zero_with_producer(void)
{
    conf_say_text("dec", "ann", DEC("{\"producer\":\"enc\",\"version\":[0,\"\"]}"), NULL);
}

static void odd_state(void)
{
    conf_say_text("dec", "ann",
                  ANN("null", "\"hdmi\"", "null", "\"n\"", UNPAIRED, "\"consumer\"", "\"bored\""),
                  NULL);
}

static void odd_reason(void)
{
    conf_say_text("dec", "ack", "{\"applied\":false,\"reason\":\"no\",\"version\":[1,\"op\"]}",
                  NULL);
}

static void missing_op(void)
{
    conf_say_text("t", "int", "{\"consumer\":\"dec\",\"version\":[1,\"op\"]}", NULL);
}

static void long_name(void)
{
    conf_say_text("dec", "ann",
                  ANN("null", "\"hdmi\"", "null", "\"" SIXTY_FOUR "e\"", UNPAIRED, "\"consumer\"",
                      "\"idle\""),
                  NULL);
}

static void name_of_64(void)
{
    conf_say_text(
        "dec", "ann",
        ANN("null", "\"hdmi\"", "null", "\"" SIXTY_FOUR "\"", UNPAIRED, "\"consumer\"", "\"idle\""),
        NULL);
}

static void paired_producer(void)
{
    conf_say_text("enc", "ann",
                  ANN("null", "\"hdmi\"", "null", "\"n\"", UNPAIRED, "\"producer\"", "\"active\""),
                  NULL);
}

static void plain_producer(void)
{
    conf_say_text("enc", "ann",
                  ANN("null", "\"hdmi\"", "{}", "\"n\"", "null", "\"producer\"", "\"active\""),
                  NULL);
}

static void media_of_consumer(void)
{
    conf_say_text("dec", "ann",
                  ANN("null", "\"hdmi\"", "{}", "\"n\"", UNPAIRED, "\"consumer\"", "\"idle\""),
                  NULL);
}

static void odd_slug(void)
{
    conf_say_text("dec", "evt", "{\"detail\":{},\"event\":\"Started\"}", NULL);
}

static void slug_without_detail(void) /* another rule's affair */
{
    conf_say_text("dec", "evt", "{\"event\":\"Started\"}", NULL);
}

static void unknown_event(void)
{
    conf_say_text("dec", "evt", "{\"detail\":{},\"event\":\"lunch\"}", NULL);
}

static void known_event(void)
{
    conf_event(YK_EVENT_STARTED, "{}");
}

static void four_counters(void)
{
    conf_event(YK_EVENT_RX_DROP, "{\"auth\":1,\"malformed\":0,\"stale\":0,\"version\":0}");
}

static void five_counters(void)
{
    conf_event(YK_EVENT_RX_DROP, CONF_DROPS);
}

static void applied_superseded(void)
{
    conf_acknowledge("dec", 1, "op", true, YK_REASON_SUPERSEDED);
}

static void refused_applied(void)
{
    conf_acknowledge("dec", 1, "op", false, YK_REASON_APPLIED);
}

static void both_odd_acks(void)
{
    applied_superseded();
    refused_applied();
    ck_assert_str_eq(conf.told, "ack-reason ack-reason ");
    conf.told[strlen("ack-reason ")] = '\0';
}

static void refused_self_pair(void)
{
    conf_acknowledge("dec", 1, "op", false, YK_REASON_SELF_PAIR);
}

#define WITH_STATUS(status)                                                        \
    "{\"driver_status\":" status ",\"err\":null,\"kind\":\"hdmi\",\"media\":null," \
    "\"name\":\"n\",\"pairing\":" UNPAIRED ",\"role\":\"consumer\",\"state\":\"idle\"}"

static void odd_evidence(void)
{
    conf_say_text("dec", "ann", WITH_STATUS("\"joined\""), NULL);
}

static void evidence(void)
{
    conf_say_text("dec", "ann", WITH_STATUS("{\"detail\":\"joined\"}"), NULL);
}

/* Media of `size` bytes from a producer without a name, in state idle. */
static void media_of(int size)
{
    char media[YK_FRAME_MAX];
    struct yk_frame frame = conf_producing(YK_KIND_HDMI);

    snprintf(media, sizeof media, "{\"x\":\"%0*d\"}", size - 8, 0);
    frame.as.ann.state = YK_STATE_IDLE;
    frame.as.ann.media = yk_slice_of(media);
    conf_say("enc", frame);
}

/* The first that is conf.told of still fits into this announcement, but not into every one. */
static void media_too_large(void)
{
    for (int size = 900; conf.told[0] == '\0'; size++) {
        media_of(size);
        ck_assert_int_eq(conf.rig.heard.verdict, YK_DROP_NONE);
    }
}

static void media_large(void)
{
    media_of(900);
}

static void with_itself(void)
{
    conf_consumer(YK_STATE_PENDING, "dec", 1, "op");
}

static void with_another(void)
{
    conf_consumer(YK_STATE_PENDING, "enc", 1, "op");
}

static void active_unpaired(void)
{
    conf_consumer(YK_STATE_ACTIVE, NULL, 1, "op");
}

static void active_paired(void)
{
    conf_consumer(YK_STATE_ACTIVE, "enc", 1, "op");
}

static void idle_paired(void)
{
    conf_consumer(YK_STATE_IDLE, "enc", 1, "op");
}

static void error_unpaired(void)
{
    conf_consumer(YK_STATE_ERROR, NULL, 1, "op");
}

static const struct conf_case cases[YK_RULE_END] = {
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
};

START_TEST(every_rule_of_bodies_speaks_when_it_is_broken_and_no_other_does)
{
    conf_expect_broken(cases, CONF_BODY_RULES);
}
END_TEST

START_TEST(no_rule_of_bodies_speaks_when_it_is_kept)
{
    conf_expect_kept(cases, CONF_BODY_RULES);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {every_rule_of_bodies_speaks_when_it_is_broken_and_no_other_does,
                                  no_rule_of_bodies_speaks_when_it_is_kept, NULL};

    return suite_main("conformance_body", tests);
}
