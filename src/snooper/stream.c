#include "snooper/stream.h"

#include <arpa/inet.h>

#include "core/json.h"

/* ---- where it goes */

/* Never forwarded, and flooded by switches: for routing protocols. */
static bool is_link_local(const uint8_t group[4])
{
    return group[0] == 224 && group[1] == 0 && group[2] == 0;
}

static bool read_group(uint8_t group[4], const struct yk_json *json, size_t token,
                       const uint8_t control[4])
{
    char text[INET_ADDRSTRLEN] = "";
    struct yk_slice raw;

    if (json->tokens[token].type != YK_JSON_STRING) {
        return false;
    }
    raw = yk_json_raw_string(json, token);
    if (raw.size >= sizeof text) {
        return false;
    }
    memcpy(text, raw.data, raw.size);
    return inet_pton(AF_INET, text, group) == 1 && group[0] >= 224 && group[0] <= 239 &&
           !is_link_local(group) && memcmp(group, control, 4) != 0;
}

enum yk_stream_media yk_stream_target_read(struct yk_stream_target *target, struct yk_slice media,
                                           const uint8_t control[4])
{
    struct yk_json json;
    size_t group, port;
    uint64_t number = 0;

    memset(target, 0, sizeof *target);
    if (media.size == 0 || !yk_json_index_canonical(&json, media) ||
        json.tokens[0].type != YK_JSON_OBJECT) {
        return YK_STREAM_NO_GROUP;
    }
    group = yk_json_member(&json, 0, "group");
    port = yk_json_member(&json, 0, "port");
    if (group == 0) {
        return YK_STREAM_NO_GROUP;
    }
    if (!read_group(target->group, &json, group, control)) {
        return YK_STREAM_UNFIT;
    }
    if (port == 0) {
        return yk_json_member(&json, 0, "channel") != 0 ? YK_STREAM_GROUP : YK_STREAM_UNFIT;
    }
    if (!yk_json_count(&json, port, &number) || number < 1 || number > UINT16_MAX) {
        return YK_STREAM_UNFIT;
    }
    target->port = (uint16_t)number;
    return YK_STREAM_GROUP;
}

bool yk_stream_target_equal(const struct yk_stream_target *a, const struct yk_stream_target *b)
{
    return memcmp(a->group, b->group, sizeof a->group) == 0 && a->port == b->port;
}

/* ---- how much comes */

enum yk_meter_change yk_meter_count(struct yk_meter *meter, uint64_t packets, uint64_t bytes,
                                    yk_time now, yk_time *gap)
{
    yk_time former = meter->last;

    *gap = 0;
    if (packets == 0) {
        return YK_METER_SAME;
    }
    meter->packets += packets;
    meter->bytes += bytes;
    meter->window_packets += packets;
    meter->window_bytes += bytes;
    meter->last = now;
    if (former == 0) {
        return YK_METER_STARTED;
    }
    if (now - former <= YK_STREAM_GAP) {
        return YK_METER_SAME;
    }
    *gap = now - former;
    meter->gaps += meter->silent ? 0 : 1; /* nobody looked while it was on */
    meter->longest = *gap > meter->longest ? *gap : meter->longest;
    meter->silent = false;
    return YK_METER_RESUMED;
}

enum yk_meter_change yk_meter_pass(struct yk_meter *meter, yk_time now)
{
    if (yk_meter_deadline(meter) > now) {
        return YK_METER_SAME;
    }
    meter->silent = true;
    meter->gaps++;
    return YK_METER_SILENT;
}

yk_time yk_meter_deadline(const struct yk_meter *meter)
{
    return meter->last == 0 || meter->silent ? YK_TIME_NEVER : meter->last + YK_STREAM_GAP + 1;
}

struct yk_meter_rates yk_meter_take_rates(struct yk_meter *meter, yk_time now)
{
    uint64_t ms = (now - meter->window_since) / YK_MS;
    struct yk_meter_rates rates = {0, 0};

    if (ms > 0) {
        rates.packets = meter->window_packets * 1000 / ms;
        rates.bits = meter->window_bytes * 8 * 1000 / ms;
    }
    meter->window_since = now;
    meter->window_packets = meter->window_bytes = 0;
    return rates;
}

yk_time yk_meter_longest(const struct yk_meter *meter, yk_time now)
{
    yk_time running = meter->silent ? now - meter->last : 0;

    return running > meter->longest ? running : meter->longest;
}
