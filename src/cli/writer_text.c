/* Lines and a table for people. */
#include <arpa/inet.h>
#include <string.h>

#include "base/columns.h"
#include "base/escape.h"
#include "cli/media.h"
#include "cli/say.h"
#include "cli/trouble.h"
#include "cli/writer.h"

#define MEDIA_COLUMNS 32 /* media is opaque and can fill a frame: its beginning is shown */
#define CELL_MAX YK_ESCAPED_MAX(YK_NAME_BYTES_MAX)

enum column { ID, ROLE, KIND, STATE, SHOWS, AGE, ADDRESS, NAME, COLUMN_COUNT };

static const char *const titles[COLUMN_COUNT] = {
    [ID] = "ID",       [ROLE] = "ROLE",           [KIND] = "KIND",
    [STATE] = "STATE", [SHOWS] = "SHOWS / MEDIA", [AGE] = "HEARD",
    [NAME] = "NAME",   [ADDRESS] = "ADDRESS",
};

/* One line of the table, escaped already. */
struct row {
    char cells[COLUMN_COUNT][CELL_MAX];
};

static void set_cell(struct row *row, enum column column, struct yk_slice text)
{
    yk_escape(row->cells[column], CELL_MAX, (const char *)text.data, text.size);
}

static void set_media(struct row *row, struct yk_slice media)
{
    char *cell = row->cells[SHOWS];
    char brief[YK_MEDIA_TEXT_MAX];
    size_t cut;

    yk_media_brief(brief, media);
    set_cell(row, SHOWS, yk_slice_of(brief));
    cut = yk_columns_cut(cell, strlen(cell), MEDIA_COLUMNS);
    if (cell[cut] != '\0') {
        cut = yk_columns_cut(cell, strlen(cell), MEDIA_COLUMNS - 3);
        strcpy(cell + cut, "...");
    }
}

static void fill(struct row *row, const struct yk_roster *roster, const struct yk_peer *peer)
{
    struct yk_peer_text text;
    char address[INET_ADDRSTRLEN] = "-", age[32];

    yk_peers_text(&roster->site->knowledge.peers, peer, &text);
    if (peer->place.latest.ip[0] != 0) {
        inet_ntop(AF_INET, peer->place.latest.ip, address, sizeof address);
    }
    set_cell(row, ID, yk_slice_of(peer->entry.id.text));
    set_cell(row, ROLE, yk_slice_of(yk_role_word(peer->role)));
    set_cell(row, KIND, yk_slice_of(yk_kind_word(peer->kind)));
    set_cell(row, STATE, yk_slice_of(yk_presence_word(peer)));
    if (peer->role == YK_ROLE_PRODUCER && peer->has_media) {
        set_media(row, text.media);
    } else {
        set_cell(row, SHOWS,
                 yk_slice_of(peer->pairing.producer.size > 0 ? peer->pairing.producer.text : "-"));
    }
    set_cell(row, AGE, yk_slice_of(yk_duration(age, roster->now - peer->last_ann)));
    set_cell(row, ADDRESS, yk_slice_of(address));
    set_cell(row, NAME, text.name);
}

static void widen(size_t widths[COLUMN_COUNT], const struct row *row)
{
    for (int column = 0; column < COLUMN_COUNT; column++) {
        size_t width = yk_columns(row->cells[column], strlen(row->cells[column]));

        widths[column] = width > widths[column] ? width : widths[column];
    }
}

static void print_row(FILE *out, const size_t widths[COLUMN_COUNT], const struct row *row)
{
    for (int column = 0; column < COLUMN_COUNT; column++) {
        const char *cell = row->cells[column];
        size_t width = yk_columns(cell, strlen(cell));
        bool is_last = column + 1 == COLUMN_COUNT;

        fprintf(out, "%s%*s", cell, is_last ? 0 : (int)(widths[column] - width + 2), "");
    }
    fputc('\n', out);
}

static void print_reasons(FILE *out, const struct yk_roster *roster, const struct yk_peer *peer)
{
    const struct yk_heard *heard = yk_knowledge_of(&roster->site->knowledge, &peer->entry.id);
    char reason[YK_TROUBLE_MAX], here[INET_ADDRSTRLEN], there[INET_ADDRSTRLEN];

    if (yk_trouble_of(reason, &roster->site->knowledge.peers, peer, roster->now)) {
        yk_print(out, "    %s", reason);
    }
    if (peer->key[0] != '\0' && strcmp(peer->key, roster->site->auth.key.fingerprint) != 0) {
        yk_print(out, "    signs with the second key, %s (psk_file_next)", peer->key);
    }
    if (heard != NULL && heard->place.is_two) {
        inet_ntop(AF_INET, heard->place.latest.ip, here, sizeof here);
        inet_ntop(AF_INET, heard->place.former.ip, there, sizeof there);
        yk_print(out, "    two nodes use this id, at %s and at %s; give one of them another id",
                 here, there);
    }
}

/* A clock far from this host's; where this host's is the wrong one, that is said instead. */
static void print_clock(FILE *out, const struct yk_roster *roster, const struct yk_peer *peer)
{
    char apart[YK_DURATION_MAX];

    if (peer->has_clock && yk_clock_is_apart(peer->clock_ahead_ms) && !roster->own_clock_is_wrong) {
        yk_print(out, "    its clock is %s %s this host's",
                 yk_duration(apart, yk_clock_distance(peer->clock_ahead_ms)),
                 peer->clock_ahead_ms > 0 ? "ahead of" : "behind");
    }
}

static void print_summary(FILE *out, const struct yk_roster *roster)
{
    const struct yk_site *site = roster->site;
    size_t live = 0;

    for (size_t i = 0; i < roster->count; i++) {
        live += roster->peers[i]->presence == YK_PRESENCE_LIVE;
    }
    yk_print(out, "%zu of %zu nodes live at %s, %s%s", live, roster->count, yk_site_place(site),
             site->open ? "OPEN (not signed)" : "key ", site->auth.key.fingerprint);
}

static void roster(FILE *out, const struct yk_roster *roster)
{
    size_t widths[COLUMN_COUNT] = {0};
    struct row row;

    if (roster->count > 0) {
        for (int column = 0; column < COLUMN_COUNT; column++) {
            strcpy(row.cells[column], titles[column]);
        }
        widen(widths, &row);
        for (size_t i = 0; i < roster->count; i++) {
            fill(&row, roster, roster->peers[i]);
            widen(widths, &row);
        }
        for (int column = 0; column < COLUMN_COUNT; column++) {
            strcpy(row.cells[column], titles[column]);
        }
        print_row(out, widths, &row);
    }
    for (size_t i = 0; i < roster->count; i++) {
        fill(&row, roster, roster->peers[i]);
        print_row(out, widths, &row);
        print_reasons(out, roster, roster->peers[i]);
        print_clock(out, roster, roster->peers[i]);
    }
    print_summary(out, roster);
}

/* "dec-1 is paired with enc-1", or what else the operation is about. */
static const char *sentence(char *out, size_t capacity, const struct yk_operation *operation)
{
    const struct yk_peers *peers = &operation->knowledge->peers;
    char consumer[YK_LABEL_MAX], producer[YK_LABEL_MAX];

    yk_label(consumer, peers, &operation->consumer.id);
    if (operation->options.op == YK_OP_UNPAIR) {
        snprintf(out, capacity, "%s is unpaired", consumer);
    } else {
        snprintf(out, capacity, "%s is paired with %s", consumer,
                 yk_label(producer, peers, &operation->producer.id));
    }
    return out;
}

static void result(FILE *out, const struct yk_operation *operation)
{
    const char *outcome = yk_outcome_word(operation->outcome);
    char consumer[YK_LABEL_MAX], took[32], about[2 * YK_LABEL_MAX + 32];
    unsigned long long n = operation->intent.version.n;

    yk_label(consumer, &operation->knowledge->peers, &operation->consumer.id);
    yk_duration(took, operation->ended - operation->started);
    sentence(about, sizeof about, operation);
    switch (operation->outcome) {
    case YK_OUTCOME_APPLIED:
    case YK_OUTCOME_ACTIVE:
    case YK_OUTCOME_IDLE:
        yk_print(out, "%s: %s (version %llu, %llu ms)", outcome, about, n,
                 (unsigned long long)((operation->ended - operation->started) / YK_MS));
        break;
    case YK_OUTCOME_NOT_ACTIVE:
    case YK_OUTCOME_NOT_IDLE:
        yk_print(out, "%s: %s (version %llu), and is %s after %s", outcome, about, n,
                 yk_state_word(operation->state), took);
        break;
    case YK_OUTCOME_REFUSED:
        yk_print(out, "%s: %s said %s to version %llu", outcome, consumer,
                 yk_reason_word(operation->reason), n);
        break;
    case YK_OUTCOME_EXHAUSTED:
        yk_print(out, "%s: %s has used up its versions; nothing was sent", outcome, consumer);
        break;
    case YK_OUTCOME_UNANSWERED:
        yk_print(out, "%s: %s did not answer version %llu within %s", outcome, consumer, n, took);
        break;
    case YK_OUTCOME_NONE:
    case YK_OUTCOME_MISTAKE:
        break;
    }
}

static void chain(FILE *out, const struct yk_id *consumer, const struct yk_chain *chain)
{
    static const char *const marks[] = {
        [YK_LINK_OK] = "ok", [YK_LINK_BROKEN] = "BROKEN", [YK_LINK_UNCHECKED] = "?"};

    for (size_t i = 0; i < chain->count; i++) {
        const struct yk_link *link = &chain->links[i];

        yk_print(out, "%-7s %-9s %s", marks[link->verdict], link->name, link->text);
        if (link->next[0] != '\0') {
            yk_print(out, "%-17s %s %s", "",
                     link->verdict == YK_LINK_BROKEN ? "next:" : "see:", link->next);
        }
    }
    if (chain->links[chain->count - 1].verdict != YK_LINK_BROKEN) {
        yk_print(out, "%s: nothing is broken as far as can be seen from here", consumer->text);
    }
}

static void versions(FILE *out, const struct yk_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (parts[i].version[0] != '\0') {
            fprintf(out, "%s %s\n", parts[i].name, parts[i].version);
        }
    }
}

const struct yk_writer yk_writer_text = {
    .result = result,
    .roster = roster,
    .chain = chain,
    .version = versions,
};

const struct yk_writer *yk_writer(bool json)
{
    return json ? &yk_writer_json : &yk_writer_text;
}
