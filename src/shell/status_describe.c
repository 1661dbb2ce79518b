#include "shell/status_describe.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/build.h"
#include "shell/status.h"
#include "shell/warnings.h"

/* Longest text of one entry: a node's texts fit a frame, and so did its intent's; media told as text
 * has each of its quotes escaped. */
#define ENTRY_TEXT_MAX (4 * YK_FRAME_MAX)
#define TREE_TEXTS 2 /* the object that becomes one text is about as large as so many */

/* One node, be it this one or a peer. */
struct described {
    const struct yk_id *id;
    enum yk_role role;
    enum yk_kind kind;
    enum yk_state state;
    struct yk_slice name, err, evidence, media; /* size 0: null, but for the name */
    bool has_err;
    const struct yk_pairing *pairing;
    bool live;
    uint64_t age_ms;
    char address[16];              /* "": null */
    char also_at[16];              /* "": null */
    const char *key;               /* "": null */
    const int64_t *clock_ahead_ms; /* NULL: null */
};

static json_t *text_or_null(struct yk_slice text, bool there)
{
    return there ? json_stringn((const char *)text.data, text.size) : json_null();
}

static json_t *string_or_null(const char *text)
{
    return text[0] != 0 ? json_string(text) : json_null();
}

static json_t *describe_version(const struct yk_version *version)
{
    return json_pack("[I,s]", (json_int_t)version->n, version->author.text);
}

static json_t *describe_pairing(const struct yk_pairing *pairing)
{
    return json_pack("{s:o,s:o}", "producer", string_or_null(pairing->producer.text), "version",
                     describe_version(&pairing->version));
}

/* As deep as a frame may nest. */
static bool has_real(const json_t *value)
{
    const char *name;
    json_t *member;
    size_t index;

    json_object_foreach((json_t *)value, name, member)
    {
        if (has_real(member)) {
            return true;
        }
    }
    json_array_foreach(value, index, member)
    {
        if (has_real(member)) {
            return true;
        }
    }
    return json_is_real(value);
}

/* Into `node`: jansson's integers end at 64 bits, its keys have no zero character and its reals are
 * not printed shortest, so that such media is told as text too. */
static void add_media(json_t *node, struct yk_slice media)
{
    json_t *object = media.size == 0
                         ? json_null()
                         : json_loadb((const char *)media.data, media.size, JSON_ALLOW_NUL, NULL);
    bool whole = object != NULL && !has_real(object);

    json_object_set_new(node, "media", object != NULL ? object : json_null());
    if (!whole) {
        json_object_set_new(node, "media_text", text_or_null(media, true));
    }
}

static json_t *describe_evidence(struct yk_slice evidence)
{
    return evidence.size == 0 ? json_null()
                              : json_pack("{s:o}", "detail", text_or_null(evidence, true));
}

static json_t *describe_node(const struct described *node)
{
    bool consumer = node->role == YK_ROLE_CONSUMER;
    json_t *object =
        json_pack("{s:s,s:s,s:s,s:o,s:s,s:o,s:o,s:o,s:b,s:I,s:o,s:o,s:o}", "id", node->id->text,
                  "role", yk_role_word(node->role), "kind", yk_kind_word(node->kind), "name",
                  text_or_null(node->name, true), "state", yk_state_word(node->state), "err",
                  text_or_null(node->err, node->has_err), "pairing",
                  consumer ? describe_pairing(node->pairing) : json_null(), "driver_status",
                  describe_evidence(node->evidence), "live", node->live, "age_ms",
                  (json_int_t)node->age_ms, "address", string_or_null(node->address), "also_at",
                  string_or_null(node->also_at), "key", string_or_null(node->key));

    if (object != NULL) {
        add_media(object, node->media);
        json_object_set_new(object, "clock_ahead_ms",
                            node->clock_ahead_ms != NULL ? json_integer(*node->clock_ahead_ms)
                                                         : json_null());
    }
    return object;
}

static void write_ip(char out[16], const uint8_t ip[4])
{
    snprintf(out, 16, "%u.%u.%u.%u", ip[0], ip[1], ip[2], ip[3]);
}

static json_t *describe_self(const struct yk_node_view *view, const struct yk_status_facts *facts)
{
    struct described self = {.id = &view->options->id,
                             .role = view->options->role,
                             .kind = view->options->kind,
                             .state = view->state,
                             .name = view->options->name,
                             .err = view->err,
                             .has_err = view->err.size > 0,
                             .evidence = view->evidence,
                             .media = view->options->media,
                             .pairing = view->pairing,
                             .live = true,
                             .key = facts->auth->key.fingerprint};

    if (facts->socket->joined_ifindex != 0) {
        write_ip(self.address, (const uint8_t *)&facts->socket->joined_address);
    }
    if (view->id_conflict) {
        write_ip(self.also_at, view->conflict_from.ip);
    }
    return describe_node(&self);
}

static json_t *describe_peer(const struct yk_peers *peers, const struct yk_peer *peer, yk_time now)
{
    struct yk_peer_text text;
    struct described node = {.id = &peer->entry.id,
                             .role = peer->role,
                             .kind = peer->kind,
                             .state = peer->state,
                             .has_err = peer->has_err,
                             .pairing = &peer->pairing,
                             .live = peer->presence == YK_PRESENCE_LIVE,
                             .clock_ahead_ms = peer->has_clock ? &peer->clock_ahead_ms : NULL,
                             .age_ms = (now - peer->last_ann) / YK_MS,
                             .key = peer->key};

    yk_peers_text(peers, peer, &text);
    node.name = text.name;
    node.err = text.err;
    node.evidence = text.evidence;
    node.media = text.media;
    write_ip(node.address, peer->place.latest.ip);
    if (peer->place.is_two) {
        write_ip(node.also_at, peer->place.former.ip);
    }
    return describe_node(&node);
}

static size_t beyond(size_t count, size_t most)
{
    return count > most ? count - most : 0;
}

static json_t *describe_peers(const struct yk_peers *peers, yk_time now, size_t most)
{
    size_t skipped = beyond(peers->table.count, most);
    json_t *list = json_array();

    for (const struct yk_peer *peer = yk_peers_next(peers, NULL); peer != NULL;
         peer = yk_peers_next(peers, peer)) {
        if (skipped > 0) {
            skipped--;
        } else {
            json_array_append_new(list, describe_peer(peers, peer, now));
        }
    }
    return list;
}

static json_t *describe_intents(const struct yk_intents *intents, size_t most)
{
    size_t skipped = beyond(intents->table.count, most);
    json_t *list = json_array();

    for (const struct yk_cached_intent *intent = yk_intents_next(intents, NULL); intent != NULL;
         intent = yk_intents_next(intents, intent)) {
        if (skipped > 0) {
            skipped--;
        } else if (intent->cached) {
            json_array_append_new(list,
                                  json_pack("{s:s,s:s,s:o,s:o}", "consumer", intent->entry.id.text,
                                            "op", yk_op_word(intent->op), "producer",
                                            string_or_null(intent->producer.text), "version",
                                            describe_version(&intent->version)));
        }
    }
    return list;
}

static json_t *describe_drops(const uint64_t *drops)
{
    json_t *object = json_object();

    for (int drop = YK_DROP_NONE + 1; drop < YK_DROP_END; drop++) {
        json_object_set_new(object, yk_drop_word((enum yk_drop)drop),
                            json_integer((json_int_t)drops[drop]));
    }
    return object;
}

__attribute__((format(printf, 2, 3))) static void warn(json_t *list, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    json_array_append_new(list, json_vsprintf(format, arguments));
    va_end(arguments);
}

static void warn_of_twins(json_t *list, const struct yk_peers *peers)
{
    char text[YK_WARNING_MAX];

    for (const struct yk_peer *peer = yk_peers_next(peers, NULL); peer != NULL;
         peer = yk_peers_next(peers, peer)) {
        if (peer->place.is_two) {
            yk_warning_two_senders(text, peer);
            warn(list, "%s", text);
        }
    }
}

static json_t *describe_warnings(const struct yk_node_view *view,
                                 const struct yk_status_facts *facts)
{
    json_t *list = json_array();
    char text[YK_WARNING_MAX];

    if (!facts->auth->key.set) {
        warn(list, "OPEN: no psk_file, so anybody on this network can switch; make a key with "
                   "\"yoke keygen\"");
    }
    if (facts->join_problem[0] != 0) {
        warn(list, "%s", facts->join_problem);
    }
    if (facts->save_failure[0] != 0) {
        warn(list, "the state cannot be saved, so no pairing is taken: %s", facts->save_failure);
    }
    if (view->clock_ahead) {
        yk_warning_clock_ahead(text);
        warn(list, "%s", text);
    }
    if (view->clocks != NULL) {
        yk_warning_clocks(text, view->clocks);
        warn(list, "%s", text);
    }
    if (yk_warning_clock_wrong(text, facts->wall_ns)) {
        warn(list, "%s", text);
    }
    if (yk_warning_deaf(text, view, facts->auth) ||
        yk_warning_alone(text, view, facts->now - facts->started)) {
        warn(list, "%s", text);
    }
    if (view->id_conflict) {
        yk_warning_id_conflict(text, view);
        warn(list, "%s", text);
    }
    warn_of_twins(list, view->peers);
    if (facts->socket->kernel_drops > 0) {
        warn(list,
             "the kernel dropped %" PRIu64 " datagrams for want of room (receive buffer %d "
             "bytes); raise net.core.rmem_max if it goes on",
             facts->socket->kernel_drops, facts->socket->granted);
    }
    return list;
}

static json_t *retry_ms(const struct yk_node_view *view, yk_time now)
{
    yk_time at = view->retry_at;

    return at == YK_TIME_NEVER ? json_null()
                               : json_integer(at > now ? (json_int_t)((at - now) / YK_MS) : 0);
}

size_t yk_status_memory(uint32_t tracked)
{
    return (size_t)tracked * ENTRY_TEXT_MAX * (YK_STATUS_CLIENTS_MAX + TREE_TEXTS);
}

json_t *yk_status_describe(const struct yk_node_view *view, const struct yk_status_facts *facts,
                           size_t most)
{
    char group[16];

    write_ip(group, facts->network->group);
    return json_pack(
        "{s:i,s:s,s:s,s:i,s:s,s:s,s:s,s:i,s:s,s:o,s:I,s:o,s:I,s:I,s:i,s:o,s:o,s:o,s:o,s:o,s:o}",
        "v", 1, "type", "status", "id", view->options->id.text, "pid", (int)getpid(), "version",
        YK_VERSION, "commit", yk_build_commit, "group", group, "port", (int)facts->network->port,
        "interface", facts->network->interface, "key", string_or_null(facts->auth->key.fingerprint),
        "up_ms", (json_int_t)((facts->now - facts->started) / YK_MS), "retry_ms",
        retry_ms(view, facts->now), "seq_bound", (json_int_t)view->seq_bound, "kernel_drops",
        (json_int_t)facts->socket->kernel_drops, "receive_buffer", facts->socket->granted, "drops",
        describe_drops(view->drops), "self", describe_self(view, facts), "nodes",
        describe_peers(view->peers, facts->now, most), "intents",
        describe_intents(view->intents, most), "querier",
        facts->querier != NULL
            ? yk_querier_describe(facts->querier, facts->socket->joined_ifindex, facts->now)
            : json_null(),
        "warnings", describe_warnings(view, facts));
}
