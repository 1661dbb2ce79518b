#include "shell/log.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"

/* Entries of one kind of event in the current window. */
struct window {
    yk_time start;
    unsigned printed, left_out;
};

static struct {
    enum yk_log_level level;
    bool journal;
    unsigned lost; /* lines standard error did not take */
    struct window windows[YK_EVENT_END];
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

void yk_log_list(enum yk_log_level level, const char *format, va_list arguments)
{
    char text[YK_LOG_LINE_MAX];
    char escaped[YK_LOG_LINE_MAX];
    int size;

    if (level > state.level) {
        return;
    }
    write_lost();
    size = vsnprintf(text, sizeof text, format, arguments);
    if (size < 0) {
        return;
    }
    yk_escape(escaped, sizeof escaped, text, strlen(text));
    write_line(level, escaped);
}

void yk_log(enum yk_log_level level, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    yk_log_list(level, format, arguments);
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
        return YK_LOG_INFO;
    case YK_EVENT_NONE:
    case YK_EVENT_END:
        break;
    }
    return YK_LOG_DEBUG;
}

/* Closes a window that has ended and says what it left out. */
static void end_window(enum yk_event event, yk_time now)
{
    struct window *window = &state.windows[event];

    if (window->start == 0 || now - window->start < YK_LOG_WINDOW) {
        return;
    }
    if (window->left_out > 0) {
        yk_log(event_level(event), "%s: %u more left out", yk_event_word(event), window->left_out);
    }
    memset(window, 0, sizeof *window);
}

void yk_log_event(enum yk_event event, struct yk_slice detail, yk_time now)
{
    struct window *window = &state.windows[event];

    if (event_level(event) > state.level) {
        return;
    }
    end_window(event, now);
    if (window->start == 0) {
        window->start = now;
    }
    if (window->printed == YK_LOG_BURST) {
        window->left_out++;
        return;
    }
    window->printed++;
    yk_log(event_level(event), "%s %.*s", yk_event_word(event), (int)detail.size,
           (const char *)detail.data);
}

void yk_log_flush(yk_time now)
{
    for (int event = YK_EVENT_NONE + 1; event < YK_EVENT_END; event++) {
        end_window((enum yk_event)event, now);
    }
}
