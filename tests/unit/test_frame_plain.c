#include <stdio.h>
#include <string.h>

#include "core/frame.h"
#include "lib/suite.h"

#define TAIL                                                                                     \
    ",\"origin\":\"n-1\",\"seq\":1796018523000000001,\"sig\":"                                   \
    "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\",\"ts\":1796018523.25," \
    "\"type\":\"ann\",\"v\":1}"

static const char consumer[] =
    "{\"body\":{\"driver_status\":{\"detail\":\"runs\"},\"err\":\"why\",\"kind\":\"hdmi\","
    "\"media\":null,\"name\":\"Zimmer\",\"pairing\":{\"producer\":\"enc-1\",\"version\":[17,"
    "\"op-1\"]},\"role\":\"consumer\",\"state\":\"active\"}" TAIL;
static const char producer[] =
    "{\"body\":{\"err\":null,\"kind\":\"usb\",\"media\":{\"host\":\"10.0.0.9\",\"port\":3240},"
    "\"name\":\"K\",\"pairing\":null,\"role\":\"producer\",\"state\":\"idle\"}" TAIL;

static struct reading {
    struct yk_decoder decoder;
    struct yk_frame frame;
    enum yk_drop drop;
    bool body;
} quick, slow;

static void read_by(struct reading *reading, const char *text, enum yk_path path)
{
    memset(&reading->frame, 0, sizeof reading->frame);
    reading->drop =
        yk_frame_read_envelope(&reading->decoder, yk_slice_of(text), path, &reading->frame);
    reading->body =
        reading->drop == YK_DROP_NONE && yk_frame_read_body(&reading->decoder, &reading->frame);
}

/* Both ways say the same of the text; true when the short one was taken. */
static bool is_plain(const char *text)
{
    const struct yk_ann *a = &quick.frame.as.ann, *b = &slow.frame.as.ann;

    read_by(&quick, text, YK_PATH_AUTO);
    read_by(&slow, text, YK_PATH_GENERAL);
    ck_assert_msg(quick.drop == slow.drop && quick.body == slow.body, "%s", text);
    if (!slow.body || slow.frame.type != YK_TYPE_ANN) {
        return quick.decoder.is_plain;
    }
    ck_assert(yk_slice_equal(quick.decoder.spelled, slow.decoder.spelled));
    ck_assert(yk_slice_equal(quick.decoder.sig, slow.decoder.sig));
    ck_assert(yk_id_equal(&quick.frame.origin, &slow.frame.origin));
    ck_assert_uint_eq(quick.frame.seq, slow.frame.seq);
    ck_assert_int_eq(quick.frame.ts_ms, slow.frame.ts_ms);
    ck_assert_int_eq(a->role, b->role);
    ck_assert_int_eq(a->kind, b->kind);
    ck_assert_int_eq(a->state, b->state);
    ck_assert_int_eq(a->has_err, b->has_err);
    ck_assert_int_eq(a->has_evidence, b->has_evidence);
    ck_assert(yk_slice_equal(a->name, b->name));
    ck_assert(yk_slice_equal(a->err, b->err));
    ck_assert(yk_slice_equal(a->evidence, b->evidence));
    ck_assert(yk_slice_equal(a->media, b->media));
    ck_assert(yk_id_equal(&a->pairing.producer, &b->pairing.producer));
    ck_assert_int_eq(yk_version_compare(&a->pairing.version, &b->pairing.version), 0);
    return quick.decoder.is_plain;
}

/* `text` with its first `from` replaced by `to`. */
static const char *with(const char *text, const char *from, const char *to)
{
    static char out[2 * YK_FRAME_MAX];
    const char *at = strstr(text, from);

    ck_assert_msg(at != NULL, "%s in %s", from, text);
    snprintf(out, sizeof out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return out;
}

START_TEST(what_agents_send_is_read_the_short_way)
{
    static const struct {
        const char *text, *from, *to;
    } cases[] = {
        {consumer, "consumer", "consumer"},
        {consumer, "hdmi", "usb"},
        {consumer, "active", "pending"},
        {consumer, "active", "error"},
        {consumer, "\"driver_status\":{\"detail\":\"runs\"},", ""},
        {consumer, "\"why\"", "null"},
        {consumer, "why", "line\\nline \\\"\\u0001 \xe2\x80\x93"},
        {consumer, "Zimmer", "H\xc3\xb6rsaal \xe6\xad\xa3\xe9\x9d\xa2 \xf0\x9d\x94\xbc"},
        {consumer, "\"enc-1\"", "null"},
        {consumer, "{\"producer\":\"enc-1\",\"version\":[17,\"op-1\"]}",
         "{\"producer\":null,\"version\":[0,\"\"]}"},
        {consumer, "[17,", "[9223372036854775807,"},
        {consumer, "1796018523000000001", "7"},
        {consumer, "1796018523.25", "1796018523.0"},
        {consumer, "1796018523.25", "17960185231.5"},
        {consumer, "1796018523.25", "1796018523.125"},
        {consumer, "\"n-1\"",
         "\"N.1_x-0123456789012345678901234567890123456789012345678901234567\""},
        {consumer, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", ""},
        {producer, "producer", "producer"},
        {producer, "{\"host\":\"10.0.0.9\",\"port\":3240}", "null"},
        {producer, "{\"host\":\"10.0.0.9\",\"port\":3240}", "{}"},
        {producer, "3240", "[[1,{\"a\":[]}],-1.5,true]"},
        {producer, "3240", "0"},
        {producer, "3240", "[\"1-1\",2,\"1-3\"]"},
        {producer, "3240", "[7]"},
        {producer, "3240}", "3240,\"ports\":1}"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = with(cases[i].text, cases[i].from, cases[i].to);

        ck_assert_msg(is_plain(text), "not read the short way: %s", text);
        ck_assert_int_eq(quick.drop, YK_DROP_NONE);
    }
}
END_TEST

START_TEST(what_is_not_plain_fares_as_by_the_general_path)
{
    static const struct {
        const char *text, *from, *to;
    } cases[] = {
        {consumer, "{\"body\"", "{ \"body\""},
        {consumer, "{\"body\":{", "{\"body\":{\"a\":1,"},
        {consumer, "{\"body\":{", "{\"bodz\":{"},
        {consumer, "{\"detail\":\"runs\"}", "{\"detail\":7}"},
        {consumer, "{\"detail\":\"runs\"}", "{\"detail\":\"runs\",\"x\":1}"},
        {consumer, "{\"detail\":\"runs\"}", "{\"detail\":\"run\xff\"}"},
        {consumer, "\"err\":\"why\",", ""},
        {consumer, "\"why\"", "7"},
        {consumer, "why", "\\/"},
        {consumer, "why", "\\u000a"},
        {consumer, "why", "\xc3\x28"},
        {consumer, "why", "\xe2\x80\x93\xff"},
        {consumer, "\"kind\"", "\"kin\""},
        {consumer, "hdmi", "dvi"},
        {consumer, "hdmi\"", ""},
        {consumer, "consumer\"", ""},
        {consumer, "active\"", ""},
        {consumer, "\"media\":null", "\"media\":{}"},
        {consumer, "\"media\":null", "\"media\":[]"},
        {consumer, "\"media\":null,", ""},
        {consumer, "\"name\":\"Zimmer\",", ""},
        {consumer, "\"Zimmer\"", "null"},
        {consumer, "Zimmer", "0123456789012345678901234567890123456789012345678901234567890123456"},
        {consumer, "\"pairing\":", "\"pair\":"},
        {consumer, "\"producer\":\"enc-1\"", "\"producer\":\"enc 1\""},
        {consumer, "\"producer\":\"enc-1\"", "\"producer\":7"},
        {consumer, ",\"version\"", ",\"versio\""},
        {consumer, "[17,\"op-1\"]", "{}"},
        {consumer, "[17,\"op-1\"]", "[]"},
        {consumer, "[17,\"op-1\"]", "[17,1]"},
        {consumer, "[17,\"op-1\"]", "[17,\"op-1\",2]"},
        {consumer, "[17,\"op-1\"]", "[17,\"\"]"},
        {consumer, "[17,\"op-1\"]", "[0,\"\"]"},
        {consumer, "[17,\"op-1\"]", "[0,\"op-1\"]"},
        {consumer, "[17,\"op-1\"]", "[-1,\"op-1\"]"},
        {consumer, "[17,", "[017,"},
        {consumer, "[17,", "[9223372036854775808,"},
        {consumer, "[17,", "[92233720368547758070,"},
        {consumer, "[17,", "[1.0,"},
        {consumer, "op-1\"]}", "op-1\"],\"x\":1}"},
        {consumer, "\"role\":", "\"rol\":"},
        {consumer, "\"consumer\"", "\"producer\""},
        {consumer, "\"consumer\"", "\"other\""},
        {consumer, ",\"state\":\"active\"", ""},
        {consumer, "\"active\"", "\"busy\""},
        {consumer, "\"active\"", "\"active\",\"x\":1"},
        {consumer, ",\"op-1\"]},\"role\":\"consumer\",\"state\":\"active\"},\"origin\":\"", "\""},
        {consumer, "},\"origin\":\"", ""},
        {consumer, "\"origin\":\"n-1\"", "\"origin\":\"-n\""},
        {consumer, "\"origin\":\"n-1\"", "\"origin\":\"\""},
        {consumer, "\"origin\":\"n-1\"", "\"origin\":\"n\",\"p\":\"q\""},
        {consumer, "\"origin\":\"n-1\"",
         "\"origin\":\"x0123456789012345678901234567890123456789012345678901234567890123\""},
        {consumer, "1796018523000000001", "0796018523000000001"},
        {consumer, "1796018523000000001", "0000000000000000000"},
        {consumer, "1796018523000000001", "0"},
        {consumer, "1796018523000000001", "9796018523000000001"},
        {consumer, "1796018523000000001", "179601852300000000x"},
        {consumer, "1796018523000000001", "17960185230000000011"},
        {consumer, "\"sig\":\"0", "\"sig\":\""},
        {consumer, "\"sig\":\"0", "\"sig\":\"00"},
        {consumer, "\"sig\":\"01", "\"sig\":\"\\n"},
        {consumer, "\"sig\":\"01", "\"sig\":\"\xc3\xa9"},
        {consumer, "\"sig\":\"0", "\"sig\":\"\n"},
        {consumer, "\"sig\":\"0", "\"sig\":\"A"},
        {consumer, "\"sig\":\"0", "\"sig\":\"g"},
        {consumer, "\"sig\":\"0", "\"sig\":\":"},
        {consumer, "\"sig\":\"0", "\"sig\":\"/"},
        {consumer, "\"sig\":\"0", "\"sig\":\"`"},
        {consumer, "1796018523.25", "1796018523"},
        {consumer, "1796018523.25", "1796018523.20"},
        {consumer, "1796018523.25", "1796018523.2505"},
        {consumer, "1796018523.25", "1796018523."},
        {consumer, "1796018523.25", "0796018523.25"},
        {consumer, "1796018523.25", "-796018523.25"},
        {consumer, "1796018523.25", "1e3"},
        {consumer, "1796018523.25", "100000000000.5"},
        {consumer, "1796018523.25", "1796018523x25"},
        {consumer, "\"ann\"", "\"bye\""},
        {consumer, "\"ann\"", "\"anx\""},
        {consumer, "\"v\":1}", "\"v\":2}"},
        {consumer, "\"v\":1}", "\"v\":1} "},
        {consumer, "\"v\":1}", "\"v\":1"},
        {producer, "\"pairing\":null", "\"pairing\":{\"producer\":null,\"version\":[0,\"\"]}"},
        {producer, "\"producer\"", "\"consumer\""},
        {producer, "3240}", "3240,\"port\":1}"},
        {producer, "3240}", "3240,\"a\":1}"},
        {producer, "\"host\"", "\"ports\""},
        {producer, "3240}", "3240"},
        {producer, "3240}", "1e400}"},
        {producer, "3240}", "-0}"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = with(cases[i].text, cases[i].from, cases[i].to);

        ck_assert_msg(!is_plain(text), "read the short way: %s", text);
    }
}
END_TEST

START_TEST(what_begins_or_ends_in_the_midst_is_malformed)
{
#define PAD "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define END "\"sig\":\"\",\"ts\":1.5,\"type\":\"ann\",\"v\":1}"
    static const char *const texts[] = {
        "{\"body\":{\"driver_status\":{\"detail\":\"" PAD "\"},\"err\":\"n-1\",\"seq\":1," END,
        "{\"body\":{\"err\":\"" PAD "\",\"kind\":\"hdmi\",\"media\":{\"n-1\",\"seq\":1," END,
        "{\"body\":{\"err\":\"" PAD
        "\",\"kind\":\"hdmi\",\"media\":null,\"name\":\"n-1\",\"seq\":1," END,
        PAD PAD "\",\"seq\":1," END,
        PAD PAD "," END,
        PAD PAD ",\"type\":\"ann\",\"v\":1}",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ck_assert(!is_plain(texts[i]));
        ck_assert_int_eq(quick.drop, YK_DROP_MALFORMED);
    }
}
END_TEST

/* The depth of opaque media counts from the frame, whichever way it is read. */
START_TEST(media_nests_as_deep_as_the_frame_allows)
{
    for (int depth = 28; depth < 33; depth++) {
        char nest[128] = "";

        for (int i = 0; i < depth; i++) {
            strcat(nest, "[");
        }
        for (int i = 0; i < depth; i++) {
            strcat(nest, "]");
        }
        ck_assert_int_eq(is_plain(with(producer, "3240", nest)), depth <= 29);
    }
}
END_TEST

START_TEST(any_cut_and_any_changed_byte_fares_the_same)
{
    static const char *const texts[] = {consumer, producer};

    for (int i = 0; i < 2; i++) {
        char text[sizeof consumer];

        for (size_t at = 0; at < strlen(texts[i]); at++) {
            snprintf(text, sizeof text, "%.*s", (int)at, texts[i]);
            (void)is_plain(text);
            for (const char *other = " \"\\{}[]:,0a-.\x01\xff"; *other != 0; other++) {
                strcpy(text, texts[i]);
                text[at] = *other;
                (void)is_plain(text);
            }
        }
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        what_agents_send_is_read_the_short_way,
        what_is_not_plain_fares_as_by_the_general_path,
        what_begins_or_ends_in_the_midst_is_malformed,
        media_nests_as_deep_as_the_frame_allows,
        any_cut_and_any_changed_byte_fares_the_same,
        NULL,
    };

    return suite_main("frame_plain", tests);
}
