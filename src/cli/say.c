#include "cli/say.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/utf8.h"

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

const char *yk_plain(char *out, size_t capacity, struct yk_slice text)
{
    static const char zero_symbol[] = "\u2400";
    size_t used = 0;

    for (size_t at = 0; at < text.size;) {
        const char *from = (const char *)text.data + at;
        uint32_t point = 0;
        size_t length = yk_utf8_next(from, text.size - at, &point);
        size_t taken = length == 0 ? 1 : length;
        size_t size = *from == '\0' ? strlen(zero_symbol) : taken;

        if (size >= capacity - used) {
            break;
        }
        memcpy(out + used, *from == '\0' ? zero_symbol : from, size);
        used += size;
        at += taken;
    }
    out[used] = '\0';
    return out;
}

const char *yk_label(char *out, const struct yk_peers *peers, const struct yk_id *id)
{
    const struct yk_peer *peer = yk_peers_find(peers, id);
    struct yk_peer_text text;
    char name[YK_NAME_BYTES_MAX + 1];

    snprintf(out, YK_LABEL_MAX, "%s", id->text);
    if (peer != NULL) {
        yk_peers_text(peers, peer, &text);
        if (text.name.size > 0 && !yk_slice_equal(text.name, yk_slice_of(id->text))) {
            snprintf(out, YK_LABEL_MAX, "%s \"%s\"", id->text,
                     yk_plain(name, sizeof name, text.name));
        }
    }
    return out;
}
