#include "snooper/face_http.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/build.h"
#include "base/module.h"
#include "cli/say.h"
#include "shell/metrics.h"
#include "snooper/http_view.h"
#include "snooper/page.h"

#define BEAT (2 * YK_SECOND)
#define FRESH (100 * YK_MS)

struct face {
    struct yk_view view;
    const struct yk_http_table *table;
    struct yk_http *http;
    void *memory;    /* of the rates */
    uint64_t woken;  /* the newest event that the server was told of */
    yk_time beat_at; /* of the last one */
};

static bool is_wanted(const struct yk_snoop_options *options)
{
    return options->http;
}

/* ---- what the server asks for */

static bool make_state(void *owner, FILE *out, struct yk_http_making *making)
{
    return yk_view_state(&((struct face *)owner)->view, out, making);
}

static bool make_metrics(void *owner, FILE *out, struct yk_http_making *making)
{
    const struct face *face = owner;
    struct yk_http_counts counts = face->table->counts(face->http);

    return yk_view_metrics(&face->view, &counts, out, making);
}

static void beat(struct face *face, yk_time now)
{
    face->beat_at = now;
    yk_view_beat(&face->view);
}

static void begin_stream(void *owner, struct yk_http_cursor *cursor, const char *after)
{
    struct face *face = owner;

    if (face->view.at.now >= face->beat_at + FRESH) { /* its first words are not old ones */
        beat(face, face->view.at.now);
    }
    yk_news_follow(&face->view.news, cursor, after);
}

static size_t read_stream(void *owner, struct yk_http_cursor *cursor, char *out)
{
    const struct face *face = owner;

    return yk_news_read(&face->view.news, cursor, out);
}

static const struct yk_http_document documents[] = {
    {"/api/v1/state", "application/json", make_state},
    {YK_METRICS_PATH, YK_METRICS_TYPE, make_metrics},
};

/* ---- the face */

static bool prepare(struct face *face, const struct yk_snoop *snoop, struct yk_refusal *why)
{
    uint32_t tracked = snoop->observer->observed.capacity;
    uint64_t random[2];

    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) {
        return yk_refuse(why, YK_EXIT_INTERNAL,
                         "random numbers: the kernel gives none (%s); try again", strerror(errno));
    }
    face->memory = calloc(1, yk_top_memory(tracked));
    if (face->memory == NULL) {
        return yk_refuse(why, YK_EXIT_INTERNAL, "memory: none left; free some and try again");
    }
    yk_top_init(&face->view.rates, face->memory, tracked, random[0]);
    yk_news_init(&face->view.news, random[1]);
    return true;
}

static bool serve(struct face *face, const struct yk_endpoint *endpoint, struct yk_refusal *why)
{
    struct yk_http_content content = {.owner = face,
                                      .files = yk_page_files,
                                      .file_count = yk_page_file_count,
                                      .documents = documents,
                                      .document_count = sizeof documents / sizeof documents[0],
                                      .stream_path = "/api/v1/events",
                                      .stream_begin = begin_stream,
                                      .stream_read = read_stream};

    face->table = yk_module_table(YK_HTTP_MODULE, sizeof *face->table, why);
    if (face->table != NULL) {
        face->http = face->table->open(&content, endpoint, "--http", why);
    }
    return face->http != NULL;
}

static void say_where(const struct face *face)
{
    struct yk_endpoint endpoint = face->table->endpoint(face->http);
    char text[YK_ENDPOINT_TEXT_MAX];

    yk_say("http://%s/ shows this%s", yk_endpoint_text(text, &endpoint),
           yk_endpoint_is_loopback(&endpoint) ? "" : ", to everybody who reaches that address");
}

static enum yk_exit close_face(void *self, const struct yk_snoop *snoop, struct yk_moment at)
{
    struct face *face = self;

    (void)snoop;
    (void)at;
    if (face->http != NULL) {
        face->table->close(face->http);
    }
    yk_news_fini(&face->view.news);
    free(face->memory);
    free(face);
    return YK_EXIT_OK;
}

static bool open_face(const struct yk_snoop *snoop, void **self, struct yk_refusal *why)
{
    struct face *face = calloc(1, sizeof *face);

    if (face == NULL) {
        return yk_refuse(why, YK_EXIT_INTERNAL, "memory: none left; free some and try again");
    }
    face->view.snoop = snoop;
    face->view.commit = yk_build_commit;
    if (!prepare(face, snoop, why) || !serve(face, &snoop->options->http_at, why)) {
        close_face(face, snoop, face->view.at);
        return false;
    }
    say_where(face);
    *self = face;
    return true;
}

static void set_time(struct face *face, struct yk_moment at)
{
    if (face->view.started.now == 0) {
        face->view.started = at;
    }
    face->view.at = at;
}

static void heard_frame(void *self, const struct yk_snoop *snoop, struct yk_moment at,
                        const struct yk_heard_frame *heard)
{
    struct face *face = self;

    (void)snoop;
    (void)at;
    yk_top_heard(&face->view.rates, heard);
}

static void changed(void *self, const struct yk_snoop *snoop, struct yk_moment at,
                    const struct yk_change *change)
{
    (void)snoop;
    yk_view_changed(&((struct face *)self)->view, at, change);
}

static bool flush(void *self, const struct yk_snoop *snoop, struct yk_refusal *why)
{
    struct face *face = self;
    bool beats = snoop->passed.now >= face->beat_at + BEAT;

    (void)why;
    set_time(face, snoop->passed);
    yk_top_pass(&face->view.rates, snoop->passed.now);
    if (beats) {
        beat(face, snoop->passed.now);
    }
    if (beats || face->woken != face->view.news.newest) {
        face->woken = face->view.news.newest;
        face->table->wake(face->http);
    }
    return true;
}

static yk_time deadline(const void *self)
{
    return ((const struct face *)self)->beat_at + BEAT;
}

static int descriptor(const void *self)
{
    const struct face *face = self;

    return face->table->descriptor(face->http);
}

static bool ready(void *self, const struct yk_snoop *snoop, struct yk_moment at)
{
    struct face *face = self;

    (void)snoop;
    set_time(face, at);
    face->table->run(face->http);
    return true;
}

const struct yk_face yk_face_http = {
    .name = "http",
    .is_wanted = is_wanted,
    .open = open_face,
    .heard = heard_frame,
    .changed = changed,
    .flush = flush,
    .deadline = deadline,
    .descriptor = descriptor,
    .ready = ready,
    .close = close_face,
};
