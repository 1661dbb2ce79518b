#include "snooper/playback.h"

#include <poll.h>
#include <signal.h>
#include <string.h>

#include "cli/say.h"
#include "snooper/capture.h"

#define FLUSH_EVERY 64 /* datagrams: output need not keep pace with each */
#define LOOK_EVERY 500 /* ms: a screen behind a capture may have another size */

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

struct yk_moment yk_playback_start(void)
{
    return (struct yk_moment){.now = 0, .unix_ns = 0};
}

/* All that is on the way is of use, whatever stops us. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = interrupt};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static void hear(struct yk_snoop *snoop, const struct yk_captured *captured, struct yk_moment at)
{
    if (captured->stepped) {
        yk_observer_wall(snoop->observer, captured->wall);
    }
    if (snoop->heard % FLUSH_EVERY == 0 || yk_snoop_deadline(snoop) <= at.now) {
        yk_snoop_pass(snoop, at);
    }
    yk_snoop_hear(snoop, &captured->datagram, at);
}

static void say_counts(const struct yk_capture_counts *counts, const struct yk_snoop *snoop,
                       const char *path)
{
    if (counts->datagrams == 0 && counts->packets > 0) {
        yk_say("%s: none of its %llu packets went to %s; give the site's --group and --port", path,
               (unsigned long long)counts->packets, yk_access_place(&snoop->access.network));
    }
    if (counts->fragments + counts->cut > 0) {
        yk_say("%s: %llu fragments and %llu packets captured in part were skipped; capture whole "
               "packets (tcpdump -s 0)",
               path, (unsigned long long)counts->fragments, (unsigned long long)counts->cut);
    }
}

static bool is_time_over(const struct yk_snoop *snoop, yk_time first, yk_time now)
{
    const struct yk_options *options = &snoop->options->common;

    return options->listen_given && now - first > options->listen;
}

bool yk_playback_run(struct yk_snoop *snoop, const char *path, struct yk_moment *at,
                     struct yk_refusal *why)
{
    struct yk_capture_group group = {.port = snoop->access.network.port};
    struct yk_capture_reader *reader;
    struct yk_captured captured;
    enum yk_capture_result result;
    yk_time first = 0;

    memcpy(group.ip, snoop->access.network.group, sizeof group.ip);
    reader = yk_capture_open(path, group, why);
    if (reader == NULL) {
        return false;
    }
    catch_signals();
    snoop->started = true;
    while ((result = yk_capture_next(reader, &captured, why)) == YK_CAPTURE_DATAGRAM &&
           interrupted == 0 && !snoop->over) {
        first = snoop->heard == 0 ? captured.now : first;
        if (is_time_over(snoop, first, captured.now)) {
            break;
        }
        *at = (struct yk_moment){captured.now, captured.wall.unix_ns +
                                                   (int64_t)(captured.now - captured.wall.at)};
        hear(snoop, &captured, *at);
    }
    snoop->ended = true;
    yk_snoop_pass(snoop, *at);
    say_counts(yk_capture_counts(reader), snoop, path);
    yk_capture_close(reader);
    if (snoop->over) {
        *why = snoop->why;
    }
    return !snoop->over && result != YK_CAPTURE_BROKEN;
}

static const struct yk_open_face *screen_of(const struct yk_snoop *snoop)
{
    for (size_t i = 0; i < snoop->face_count; i++) {
        const struct yk_open_face *place = &snoop->faces[i];

        if (place->face->descriptor != NULL && place->face->descriptor(place->self) >= 0) {
            return place;
        }
    }
    return NULL;
}

void yk_playback_stay(struct yk_snoop *snoop, struct yk_moment at)
{
    const struct yk_open_face *screen = screen_of(snoop);
    bool wanted = screen != NULL && snoop->ended;

    while (wanted && interrupted == 0 && !snoop->over) {
        struct pollfd keys = {.fd = screen->face->descriptor(screen->self), .events = POLLIN};

        if (poll(&keys, 1, LOOK_EVERY) > 0) {
            wanted = screen->face->ready(screen->self, snoop, at);
        }
        yk_snoop_pass(snoop, at);
    }
}
