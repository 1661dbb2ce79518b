#include "cli/say.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"

static void print(FILE *out, const char *head, const char *format, va_list arguments)
{
    char line[YK_SAY_MAX];
    char escaped[YK_ESCAPED_MAX(YK_SAY_MAX)];

    vsnprintf(line, sizeof line, format, arguments);
    yk_escape(escaped, sizeof escaped, line, strlen(line));
    fprintf(out, "%s%s\n", head, escaped);
}

void yk_print(FILE *out, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print(out, "", format, arguments);
    va_end(arguments);
}

void yk_say(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print(stderr, "yoke: ", format, arguments);
    va_end(arguments);
}

void yk_progress(const char *format, ...)
{
    va_list arguments;

    if (!isatty(STDERR_FILENO)) {
        return;
    }
    va_start(arguments, format);
    print(stderr, "yoke: ", format, arguments);
    va_end(arguments);
}

const char *yk_label(char *out, const struct yk_peers *peers, const struct yk_id *id)
{
    const struct yk_peer *peer = yk_peers_find(peers, id);
    struct yk_peer_text text;

    snprintf(out, YK_LABEL_MAX, "%s", id->text);
    if (peer != NULL) {
        yk_peers_text(peers, peer, &text);
        if (text.name.size > 0 && !yk_slice_equal(text.name, yk_slice_of(id->text))) {
            snprintf(out, YK_LABEL_MAX, "%s \"%.*s\"", id->text, (int)text.name.size,
                     (const char *)text.name.data);
        }
    }
    return out;
}

const char *yk_duration(char *out, yk_time duration)
{
    unsigned long long seconds = duration / YK_SECOND;

    if (seconds < 1) {
        snprintf(out, 32, "%llu ms", (unsigned long long)(duration / YK_MS));
    } else if (seconds < 10) {
        snprintf(out, 32, "%llu.%llu s", seconds,
                 (unsigned long long)(duration / (100 * YK_MS)) % 10);
    } else if (seconds < 120) {
        snprintf(out, 32, "%llu s", seconds);
    } else if (seconds < 2 * 3600) {
        snprintf(out, 32, "%llu min", seconds / 60);
    } else {
        snprintf(out, 32, "%llu h", seconds / 3600);
    }
    return out;
}
