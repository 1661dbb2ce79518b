#include <stdio.h>
#include <string.h>

#include "drivers/jap/answer.h"
#include "lib/suite.h"

static struct yk_jap_answer answer;

static void read_answer(enum yk_jap_ask ask, long status, const char *body)
{
    yk_jap_answer_read(&answer, ask, status, yk_slice_of(body));
    ck_assert_int_eq(answer.ask, ask);
    ck_assert_msg((answer.fate == YK_JAP_ANSWERED) == (answer.reason[0] == 0), "%s: \"%s\"", body,
                  answer.reason);
}

static void is_channel(const char *body, unsigned channel)
{
    read_answer(YK_JAP_ASK_CHANNEL, 200, body);
    ck_assert_msg(answer.fate == YK_JAP_ANSWERED, "%s: %s", body, answer.reason);
    ck_assert_uint_eq(answer.channel, channel);
}

static void fails(enum yk_jap_ask ask, long status, const char *body, enum yk_jap_fate fate,
                  const char *with)
{
    read_answer(ask, status, body);
    ck_assert_msg(answer.fate == fate, "%s: fate %d, %s", body, answer.fate, answer.reason);
    ck_assert_msg(strstr(answer.reason, with) != NULL, "no \"%s\" in: %s", with, answer.reason);
}

START_TEST(a_channel_is_a_number_or_digits)
{
    is_channel("{\"data\":7}\n", 7);
    is_channel("{\"data\":0}", 0);
    is_channel("{\"data\":9999}", 9999);
    is_channel("{\"data\":\"7\"}", 7);
    is_channel("{\"data\":\"0007\"}", 7);
    is_channel("{\"data\":\"0\"}", 0);
    is_channel("\r\n \t{ \"data\" : 7 , \"more\" : [] } \r\n", 7);
    is_channel("{\"data\":7,\"error\":null}", 7);
}
END_TEST

START_TEST(what_is_no_channel_is_shown)
{
    static const char *const values[] = {"null",   "true",   "-1",        "10000", "7.0",
                                         "7e0",    "[7]",    "\"-7\"",    "\"\"",  "\"00007\"",
                                         "\" 7\"", "\"7 \"", "\"seven\"", "{}",    "\"0x7\""};
    char body[64];

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        snprintf(body, sizeof body, "{\"data\":%s}", values[i]);
        fails(YK_JAP_ASK_CHANNEL, 200, body, YK_JAP_SPOILT, "channels are 0 to 9999");
    }
    fails(YK_JAP_ASK_CHANNEL, 200, "{\"data\":\"7\\u0000\"}", YK_JAP_SPOILT, "not JSON");
    fails(YK_JAP_ASK_CHANNEL, 200, "{\"data\":-1}", YK_JAP_SPOILT, "says its channel is -1");
    fails(YK_JAP_ASK_CHANNEL, 200, "{\"data\":9999999999999999999999}", YK_JAP_SPOILT, "not JSON");
}
END_TEST

START_TEST(a_refusal_is_told_in_the_devices_words)
{
    fails(YK_JAP_ASK_CHANNEL, 404,
          "{\"error\":[{\"details\":\"Invalid URI\",\"uri\":\"/details/channel\"}]}\n",
          YK_JAP_REFUSED, "refuses: \"Invalid URI\" (status 404); is it in Unified mode?");
    fails(YK_JAP_ASK_DEVICE, 404, "{\"error\":\"Nothing here\"}", YK_JAP_REFUSED,
          "\"Nothing here\" (status 404); is this the device's API?");
    fails(YK_JAP_ASK_SET, 200, "{\"error\":{\"details\":\"Busy\"}}", YK_JAP_REFUSED, "\"Busy\"");
    fails(YK_JAP_ASK_SET, 200, "{\"error\":[]}", YK_JAP_REFUSED, "[]");
    fails(YK_JAP_ASK_SET, 200, "{\"error\":[7]}", YK_JAP_REFUSED, "7");
    fails(YK_JAP_ASK_SET, 200, "{\"data\":\"OK\",\"error\":\"half\"}", YK_JAP_REFUSED, "\"half\"");
    fails(YK_JAP_ASK_CHANNEL, 500, "<html>", YK_JAP_REFUSED, "refuses with status 500");
    fails(YK_JAP_ASK_CHANNEL, 204, "", YK_JAP_REFUSED, "refuses with status 204");
    fails(YK_JAP_ASK_CHANNEL, 201, "{\"data\":7}", YK_JAP_REFUSED, "status 201");
    fails(YK_JAP_ASK_CHANNEL, 401, "{\"error\":\"x\"}", YK_JAP_REFUSED, "wants a login");
    fails(YK_JAP_ASK_CHANNEL, 302, "", YK_JAP_REFUSED, "redirect");
}
END_TEST

START_TEST(what_is_not_the_api_is_no_answer)
{
    fails(YK_JAP_ASK_CHANNEL, 200, "", YK_JAP_SPOILT, "answers with nothing");
    fails(YK_JAP_ASK_CHANNEL, 200, "<html>", YK_JAP_SPOILT, "not JSON");
    fails(YK_JAP_ASK_CHANNEL, 200, "{\"data\":7", YK_JAP_SPOILT, "not JSON");
    fails(YK_JAP_ASK_CHANNEL, 200, "{\"data\":7}x", YK_JAP_SPOILT, "not JSON");
    fails(YK_JAP_ASK_CHANNEL, 200, "{\"data\":1,\"data\":7}", YK_JAP_SPOILT, "not JSON");
    fails(YK_JAP_ASK_CHANNEL, 200, "[{\"data\":7}]", YK_JAP_SPOILT, "without \"data\"");
    fails(YK_JAP_ASK_CHANNEL, 200, "{}", YK_JAP_SPOILT, "without \"data\"");
    fails(YK_JAP_ASK_SET, 200, "{\"data\":\"ok\"}", YK_JAP_SPOILT, "answers \"ok\" instead");
    fails(YK_JAP_ASK_SET, 200, "{\"data\":true}", YK_JAP_SPOILT, "answers true instead");
    fails(YK_JAP_ASK_DEVICE, 200, "{\"data\":\"3G\"}", YK_JAP_SPOILT, "describe itself");
}
END_TEST

START_TEST(a_command_is_answered_with_ok)
{
    read_answer(YK_JAP_ASK_SET, 200, "{\"data\":\"OK\"}\n");
    ck_assert_int_eq(answer.fate, YK_JAP_ANSWERED);
}
END_TEST

START_TEST(a_device_describes_itself)
{
    read_answer(YK_JAP_ASK_DEVICE, 200,
                "{\"data\":{\"firmware\":{\"version\":\"B2.3.9\"},\"mode\":\"Receiver\","
                "\"model\":\"3G RX\",\"status\":\"Decoding Video\",\"uptime\":7}}");
    ck_assert_int_eq(answer.fate, YK_JAP_ANSWERED);
    ck_assert_int_eq(answer.device.kind, YK_JAP_DECODER);
    ck_assert_str_eq(answer.device.firmware, "\"B2.3.9\"");
    ck_assert_str_eq(answer.device.mode, "\"Receiver\"");
    ck_assert_str_eq(answer.device.model, "\"3G RX\"");
    ck_assert_str_eq(answer.device.status, "\"Decoding Video\"");
    read_answer(YK_JAP_ASK_DEVICE, 200, "{\"data\":{\"firmware\":[],\"mode\":1,\"model\":null}}");
    ck_assert_int_eq(answer.device.kind, YK_JAP_KIND_UNKNOWN);
    ck_assert_str_eq(answer.device.firmware, "");
}
END_TEST

START_TEST(its_sort_is_told_by_mode_then_by_model)
{
    static const struct {
        const char *mode, *model;
        enum yk_jap_kind kind;
    } cases[] = {
        {"Transmitter", "3G TX", YK_JAP_ENCODER}, {"Receiver", "3G+AVP RX", YK_JAP_DECODER},
        {"encoder", "x", YK_JAP_ENCODER},         {"Decoder", "", YK_JAP_DECODER},
        {"Transmitter", "3G RX", YK_JAP_ENCODER}, {"other", "3G+4+ TX", YK_JAP_ENCODER},
        {"", "MC-RX", YK_JAP_KIND_UNKNOWN},       {"", "RX", YK_JAP_DECODER},
        {"", "2G/3G SX", YK_JAP_KIND_UNKNOWN},    {"", "", YK_JAP_KIND_UNKNOWN},
    };
    char body[160];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(body, sizeof body, "{\"data\":{\"mode\":\"%s\",\"model\":\"%s\"}}", cases[i].mode,
                 cases[i].model);
        read_answer(YK_JAP_ASK_DEVICE, 200, body);
        ck_assert_msg(answer.device.kind == cases[i].kind, "%s", body);
    }
}
END_TEST

START_TEST(words_of_a_device_stay_printable_and_short)
{
    char body[YK_JAP_BODY_MAX];

    read_answer(YK_JAP_ASK_CHANNEL, 404, "{\"error\":\"\\u001b[31m\\u202e\xf0\x9f\x92\xa9\"}");
    for (const char *at = answer.reason; *at != 0; at++) {
        ck_assert_msg(*at >= ' ' && *at <= '~', "%s", answer.reason);
    }
    memset(body, 'x', sizeof body);
    memcpy(body, "{\"error\":\"", 10);
    memcpy(body + sizeof body - 3, "\"}", 3);
    read_answer(YK_JAP_ASK_CHANNEL, 200, body);
    ck_assert_ptr_nonnull(strstr(answer.reason, "xxx... (status 200)"));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_channel_is_a_number_or_digits,
        what_is_no_channel_is_shown,
        a_refusal_is_told_in_the_devices_words,
        what_is_not_the_api_is_no_answer,
        a_command_is_answered_with_ok,
        a_device_describes_itself,
        its_sort_is_told_by_mode_then_by_model,
        words_of_a_device_stay_printable_and_short,
        NULL,
    };

    return suite_main("jap answer", tests);
}
