/* State and events as JSON. */
#include <arpa/inet.h>
#include <stdlib.h>

#include "cli/access.h"
#include "cli/line.h"
#include "cli/trouble.h"
#include "snooper/face_json.h"
#include "snooper/http_view.h"
#include "snooper/words.h"

#define NODES_A_PART 32
#define NOTE_MAX 512 /* bytes of a note's text */
/* A change, and beside it the whole node and the words. */
#define EVENT_MAX (YK_SNOOP_LINE_MAX + YK_LINE_MAX + 8 * YK_WORDS_MAX_BYTES)
/* Frames, notes and what is around them. */
#define HEAD_MAX 8192

static uint64_t ms_since(const struct yk_view *view, yk_time when)
{
    return (view->at.now - when) / YK_MS;
}

static void write_tenths(struct yk_json_writer *line, const char *name, unsigned tenths)
{
    char text[16];

    snprintf(text, sizeof text, "%u.%u", tenths / 10, tenths % 10);
    yk_json_key(line, name);
    yk_json_raw(line, yk_slice_of(text));
}

static void write_event_id(const struct yk_view *view, struct yk_json_writer *line)
{
    char id[YK_NEWS_ID_MAX];

    yk_news_id(id, &view->news, view->news.newest);
    yk_line_word(line, "event", id);
}

/* ---- notes */

static void open_note(struct yk_json_writer *line, const char *what, const char *text)
{
    yk_json_open(line, '{');
    yk_line_word(line, "what", what);
    yk_line_word(line, "text", text);
}

static void write_note(struct yk_json_writer *line, const char *what, const char *text)
{
    open_note(line, what, text);
    yk_json_close(line, '}');
}

static void write_key_notes(const struct yk_snoop *snoop, struct yk_json_writer *line)
{
    char text[NOTE_MAX];

    if (snoop->access.open) {
        write_note(line, "open",
                   "OPEN: frames are not signed here, so anybody on this network can switch");
    }
    if (yk_observer_failing(snoop->observer) > 0 && snoop->access.open) {
        write_note(line, "wrong-key",
                   "every frame fails: no key? the site signs its frames, and we have no key");
    } else if (yk_observer_failing(snoop->observer) > 0) {
        snprintf(text, sizeof text, "every frame fails: wrong key? ours is %s",
                 snoop->access.auth.key.fingerprint);
        write_note(line, "wrong-key", text);
    }
}

static void write_loss_notes(const struct yk_snoop *snoop, struct yk_json_writer *line)
{
    uint64_t not_kept = yk_observer_not_kept(snoop->observer);
    char text[NOTE_MAX];

    if (snoop->kernel_drops > 0) {
        snprintf(text, sizeof text,
                 "%llu datagrams were lost before we could read them (receive buffer %d bytes)",
                 (unsigned long long)snoop->kernel_drops, snoop->receive_buffer);
        write_note(line, "lost", text);
    }
    if (not_kept > 0) {
        snprintf(text, sizeof text, "%llu nodes and operations could not be kept: %u of each are",
                 (unsigned long long)not_kept, snoop->observer->observed.capacity);
        write_note(line, "not-kept", text);
    }
}

static void write_twin_notes(const struct yk_observer *observer, struct yk_json_writer *line)
{
    const struct yk_observed *observed = yk_table_oldest(&observer->observed);
    unsigned count = 0;

    for (; observed != NULL && count < YK_VIEW_NOTES_MAX;
         observed = yk_table_next(&observer->observed, observed)) {
        char text[NOTE_MAX], latest[INET_ADDRSTRLEN], former[INET_ADDRSTRLEN];

        if (!observed->place.is_two) {
            continue;
        }
        inet_ntop(AF_INET, observed->place.latest.ip, latest, sizeof latest);
        inet_ntop(AF_INET, observed->place.former.ip, former, sizeof former);
        snprintf(text, sizeof text,
                 "%s is used by two senders, %s and %s: give one of them "
                 "another id",
                 observed->entry.id.text, latest, former);
        open_note(line, "two-senders", text);
        yk_line_word(line, "id", observed->entry.id.text);
        yk_json_close(line, '}');
        count++;
    }
}

static void write_notes(const struct yk_view *view, struct yk_json_writer *line)
{
    yk_json_key(line, "notes");
    yk_json_open(line, '[');
    write_key_notes(view->snoop, line);
    write_loss_notes(view->snoop, line);
    write_twin_notes(view->snoop->observer, line);
    yk_json_close(line, ']');
}

/* ---- frames */

static void write_frames(const struct yk_view *view, struct yk_json_writer *line)
{
    const struct yk_snoop *snoop = view->snoop;
    const uint64_t *drops = snoop->observer->receiver.drops;

    yk_json_key(line, "frames");
    yk_json_open(line, '{');
    yk_line_unsigned(line, "heard", snoop->heard);
    yk_line_unsigned(line, "accepted", drops[YK_DROP_NONE]);
    yk_line_unsigned(line, "dropped", snoop->heard - drops[YK_DROP_NONE]);
    yk_json_key(line, "drops");
    yk_json_open(line, '{');
    for (int drop = YK_DROP_NONE + 1; drop < YK_DROP_END; drop++) {
        yk_line_unsigned(line, yk_drop_word((enum yk_drop)drop), drops[drop]);
    }
    yk_json_close(line, '}');
    write_tenths(line, "heard_per_s", yk_top_rate(&view->rates, &view->rates.heard));
    write_tenths(line, "dropped_per_s", yk_top_rate(&view->rates, &view->rates.dropped));
    yk_line_unsigned(line, "lost_before_reading", snoop->kernel_drops);
    yk_line_unsigned(line, "receive_buffer", (uint64_t)snoop->receive_buffer);
    yk_line_unsigned(line, "not_kept", yk_observer_not_kept(snoop->observer));
    yk_json_close(line, '}');
}

/* ---- nodes */

static int by_id(const void *a, const void *b)
{
    return yk_id_compare(a, b);
}

struct yk_view_nodes *yk_view_nodes(const struct yk_view *view)
{
    const struct yk_peers *peers = &view->snoop->observer->peers;
    struct yk_view_nodes *nodes = malloc(sizeof *nodes + peers->table.count * sizeof nodes->ids[0]);
    const struct yk_peer *peer = NULL;

    if (nodes != NULL) {
        nodes->count = nodes->told = 0;
        while ((peer = yk_peers_next(peers, peer)) != NULL) {
            nodes->ids[nodes->count++] = peer->entry.id;
        }
        qsort(nodes->ids, nodes->count, sizeof nodes->ids[0], by_id);
    }
    return nodes;
}

static const char *presence_word(enum yk_presence presence)
{
    return presence == YK_PRESENCE_LIVE ? "live" : presence == YK_PRESENCE_LOST ? "lost" : "gone";
}

static void write_node(const struct yk_view *view, struct yk_json_writer *line,
                       const struct yk_peer *peer)
{
    const struct yk_observer *observer = view->snoop->observer;
    const struct yk_observed *observed = yk_observer_of(observer, &peer->entry.id);
    const struct yk_top_sender *sender = yk_table_find(&view->rates.senders, &peer->entry.id);
    char trouble[YK_TROUBLE_MAX];
    bool troubled = yk_trouble_of(trouble, &observer->peers, peer, view->at.now);

    yk_json_open(line, '{');
    yk_line_node(line, &observer->peers, peer, observed != NULL ? &observed->place : NULL,
                 view->at.now);
    yk_line_word(line, "presence", presence_word(peer->presence));
    yk_line_text(line, "trouble", troubled, yk_slice_of(troubled ? trouble : ""));
    write_tenths(line, "frames_per_s",
                 sender != NULL ? yk_top_rate(&view->rates, &sender->frames) : 0);
    yk_json_close(line, '}');
}

static void put(const struct yk_json_writer *part, FILE *out)
{
    if (!part->full) {
        fwrite(part->out, 1, part->size, out);
    }
}

/* Some of them; true when there are no more. */
static bool put_nodes(const struct yk_view *view, FILE *out, struct yk_http_making *making)
{
    struct yk_view_nodes *nodes = making->memory;
    size_t end = making->next + NODES_A_PART;
    uint8_t bytes[2 * YK_LINE_MAX];
    struct yk_json_writer part;

    for (; making->next < nodes->count && making->next < end; making->next++) {
        const struct yk_peer *peer =
            yk_peers_find(&view->snoop->observer->peers, &nodes->ids[making->next]);

        if (peer != NULL) {
            yk_json_writer_init(&part, bytes, sizeof bytes);
            write_node(view, &part, peer);
            fputs(nodes->told++ > 0 ? "," : "", out);
            put(&part, out);
        }
    }
    return making->next == nodes->count;
}

/* ---- operations */

static int by_settling(const void *a, const void *b)
{
    const struct yk_trail *left = *(const struct yk_trail *const *)a;
    const struct yk_trail *right = *(const struct yk_trail *const *)b;

    return left->settled < right->settled ? 1 : left->settled > right->settled ? -1 : 0;
}

/* The operations whose outcome is the newest; the caller frees the list. */
static const struct yk_trail **list_operations(const struct yk_trails *trails, size_t *count)
{
    const struct yk_trail **list =
        calloc((size_t)trails->table.count * YK_TRAILS_KEPT + 1, sizeof *list);
    const struct yk_id *consumer = NULL;

    *count = 0;
    while (list != NULL && (consumer = yk_trails_next(trails, consumer)) != NULL) {
        const struct yk_trail *some[YK_TRAILS_KEPT];
        size_t its = yk_trails_of(trails, consumer, some);

        for (size_t i = 0; i < its; i++) {
            list[(*count)++] = some[i];
        }
    }
    if (list != NULL) {
        qsort(list, *count, sizeof *list, by_settling);
    }
    return list;
}

static void put_operations(const struct yk_view *view, FILE *out)
{
    uint8_t bytes[2048];
    size_t count, shown;
    const struct yk_trail **list = list_operations(&view->snoop->observer->trails, &count);
    struct yk_json_writer part;

    shown = count < YK_VIEW_OPERATIONS_MAX ? count : YK_VIEW_OPERATIONS_MAX;
    for (size_t i = 0; list != NULL && i < shown; i++) {
        yk_json_writer_init(&part, bytes, sizeof bytes);
        yk_json_open(&part, '{');
        yk_trail_members(&part, list[i], view->at.now);
        yk_line_unsigned(&part, "settled_ms", ms_since(view, list[i]->settled));
        yk_json_close(&part, '}');
        fputs(i > 0 ? "," : "", out);
        put(&part, out);
    }
    free(list);
    fprintf(out, "],\"operations_left_out\":%zu,", count - shown);
}

/* ---- the whole */

static void put_events(const struct yk_view *view, FILE *out)
{
    uint64_t newest = view->news.newest;
    uint64_t number = newest > YK_VIEW_EVENTS_MAX ? newest - YK_VIEW_EVENTS_MAX + 1 : 1;
    const char *between = "";

    for (; number <= newest; number++) {
        struct yk_slice json = yk_news_get(&view->news, number);

        if (json.size > 0) {
            fputs(between, out);
            fwrite(json.data, 1, json.size, out);
            between = ",";
        }
    }
}

static void write_place(const struct yk_view *view, struct yk_json_writer *line)
{
    const struct yk_access *access = &view->snoop->access;
    char group[INET_ADDRSTRLEN];

    inet_ntop(AF_INET, access->network.group, group, sizeof group);
    yk_json_key(line, "build");
    yk_json_open(line, '{');
    yk_line_word(line, "program", "yoke-snoop");
    yk_line_word(line, "version", YK_VERSION);
    yk_line_word(line, "commit", view->commit);
    yk_json_close(line, '}');
    yk_json_key(line, "network");
    yk_json_open(line, '{');
    yk_line_word(line, "group", group);
    yk_line_unsigned(line, "port", access->network.port);
    yk_line_text(line, "interface", true, yk_slice_of(access->network.interface));
    yk_json_close(line, '}');
    yk_line_word(line, "key", access->auth.key.fingerprint);
}

static void write_now(const struct yk_view *view, struct yk_json_writer *line)
{
    yk_moment_json(line, view->at);
    yk_line_unsigned(line, "up_ms", ms_since(view, view->started.now));
    write_event_id(view, line);
    write_frames(view, line);
    write_notes(view, line);
}

static bool put_head(const struct yk_view *view, FILE *out, struct yk_http_making *making)
{
    uint8_t bytes[HEAD_MAX];
    struct yk_json_writer head;

    making->memory = yk_view_nodes(view);
    yk_line_open(&head, bytes, sizeof bytes, "state");
    yk_line_word(&head, "source", "snooper");
    write_place(view, &head);
    write_now(view, &head);
    put(&head, out);
    fputs(",\"nodes\":[", out);
    return making->memory != NULL && !head.full;
}

bool yk_view_state(const struct yk_view *view, FILE *out, struct yk_http_making *making)
{
    bool good = true;

    switch (making->part) {
    case 0:
        good = put_head(view, out, making);
        making->part++;
        break;
    case 1:
        making->part += put_nodes(view, out, making) ? 1 : 0;
        break;
    default:
        fputs("],\"operations\":[", out);
        put_operations(view, out);
        fputs("\"events\":[", out);
        put_events(view, out);
        fputs("]}\n", out);
        making->done = true;
        break;
    }
    return good;
}

void yk_view_beat(struct yk_view *view)
{
    uint8_t bytes[HEAD_MAX];
    struct yk_json_writer line;

    yk_line_open(&line, bytes, sizeof bytes, "beat");
    write_now(view, &line);
    yk_json_close(&line, '}');
    if (!line.full) {
        yk_news_beat(&view->news, (struct yk_slice){line.out, line.size});
    }
}

static void count_change(struct yk_view_counts *counts, const struct yk_change *change)
{
    switch (change->kind) {
    case YK_CHANGE_NODE_NEW:
        counts->node_new++;
        break;
    case YK_CHANGE_NODE_GONE:
        counts->node_gone++;
        break;
    case YK_CHANGE_OPERATION:
        counts->outcomes[change->trail.outcome]++;
        break;
    case YK_CHANGE_EVENT:
    case YK_CHANGE_LOST:
    case YK_CHANGE_RETURNED:
    case YK_CHANGE_STATE:
        counts->events[change->event]++;
        break;
    }
}

void yk_view_changed(struct yk_view *view, struct yk_moment at, const struct yk_change *change)
{
    const struct yk_peer *peer = yk_peers_find(&view->snoop->observer->peers, &change->id);
    uint8_t bytes[EVENT_MAX];
    char words[YK_WORDS_MAX_BYTES];
    struct yk_json_writer line;

    view->at = at;
    count_change(&view->counts, change);
    if (!yk_news_begin(&view->news, at.now)) {
        return;
    }
    yk_line_open(&line, bytes, sizeof bytes, "change");
    yk_change_members(&line, view->snoop, at, change);
    yk_change_words(words, view->snoop, change);
    yk_line_text(&line, "text", true, yk_slice_of(words));
    write_event_id(view, &line);
    if (peer != NULL) {
        yk_json_key(&line, "node");
        write_node(view, &line, peer);
    } else {
        yk_line_null(&line, "node");
    }
    yk_json_close(&line, '}');
    if (!line.full) {
        yk_news_keep(&view->news, (struct yk_slice){line.out, line.size});
    }
}
