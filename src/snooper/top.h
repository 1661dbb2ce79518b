/* top.h - what the live screen shows, as lines of a given size: made from what is known, apart from
 * any terminal. No I/O and no clock. */
#ifndef YK_SNOOPER_TOP_H
#define YK_SNOOPER_TOP_H

#include "snooper/snoop.h"
#include "snooper/tone.h"

#define YK_TOP_ROWS_MAX 200
#define YK_TOP_COLUMNS_MAX 400
/* A column of text takes 4 bytes at most; combining marks beyond that are cut. */
#define YK_TOP_LINE_BYTES (4 * YK_TOP_COLUMNS_MAX + 1)
#define YK_TOP_EVENTS_KEPT 32
#define YK_TOP_OPERATIONS 3 /* unanswered ones that are shown; all are counted */

/* Rates are of the last whole windows. */
#define YK_TOP_WINDOW (2 * YK_SECOND)
#define YK_TOP_WINDOWS 3

struct yk_top_count {
    uint32_t windows[YK_TOP_WINDOWS + 1];
};

/* Of one sender. */
struct yk_top_sender {
    struct yk_entry entry;
    struct yk_top_count frames;
};

struct yk_top_event {
    struct yk_moment at;
    enum yk_tone tone;
    struct yk_id id;
    char words[256]; /* escaped; more is cut */
};

/* What the screen knows beside the observer. */
struct yk_top {
    struct yk_table senders; /* of struct yk_top_sender */
    struct yk_top_count heard, dropped;
    size_t window;      /* the one being counted */
    size_t whole;       /* windows that are whole, YK_TOP_WINDOWS at most */
    yk_time window_end; /* 0: not begun */
    struct yk_top_event events[YK_TOP_EVENTS_KEPT]; /* a ring */
    size_t event_count;                             /* ever */
    char notice[256];                               /* the last that was said; "": nothing was */
};

size_t yk_top_memory(uint32_t tracked);
/* `memory` is zeroed, aligned for max_align_t and outlives it. */
void yk_top_init(struct yk_top *top, void *memory, uint32_t tracked, uint64_t hash_seed);
void yk_top_heard(struct yk_top *top, const struct yk_heard_frame *heard);
void yk_top_changed(struct yk_top *top, const struct yk_snoop *snoop, struct yk_moment at,
                    const struct yk_change *change);
/* Time passed: windows end. */
void yk_top_pass(struct yk_top *top, yk_time now);
/* Tenths of a frame a second. */
unsigned yk_top_rate(const struct yk_top *top, const struct yk_top_count *count);

struct yk_top_line {
    enum yk_tone tone;
    bool bar;                     /* a heading */
    char text[YK_TOP_LINE_BYTES]; /* escaped; fits the columns asked for */
};

struct yk_top_page {
    struct yk_top_line lines[YK_TOP_ROWS_MAX];
    size_t count;                               /* the rows asked for */
    size_t nodes_first, nodes_shown, nodes_all; /* lines about nodes */
};

struct yk_top_view {
    const struct yk_snoop *snoop;
    struct yk_moment at;
    size_t rows, columns; /* more than the bounds above count as them */
    size_t scroll; /* lines about nodes to leave out above; too many: the last ones are shown */
    bool keys;     /* there are keys: say which */
};

/* False when there is no memory. */
bool yk_top_layout(struct yk_top_page *page, const struct yk_top *top,
                   const struct yk_top_view *view);

#endif
