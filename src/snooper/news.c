#include "snooper/news.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define AROUND_MAX 256 /* bytes of a message around its JSON */

void yk_news_init(struct yk_news *news, uint64_t life)
{
    memset(news, 0, sizeof *news);
    snprintf(news->life, sizeof news->life, "%016" PRIx64, life);
}

void yk_news_fini(struct yk_news *news)
{
    for (size_t i = 0; i < YK_NEWS_KEPT; i++) {
        free(news->ring[i].text);
    }
    free(news->beat);
}

void yk_news_id(char out[YK_NEWS_ID_MAX], const struct yk_news *news, uint64_t number)
{
    snprintf(out, YK_NEWS_ID_MAX, "%s-%" PRIu64, news->life, number);
}

static size_t place_of(uint64_t number)
{
    return (size_t)(number % YK_NEWS_KEPT);
}

bool yk_news_begin(struct yk_news *news, yk_time now)
{
    size_t place = place_of(++news->newest);

    free(news->ring[place].text);
    memset(&news->ring[place], 0, sizeof news->ring[place]);
    if (now >= news->second_end) {
        news->second_end = now + YK_SECOND;
        news->in_second = 0;
    }
    return news->in_second++ < YK_NEWS_PER_SECOND;
}

void yk_news_keep(struct yk_news *news, struct yk_slice json)
{
    size_t place = place_of(news->newest);

    if (json.size + AROUND_MAX > YK_HTTP_MESSAGE_MAX) {
        return;
    }
    news->ring[place].text = malloc(json.size);
    if (news->ring[place].text != NULL) {
        memcpy(news->ring[place].text, json.data, json.size);
        news->ring[place].size = json.size;
        news->ring[place].number = news->newest;
    }
}

void yk_news_beat(struct yk_news *news, struct yk_slice json)
{
    char *text = json.size + AROUND_MAX > YK_HTTP_MESSAGE_MAX ? NULL : malloc(json.size + 1);

    if (text != NULL) {
        memcpy(text, json.data, json.size);
        text[json.size] = '\0';
        free(news->beat);
        news->beat = text;
        news->beat_number++;
    }
}

struct yk_slice yk_news_get(const struct yk_news *news, uint64_t number)
{
    size_t place = place_of(number);

    if (number == 0 || news->ring[place].number != number) {
        return (struct yk_slice){NULL, 0};
    }
    return (struct yk_slice){(const uint8_t *)news->ring[place].text, news->ring[place].size};
}

/* The number of an id of this life; false: of another, or of none. */
static bool parse_id(const struct yk_news *news, const char *id, uint64_t *number)
{
    size_t size = strlen(news->life);
    unsigned long long value;
    char *end;

    if (strncmp(id, news->life, size) != 0 || id[size] != '-' || id[size + 1] < '0' ||
        id[size + 1] > '9') {
        return false;
    }
    value = strtoull(id + size + 1, &end, 10);
    if (*end != '\0' || value > news->newest) {
        return false;
    }
    *number = value;
    return true;
}

void yk_news_follow(const struct yk_news *news, struct yk_http_cursor *cursor, const char *after)
{
    *cursor = (struct yk_http_cursor){.event = news->newest};
    cursor->lost = after != NULL && !parse_id(news, after, &cursor->event);
}

static size_t write_missed(const struct yk_news *news, uint64_t newest, const char *missed,
                           char *out)
{
    char id[YK_NEWS_ID_MAX];

    yk_news_id(id, news, newest);
    return (size_t)snprintf(out, AROUND_MAX,
                            "id: %s\nevent: missed\ndata: "
                            "{\"v\":1,\"type\":\"missed\",\"missed\":%s,\"event\":\"%s\"}\n\n",
                            id, missed, id);
}

static size_t write_gap(const struct yk_news *news, struct yk_http_cursor *cursor, char *out)
{
    uint64_t next = cursor->event + 1;
    char missed[24];

    if (next + YK_NEWS_KEPT <= news->newest) {
        next = news->newest - YK_NEWS_KEPT + 1; /* what is before it was overwritten */
    }
    while (next <= news->newest && yk_news_get(news, next).size == 0) {
        next++;
    }
    snprintf(missed, sizeof missed, "%" PRIu64, next - 1 - cursor->event);
    cursor->event = next - 1;
    return write_missed(news, cursor->event, missed, out);
}

size_t yk_news_read(const struct yk_news *news, struct yk_http_cursor *cursor, char *out)
{
    size_t size = 0;

    if (cursor->beat != news->beat_number) {
        cursor->beat = news->beat_number;
        return (size_t)snprintf(out, YK_HTTP_MESSAGE_MAX, "event: beat\ndata: %s\n\n", news->beat);
    }
    if (cursor->lost) {
        cursor->lost = false;
        return write_missed(news, cursor->event, "null", out);
    }
    while (cursor->event < news->newest) {
        struct yk_slice json = yk_news_get(news, cursor->event + 1);
        char id[YK_NEWS_ID_MAX];

        if (size + json.size + AROUND_MAX > YK_HTTP_MESSAGE_MAX) {
            break;
        }
        if (json.size == 0) {
            size += write_gap(news, cursor, out + size);
            continue;
        }
        yk_news_id(id, news, ++cursor->event);
        size += (size_t)snprintf(out + size, YK_HTTP_MESSAGE_MAX - size,
                                 "id: %s\nevent: change\ndata: %.*s\n\n", id, (int)json.size,
                                 (const char *)json.data);
    }
    return size;
}
