#include <stdio.h>
#include <string.h>

#include "core/frame.h"
#include "lib/suite.h"

static struct yk_decoder decoder;
static struct yk_frame frame;

static enum yk_drop read_envelope(const char *text)
{
    return yk_frame_read_envelope(&decoder, yk_slice_of(text), YK_PATH_AUTO, &frame);
}

/* Decodes an open-mode frame of that type with that body. */
static bool decode(const char *type, const char *body)
{
    static char text[2 * YK_FRAME_MAX];

    snprintf(text, sizeof(text),
             "{\"body\":%s,\"origin\":\"dec-3\",\"seq\":7,\"sig\":\"\",\"ts\":1.5,\"type\":\"%s\","
             "\"v\":1}",
             body, type);
    ck_assert_msg(read_envelope(text) == YK_DROP_NONE, "envelope: %s", text);
    return yk_frame_read_body(&decoder, &frame);
}

static bool is(struct yk_slice slice, const char *text)
{
    return yk_slice_equal(slice, yk_slice_of(text));
}

/* ---- envelope */

#define ENVELOPE(body, origin, seq, sig, ts, type, v)                                     \
    "{\"body\":" body ",\"origin\":" origin ",\"seq\":" seq ",\"sig\":" sig ",\"ts\":" ts \
    ",\"type\":" type ",\"v\":" v "}"

START_TEST(an_envelope_is_read_into_plain_values)
{
    ck_assert_int_eq(read_envelope(ENVELOPE("{}", "\"dec-3\"", "1796018523000000001", "\"ab\"",
                                            "1796018523.25", "\"bye\"", "1")),
                     YK_DROP_NONE);
    ck_assert_int_eq(frame.type, YK_TYPE_BYE);
    ck_assert_str_eq(frame.origin.text, "dec-3");
    ck_assert_uint_eq(frame.seq, UINT64_C(1796018523000000001));
    ck_assert_int_eq(frame.ts_ms, INT64_C(1796018523250));
    ck_assert(is(decoder.sig, "ab"));
}
END_TEST

START_TEST(an_unknown_envelope_member_is_malformed)
{
    static const char *const texts[] = {
        "{\"a\":0,\"body\":{},\"origin\":\"a\",\"seq\":1,\"sig\":\"\",\"ts\":1,\"type\":\"bye\","
        "\"v\":1}",
        "{\"body\":{},\"origin\":\"a\",\"p\":0,\"seq\":1,\"sig\":\"\",\"ts\":1,\"type\":\"bye\","
        "\"v\":1}",
        "{\"body\":{},\"origin\":\"a\",\"seq\":1,\"sig\":\"\",\"ts\":1,\"type\":\"bye\",\"v\":1,"
        "\"w\":0}",
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        ck_assert_int_eq(read_envelope(texts[i]), YK_DROP_MALFORMED);
    }
}
END_TEST

START_TEST(an_absent_envelope_member_is_malformed)
{
    static const char *const members[] = {"\"body\":{}",  "\"origin\":\"a\"", "\"seq\":1",
                                          "\"sig\":\"\"", "\"ts\":1",         "\"type\":\"bye\"",
                                          "\"v\":1"};
    char text[256];

    for (size_t absent = 0; absent <= 7; absent++) {
        strcpy(text, "{");
        for (size_t i = 0; i < 7; i++) {
            if (i != absent) {
                strcat(text, text[1] ? "," : "");
                strcat(text, members[i]);
            }
        }
        strcat(text, "}");
        ck_assert_int_eq(read_envelope(text), absent == 7 ? YK_DROP_NONE : YK_DROP_MALFORMED);
    }
}
END_TEST

START_TEST(an_envelope_member_of_the_wrong_type_is_malformed)
{
    static const char *const texts[] = {
        ENVELOPE("[]", "\"a\"", "1", "\"\"", "1", "\"bye\"", "1"),
        ENVELOPE("null", "\"a\"", "1", "\"\"", "1", "\"bye\"", "1"),
        ENVELOPE("{}", "1", "1", "\"\"", "1", "\"bye\"", "1"),
        ENVELOPE("{}", "\"\"", "1", "\"\"", "1", "\"bye\"", "1"),
        ENVELOPE("{}", "\"-a\"", "1", "\"\"", "1", "\"bye\"", "1"),
        ENVELOPE("{}", "\"a\"", "0", "\"\"", "1", "\"bye\"", "1"),
        ENVELOPE("{}", "\"a\"", "-1", "\"\"", "1", "\"bye\"", "1"),
        ENVELOPE("{}", "\"a\"", "1.0", "\"\"", "1", "\"bye\"", "1"),
        ENVELOPE("{}", "\"a\"", "true", "\"\"", "1", "\"bye\"", "1"),
        ENVELOPE("{}", "\"a\"", "9223372036854775808", "\"\"", "1", "\"bye\"", "1"),
        ENVELOPE("{}", "\"a\"", "1", "null", "1", "\"bye\"", "1"),
        ENVELOPE("{}", "\"a\"", "1", "0", "1", "\"bye\"", "1"),
        ENVELOPE("{}", "\"a\"", "1", "\"\"", "\"1\"", "\"bye\"", "1"),
        ENVELOPE("{}", "\"a\"", "1", "\"\"", "true", "\"bye\"", "1"),
        ENVELOPE("{}", "\"a\"", "1", "\"\"", "1", "\"BYE\"", "1"),
        ENVELOPE("{}", "\"a\"", "1", "\"\"", "1", "[\"bye\"]", "1"),
        ENVELOPE("{}", "\"a\"", "1", "\"\"", "1", "\"bye\"", "1.0"),
        ENVELOPE("{}", "\"a\"", "1", "\"\"", "1", "\"bye\"", "true"),
        ENVELOPE("{}", "\"a\"", "1", "\"\"", "1", "\"bye\"", "\"1\""),
        "[\"v\",1]",
        "1",
        "{}",
        "\"v\"",
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        ck_assert_msg(read_envelope(texts[i]) == YK_DROP_MALFORMED, "%s", texts[i]);
    }
}
END_TEST

START_TEST(another_version_is_version_whatever_else_is_there)
{
    ck_assert_int_eq(read_envelope("{\"v\":2}"), YK_DROP_VERSION);
    ck_assert_int_eq(read_envelope("{\"v\":0,\"w\":[]}"), YK_DROP_VERSION);
    ck_assert_int_eq(read_envelope("{ \"v\" : -1 }"), YK_DROP_VERSION);
    ck_assert_int_eq(read_envelope("{\"v\":99999999999999999999}"), YK_DROP_VERSION);
    ck_assert_int_eq(read_envelope("{\"body\":{\"v\":2}}"), YK_DROP_MALFORMED);
    ck_assert_int_eq(read_envelope("{\"v\":2,\"v\":2}"), YK_DROP_MALFORMED);
    ck_assert_int_eq(read_envelope("{\"v\":2}x"), YK_DROP_MALFORMED);
}
END_TEST

START_TEST(more_than_1200_bytes_are_oversize_before_anything_else)
{
    char text[YK_FRAME_MAX + 1];

    memset(text, ' ', sizeof(text));
    memcpy(text, "{\"v\":2}", 7);
    ck_assert_int_eq(yk_frame_read_envelope(&decoder,
                                            (struct yk_slice){(uint8_t *)text, YK_FRAME_MAX},
                                            YK_PATH_AUTO, &frame),
                     YK_DROP_VERSION);
    ck_assert_int_eq(yk_frame_read_envelope(&decoder,
                                            (struct yk_slice){(uint8_t *)text, YK_FRAME_MAX + 1},
                                            YK_PATH_AUTO, &frame),
                     YK_DROP_OVERSIZE);
}
END_TEST

START_TEST(what_is_signed_is_the_canonical_frame_without_sig)
{
    struct yk_slice parts[2];

    ck_assert_int_eq(
        read_envelope("{\"v\":1, \"sig\":\"c\\u00e9\", \"body\":{\"sig\":\"x\"}, \"ts\":1E2,"
                      "\"type\":\"bye\", \"seq\":1, \"origin\":\"a\"}"),
        YK_DROP_NONE);
    yk_frame_signed_parts(&decoder, parts);
    ck_assert(is(parts[0], "{\"body\":{\"sig\":\"x\"},\"origin\":\"a\",\"seq\":1"));
    ck_assert(is(parts[1], ",\"ts\":100.0,\"type\":\"bye\",\"v\":1}"));
}
END_TEST

START_TEST(both_paths_find_the_same_canonical_bytes)
{
    static const char text[] =
        ENVELOPE("{\"a\":[1.5,\"\\n\"]}", "\"a\"", "1", "\"\"", "1", "\"bye\"", "1");

    ck_assert_int_eq(yk_frame_read_envelope(&decoder, yk_slice_of(text), YK_PATH_FAST, &frame),
                     YK_DROP_NONE);
    ck_assert_ptr_eq(decoder.spelled.data, text);
    ck_assert_int_eq(yk_frame_read_envelope(&decoder, yk_slice_of(text), YK_PATH_GENERAL, &frame),
                     YK_DROP_NONE);
    ck_assert_ptr_eq(decoder.spelled.data, decoder.canonical);
    ck_assert(is(decoder.spelled, text));
}
END_TEST

/* ---- bodies */

#define CONSUMER(name, err, pairing, media)                                 \
    "{\"err\":" err ",\"kind\":\"hdmi\",\"media\":" media ",\"name\":" name \
    ",\"pairing\":" pairing ",\"role\":\"consumer\",\"state\":\"idle\"}"
#define UNPAIRED "{\"producer\":null,\"version\":[0,\"\"]}"

START_TEST(a_consumer_announcement_is_read)
{
    ck_assert(decode(
        "ann",
        "{\"driver_status\":{\"detail\":\"on \\\"eth1\\\"\"},\"err\":\"a\\nb\",\"kind\":\"usb\","
        "\"media\":null,\"name\":\"Saal \xc3\xa9\",\"pairing\":{\"producer\":\"enc-1\","
        "\"version\":[41,\"op-5\"]},\"role\":\"consumer\",\"state\":\"active\"}"));
    ck_assert_int_eq(frame.as.ann.role, YK_ROLE_CONSUMER);
    ck_assert_int_eq(frame.as.ann.kind, YK_KIND_USB);
    ck_assert_int_eq(frame.as.ann.state, YK_STATE_ACTIVE);
    ck_assert(is(frame.as.ann.name, "Saal \xc3\xa9"));
    ck_assert(frame.as.ann.has_err && is(frame.as.ann.err, "a\nb"));
    ck_assert(frame.as.ann.has_evidence && is(frame.as.ann.evidence, "on \"eth1\""));
    ck_assert_str_eq(frame.as.ann.pairing.producer.text, "enc-1");
    ck_assert_uint_eq(frame.as.ann.pairing.version.n, 41);
    ck_assert_str_eq(frame.as.ann.pairing.version.author.text, "op-5");
    ck_assert_uint_eq(frame.as.ann.media.size, 0);
}
END_TEST

START_TEST(a_producer_announcement_keeps_its_media_opaque)
{
    ck_assert(decode(
        "ann",
        "{\"err\":null,\"kind\":\"hdmi\",\"media\":{\"a\":[1.5],\"port\":5004},\"name\":\"\","
        "\"pairing\":null,\"role\":\"producer\",\"state\":\"error\"}"));
    ck_assert_int_eq(frame.as.ann.role, YK_ROLE_PRODUCER);
    ck_assert(is(frame.as.ann.media, "{\"a\":[1.5],\"port\":5004}"));
    ck_assert(!frame.as.ann.has_err && !frame.as.ann.has_evidence);
    ck_assert_uint_eq(frame.as.ann.pairing.version.n, 0);
    ck_assert(decode("ann", "{\"err\":null,\"kind\":\"hdmi\",\"media\":null,\"name\":\"\","
                            "\"pairing\":null,\"role\":\"producer\",\"state\":\"idle\"}"));
    ck_assert_uint_eq(frame.as.ann.media.size, 0);
}
END_TEST

START_TEST(a_name_has_at_most_64_code_points)
{
    char body[800];
    char name[400] = "\"";

    for (size_t points = 1; points <= 65; points++) {
        strcpy(name + 1 + 4 * (points - 1), "\xf0\x9f\x98\x80\"");
        snprintf(body, sizeof(body), CONSUMER("%s", "null", UNPAIRED, "null"), name);
        ck_assert(decode("ann", body) == (points <= 64));
    }
}
END_TEST

START_TEST(a_consumer_must_have_a_pairing_and_no_media)
{
    ck_assert(decode("ann", CONSUMER("\"\"", "null", UNPAIRED, "null")));
    ck_assert(!decode("ann", CONSUMER("\"\"", "null", "null", "null")));
    ck_assert(!decode("ann", CONSUMER("\"\"", "null", "{\"producer\":null}", "null")));
    ck_assert(!decode("ann", CONSUMER("\"\"", "null", "{\"version\":[0,\"\"]}", "null")));
    ck_assert(!decode("ann", CONSUMER("\"\"", "null", UNPAIRED, "{}")));
    ck_assert(!decode("ann", CONSUMER("\"\"", "1", UNPAIRED, "null")));
}
END_TEST

START_TEST(a_zero_version_goes_with_a_null_producer_only)
{
    ck_assert(!decode(
        "ann", CONSUMER("\"\"", "null", "{\"producer\":\"a\",\"version\":[0,\"\"]}", "null")));
    ck_assert(!decode(
        "ann", CONSUMER("\"\"", "null", "{\"producer\":null,\"version\":[0,\"a\"]}", "null")));
    ck_assert(decode(
        "ann", CONSUMER("\"\"", "null", "{\"producer\":null,\"version\":[1,\"a\"]}", "null")));
    ck_assert(!decode(
        "ann", CONSUMER("\"\"", "null", "{\"producer\":\"-\",\"version\":[1,\"a\"]}", "null")));
    ck_assert(
        !decode("ann", CONSUMER("\"\"", "null", "{\"producer\":1,\"version\":[1,\"a\"]}", "null")));
}
END_TEST

START_TEST(a_producer_must_have_null_pairing_and_an_object_or_null_as_media)
{
#define PRODUCER(pairing, media)                                                             \
    "{\"err\":null,\"kind\":\"hdmi\",\"media\":" media ",\"name\":\"\",\"pairing\":" pairing \
    ",\"role\":\"producer\",\"state\":\"idle\"}"
    ck_assert(decode("ann", PRODUCER("null", "{}")));
    ck_assert(!decode("ann", PRODUCER(UNPAIRED, "{}")));
    ck_assert(!decode("ann", PRODUCER("null", "[]")));
    ck_assert(!decode("ann", PRODUCER("null", "\"\"")));
    ck_assert(!decode("ann", "{\"err\":null,\"kind\":\"hdmi\",\"name\":\"\",\"pairing\":null,"
                             "\"role\":\"producer\",\"state\":\"idle\"}"));
}
END_TEST

START_TEST(evidence_of_another_shape_is_ignored)
{
    static const char *const shapes[] = {
        "null", "1", "[]", "{}", "{\"detail\":1}", "{\"detail\":null}"};
    char body[400];

    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        snprintf(body, sizeof(body), "{\"driver_status\":%s,%s", shapes[i],
                 1 + CONSUMER("\"\"", "null", UNPAIRED, "null"));
        ck_assert_msg(decode("ann", body), "%s", body);
        ck_assert(!frame.as.ann.has_evidence);
    }
}
END_TEST

START_TEST(unknown_members_of_a_body_are_ignored)
{
    ck_assert(decode("bye", "{\"a\":{\"b\":[1.5]}}"));
    ck_assert(decode("evt", "{\"a\":1,\"detail\":{},\"e\":1,\"event\":\"media-up\",\"z\":1}"));
    ck_assert_int_eq(frame.as.evt.event, YK_EVENT_MEDIA_UP);
    ck_assert(decode("ack", "{\"a\":1,\"applied\":true,\"b\":1,\"reason\":\"applied\",\"s\":1,"
                            "\"version\":[1,\"a\"],\"z\":1}"));
}
END_TEST

START_TEST(an_intent_is_normalised_to_its_known_members)
{
    ck_assert(decode("int",
                     "{\"consumer\":\"dec-3\",\"op\":\"pair\",\"pad\":1e16,\"producer\":\"enc-1\","
                     "\"version\":[9223372036854775807,\"op-6\"]}"));
    ck_assert_int_eq(frame.as.intent.op, YK_OP_PAIR);
    ck_assert_str_eq(frame.as.intent.consumer.text, "dec-3");
    ck_assert_str_eq(frame.as.intent.producer.text, "enc-1");
    ck_assert_uint_eq(frame.as.intent.version.n, YK_COUNT_MAX);
    ck_assert_str_eq(frame.as.intent.version.author.text, "op-6");
    ck_assert(decode(
        "int", "{\"consumer\":\"dec-3\",\"op\":\"unpair\",\"producer\":5,\"version\":[1,\"a\"]}"));
    ck_assert_int_eq(frame.as.intent.op, YK_OP_UNPAIR);
    ck_assert_uint_eq(frame.as.intent.producer.size, 0);
}
END_TEST

START_TEST(a_producer_that_is_no_id_is_delivered_as_none)
{
    ck_assert(decode(
        "int",
        "{\"consumer\":\"d\",\"op\":\"pair\",\"producer\":\"no id\",\"version\":[1,\"a\"]}"));
    ck_assert_uint_eq(frame.as.intent.producer.size, 0);
    ck_assert(decode(
        "int", "{\"consumer\":\"d\",\"op\":\"pair\",\"producer\":\"\",\"version\":[1,\"a\"]}"));
    ck_assert_uint_eq(frame.as.intent.producer.size, 0);
    ck_assert(!decode("int",
                      "{\"consumer\":\"d\",\"op\":\"pair\",\"producer\":1,\"version\":[1,\"a\"]}"));
    ck_assert(!decode("int", "{\"consumer\":\"d\",\"op\":\"pair\",\"version\":[1,\"a\"]}"));
    ck_assert(!decode("int", "{\"consumer\":\"no id\",\"op\":\"unpair\",\"version\":[1,\"a\"]}"));
    ck_assert(!decode("int", "{\"consumer\":\"d\",\"op\":\"pare\",\"version\":[1,\"a\"]}"));
}
END_TEST

START_TEST(a_version_is_a_pair_of_a_count_and_an_id)
{
    static const char *const bad[] = {
        "[0,\"\"]",    "[0,\"a\"]",    "[1,\"\"]",    "[-1,\"a\"]",  "[9223372036854775808,\"a\"]",
        "[1.0,\"a\"]", "[true,\"a\"]", "[1,\"-a\"]",  "[1,1]",       "[\"a\",1]",
        "[]",          "[1]",          "[1,\"a\",1]", "[[1],\"a\"]", "[1,[\"a\"]]",
        "{\"a\":1}",   "\"1\"",        "1",           "null",
    };
    char body[200];

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        snprintf(body, sizeof(body), "{\"consumer\":\"d\",\"op\":\"unpair\",\"version\":%s}",
                 bad[i]);
        ck_assert_msg(!decode("int", body), "%s", body);
    }
}
END_TEST

START_TEST(an_ack_has_a_reason_of_the_list)
{
    ck_assert(decode("ack", "{\"applied\":false,\"reason\":\"self-pair\",\"version\":[3,\"a\"]}"));
    ck_assert(!frame.as.ack.applied);
    ck_assert_int_eq(frame.as.ack.reason, YK_REASON_SELF_PAIR);
    ck_assert_uint_eq(frame.as.ack.version.n, 3);
    ck_assert(!decode("ack", "{\"applied\":true,\"reason\":\"later\",\"version\":[3,\"a\"]}"));
    ck_assert(!decode("ack", "{\"applied\":1,\"reason\":\"applied\",\"version\":[3,\"a\"]}"));
    ck_assert(!decode("ack", "{\"applied\":true,\"version\":[3,\"a\"]}"));
}
END_TEST

START_TEST(an_unknown_slug_is_delivered_and_a_malformed_one_is_not)
{
    char body[200];
    char slug[80];

    ck_assert(decode("evt", "{\"detail\":{\"x\":1},\"event\":\"x-own\"}"));
    ck_assert_int_eq(frame.as.evt.event, YK_EVENT_NONE);
    ck_assert(is(frame.as.evt.slug, "x-own"));
    ck_assert(is(frame.as.evt.detail, "{\"x\":1}"));
    ck_assert(!decode("evt", "{\"detail\":{},\"event\":\"-x\"}"));
    ck_assert(!decode("evt", "{\"detail\":{},\"event\":\"\"}"));
    ck_assert(!decode("evt", "{\"detail\":{},\"event\":\"Media-up\"}"));
    ck_assert(!decode("evt", "{\"detail\":{},\"event\":\"a_b\"}"));
    ck_assert(!decode("evt", "{\"detail\":[],\"event\":\"a\"}"));
    for (int size = 64; size <= 65; size++) {
        memset(slug, 'a', sizeof(slug));
        snprintf(body, sizeof(body), "{\"detail\":{},\"event\":\"%.*s\"}", size, slug);
        ck_assert(decode("evt", body) == (size == 64));
    }
}
END_TEST

START_TEST(all_strings_of_a_frame_with_escapes_fit)
{
    char text[YK_FRAME_MAX];
    char fill[900];

    for (size_t i = 0; i < sizeof(fill); i += 2) {
        memcpy(fill + i, "\\n", 2);
    }
    snprintf(text, sizeof(text), "{\"driver_status\":{\"detail\":\"%.*s\"},%s", (int)sizeof(fill),
             fill, 1 + CONSUMER("\"\\n\"", "\"\\n\\n\"", UNPAIRED, "null"));
    ck_assert(decode("ann", text));
    ck_assert_uint_eq(frame.as.ann.evidence.size, sizeof(fill) / 2);
    ck_assert(is(frame.as.ann.err, "\n\n"));
    ck_assert(is(frame.as.ann.name, "\n"));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        an_envelope_is_read_into_plain_values,
        an_unknown_envelope_member_is_malformed,
        an_absent_envelope_member_is_malformed,
        an_envelope_member_of_the_wrong_type_is_malformed,
        another_version_is_version_whatever_else_is_there,
        more_than_1200_bytes_are_oversize_before_anything_else,
        what_is_signed_is_the_canonical_frame_without_sig,
        both_paths_find_the_same_canonical_bytes,
        a_consumer_announcement_is_read,
        a_producer_announcement_keeps_its_media_opaque,
        a_name_has_at_most_64_code_points,
        a_consumer_must_have_a_pairing_and_no_media,
        a_zero_version_goes_with_a_null_producer_only,
        a_producer_must_have_null_pairing_and_an_object_or_null_as_media,
        evidence_of_another_shape_is_ignored,
        unknown_members_of_a_body_are_ignored,
        an_intent_is_normalised_to_its_known_members,
        a_producer_that_is_no_id_is_delivered_as_none,
        a_version_is_a_pair_of_a_count_and_an_id,
        an_ack_has_a_reason_of_the_list,
        an_unknown_slug_is_delivered_and_a_malformed_one_is_not,
        all_strings_of_a_frame_with_escapes_fit,
        NULL,
    };

    return suite_main("frame_read", tests);
}
