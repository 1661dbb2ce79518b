#include "snooper/face_lines.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/say.h"
#include "snooper/tone.h"
#include "snooper/words.h"

#define ORIGIN_COLUMNS 24 /* longer ids push the rest to the right */

static const char *const tones[] = {
    [YK_TONE_PLAIN] = "",           [YK_TONE_FAINT] = "\033[2m", [YK_TONE_GOOD] = "\033[32m",
    [YK_TONE_WAITING] = "\033[33m", [YK_TONE_BAD] = "\033[31m",  [YK_TONE_STRONG] = "\033[1m",
};

struct face {
    bool colours;
};

/* Colours only where somebody looks and wants them. */
static bool wants_colours(void)
{
    const char *terminal = getenv("TERM");
    const char *refused = getenv("NO_COLOR");

    return isatty(STDOUT_FILENO) == 1 && terminal != NULL && strcmp(terminal, "dumb") != 0 &&
           (refused == NULL || refused[0] == '\0');
}

static bool is_wanted(const struct yk_snoop_options *options)
{
    return !options->common.json && options->topology == YK_TOPOLOGY_NONE && !options->check &&
           !options->media && !options->top;
}

static bool open_face(const struct yk_snoop *snoop, void **self, struct yk_refusal *why)
{
    struct face *face = calloc(1, sizeof *face);

    (void)snoop;
    if (face == NULL) {
        return yk_refuse(why, YK_EXIT_INTERNAL, "memory: none left; free some and try again");
    }
    face->colours = wants_colours();
    *self = face;
    return true;
}

/* TIME  VERDICT  ORIGIN  TYPE  WORDS: what comes from others is escaped already, or has no character
 * that must be. */
static void print(const struct face *face, enum yk_tone tone, struct yk_moment at,
                  const char *verdict, const char *origin, const char *type, const char *words)
{
    bool colour = face->colours && tone != YK_TONE_PLAIN;
    char clock[16];

    yk_clock_words(clock, at);
    printf("%s%s  %-9s  %-*s  %-4s  %s%s\n", colour ? tones[tone] : "", clock, verdict,
           ORIGIN_COLUMNS, origin, type, words, colour ? "\033[0m" : "");
}

static void heard_frame(void *self, const struct yk_snoop *snoop, struct yk_moment at,
                        const struct yk_heard_frame *heard)
{
    char words[YK_WORDS_MAX_BYTES];
    char from[INET_ADDRSTRLEN + 8], ip[INET_ADDRSTRLEN];
    bool named = heard->has_envelope;

    if (snoop->options->quiet) {
        return;
    }
    inet_ntop(AF_INET, heard->from.ip, ip, sizeof ip);
    snprintf(from, sizeof from, "%s:%u", ip, heard->from.port);
    yk_frame_words(words, heard);
    print(self, yk_tone_of_frame(heard), at,
          heard->verdict == YK_DROP_NONE ? "" : yk_drop_word(heard->verdict),
          named ? heard->frame.origin.text : from, named ? yk_type_word(heard->frame.type) : "?",
          words);
}

/* Beside the frames only what no frame says. */
static void changed(void *self, const struct yk_snoop *snoop, struct yk_moment at,
                    const struct yk_change *change)
{
    char words[YK_WORDS_MAX_BYTES];

    if (snoop->options->quiet || change->kind != YK_CHANGE_EVENT) {
        yk_change_words(words, snoop, change);
        print(self, yk_tone_of_change(change), at, "", change->id.text, "*", words);
    }
}

static bool flush(void *self, const struct yk_snoop *snoop, struct yk_refusal *why)
{
    (void)self;
    (void)snoop;
    return yk_snoop_flush_output(why);
}

static void print_sum(const struct yk_snoop *snoop)
{
    char sum[YK_REFUSAL_MAX];

    fflush(stdout);
    yk_snoop_sum(snoop, sum);
    yk_say("%s", sum);
    if (snoop->heard == 0 && snoop->options->read == NULL) {
        yk_say("nothing at all was heard at %s; check cable and --interface, and that agents run",
               yk_access_place(&snoop->access.network));
    }
}

static enum yk_exit close_face(void *self, const struct yk_snoop *snoop, struct yk_moment at)
{
    (void)at;
    if (snoop->started) {
        print_sum(snoop);
    }
    free(self);
    return YK_EXIT_OK;
}

const struct yk_face yk_face_lines = {
    .name = "lines",
    .is_wanted = is_wanted,
    .open = open_face,
    .heard = heard_frame,
    .changed = changed,
    .flush = flush,
    .close = close_face,
};
