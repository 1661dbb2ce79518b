/* jap - any bytes as a device's answer: a value within its bounds or a reason fit for people; as media:
 * a channel that is its group's; and as a history of wishes and answers: one question at a time, no
 * command to what is not known to be a decoder, nothing active that was not read back. */
#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "drivers/jap/media.h"
#include "drivers/jap/tuner.h"
#include "fuzz.h"

#define HISTORY_MAX 256 /* bytes of an input that are taken as a history too */

static bool is_printable(const char *text, size_t capacity)
{
    size_t size = strnlen(text, capacity);

    for (size_t i = 0; i < size; i++) {
        if (text[i] < ' ' || (unsigned char)text[i] > 0x7f) { /* who prints escapes DEL */
            return false;
        }
    }
    return size < capacity;
}

static void check_answer(const uint8_t *data, size_t size)
{
    static const long statuses[] = {200, 200, 200, 404, 302, 401, 500, 0};
    static struct yk_jap_answer answer, again;
    struct yk_slice body = {data + 1, size - 1};
    enum yk_jap_ask ask = (enum yk_jap_ask)(1 + data[0] % (YK_JAP_ASK_END - 1));
    long status = statuses[data[0] / 8 % 8];

    yk_jap_answer_read(&answer, ask, status, body);
    yk_jap_answer_read(&again, ask, status, body);
    FUZZ_CHECK(memcmp(&answer, &again, sizeof answer) == 0, "the same bytes say the same");
    FUZZ_CHECK(answer.ask == ask, "it is the answer to what was asked");
    FUZZ_CHECK((answer.fate == YK_JAP_ANSWERED) == (answer.reason[0] == 0),
               "there is a reason where there is no value");
    FUZZ_CHECK(answer.fate != YK_JAP_UNSENT, "who answers was reached");
    FUZZ_CHECK(status == 200 || answer.fate == YK_JAP_REFUSED, "only 200 is a success");
    FUZZ_CHECK(answer.channel <= YK_JAP_CHANNEL_MAX, "a channel is in its bounds");
    FUZZ_CHECK(is_printable(answer.reason, sizeof answer.reason), "a reason is printable");
    FUZZ_CHECK(is_printable(answer.device.mode, sizeof answer.device.mode) &&
                   is_printable(answer.device.model, sizeof answer.device.model) &&
                   is_printable(answer.device.firmware, sizeof answer.device.firmware) &&
                   is_printable(answer.device.status, sizeof answer.device.status) &&
                   is_printable(answer.system, sizeof answer.system),
               "a device's words are printable");
}

static void check_media(struct yk_slice json)
{
    static const uint8_t control[4] = {239, 121, 111, 107};
    struct yk_jap_media media;
    struct yk_refusal why = {.text = ""};

    if (yk_jap_media_read(&media, json, control, &why)) {
        FUZZ_CHECK(yk_jap_channel_of(media.group) == media.channel, "the channel is the group's");
        FUZZ_CHECK(media.group[0] >= 224 && media.group[0] < 240, "the group is multicast");
    } else {
        FUZZ_CHECK(why.text[0] != 0 && yk_utf8_valid(yk_slice_of(why.text), NULL),
                   "media that is refused is refused with a reason");
        FUZZ_CHECK(strlen(why.text) < YK_JAP_DETAIL_MAX, "the reason fits into a report");
    }
}

/* ---- histories */

struct world {
    struct yk_jap_tuner tuner;
    yk_time now;
    bool waiting;
    enum yk_jap_ask asked;
    bool is_decoder; /* by its last word, with no failure to reach it since */
    int read;        /* last channel read; -1: none since the last command or failure */
};

static void ask(struct world *world)
{
    uint16_t channel;
    enum yk_jap_ask asks;

    if (!yk_jap_tuner_next(&world->tuner, world->now, &asks, &channel)) {
        return;
    }
    FUZZ_CHECK(!world->waiting, "one question at a time");
    FUZZ_CHECK(asks >= YK_JAP_ASK_DEVICE && asks < YK_JAP_ASK_END, "a question is one of ours");
    if (asks == YK_JAP_ASK_SET) {
        FUZZ_CHECK(world->tuner.role == YK_ROLE_CONSUMER, "an encoder is never commanded");
        FUZZ_CHECK(world->is_decoder, "only what says it is a decoder is commanded");
        FUZZ_CHECK(world->tuner.goal != YK_JAP_LEAVE && channel == world->tuner.want,
                   "it is commanded to what is wanted");
        world->read = -1;
    }
    world->waiting = true;
    world->asked = asks;
}

static void answer(struct world *world, unsigned value)
{
    struct yk_jap_answer answer = {.ask = world->asked,
                                   .fate = (enum yk_jap_fate)(1 + value / 64),
                                   .channel = (uint16_t)(value % 4),
                                   .device.kind = value % 8 == 0   ? YK_JAP_KIND_UNKNOWN
                                                  : value % 8 == 1 ? YK_JAP_ENCODER
                                                                   : YK_JAP_DECODER};

    if (!world->waiting) {
        return;
    }
    world->waiting = false;
    if (answer.fate != YK_JAP_ANSWERED) {
        snprintf(answer.reason, sizeof answer.reason, "no");
    } else if (answer.ask == YK_JAP_ASK_DEVICE) {
        world->is_decoder = answer.device.kind == YK_JAP_DECODER;
    } else if (answer.ask == YK_JAP_ASK_CHANNEL) {
        world->read = answer.channel;
    }
    yk_jap_tuner_took(&world->tuner, &answer, world->now);
}

static void wish(struct world *world, unsigned value)
{
    struct yk_jap_media media = {.channel = (uint16_t)(value % 3), .text = "channel"};

    if (value < 40) {
        yk_jap_tuner_tune(&world->tuner, &media, world->now);
    } else if (value < 60 && world->tuner.role == YK_ROLE_CONSUMER) {
        yk_jap_tuner_park(&world->tuner, 3, world->now);
    } else {
        yk_jap_tuner_leave(&world->tuner);
    }
}

static void check_report(struct world *world)
{
    const struct yk_jap_tuner *tuner = &world->tuner;

    if (tuner->news && tuner->status == YK_REPORT_ACTIVE) {
        FUZZ_CHECK(tuner->goal == YK_JAP_TUNE && world->read == tuner->want,
                   "active is what was read back, last, of what is wanted");
    }
    FUZZ_CHECK(!tuner->news || is_printable(tuner->detail, sizeof tuner->detail),
               "a report is printable");
    FUZZ_CHECK(!tuner->news || tuner->status == YK_REPORT_IDLE || tuner->detail[0] != 0,
               "a report says why");
    world->tuner.news = false;
}

static void check_history(const uint8_t *data, size_t size)
{
    struct world world = {.now = YK_SECOND, .read = -1};

    yk_jap_tuner_init(&world.tuner, size % 4 == 0 ? YK_ROLE_PRODUCER : YK_ROLE_CONSUMER, "box",
                      size);
    for (size_t i = 0; i + 1 < size && i < HISTORY_MAX; i += 2) {
        switch (data[i] % 4) {
        case 0:
            wish(&world, data[i + 1] % 64);
            break;
        case 1:
            world.now += data[i + 1] * 50 * YK_MS;
            break;
        default:
            answer(&world, data[i + 1]);
            break;
        }
        check_report(&world);
        ask(&world);
        FUZZ_CHECK(world.waiting || world.tuner.goal == YK_JAP_LEAVE ||
                       yk_jap_tuner_deadline(&world.tuner) <= world.now + YK_RETRY_MAX,
                   "what is wanted is looked after within half a minute");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0 && size <= YK_JAP_BODY_MAX) {
        check_answer(data, size);
        check_media((struct yk_slice){data, size});
        check_history(data, size);
    }
    return 0;
}
