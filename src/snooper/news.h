/* news.h - the last changes, numbered, for those who follow them over HTTP: each reads at its own pace,
 * and is told how many it missed. One ring for all readers, so that none of them costs memory. The
 * form is that of server-sent events (docs/http-api.md). */
#ifndef YK_SNOOPER_NEWS_H
#define YK_SNOOPER_NEWS_H

#include "core/types.h"
#include "http/http.h"

#define YK_NEWS_KEPT 512
/* More in one second are counted and not kept: a flood of changes shall not keep us from listening. */
#define YK_NEWS_PER_SECOND 1000
#define YK_NEWS_ID_MAX 40 /* "LIFE-NUMBER" */

struct yk_news {
    char life[17];   /* hex; another one after each start */
    uint64_t newest; /* number of the newest event; 0: none yet */
    struct {
        uint64_t number; /* 0: free, or not kept */
        char *text;      /* JSON on one line, ours */
        size_t size;
    } ring[YK_NEWS_KEPT];
    uint64_t beat_number;
    char *beat; /* JSON on one line, ours; NULL: none yet */
    yk_time second_end;
    unsigned in_second;
};

/* `life` is unpredictable. */
void yk_news_init(struct yk_news *news, uint64_t life);
void yk_news_fini(struct yk_news *news);

void yk_news_id(char out[YK_NEWS_ID_MAX], const struct yk_news *news, uint64_t number);
/* A new event; false: it only counts, for there are too many. Else yk_news_keep is due. */
bool yk_news_begin(struct yk_news *news, yk_time now);
/* Keeps a copy of the newest event's JSON. */
void yk_news_keep(struct yk_news *news, struct yk_slice json);
/* A copy of that JSON is what the next beat says. */
void yk_news_beat(struct yk_news *news, struct yk_slice json);
/* One that is kept, or size 0. */
struct yk_slice yk_news_get(const struct yk_news *news, uint64_t number);

/* For struct yk_http_content. A message is at most YK_HTTP_MESSAGE_MAX bytes; one that would be larger
 * is told as missed. */
void yk_news_follow(const struct yk_news *news, struct yk_http_cursor *cursor, const char *after);
size_t yk_news_read(const struct yk_news *news, struct yk_http_cursor *cursor, char *out);

#endif
