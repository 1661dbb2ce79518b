#include "shell/log.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "shell/log_limit.h"

static struct {
    enum yk_log_level level;
    bool journal;
    unsigned lost; /* lines standard error did not take */
    struct yk_log_limit limit;
} state = {.level = YK_LOG_INFO};

static const char *const level_words[] = {
    [YK_LOG_ERROR] = "error",
    [YK_LOG_WARNING] = "warning",
    [YK_LOG_INFO] = "info",
    [YK_LOG_DEBUG] = "debug",
};
static const int level_priorities[] = {
    [YK_LOG_ERROR] = 3, [YK_LOG_WARNING] = 4, [YK_LOG_INFO] = 6, [YK_LOG_DEBUG] = 7};

enum yk_log_level yk_log_level_parse(struct yk_slice word)
{
    for (int level = YK_LOG_ERROR; level <= YK_LOG_DEBUG; level++) {
        if (yk_slice_equal(word, yk_slice_of(level_words[level]))) {
            return (enum yk_log_level)level;
        }
    }
    return 0;
}

/* systemd names the stream it connected; a redirected standard error is another one. */
static bool is_journal(void)
{
    const char *stream = getenv("JOURNAL_STREAM");
    char own[64];
    struct stat facts;

    if (stream == NULL || fstat(STDERR_FILENO, &facts) != 0) {
        return false;
    }
    snprintf(own, sizeof own, "%ju:%ju", (uintmax_t)facts.st_dev, (uintmax_t)facts.st_ino);
    return strcmp(stream, own) == 0;
}

void yk_log_init(enum yk_log_level level)
{
    memset(&state, 0, sizeof state);
    state.level = level;
    state.journal = is_journal();
}

void yk_log_set_level(enum yk_log_level level)
{
    state.level = level;
}

/* Local time with its distance from UTC, like 2026-03-01T09:30:00.250+0100. */
static void write_time(char *out, size_t capacity)
{
    struct timespec now;
    struct tm local;
    char date[32], zone[8];

    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &local);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &local);
    strftime(zone, sizeof zone, "%z", &local);
    snprintf(out, capacity, "%s.%03ld%s ", date, now.tv_nsec / 1000000, zone);
}

/* A reader that has stopped reading must not stop the agent. */
static bool can_write(void)
{
    struct pollfd fd = {.fd = STDERR_FILENO, .events = POLLOUT};

    return poll(&fd, 1, 0) == 1;
}

static void write_line(enum yk_log_level level, const char *text)
{
    char line[YK_LOG_LINE_MAX];
    char head[64] = "";
    size_t size;

    if (!can_write()) {
        state.lost++;
        return;
    }
    if (state.journal) {
        snprintf(head, sizeof head, "<%d>", level_priorities[level]);
    } else {
        write_time(head, sizeof head);
        strcat(head, level_words[level]);
        strcat(head, " ");
    }
    size = (size_t)snprintf(line, sizeof line - 1, "%s%s", head, text);
    if (size > sizeof line - 2) {
        size = sizeof line - 2;
    }
    line[size++] = '\n';
    if (write(STDERR_FILENO, line, size) != (ssize_t)size) {
        state.lost++;
    }
}

static void write_lost(void)
{
    char text[64];
    unsigned lost = state.lost;

    if (lost > 0 && can_write()) {
        state.lost = 0;
        snprintf(text, sizeof text, "log: %u lines could not be written", lost);
        write_line(YK_LOG_WARNING, text);
    }
}

static yk_time monotonic(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (yk_time)now.tv_sec * YK_SECOND + (yk_time)now.tv_nsec;
}

/* FNV-1a of at most so many bytes of a text; never 0. */
static uint64_t key_of(const char *text, size_t most)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < most && text[i] != 0; i++) {
        hash = (hash ^ (uint8_t)text[i]) * UINT64_C(1099511628211);
    }
    return hash | 1;
}

static void write_entry(enum yk_log_level level, const char *text, unsigned left_out)
{
    char escaped[YK_LOG_LINE_MAX];
    size_t size;

    write_lost();
    yk_escape(escaped, sizeof escaped, text, strlen(text));
    size = strlen(escaped);
    if (left_out > 0) {
        snprintf(escaped + size, sizeof escaped - size, " (%u more of these left out before)",
                 left_out);
    }
    write_line(level, escaped);
}

/* What is written in one place of the program is of one kind; where that is no more than "%s", what
 * begins alike. */
__attribute__((format(printf, 3, 0))) static void
log_list(enum yk_log_level level, const char *kind, const char *format, va_list arguments)
{
    char text[YK_LOG_LINE_MAX];
    unsigned left_out;

    if (level > state.level || vsnprintf(text, sizeof text, format, arguments) < 0) {
        return;
    }
    if (strcmp(kind, "%s") == 0) {
        kind = text;
    }
    if (yk_log_limit_take(&state.limit, key_of(kind, YK_LOG_NAME_MAX), text, (int)level,
                          monotonic(), &left_out)) {
        write_entry(level, text, left_out);
    }
}

void yk_log(enum yk_log_level level, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    log_list(level, format, format, arguments);
    va_end(arguments);
}

void yk_log_kind(enum yk_log_level level, const char *kind, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    log_list(level, kind, format, arguments);
    va_end(arguments);
}

static enum yk_log_level event_level(enum yk_event event)
{
    switch (event) {
    case YK_NOTE_SAVE_FAILED:
    case YK_NOTE_SEQ_EXHAUSTED:
    case YK_NOTE_ID_CONFLICT:
    case YK_NOTE_TWO_SENDERS:
    case YK_NOTE_CLOCK_AHEAD:
        return YK_LOG_ERROR;
    case YK_EVENT_DRIVER_ERROR:
    case YK_EVENT_PEER_LOST:
    case YK_EVENT_RX_DROP:
    case YK_NOTE_INTENT_REFUSED:
    case YK_NOTE_CLOCK_APART:
        return YK_LOG_WARNING;
    case YK_EVENT_PAIRING_APPLIED:
    case YK_EVENT_MEDIA_UP:
    case YK_EVENT_MEDIA_PENDING:
    case YK_EVENT_MEDIA_DOWN:
    case YK_EVENT_DRIVER_RETRY:
    case YK_EVENT_PEER_RETURNED:
    case YK_EVENT_STARTED:
    case YK_EVENT_STOPPING:
    case YK_NOTE_PEER_NEW:
    case YK_NOTE_PEER_GONE:
    case YK_NOTE_NODE_LOST:
    case YK_NOTE_NODE_RETURNED:
    case YK_NOTE_REISSUED:
    case YK_NOTE_CLOCK_LEVEL:
        return YK_LOG_INFO;
    case YK_EVENT_NONE:
    case YK_EVENT_END:
        break;
    }
    return YK_LOG_DEBUG;
}

void yk_log_event(enum yk_event event, struct yk_slice detail, yk_time now)
{
    enum yk_log_level level = event_level(event);
    const char *word = yk_event_word(event);
    char text[YK_LOG_LINE_MAX];
    unsigned left_out;

    if (level > state.level || !yk_log_limit_take(&state.limit, key_of(word, YK_LOG_NAME_MAX), word,
                                                  (int)level, now, &left_out)) {
        return;
    }
    snprintf(text, sizeof text, "%s %.*s", word, (int)detail.size, (const char *)detail.data);
    write_entry(level, text, left_out);
}

void yk_log_flush(yk_time now)
{
    struct yk_log_kind *kind;
    char text[YK_LOG_LINE_MAX];

    while ((kind = yk_log_limit_quiet(&state.limit, now)) != NULL) {
        snprintf(text, sizeof text, "%s: %u more left out", kind->name, kind->left_out);
        kind->left_out = 0;
        write_entry((enum yk_log_level)kind->level, text, 0);
    }
}
