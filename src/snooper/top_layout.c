#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/columns.h"
#include "base/escape.h"
#include "cli/media.h"
#include "cli/say.h"
#include "cli/trouble.h"
#include "snooper/top.h"
#include "snooper/topology.h"
#include "snooper/words.h"

#define HEAD 4          /* lines above the nodes */
#define COMPACT_ROWS 16 /* with fewer, nodes alone have a place below them */
#define EVENTS_MAX 8    /* more only where nodes leave room */
#define NODE_COLUMNS_MIN 24
#define NODE_COLUMNS_MAX 48

/* The page in the making. */
struct layout {
    struct yk_top_page *page;
    const struct yk_top *top;
    const struct yk_top_view *view;
    struct yk_topology topology;
    size_t rows, columns;
    size_t line; /* the next one about nodes, counted from the first of all */
};

static size_t min(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- one line */

static struct yk_top_line *next_line(struct layout *layout, enum yk_tone tone)
{
    static struct yk_top_line beyond; /* what has no row goes nowhere */
    struct yk_top_page *page = layout->page;
    struct yk_top_line *line = page->count < layout->rows ? &page->lines[page->count++] : &beyond;

    line->tone = tone;
    line->bar = false;
    line->text[0] = '\0';
    return line;
}

/* Appends text that is escaped, cut to `width` columns; never beyond the screen. Gives the columns. */
static size_t put_escaped(const struct layout *layout, struct yk_top_line *line, const char *text,
                          size_t width)
{
    size_t used = strlen(line->text);
    size_t column = yk_columns(line->text, used);
    size_t room = layout->columns > column ? layout->columns - column : 0;
    size_t size = yk_columns_cut(text, strlen(text), width < room ? width : room);

    size =
        yk_utf8_cut((struct yk_slice){(const uint8_t *)text, size}, sizeof line->text - 1 - used);
    memcpy(line->text + used, text, size);
    line->text[used + size] = '\0';
    return yk_columns(text, size);
}

/* Raw text, cut or padded to `width` columns. */
static void put(const struct layout *layout, struct yk_top_line *line, const char *text,
                size_t width)
{
    char escaped[YK_ESCAPED_MAX(YK_SAY_MAX)];
    size_t columns;

    yk_escape(escaped, sizeof escaped, text, strlen(text));
    columns = put_escaped(layout, line, escaped, width);
    for (; columns < width; columns++) {
        put_escaped(layout, line, " ", 1);
    }
}

static __attribute__((format(printf, 3, 4))) void
add(const struct layout *layout, struct yk_top_line *line, const char *format, ...)
{
    char text[YK_SAY_MAX], escaped[YK_ESCAPED_MAX(YK_SAY_MAX)];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    yk_escape(escaped, sizeof escaped, text, strlen(text));
    put_escaped(layout, line, escaped, YK_TOP_COLUMNS_MAX);
}

static void add_bar(struct layout *layout, const char *text)
{
    struct yk_top_line *line = next_line(layout, YK_TONE_PLAIN);

    line->bar = true;
    put(layout, line, text, layout->columns);
}

/* ---- above the nodes */

static void add_drops(const struct layout *layout, struct yk_top_line *line)
{
    const uint64_t *drops = layout->view->snoop->observer->receiver.drops;
    const char *between = " (";

    for (int drop = YK_DROP_NONE + 1; drop < YK_DROP_END; drop++) {
        if (drops[drop] > 0) {
            add(layout, line, "%s%llu %s", between, (unsigned long long)drops[drop],
                yk_drop_word((enum yk_drop)drop));
            between = ", ";
        }
    }
    add(layout, line, "%s", between[1] == ' ' ? ")" : "");
}

static void add_head(struct layout *layout)
{
    const struct yk_top *top = layout->top;
    const struct yk_snoop *snoop = layout->view->snoop;
    const struct yk_observer *observer = snoop->observer;
    uint64_t accepted = observer->receiver.drops[YK_DROP_NONE];
    unsigned rate = yk_top_rate(top, &top->heard);
    struct yk_top_line *line = next_line(layout, YK_TONE_STRONG);
    char clock[16];

    yk_clock_words(clock, layout->view->at);
    add(layout, line, "%.8s  %s  %s%s", clock, yk_access_place(&snoop->access.network),
        snoop->access.open ? "OPEN: nothing is signed" : "key ",
        snoop->access.open ? "" : snoop->access.auth.key.fingerprint);
    line = next_line(layout, YK_TONE_PLAIN);
    add(layout, line, "%u nodes, %u live   %llu frames, %u.%u/s   %llu dropped, %u.%u/s",
        observer->peers.table.count, observer->peers.live_count, (unsigned long long)snoop->heard,
        rate / 10, rate % 10, (unsigned long long)(snoop->heard - accepted),
        yk_top_rate(top, &top->dropped) / 10, yk_top_rate(top, &top->dropped) % 10);
    add_drops(layout, line);
    line = next_line(layout, YK_TONE_BAD);
    if (snoop->kernel_drops + yk_observer_not_kept(observer) > 0) {
        add(layout, line, "%llu lost before they could be read, %llu not kept  ",
            (unsigned long long)snoop->kernel_drops,
            (unsigned long long)yk_observer_not_kept(observer));
    }
    add(layout, line, "%s", top->notice);
}

/* ---- nodes */

static size_t node_columns(const struct layout *layout)
{
    size_t third = layout->columns / 3;

    return third < NODE_COLUMNS_MIN   ? NODE_COLUMNS_MIN
           : third > NODE_COLUMNS_MAX ? NODE_COLUMNS_MAX
                                      : third;
}

static void add_columns(struct layout *layout)
{
    char text[YK_TOP_COLUMNS_MAX];

    snprintf(text, sizeof text, "%-*s %-7s %7s %6s  %s", (int)node_columns(layout), "NODE", "STATE",
             "AGE", "FR/S", "WHY, OR WHAT IT SHOWS");
    add_bar(layout, text);
}

/* A line about nodes is due; NULL: it is scrolled away. */
static struct yk_top_line *node_line(struct layout *layout, enum yk_tone tone)
{
    const struct yk_top_page *page = layout->page;
    size_t number = layout->line++;

    return number >= page->nodes_first && number < page->nodes_first + page->nodes_shown
               ? next_line(layout, tone)
               : NULL;
}

/* Why it is not well; else its media, or the evidence that it shows something. */
static void reason_of(const struct layout *layout, const struct yk_peer *peer,
                      char out[YK_TROUBLE_MAX])
{
    const struct yk_peers *peers = &layout->view->snoop->observer->peers;
    char media[YK_MEDIA_TEXT_MAX];
    struct yk_peer_text text;

    out[0] = '\0';
    if (yk_trouble_of(out, peers, peer, layout->view->at.now)) {
        return;
    }
    yk_peers_text(peers, peer, &text);
    if (peer->has_media) {
        yk_media_brief(media, text.media);
        snprintf(out, YK_TROUBLE_MAX, "%s", media);
    } else if (peer->has_evidence) {
        yk_plain(out, YK_TROUBLE_MAX, text.evidence);
    }
}

static void add_node(struct layout *layout, const struct yk_peer *peer)
{
    const struct yk_peers *peers = &layout->view->snoop->observer->peers;
    const struct yk_top_sender *sender = yk_table_find(&layout->top->senders, &peer->entry.id);
    enum yk_tone tone =
        peer->presence == YK_PRESENCE_LIVE ? yk_tone_of_state(peer->state) : YK_TONE_FAINT;
    struct yk_top_line *line = node_line(layout, tone);
    unsigned rate = sender != NULL ? yk_top_rate(layout->top, &sender->frames) : 0;
    char label[YK_LABEL_MAX + 4] = "", age[32], reason[YK_TROUBLE_MAX];
    size_t indent = peer->role == YK_ROLE_CONSUMER ? 3 : 0;

    if (line == NULL) {
        return;
    }
    memcpy(label, "-> ", indent);
    yk_label(label + indent, peers, &peer->entry.id);
    reason_of(layout, peer, reason);
    put(layout, line, label, node_columns(layout));
    add(layout, line, " %-7s %7s %4u.%u  %s", yk_presence_word(peer),
        yk_duration(age, layout->view->at.now - peer->last_ann), rate / 10, rate % 10, reason);
}

static size_t count_node_lines(const struct layout *layout)
{
    size_t count = layout->topology.count;

    for (size_t i = 0; i < layout->topology.count; i++) {
        count += yk_topology_is_orphan(&layout->topology, i) ? 1 : 0;
    }
    return count;
}

static void add_nodes(struct layout *layout)
{
    for (size_t i = 0; i < layout->topology.count; i++) {
        const struct yk_peer *peer = layout->topology.peers[i];
        struct yk_top_line *line =
            yk_topology_is_orphan(&layout->topology, i) ? node_line(layout, YK_TONE_STRONG) : NULL;

        if (line != NULL && peer->pairing.producer.size > 0) {
            add(layout, line, "%s  not heard", peer->pairing.producer.text);
        } else if (line != NULL) {
            add(layout, line, "unpaired");
        }
        add_node(layout, peer);
    }
}

/* ---- below the nodes */

static bool is_open(const struct yk_trail *trail)
{
    return trail->op != YK_OP_NONE &&
           (trail->outcome == YK_SEEN_WAITING || trail->outcome == YK_SEEN_UNANSWERED ||
            trail->outcome == YK_SEEN_AMBIGUOUS);
}

/* The newest operation of each consumer, when nobody knows what became of it; the latest asked first.
 * Gives how many there are. */
static size_t find_open(const struct layout *layout, struct yk_trail found[YK_TOP_OPERATIONS])
{
    const struct yk_trails *trails = &layout->view->snoop->observer->trails;
    const struct yk_id *consumer = NULL;
    size_t all = 0;

    while ((consumer = yk_trails_next(trails, consumer)) != NULL) {
        const struct yk_trail *list[YK_TRAILS_KEPT];
        size_t at;

        if (yk_trails_of(trails, consumer, list) == 0 || !is_open(list[0])) {
            continue;
        }
        for (at = min(all, YK_TOP_OPERATIONS); at > 0 && found[at - 1].asked < list[0]->asked;
             at--) {
            if (at < YK_TOP_OPERATIONS) {
                found[at] = found[at - 1];
            }
        }
        if (at < YK_TOP_OPERATIONS) {
            found[at] = *list[0];
        }
        all++;
    }
    return all;
}

static void add_operations(struct layout *layout, const struct yk_trail *open, size_t all)
{
    char text[64], age[32], words[YK_WORDS_MAX_BYTES];

    snprintf(text, sizeof text, "OPERATIONS WITHOUT AN ANSWER: %zu", all);
    add_bar(layout, text);
    for (size_t i = 0; i < all && i < YK_TOP_OPERATIONS; i++) {
        struct yk_change change = {
            .kind = YK_CHANGE_OPERATION, .id = open[i].consumer, .trail = open[i]};
        struct yk_top_line *line = next_line(layout, yk_tone_of_change(&change));

        yk_change_words(words, layout->view->snoop, &change);
        add(layout, line, "%8s  %s  ", yk_duration(age, layout->view->at.now - open[i].asked),
            open[i].consumer.text);
        put_escaped(layout, line, words, YK_TOP_COLUMNS_MAX);
    }
}

static void add_events(struct layout *layout, size_t count)
{
    const struct yk_top *top = layout->top;

    add_bar(layout, "LAST EVENTS");
    for (size_t i = 0; i < count; i++) {
        const struct yk_top_event *event =
            &top->events[(top->event_count - 1 - i) % YK_TOP_EVENTS_KEPT];
        struct yk_top_line *line = next_line(layout, event->tone);
        char clock[16];

        yk_clock_words(clock, event->at);
        add(layout, line, "%.8s  %s  ", clock, event->id.text);
        put_escaped(layout, line, event->words, YK_TOP_COLUMNS_MAX);
    }
}

static void add_foot(struct layout *layout)
{
    const struct yk_top_page *page = layout->page;
    char text[160];

    snprintf(text, sizeof text, "%slines %zu-%zu of %zu",
             layout->view->keys ? "q quit  arrows, PgUp, PgDn, Home, End scroll  " : "",
             page->nodes_shown > 0 ? page->nodes_first + 1 : 0,
             page->nodes_first + page->nodes_shown, page->nodes_all);
    add_bar(layout, text);
}

/* Rows for nodes first, then what is left for events. Gives the events shown. */
static size_t divide(struct layout *layout, size_t below)
{
    struct yk_top_page *page = layout->page;
    size_t head = min(HEAD, layout->rows);
    size_t room = layout->rows - head;
    size_t events = min(layout->top->event_count, YK_TOP_EVENTS_KEPT);
    size_t reserved = min(events, min(layout->rows / 4, EVENTS_MAX));
    bool compact = layout->rows < COMPACT_ROWS;

    room -= min(room, 1); /* the foot */
    page->nodes_all = count_node_lines(layout);
    if (!compact) {
        room -= min(room, below + 1);
    }
    page->nodes_shown = min(page->nodes_all, compact ? room : room - min(room, reserved));
    page->nodes_first = min(layout->view->scroll, page->nodes_all - page->nodes_shown);
    return compact ? 0 : min(events, room - page->nodes_shown);
}

bool yk_top_layout(struct yk_top_page *page, const struct yk_top *top,
                   const struct yk_top_view *view)
{
    struct layout layout = {.page = page,
                            .top = top,
                            .view = view,
                            .rows = min(view->rows, YK_TOP_ROWS_MAX),
                            .columns = min(view->columns, YK_TOP_COLUMNS_MAX)};
    struct yk_trail open[YK_TOP_OPERATIONS];
    size_t all, events;

    if (!yk_topology_init(&layout.topology, view->snoop, view->at.now)) {
        return false;
    }
    page->count = 0;
    all = find_open(&layout, open);
    events = divide(&layout, all > 0 ? 1 + min(all, YK_TOP_OPERATIONS) : 0);
    add_head(&layout);
    add_columns(&layout);
    add_nodes(&layout);
    if (layout.rows >= COMPACT_ROWS) {
        if (all > 0) {
            add_operations(&layout, open, all);
        }
        add_events(&layout, events);
    }
    while (page->count + 1 < layout.rows) {
        next_line(&layout, YK_TONE_PLAIN);
    }
    add_foot(&layout);
    yk_topology_fini(&layout.topology);
    return true;
}
