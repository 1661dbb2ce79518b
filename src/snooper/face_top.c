#include "snooper/face_top.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "cli/say.h"
#include "snooper/top_screen.h"

#define REDRAW_EVERY (500 * YK_MS)
#define PRINT_EVERY (2 * YK_SECOND) /* where there is no screen */
#define KEYS_MAX 64                 /* taken at once, so that frames have their turn */
#define ENDS_MAX 3                  /* readings without anything to read: the terminal is gone */
#define PRINT_ROWS 60               /* of one picture where there is no screen */
#define PRINT_COLUMNS 120

struct face {
    struct yk_top top;
    struct yk_top_page page;
    void *memory;
    bool screen; /* there is one; else pictures are printed one below the other */
    yk_time due;
    size_t scroll;
    unsigned ends;
};

static bool is_wanted(const struct yk_snoop_options *options)
{
    return options->top;
}

static bool open_face(const struct yk_snoop *snoop, void **self, struct yk_refusal *why)
{
    struct face *face = calloc(1, sizeof *face);
    void *memory = calloc(1, yk_top_memory(snoop->observer->observed.capacity));

    if (face == NULL || memory == NULL) {
        free(face);
        free(memory);
        return yk_refuse(why, YK_EXIT_INTERNAL, "memory: none left; free some and try again");
    }
    face->memory = memory;
    yk_top_init(&face->top, memory, snoop->observer->observed.capacity,
                snoop->observer->observed.seed);
    face->screen = yk_screen_open();
    *self = face;
    return true;
}

static void heard_frame(void *self, const struct yk_snoop *snoop, struct yk_moment at,
                        const struct yk_heard_frame *heard)
{
    struct face *face = self;

    (void)snoop;
    (void)at;
    yk_top_heard(&face->top, heard);
}

static void changed(void *self, const struct yk_snoop *snoop, struct yk_moment at,
                    const struct yk_change *change)
{
    struct face *face = self;

    yk_top_changed(&face->top, snoop, at, change);
}

/* ---- keys */

static int descriptor(const void *self)
{
    const struct face *face = self;

    return face->screen ? yk_screen_input() : -1;
}

static void scroll(struct face *face, enum yk_top_key key)
{
    size_t page = face->page.nodes_shown > 1 ? face->page.nodes_shown - 1 : 1;
    size_t last = face->page.nodes_all - face->page.nodes_shown;
    size_t up = key == YK_TOP_KEY_UP        ? 1
                : key == YK_TOP_KEY_PAGE_UP ? page
                : key == YK_TOP_KEY_HOME    ? last
                                            : 0;
    size_t down = key == YK_TOP_KEY_DOWN        ? 1
                  : key == YK_TOP_KEY_PAGE_DOWN ? page
                  : key == YK_TOP_KEY_END       ? last
                                                : 0;

    face->scroll -= up < face->scroll ? up : face->scroll;
    face->scroll = face->scroll + down < last ? face->scroll + down : last;
}

static bool ready(void *self, const struct yk_snoop *snoop, struct yk_moment at)
{
    struct face *face = self;
    enum yk_top_key key = YK_TOP_KEY_OTHER;
    int waiting = 0;

    (void)snoop;
    (void)at;
    if (ioctl(yk_screen_input(), FIONREAD, &waiting) != 0 || waiting == 0) {
        face->ends++;
        return face->ends < ENDS_MAX;
    }
    face->ends = 0;
    for (int i = 0; i < KEYS_MAX && key != YK_TOP_KEY_NONE; i++) {
        key = yk_screen_key();
        if (key == YK_TOP_KEY_QUIT) {
            return false;
        }
        scroll(face, key);
    }
    face->due = 0; /* what a key does is seen at once */
    return true;
}

/* ---- drawing */

static void print_page(const struct yk_top_page *page)
{
    for (size_t i = 0; i < page->count; i++) {
        const char *text = page->lines[i].text;
        size_t size = strlen(text);

        while (size > 0 && text[size - 1] == ' ') {
            size--;
        }
        if (size > 0) {
            printf("%.*s\n", (int)size, text);
        }
    }
    printf("\n");
}

static bool draw(struct face *face, const struct yk_snoop *snoop, struct yk_moment at)
{
    struct yk_top_view view = {.snoop = snoop,
                               .at = at,
                               .rows = PRINT_ROWS,
                               .columns = PRINT_COLUMNS,
                               .scroll = face->scroll,
                               .keys = descriptor(face) >= 0};

    if (face->screen) {
        yk_screen_size(&view.rows, &view.columns);
        yk_screen_notice(face->top.notice, sizeof face->top.notice);
    }
    if (!yk_top_layout(&face->page, &face->top, &view)) {
        return false;
    }
    face->scroll = face->page.nodes_first;
    if (face->screen) {
        yk_screen_draw(&face->page);
    } else {
        print_page(&face->page);
    }
    return true;
}

static yk_time deadline(const void *self)
{
    return ((const struct face *)self)->due;
}

static bool flush(void *self, const struct yk_snoop *snoop, struct yk_refusal *why)
{
    struct face *face = self;
    struct yk_moment at = snoop->passed;

    yk_top_pass(&face->top, at.now);
    if (snoop->options->read != NULL ? !snoop->ended : at.now < face->due) {
        return true; /* a capture passes too fast to be watched: its end is drawn */
    }
    if (!draw(face, snoop, at)) {
        return yk_refuse(why, YK_EXIT_INTERNAL, "memory: none left; free some and try again");
    }
    face->due = at.now + (face->screen ? REDRAW_EVERY : PRINT_EVERY);
    return yk_snoop_flush_output(why);
}

static enum yk_exit close_face(void *self, const struct yk_snoop *snoop, struct yk_moment at)
{
    struct face *face = self;
    char sum[YK_REFUSAL_MAX];

    (void)at;
    if (face->screen) {
        yk_screen_close();
    }
    if (snoop->started) {
        yk_snoop_sum(snoop, sum);
        yk_say("%s", sum);
    }
    free(face->memory);
    free(face);
    return YK_EXIT_OK;
}

const struct yk_face yk_face_top = {
    .name = "top",
    .is_wanted = is_wanted,
    .open = open_face,
    .heard = heard_frame,
    .changed = changed,
    .flush = flush,
    .descriptor = descriptor,
    .ready = ready,
    .deadline = deadline,
    .close = close_face,
};
