#include <string.h>

#include "core/frame.h"
#include "lib/suite.h"

static struct yk_frame frame;

/* The expected bytes were written by Python's json and hmac. */

static void set_id(struct yk_id *id, const char *text)
{
    ck_assert(yk_id_parse(id, yk_slice_of(text)));
}

static void expect_encoded(const char *key, const char *expected)
{
    struct yk_auth auth;
    uint8_t out[YK_FRAME_MAX];
    size_t size;

    yk_auth_init(&auth, yk_slice_of(key), (struct yk_slice){NULL, 0});
    size = yk_frame_encode(&frame, &auth, out);
    ck_assert_msg(yk_slice_equal((struct yk_slice){out, size}, yk_slice_of(expected)), "%.*s",
                  (int)size, (char *)out);
}

static void start_frame(enum yk_type type)
{
    memset(&frame, 0, sizeof(frame));
    frame.type = type;
    set_id(&frame.origin, "dec-3");
    frame.seq = UINT64_C(1796018523000000001);
    frame.ts_ms = INT64_C(1796018523250);
}

START_TEST(an_announcement_is_encoded_as_the_oracle_would)
{
    start_frame(YK_TYPE_ANN);
    frame.as.ann = (struct yk_ann){.role = YK_ROLE_CONSUMER,
                                   .kind = YK_KIND_HDMI,
                                   .name = yk_slice_of("Saal \xc3\xa9"),
                                   .state = YK_STATE_ACTIVE,
                                   .has_err = true,
                                   .err = yk_slice_of("a\n\"b\"\x01"),
                                   .has_evidence = true,
                                   .evidence = yk_slice_of("on eth1")};
    set_id(&frame.as.ann.pairing.producer, "enc-1");
    frame.as.ann.pairing.version.n = 41;
    set_id(&frame.as.ann.pairing.version.author, "op-5");
    expect_encoded(
        "k",
        "{\"body\":{\"driver_status\":{\"detail\":\"on eth1\"},\"err\":\"a\\n\\\"b\\\"\\u0001\",\""
        "kind\":\"hdmi\",\"media\":null,\"name\":\"Saal "
        "\xc3\xa9\",\"pairing\":{\"producer\":\"enc-1"
        "\",\"version\":[41,\"op-5\"]},\"role\":\"consumer\",\"state\":\"active\"},\"origin\":"
        "\"dec-3\",\"seq\":1796018523000000001,\"sig\":\"eaa3395ee0a3b337a8858b2966c84"
        "1ba99fe94931efe598a7b8f33fbf826fa7e\",\"ts\":1796018523.25,\"type\":\"ann\",\""
        "v\":1}");
    frame.as.ann =
        (struct yk_ann){.role = YK_ROLE_CONSUMER, .kind = YK_KIND_USB, .state = YK_STATE_IDLE};
    expect_encoded(
        "k",
        "{\"body\":{\"err\":null,\"kind\":\"usb\",\"media\":null,\"name\":\"\",\"pairing\":{\"pr"
        "oducer\":null,\"version\":[0,\"\"]},\"role\":\"consumer\",\"state\":\"idle\"},\"orig"
        "in\":\"dec-3\",\"seq\":1796018523000000001,\"sig\":\"c4d56d845d16af6e00c900187"
        "da16400cfb828dd1a29522c7278a0c6958d76a3\",\"ts\":1796018523.25,\"type\":\"an"
        "n\",\"v\":1}");
    frame.as.ann = (struct yk_ann){.role = YK_ROLE_PRODUCER,
                                   .kind = YK_KIND_HDMI,
                                   .state = YK_STATE_PENDING,
                                   .media = yk_slice_of("{\"port\":5004}")};
    expect_encoded(
        "",
        "{\"body\":{\"err\":null,\"kind\":\"hdmi\",\"media\":{\"port\":5004},\"name\":\"\",\"pai"
        "ring\":null,\"role\":\"producer\",\"state\":\"pending\"},\"origin\":\"dec-3\",\"seq\""
        ":1796018523000000001,\"sig\":\"\",\"ts\":1796018523.25,\"type\":\"ann\",\"v\":1}");
}
END_TEST

START_TEST(an_intent_is_encoded_as_the_oracle_would)
{
    start_frame(YK_TYPE_INT);
    frame.as.intent.op = YK_OP_PAIR;
    set_id(&frame.as.intent.consumer, "dec-3");
    set_id(&frame.as.intent.producer, "enc-1");
    frame.as.intent.version.n = YK_COUNT_MAX;
    set_id(&frame.as.intent.version.author, "op-6");
    expect_encoded(
        "k",
        "{\"body\":{\"consumer\":\"dec-3\",\"op\":\"pair\",\"producer\":\"enc-1\",\"version\":["
        "9223372036854775807,\"op-6\"]},\"origin\":\"dec-3\",\"seq\":179601852300000000"
        "1,\"sig\":\"51e53f92265c6462d55138b91591a80e1ffa8dd202048b6fc42ef066b21a3"
        "5a6\",\"ts\":1796018523.25,\"type\":\"int\",\"v\":1}");
    frame.as.intent.op = YK_OP_UNPAIR;
    expect_encoded(
        "k", "{\"body\":{\"consumer\":\"dec-3\",\"op\":\"unpair\",\"version\":[92233720368547758"
             "07,\"op-6\"]},\"origin\":\"dec-3\",\"seq\":1796018523000000001,\"sig\":\"774d48a0"
             "41dc53ec6583557b780cd04db2a0d28b0313144a6398e9d32ae1ba8a\",\"ts\":1796018"
             "523.25,\"type\":\"int\",\"v\":1}");
}
END_TEST

START_TEST(ack_evt_and_bye_are_encoded_as_the_oracle_would)
{
    start_frame(YK_TYPE_ACK);
    frame.as.ack.reason = YK_REASON_KIND_MISMATCH;
    frame.as.ack.version.n = 3;
    set_id(&frame.as.ack.version.author, "op-6");
    expect_encoded(
        "k", "{\"body\":{\"applied\":false,\"reason\":\"kind-mismatch\",\"version\":[3,\"op-6\"]"
             "},\"origin\":\"dec-3\",\"seq\":1796018523000000001,\"sig\":\"b11ba724cde957c197"
             "b525e987a6e1a28f07f983831777e5a146531c3d62fd8d\",\"ts\":1796018523.25,\"ty"
             "pe\":\"ack\",\"v\":1}");
    start_frame(YK_TYPE_EVT);
    frame.as.evt.event = YK_EVENT_DRIVER_ERROR;
    frame.as.evt.detail = yk_slice_of("{\"detail\":\"gone\"}");
    expect_encoded(
        "k", "{\"body\":{\"detail\":{\"detail\":\"gone\"},\"event\":\"driver-error\"},\"origin\":\""
             "dec-3\",\"seq\":1796018523000000001,\"sig\":\"bebb69677ba681198b1246b7130ac3"
             "d6dba8ee99c37e69ff9b4c126ec3b83aad\",\"ts\":1796018523.25,\"type\":\"evt\",\"v"
             "\":1}");
    start_frame(YK_TYPE_BYE);
    frame.ts_ms = 5000;
    expect_encoded(
        "k", "{\"body\":{},\"origin\":\"dec-3\",\"seq\":1796018523000000001,\"sig\":\"2424a8d7d"
             "0f79dd61d1258c43cc34d4a3afe292a58f663659713a8a256c34c2c\",\"ts\":5.0,\"typ"
             "e\":\"bye\",\"v\":1}");
}
END_TEST

START_TEST(a_frame_over_1200_bytes_must_not_be_encoded)
{
    static char err[YK_FRAME_MAX];
    struct yk_auth auth;
    uint8_t out[YK_FRAME_MAX];
    size_t fixed;

    yk_auth_init(&auth, yk_slice_of("k"), (struct yk_slice){NULL, 0});
    start_frame(YK_TYPE_ANN);
    frame.as.ann = (struct yk_ann){
        .role = YK_ROLE_PRODUCER, .kind = YK_KIND_HDMI, .state = YK_STATE_ERROR, .has_err = true};
    fixed = yk_frame_encode(&frame, &auth, out);
    ck_assert_uint_gt(fixed, 0);
    memset(err, 'x', sizeof(err));
    frame.as.ann.err = (struct yk_slice){(uint8_t *)err, YK_FRAME_MAX - fixed};
    ck_assert_uint_eq(yk_frame_encode(&frame, &auth, out), YK_FRAME_MAX);
    frame.as.ann.err.size++;
    ck_assert_uint_eq(yk_frame_encode(&frame, &auth, out), 0);
    frame.as.ann.has_err = false;
    frame.as.ann.media = (struct yk_slice){(uint8_t *)err, sizeof(err)};
    ck_assert_uint_eq(yk_frame_encode(&frame, &auth, out), 0);
}
END_TEST

START_TEST(intents_are_identical_when_their_known_members_are)
{
    struct yk_intent a = {.op = YK_OP_PAIR};
    struct yk_intent b;

    set_id(&a.consumer, "dec-3");
    set_id(&a.producer, "enc-1");
    a.version.n = 3;
    set_id(&a.version.author, "op-6");
    b = a;
    ck_assert(yk_intent_equal(&a, &b));
    b.op = YK_OP_UNPAIR;
    ck_assert(!yk_intent_equal(&a, &b));
    b = a;
    set_id(&b.consumer, "dec-4");
    ck_assert(!yk_intent_equal(&a, &b));
    b = a;
    set_id(&b.producer, "enc-2");
    ck_assert(!yk_intent_equal(&a, &b));
    b = a;
    b.version.n++;
    ck_assert(!yk_intent_equal(&a, &b));
    b = a;
    set_id(&b.version.author, "op-7");
    ck_assert(!yk_intent_equal(&a, &b));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        an_announcement_is_encoded_as_the_oracle_would,
        an_intent_is_encoded_as_the_oracle_would,
        ack_evt_and_bye_are_encoded_as_the_oracle_would,
        a_frame_over_1200_bytes_must_not_be_encoded,
        intents_are_identical_when_their_known_members_are,
        NULL,
    };

    return suite_main("frame_write", tests);
}
