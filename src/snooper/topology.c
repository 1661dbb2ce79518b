#include "snooper/topology.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "cli/line.h"
#include "cli/media.h"
#include "cli/say.h"
#include "cli/trouble.h"

/* ---- order */

static bool is_consumer(const struct yk_peer *peer)
{
    return peer->role == YK_ROLE_CONSUMER;
}

const struct yk_id *yk_topology_group(const struct yk_peer *peer)
{
    return is_consumer(peer) ? &peer->pairing.producer : &peer->entry.id;
}

/* "None" comes before every id: the unpaired would be first, but are to be last. */
static int by_place(const void *a, const void *b)
{
    const struct yk_peer *left = *(const struct yk_peer *const *)a;
    const struct yk_peer *right = *(const struct yk_peer *const *)b;
    bool left_alone = yk_topology_group(left)->size == 0,
         right_alone = yk_topology_group(right)->size == 0;
    int order = yk_id_compare(yk_topology_group(left), yk_topology_group(right));

    if (left_alone != right_alone) {
        return left_alone ? 1 : -1;
    }
    if (order == 0) {
        order = (int)is_consumer(left) - (int)is_consumer(right);
    }
    return order != 0 ? order : yk_id_compare(&left->entry.id, &right->entry.id);
}

bool yk_topology_init(struct yk_topology *topology, const struct yk_snoop *snoop, yk_time now)
{
    const struct yk_peers *peers = &snoop->observer->peers;
    const struct yk_peer *peer = NULL;

    *topology = (struct yk_topology){.snoop = snoop, .now = now};
    topology->peers = calloc(peers->table.count + 1, sizeof(struct yk_peer *));
    if (topology->peers == NULL) {
        return false;
    }
    while ((peer = yk_peers_next(peers, peer)) != NULL) {
        topology->peers[topology->count++] = peer;
    }
    qsort(topology->peers, topology->count, sizeof topology->peers[0], by_place);
    return true;
}

void yk_topology_fini(struct yk_topology *topology)
{
    free(topology->peers);
}

bool yk_topology_is_orphan(const struct yk_topology *topology, size_t i)
{
    const struct yk_peer *const *peers = topology->peers;

    return is_consumer(peers[i]) &&
           (i == 0 || !yk_id_equal(yk_topology_group(peers[i - 1]), yk_topology_group(peers[i])));
}

/* ---- text */

static void print_node(const struct yk_topology *topology, FILE *out, const struct yk_peer *peer,
                       const char *before)
{
    const struct yk_peers *peers = &topology->snoop->observer->peers;
    char label[YK_LABEL_MAX], media[YK_MEDIA_TEXT_MAX] = "", trouble[YK_TROUBLE_MAX];
    struct yk_peer_text text;

    yk_peers_text(peers, peer, &text);
    if (peer->has_media) {
        yk_media_brief(media, text.media);
    }
    yk_print(out, "%s%s  %s %s  %s%s%s", before, yk_label(label, peers, &peer->entry.id),
             yk_kind_word(peer->kind), yk_role_word(peer->role), yk_presence_word(peer),
             media[0] != '\0' ? "  " : "", media);
    if (yk_trouble_of(trouble, peers, peer, topology->now)) {
        yk_print(out, "        %s", trouble);
    }
}

/* The line above consumers whose producer is not in the list. */
static void print_absent(FILE *out, const struct yk_id *producer)
{
    if (producer->size > 0) {
        yk_print(out, "%s  not heard", producer->text);
    } else {
        yk_print(out, "unpaired");
    }
}

void yk_topology_text(const struct yk_topology *topology, FILE *out)
{
    for (size_t i = 0; i < topology->count; i++) {
        const struct yk_peer *peer = topology->peers[i];

        if (yk_topology_is_orphan(topology, i)) {
            print_absent(out, yk_topology_group(peer));
        }
        print_node(topology, out, peer, is_consumer(peer) ? "  -> " : "");
    }
}

/* ---- JSON */

static void write_part(struct yk_json_writer *part, FILE *out)
{
    fwrite(part->out, 1, part->size, out);
}

static void write_nodes(const struct yk_topology *topology, FILE *out)
{
    const struct yk_observer *observer = topology->snoop->observer;
    uint8_t bytes[YK_LINE_MAX];
    struct yk_json_writer part;

    for (size_t i = 0; i < topology->count; i++) {
        const struct yk_peer *peer = topology->peers[i];
        const struct yk_observed *observed = yk_observer_of(observer, &peer->entry.id);

        yk_json_writer_init(&part, bytes, sizeof bytes);
        yk_json_open(&part, '{');
        yk_line_node(&part, &observer->peers, peer, observed != NULL ? &observed->place : NULL,
                     topology->now);
        yk_json_close(&part, '}');
        fputs(i > 0 ? "," : "", out);
        write_part(&part, out);
    }
}

static void write_edges(const struct yk_topology *topology, FILE *out)
{
    uint8_t bytes[YK_LINE_MAX];
    struct yk_json_writer part;
    const char *between = "";

    for (size_t i = 0; i < topology->count; i++) {
        const struct yk_peer *peer = topology->peers[i];

        if (!is_consumer(peer) || peer->pairing.producer.size == 0) {
            continue;
        }
        yk_json_writer_init(&part, bytes, sizeof bytes);
        yk_json_open(&part, '{');
        yk_line_word(&part, "producer", peer->pairing.producer.text);
        yk_line_word(&part, "consumer", peer->entry.id.text);
        yk_line_word(&part, "state", yk_state_word(peer->state));
        yk_line_version(&part, &peer->pairing.version);
        yk_json_close(&part, '}');
        fputs(between, out);
        write_part(&part, out);
        between = ",";
    }
}

void yk_topology_json(const struct yk_topology *topology, FILE *out)
{
    fputs("{\"v\":1,\"type\":\"topology\",\"nodes\":[", out);
    write_nodes(topology, out);
    fputs("],\"edges\":[", out);
    write_edges(topology, out);
    fputs("]}\n", out);
}

/* ---- graphviz */

/* A quoted string of the dot language. What is escaped for a terminal has backslashes, which are
 * doubled; ampersands would begin a character reference. */
static void write_quoted(FILE *out, const char *text)
{
    char escaped[YK_ESCAPED_MAX(YK_SAY_MAX)];

    yk_escape(escaped, sizeof escaped, text, strlen(text));
    for (const char *at = escaped; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\') {
            fputc('\\', out);
        }
        fputs(*at == '&' ? "&amp;" : (char[]){*at, '\0'}, out);
    }
}

static const char *colour_of(const struct yk_peer *peer)
{
    if (peer->presence != YK_PRESENCE_LIVE) {
        return "#9e9e9e";
    }
    switch (peer->state) {
    case YK_STATE_ACTIVE:
        return "#2e7d32";
    case YK_STATE_PENDING:
        return "#b26a00";
    case YK_STATE_ERROR:
        return "#c62828";
    case YK_STATE_IDLE:
    case YK_STATE_NONE:
    case YK_STATE_END:
        break;
    }
    return "#455a64";
}

static void write_dot_node(const struct yk_topology *topology, FILE *out,
                           const struct yk_peer *peer)
{
    const struct yk_peers *peers = &topology->snoop->observer->peers;
    struct yk_peer_text text;
    char plain[YK_NAME_BYTES_MAX + 1];

    yk_peers_text(peers, peer, &text);
    fprintf(out, "  \"%s\" [shape=%s, color=\"%s\", label=\"", peer->entry.id.text,
            is_consumer(peer) ? "box" : "ellipse", colour_of(peer));
    write_quoted(out, yk_plain(plain, sizeof plain, text.name));
    fprintf(out, "\\n%s, %s %s\"];\n", peer->entry.id.text, yk_kind_word(peer->kind),
            yk_presence_word(peer));
}

static void write_dot_edge(const struct yk_topology *topology, FILE *out,
                           const struct yk_peer *peer)
{
    const struct yk_id *producer = &peer->pairing.producer;

    if (yk_peers_find(&topology->snoop->observer->peers, producer) == NULL) {
        fprintf(out, "  \"%s\" [shape=ellipse, style=dashed, label=\"%s\\nnot heard\"];\n",
                producer->text, producer->text);
    }
    fprintf(out, "  \"%s\" -> \"%s\" [color=\"%s\", style=%s];\n", producer->text,
            peer->entry.id.text, colour_of(peer),
            peer->state == YK_STATE_ACTIVE && peer->presence == YK_PRESENCE_LIVE ? "solid"
                                                                                 : "dashed");
}

void yk_topology_dot(const struct yk_topology *topology, FILE *out)
{
    fputs("digraph yoke {\n"
          "  rankdir=LR;\n"
          "  node [fontname=\"sans-serif\", penwidth=2];\n",
          out);
    for (size_t i = 0; i < topology->count; i++) {
        const struct yk_peer *peer = topology->peers[i];

        write_dot_node(topology, out, peer);
        if (is_consumer(peer) && peer->pairing.producer.size > 0) {
            write_dot_edge(topology, out, peer);
        }
    }
    fputs("}\n", out);
}
