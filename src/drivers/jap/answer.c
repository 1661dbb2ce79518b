#include "drivers/jap/answer.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/document.h"
#include "base/members.h"
#include "drivers/jap/media.h"

void yk_jap_answer_fail(struct yk_jap_answer *answer, enum yk_jap_ask ask, enum yk_jap_fate fate,
                        const char *format, ...)
{
    va_list arguments;

    memset(answer, 0, sizeof *answer);
    answer->ask = ask;
    answer->fate = fate;
    va_start(arguments, format);
    vsnprintf(answer->reason, sizeof answer->reason, format, arguments);
    va_end(arguments);
}

/* The device's own words for a failure: {"error":[{"details":"Invalid URI","uri":"/..."}]}, or the
 * object or the text alone. */
static const json_t *error_words(const json_t *error)
{
    const json_t *first = json_is_array(error) ? json_array_get(error, 0) : error;
    const json_t *details = json_object_get(first, "details");

    return details != NULL ? details : first != NULL ? first : error;
}

/* What a person may do about it. A device that is not in Unified mode has no channel to set or read. */
static const char *remedy(enum yk_jap_ask ask, long status)
{
    if (status != 404) {
        return "look at its web page";
    }
    return ask == YK_JAP_ASK_CHANNEL || ask == YK_JAP_ASK_SET ? "is it in Unified mode?"
                                                              : "is this the device's API?";
}

static void refuse(struct yk_jap_answer *answer, long status, const json_t *error)
{
    enum yk_jap_ask ask = answer->ask;
    char words[YK_SHOWN_MAX] = "";

    if (error != NULL) {
        yk_shown(words, error_words(error));
    }
    if (status == 401 || status == 403) {
        yk_jap_answer_fail(answer, ask, YK_JAP_REFUSED,
                           "wants a login (status %ld), and yoke has none; %s", status,
                           remedy(ask, status));
    } else if (status >= 300 && status < 400) {
        yk_jap_answer_fail(answer, ask, YK_JAP_REFUSED,
                           "answers with a redirect (status %ld), which is not followed; is this "
                           "the device's API?",
                           status);
    } else if (words[0] != 0) {
        yk_jap_answer_fail(answer, ask, YK_JAP_REFUSED, "refuses: %s (status %ld); %s", words,
                           status, remedy(ask, status));
    } else {
        yk_jap_answer_fail(answer, ask, YK_JAP_REFUSED, "refuses with status %ld; %s", status,
                           remedy(ask, status));
    }
}

static bool is_digits(const char *text, size_t most)
{
    size_t size = strspn(text, "0123456789");

    return size > 0 && size <= most && text[size] == 0;
}

static void read_channel(struct yk_jap_answer *answer, const json_t *data)
{
    const char *text = json_string_value(data); /* "7" and "0007" are met too */
    json_int_t value = -1;
    char shown[YK_SHOWN_MAX];

    if (json_is_integer(data)) {
        value = json_integer_value(data);
    } else if (text != NULL && json_string_length(data) == strlen(text) && is_digits(text, 4)) {
        value = 0;
        for (; *text != 0; text++) {
            value = value * 10 + (*text - '0');
        }
    }
    if (value < 0 || value > YK_JAP_CHANNEL_MAX) {
        yk_shown(shown, data);
        yk_jap_answer_fail(answer, YK_JAP_ASK_CHANNEL, YK_JAP_SPOILT,
                           "says its channel is %.60s, and channels are 0 to %d", shown,
                           YK_JAP_CHANNEL_MAX);
        return;
    }
    answer->channel = (uint16_t)value;
}

static const char *member_text(const json_t *object, const char *name, char shown[YK_JAP_WORD_MAX])
{
    const json_t *member = json_object_get(object, name);

    if (json_is_string(member)) {
        yk_shown(shown, member);
        return json_string_value(member);
    }
    return "";
}

static bool starts(const char *text, const char *with)
{
    return strncasecmp(text, with, strlen(with)) == 0;
}

/* Of "mode" only "Transmitter" was ever seen; the model's last word says the same. */
static enum yk_jap_kind kind_of(const char *mode, const char *model)
{
    const char *last = strrchr(model, ' ');

    last = last != NULL ? last + 1 : model;
    if (starts(mode, "Transmit") || starts(mode, "Encod")) {
        return YK_JAP_ENCODER;
    }
    if (starts(mode, "Receiv") || starts(mode, "Decod")) {
        return YK_JAP_DECODER;
    }
    if (strcmp(last, "TX") == 0) {
        return YK_JAP_ENCODER;
    }
    return strcmp(last, "RX") == 0 ? YK_JAP_DECODER : YK_JAP_KIND_UNKNOWN;
}

static void read_device(struct yk_jap_answer *answer, const json_t *data)
{
    struct yk_jap_device *device = &answer->device;
    const char *mode = member_text(data, "mode", device->mode);
    const char *model = member_text(data, "model", device->model);

    if (!json_is_object(data)) {
        yk_jap_answer_fail(
            answer, YK_JAP_ASK_DEVICE, YK_JAP_SPOILT,
            "does not describe itself: \"data\" is no object; is this the device's API?");
        return;
    }
    device->kind = kind_of(mode, model);
    member_text(data, "status", device->status);
    member_text(json_object_get(data, "firmware"), "version", device->firmware);
}

static void read_data(struct yk_jap_answer *answer, const json_t *data)
{
    char shown[YK_SHOWN_MAX];

    switch (answer->ask) {
    case YK_JAP_ASK_DEVICE:
        read_device(answer, data);
        break;
    case YK_JAP_ASK_CHANNEL:
        read_channel(answer, data);
        break;
    case YK_JAP_ASK_SYSTEM:
        if (json_is_string(data)) {
            yk_shown(answer->system, data);
        }
        break;
    case YK_JAP_ASK_SET:
    case YK_JAP_ASK_END:
        if (!json_is_string(data) || strcmp(json_string_value(data), "OK") != 0) {
            yk_shown(shown, data);
            yk_jap_answer_fail(answer, YK_JAP_ASK_SET, YK_JAP_SPOILT,
                               "answers %s instead of \"OK\"", shown);
        }
        break;
    }
}

static void read_document(struct yk_jap_answer *answer, long status, const json_t *document)
{
    const json_t *data = json_object_get(document, "data");
    const json_t *error = json_object_get(document, "error");

    if (json_is_null(error)) {
        error = NULL;
    }
    if (status != 200 || error != NULL) {
        refuse(answer, status, error);
    } else if (data == NULL) {
        yk_jap_answer_fail(answer, answer->ask, YK_JAP_SPOILT,
                           "answers JSON without \"data\"; is this the device's API?");
    } else {
        read_data(answer, data);
    }
}

void yk_jap_answer_read(struct yk_jap_answer *answer, enum yk_jap_ask ask, long status,
                        struct yk_slice body)
{
    json_error_t error;
    json_t *document =
        yk_document_parse(body.size > 0 ? (const char *)body.data : "", body.size, &error);

    memset(answer, 0, sizeof *answer);
    answer->ask = ask;
    answer->fate = YK_JAP_ANSWERED;
    if (document != NULL || status != 200) {
        read_document(answer, status, document);
    } else if (body.size == 0) {
        yk_jap_answer_fail(answer, ask, YK_JAP_SPOILT,
                           "answers with nothing; is this the device's API?");
    } else {
        yk_jap_answer_fail(answer, ask, YK_JAP_SPOILT,
                           "answers what is not JSON; is this the device's API?");
    }
    json_decref(document);
}
