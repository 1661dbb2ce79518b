#include "drivers/jap/tuner.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- the report, and when to look again */

/* 0.75 to 1.25 of the interval, from a generator of our own (splitmix64). */
static yk_time next_poll(struct yk_jap_tuner *tuner)
{
    uint64_t z = tuner->random += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return YK_JAP_POLL * 3 / 4 + z % (YK_JAP_POLL / 2);
}

static void watch(struct yk_jap_tuner *tuner, yk_time now)
{
    tuner->step = YK_JAP_WATCH;
    tuner->due = now + next_poll(tuner);
    if (tuner->role == YK_ROLE_PRODUCER && tuner->status == YK_REPORT_ACTIVE) {
        tuner->known = !tuner->known; /* by turns: its channel, and its words about its health */
    }
}

__attribute__((format(printf, 3, 4))) static void
say(struct yk_jap_tuner *tuner, enum yk_report status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(tuner->detail, sizeof tuner->detail, format, arguments);
    va_end(arguments);
    tuner->status = status;
    tuner->news = true;
}

/* An attempt, or a poll, failed for what stands in `detail` now. */
static void failed(struct yk_jap_tuner *tuner, enum yk_jap_fate fate, yk_time now)
{
    tuner->lost = fate == YK_JAP_SPOILT || fate == YK_JAP_UNSENT;
    if (tuner->lost) {
        tuner->known = false; /* what answers next may be another device, or the same restarted */
    }
    watch(tuner, now);
}

/* "channel 7 (239.92.0.7)" or "parking on channel 9999", as it is wanted. */
static void name_wish(struct yk_jap_tuner *tuner, enum yk_jap_goal goal, uint16_t channel,
                      const char *text)
{
    tuner->goal = goal;
    tuner->want = channel;
    snprintf(tuner->what, sizeof tuner->what, "%s", text);
}

void yk_jap_tuner_init(struct yk_jap_tuner *tuner, enum yk_role role, const char *host,
                       uint64_t seed)
{
    memset(tuner, 0, sizeof *tuner);
    tuner->role = role;
    tuner->host = host;
    tuner->random = seed;
    tuner->goal = YK_JAP_LEAVE;
    tuner->step = YK_JAP_WATCH;
    tuner->status = YK_REPORT_IDLE;
}

/* ---- wishes */

static void begin(struct yk_jap_tuner *tuner, yk_time now)
{
    tuner->step = YK_JAP_LOOK;
    tuner->due = now;
}

/* True when it is the wish already, and there is nothing to begin. */
static bool is_under_way(const struct yk_jap_tuner *tuner, enum yk_jap_goal goal, uint16_t channel)
{
    return tuner->goal == goal && tuner->want == channel && tuner->step != YK_JAP_WATCH;
}

static void forget_fight(struct yk_jap_tuner *tuner, enum yk_jap_goal goal, uint16_t channel)
{
    if (tuner->goal != goal || tuner->want != channel) {
        tuner->left = 0;
        tuner->hold = 0;
    }
}

void yk_jap_tuner_tune(struct yk_jap_tuner *tuner, const struct yk_jap_media *media, yk_time now)
{
    bool same = tuner->goal == YK_JAP_TUNE && tuner->want == media->channel;

    if (same && tuner->status == YK_REPORT_ACTIVE) {
        tuner->news = true;
        return;
    }
    if (!is_under_way(tuner, YK_JAP_TUNE, media->channel)) {
        forget_fight(tuner, YK_JAP_TUNE, media->channel);
        begin(tuner, now);
    }
    name_wish(tuner, YK_JAP_TUNE, media->channel, media->text);
    if (tuner->status != YK_REPORT_PENDING || !same) {
        say(tuner, YK_REPORT_PENDING, "%s: asked for %s", tuner->host, tuner->what);
    }
    tuner->news = true;
}

/* Says nothing before it knows: one detach, one answer. */
void yk_jap_tuner_park(struct yk_jap_tuner *tuner, uint16_t channel, yk_time now)
{
    char text[YK_JAP_MEDIA_TEXT_MAX];

    if (!is_under_way(tuner, YK_JAP_PARK, channel)) {
        forget_fight(tuner, YK_JAP_PARK, channel);
        begin(tuner, now);
    }
    snprintf(text, sizeof text, "park channel %u", channel);
    name_wish(tuner, YK_JAP_PARK, channel, text);
    say(tuner, YK_REPORT_PENDING, "%s: asked for %s", tuner->host, tuner->what);
    tuner->news = false;
}

void yk_jap_tuner_leave(struct yk_jap_tuner *tuner)
{
    tuner->goal = YK_JAP_LEAVE;
    tuner->step = YK_JAP_WATCH;
    say(tuner, YK_REPORT_IDLE, "%s", "");
}

void yk_jap_tuner_refuse(struct yk_jap_tuner *tuner, const char *reason)
{
    yk_jap_tuner_leave(tuner);
    say(tuner, YK_REPORT_ERROR, "%s", reason);
}

/* ---- the next question */

yk_time yk_jap_tuner_deadline(const struct yk_jap_tuner *tuner)
{
    return tuner->asked || tuner->goal == YK_JAP_LEAVE ? YK_TIME_NEVER : tuner->due;
}

bool yk_jap_tuner_next(struct yk_jap_tuner *tuner, yk_time now, enum yk_jap_ask *ask,
                       uint16_t *channel)
{
    if (now < yk_jap_tuner_deadline(tuner)) {
        return false;
    }
    tuner->asked = true;
    *channel = tuner->want;
    if (!tuner->known || now - tuner->heard > YK_JAP_SAME) {
        *ask = YK_JAP_ASK_DEVICE; /* an encoder commanded in error would fail for everybody */
        tuner->known = false;     /* until it says so, and somebody looks at what it says */
    } else if (tuner->step == YK_JAP_SET) {
        *ask = YK_JAP_ASK_SET;
        tuner->step = YK_JAP_SETTLE_DOWN;
        tuner->set_reason[0] = 0;
    } else {
        *ask = YK_JAP_ASK_CHANNEL;
    }
    return true;
}

/* ---- answers */

static void arrived(struct yk_jap_tuner *tuner, yk_time now)
{
    tuner->lost = tuner->doubt = false;
    if (tuner->status != YK_REPORT_ACTIVE) {
        tuner->arrived = now;
    }
    watch(tuner, now);
    if (tuner->goal == YK_JAP_PARK) {
        yk_jap_tuner_leave(tuner);
    } else if (tuner->role == YK_ROLE_PRODUCER) {
        say(tuner, YK_REPORT_ACTIVE, "encoder %s, %s, says %s", tuner->device.model, tuner->what,
            tuner->device.status[0] != 0 ? tuner->device.status : "nothing of its health");
    } else {
        say(tuner, YK_REPORT_ACTIVE, "%s, read back", tuner->what);
    }
}

static void took_device(struct yk_jap_tuner *tuner, const struct yk_jap_device *device, yk_time now)
{
    enum yk_jap_kind right = tuner->role == YK_ROLE_CONSUMER ? YK_JAP_DECODER : YK_JAP_ENCODER;
    const char *need = tuner->role == YK_ROLE_CONSUMER ? "a consumer needs a decoder"
                                                       : "a producer needs an encoder";

    tuner->device = *device;
    if (device->kind == right && tuner->role == YK_ROLE_PRODUCER && tuner->step == YK_JAP_WATCH &&
        tuner->status == YK_REPORT_ACTIVE) {
        arrived(tuner, now); /* it was asked for its health */
        return;
    }
    tuner->known = device->kind == right;
    if (tuner->known) {
        tuner->due = now;
        return;
    }
    if (device->kind == YK_JAP_KIND_UNKNOWN) {
        say(tuner, YK_REPORT_ERROR,
            "%s: is neither decoder nor encoder by its mode %.40s and model %.40s; %s", tuner->host,
            device->mode[0] != 0 ? device->mode : "(none)",
            device->model[0] != 0 ? device->model : "(none)", need);
    } else {
        say(tuner, YK_REPORT_ERROR,
            "%s: is %s (mode %.40s, model %.40s), and %s; look at driver.host", tuner->host,
            device->kind == YK_JAP_ENCODER ? "an encoder" : "a decoder", device->mode,
            device->model, need);
    }
    failed(tuner, YK_JAP_ANSWERED, now);
}

/* Somebody else switched it, or it restarted. It is commanded again when we are asked to, and the
 * later the more often it left. */
static void drifted(struct yk_jap_tuner *tuner, uint16_t channel, yk_time now)
{
    yk_time wait = YK_RETRY_MAX;

    tuner->left = now - tuner->arrived < YK_JAP_STEADY ? tuner->left + 1 : 1;
    if (tuner->left <= 5) {
        wait = YK_RETRY_MIN << (tuner->left - 1);
    }
    tuner->hold = now + wait;
    watch(tuner, now);
    if (tuner->left > 1) {
        say(tuner, YK_REPORT_PENDING,
            "%s: left %s for channel %u, %u times in short: something else switches it too",
            tuner->host, tuner->what, channel, tuner->left);
    } else {
        say(tuner, YK_REPORT_PENDING, "%s: left %s for channel %u; it is set again", tuner->host,
            tuner->what, channel);
    }
}

static void command(struct yk_jap_tuner *tuner, yk_time now)
{
    tuner->step = YK_JAP_SET;
    tuner->due = now > tuner->hold ? now : tuner->hold;
}

/* Commanded, and not there. */
static void still_elsewhere(struct yk_jap_tuner *tuner, uint16_t channel, yk_time now)
{
    if (now < tuner->settled) {
        tuner->due = now + YK_JAP_READ_BACK;
        return;
    }
    if (tuner->set_reason[0] != 0) {
        say(tuner, YK_REPORT_ERROR, "%s: is on channel %u, not %s; commanded, it %s", tuner->host,
            channel, tuner->what, tuner->set_reason);
    } else {
        say(tuner, YK_REPORT_ERROR,
            "%s: is on channel %u, not %s, though it answered OK; is it in Unified mode, and not "
            "VLAN-switched?",
            tuner->host, channel, tuner->what);
    }
    failed(tuner, YK_JAP_ANSWERED, now);
}

static void found_elsewhere(struct yk_jap_tuner *tuner, uint16_t channel, yk_time now)
{
    if (tuner->role == YK_ROLE_PRODUCER) {
        say(tuner, YK_REPORT_ERROR,
            "%s: sends on channel %u, and %s is announced; set one as the other", tuner->host,
            channel, tuner->what);
        failed(tuner, YK_JAP_ANSWERED, now);
        return;
    }
    switch (tuner->step) {
    case YK_JAP_WATCH:
        if (tuner->status == YK_REPORT_ACTIVE) {
            drifted(tuner, channel, now);
        } else if (tuner->lost) {
            command(tuner, now); /* it is back */
        } else {
            watch(tuner, now);
        }
        break;
    case YK_JAP_LOOK:
    case YK_JAP_SET:
        command(tuner, now);
        break;
    case YK_JAP_SETTLE_DOWN:
        still_elsewhere(tuner, channel, now);
        break;
    }
}

static void took_channel(struct yk_jap_tuner *tuner, uint16_t channel, yk_time now)
{
    if (channel == tuner->want && !(tuner->doubt && tuner->step == YK_JAP_LOOK)) {
        arrived(tuner, now);
    } else {
        found_elsewhere(tuner, channel, now);
    }
}

/* Whatever was answered, only what is read back counts; the answer decides how long that may take. */
static void took_command(struct yk_jap_tuner *tuner, const struct yk_jap_answer *answer,
                         yk_time now)
{
    if (answer->fate == YK_JAP_SPOILT) {
        tuner->doubt = true; /* until a later one is confirmed */
    }
    tuner->due = now;
    if (tuner->step != YK_JAP_SETTLE_DOWN) {
        return; /* another wish came meanwhile */
    }
    tuner->settled = answer->fate == YK_JAP_REFUSED ? now : now + YK_JAP_SETTLE;
    snprintf(tuner->set_reason, sizeof tuner->set_reason, "%s", answer->reason);
    if (answer->fate == YK_JAP_UNSENT) {
        say(tuner, YK_REPORT_ERROR, "%s: %s", tuner->host, answer->reason);
        failed(tuner, answer->fate, now);
    }
}

static void took_failure(struct yk_jap_tuner *tuner, const struct yk_jap_answer *answer,
                         yk_time now)
{
    if (tuner->step == YK_JAP_SETTLE_DOWN && now < tuner->settled) {
        tuner->due = now + YK_JAP_READ_BACK;
        return;
    }
    say(tuner, YK_REPORT_ERROR, "%s: %s", tuner->host, answer->reason);
    failed(tuner, answer->fate, now);
}

void yk_jap_tuner_took(struct yk_jap_tuner *tuner, const struct yk_jap_answer *answer, yk_time now)
{
    tuner->asked = false;
    if (answer->fate == YK_JAP_ANSWERED || answer->fate == YK_JAP_REFUSED) {
        tuner->heard = now;
    }
    if (answer->ask == YK_JAP_ASK_SET) {
        took_command(tuner, answer, now);
    } else if (tuner->goal == YK_JAP_LEAVE) {
        /* Nobody wants to know any more, but whether it is still the same device. */
        tuner->known = tuner->known && answer->fate == YK_JAP_ANSWERED;
    } else if (answer->fate != YK_JAP_ANSWERED) {
        took_failure(tuner, answer, now);
    } else if (answer->ask == YK_JAP_ASK_DEVICE) {
        took_device(tuner, &answer->device, now);
    } else {
        took_channel(tuner, answer->channel, now);
    }
}
