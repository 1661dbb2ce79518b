#include "drivers/jap/inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/jap/client.h"
#include "drivers/jap/firmware.h"

/* One question after another on a loop of its own. */
struct inspection {
    uv_loop_t loop;
    struct yk_jap_client *client;
    struct yk_jap_answer answer;
    bool done;
};

static void answered(void *context, const struct yk_jap_answer *answer)
{
    struct inspection *inspection = context;

    inspection->answer = *answer;
    inspection->done = true;
}

static const struct yk_jap_answer *ask(struct inspection *inspection, enum yk_jap_ask question)
{
    inspection->done = false;
    if (!yk_jap_client_ask(inspection->client, question, 0)) {
        yk_jap_answer_fail(&inspection->answer, question, YK_JAP_UNSENT,
                           "could not be asked: out of memory; free some");
        return &inspection->answer;
    }
    while (!inspection->done) {
        uv_run(&inspection->loop, UV_RUN_ONCE);
    }
    return &inspection->answer;
}

static const char *word(const char *text)
{
    return text[0] != 0 ? text : "not said";
}

static bool inspect_device(struct inspection *inspection, const struct yk_jap_settings *settings,
                           enum yk_role role, void (*fact)(const char *line),
                           void (*warn)(const char *line), struct yk_refusal *why)
{
    const struct yk_jap_answer *answer = ask(inspection, YK_JAP_ASK_DEVICE);
    const struct yk_jap_device *device = &answer->device;
    enum yk_jap_kind right = role == YK_ROLE_CONSUMER ? YK_JAP_DECODER : YK_JAP_ENCODER;
    char line[5 * YK_JAP_WORD_MAX];
    char warning[YK_JAP_REASON_MAX], text[2 * YK_JAP_REASON_MAX];

    if (answer->fate != YK_JAP_ANSWERED) {
        return yk_refuse(why, YK_EXIT_CONFIG, "driver.host: %s %s", settings->host, answer->reason);
    }
    snprintf(line, sizeof line, "device: %s at %s, firmware %s, mode %s, status %s",
             word(device->model), settings->host, word(device->firmware), word(device->mode),
             word(device->status));
    fact(line);
    if (yk_jap_firmware_warning(device->firmware, warning)) {
        snprintf(text, sizeof text, "driver.host: %s: %s", settings->host, warning);
        warn(text);
    }
    return device->kind == right ||
           yk_refuse(why, YK_EXIT_CONFIG, "driver.host: %s is %s, and a %s needs %s; write another",
                     settings->host,
                     device->kind == YK_JAP_ENCODER ? "an encoder"
                     : device->kind == YK_JAP_DECODER
                         ? "a decoder"
                         : "neither decoder nor encoder, as far as it says",
                     role == YK_ROLE_CONSUMER ? "consumer" : "producer",
                     role == YK_ROLE_CONSUMER ? "a decoder" : "an encoder");
}

/* Where it is not in multicast mode, channels are obeyed and do nothing. */
static void inspect_system(struct inspection *inspection, const struct yk_jap_settings *settings,
                           void (*warn)(const char *line))
{
    const struct yk_jap_answer *answer = ask(inspection, YK_JAP_ASK_SYSTEM);
    char text[2 * YK_JAP_REASON_MAX];

    if (answer->fate == YK_JAP_ANSWERED && answer->system[0] != 0 &&
        strcmp(answer->system, "\"multicast\"") != 0) {
        snprintf(text, sizeof text,
                 "driver.host: %s: its system mode is %s, and channels need \"multicast\"",
                 settings->host, answer->system);
        warn(text);
    }
}

static bool inspect_channel(struct inspection *inspection, const struct yk_jap_settings *settings,
                            enum yk_role role, int announced, void (*fact)(const char *line),
                            struct yk_refusal *why)
{
    const struct yk_jap_answer *answer = ask(inspection, YK_JAP_ASK_CHANNEL);
    char line[YK_JAP_REASON_MAX];

    if (answer->fate != YK_JAP_ANSWERED) {
        return yk_refuse(why, YK_EXIT_CONFIG, "driver.host: %s %s", settings->host, answer->reason);
    }
    if (role == YK_ROLE_CONSUMER) {
        snprintf(line, sizeof line, "channel: %u; park channel: %u", answer->channel,
                 settings->park_channel);
    } else {
        snprintf(line, sizeof line, "channel: %u", answer->channel);
    }
    fact(line);
    return announced < 0 || announced == answer->channel ||
           yk_refuse(why, YK_EXIT_CONFIG,
                     "media.channel: %d is announced, and %s sends on %u; set one as the other",
                     announced, settings->host, answer->channel);
}

static void closed(void *context)
{
    (void)context;
}

bool yk_jap_inspect(const struct yk_jap_settings *settings, enum yk_role role, int announced,
                    void (*fact)(const char *line), void (*warn)(const char *line),
                    struct yk_refusal *why)
{
    struct inspection inspection;
    bool ok;

    if (uv_loop_init(&inspection.loop) != 0) {
        return yk_refuse(why, YK_EXIT_INTERNAL, "event loop: cannot be made; free memory");
    }
    inspection.client = yk_jap_client_open(&inspection.loop, settings->host, settings->port,
                                           &inspection, answered, why);
    ok = inspection.client != NULL && inspect_device(&inspection, settings, role, fact, warn, why);
    if (ok) {
        inspect_system(&inspection, settings, warn);
        ok = inspect_channel(&inspection, settings, role, announced, fact, why);
    }
    if (inspection.client != NULL) {
        yk_jap_client_close(inspection.client, closed);
    }
    uv_run(&inspection.loop, UV_RUN_DEFAULT);
    uv_loop_close(&inspection.loop);
    return ok;
}
