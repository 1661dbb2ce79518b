#include "cli/chain.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/media.h"
#include "cli/say.h"

/* A walk under way. Each step adds its link, and gives whether to go on. */
struct walk {
    struct yk_chain *chain;
    const struct yk_chain_facts *facts;
    const struct yk_peers *peers;
    const struct yk_peer *consumer, *producer; /* NULL: not known */
};

static struct yk_link *add(struct walk *walk, const char *name, enum yk_verdict verdict)
{
    struct yk_link *link = &walk->chain->links[walk->chain->count++];

    memset(link, 0, sizeof *link);
    link->name = name;
    link->verdict = verdict;
    return link;
}

__attribute__((format(printf, 3, 4))) static bool good(struct walk *walk, const char *name,
                                                       const char *format, ...)
{
    struct yk_link *link = add(walk, name, YK_LINK_OK);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(link->text, sizeof link->text, format, arguments);
    va_end(arguments);
    return true;
}

__attribute__((format(printf, 4, 5))) static bool broken(struct walk *walk, const char *name,
                                                         const char *next, const char *format, ...)
{
    struct yk_link *link = add(walk, name, YK_LINK_BROKEN);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(link->text, sizeof link->text, format, arguments);
    va_end(arguments);
    snprintf(link->next, sizeof link->next, "%s", next);
    return false;
}

__attribute__((format(printf, 4, 5))) static bool
unchecked(struct walk *walk, const char *name, const char *next, const char *format, ...)
{
    struct yk_link *link = add(walk, name, YK_LINK_UNCHECKED);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(link->text, sizeof link->text, format, arguments);
    va_end(arguments);
    snprintf(link->next, sizeof link->next, "%s", next);
    return true;
}

static const char *ip_text(char out[INET_ADDRSTRLEN], const uint8_t ip[4])
{
    return inet_ntop(AF_INET, ip, out, INET_ADDRSTRLEN);
}

/* "on 10.0.5.2: COMMAND", or the command alone where the node is on this host or its place unknown. */
static void at_node(const struct walk *walk, const struct yk_peer *peer, char *out,
                    const char *command)
{
    bool here = peer == NULL || (peer == walk->consumer && walk->facts->is_here) ||
                peer->place.latest.ip[0] == 0;
    char ip[INET_ADDRSTRLEN];

    if (here) {
        snprintf(out, YK_LINK_NEXT_MAX, "%s", command);
    } else {
        snprintf(out, YK_LINK_NEXT_MAX, "on %s: %s", ip_text(ip, peer->place.latest.ip), command);
    }
}

/* A command about the unit of that node, where it runs. */
static void unit_command(const struct walk *walk, const struct yk_peer *peer,
                         const struct yk_id *id, const char *verb, char *out)
{
    char command[YK_LINK_NEXT_MAX / 2];

    snprintf(command, sizeof command, "%s yoke-agent@%s", verb, id->text);
    at_node(walk, peer, out, command);
}

/* Not known at all: frames that were dropped may say why. */
static bool unheard(struct walk *walk, const struct yk_overheard *node, const char *name)
{
    char next[YK_LINK_NEXT_MAX], ip[INET_ADDRSTRLEN];

    if (node->unverified > 0) {
        snprintf(next, sizeof next, "on %s: yoke agent --config /etc/yoke/%s.json --check",
                 ip_text(ip, node->from.ip), node->id.text);
        return broken(walk, name, next,
                      "%s sends from %s, but under another key than ours (%s); compare the "
                      "fingerprints and give it the site's key",
                      node->id.text, ip, walk->facts->key[0] != '\0' ? walk->facts->key : "open");
    }
    if (node->ahead > 0) {
        snprintf(next, sizeof next, "timedatectl, here and on %s", ip_text(ip, node->from.ip));
        return broken(walk, name, next,
                      "%s sends from %s, numbered over an hour ahead of this host's clock; set the "
                      "clocks right",
                      node->id.text, ip);
    }
    snprintf(next, sizeof next, "on its host: systemctl status yoke-agent@%s", node->id.text);
    return broken(walk, name, next, "%s is not heard at %s: it is off, elsewhere, or another id",
                  node->id.text, walk->facts->place);
}

static bool check_heard(struct walk *walk, const struct yk_peer *peer,
                        const struct yk_overheard *node, const char *name)
{
    char label[YK_LABEL_MAX], age[32], ip[INET_ADDRSTRLEN], next[YK_LINK_NEXT_MAX];

    if (peer == NULL) {
        return unheard(walk, node, name);
    }
    yk_label(label, walk->peers, &node->id);
    yk_duration(age, walk->facts->now - peer->last_ann);
    ip_text(ip, peer->place.latest.ip);
    if (peer->presence == YK_PRESENCE_GONE) {
        unit_command(walk, peer, &node->id, "systemctl start", next);
        return broken(walk, name, next, "%s said goodbye; last heard %s ago: its agent was stopped",
                      label, age);
    }
    if (peer->presence == YK_PRESENCE_LOST) {
        snprintf(next, sizeof next, "ping -c 3 %s", ip);
        return broken(walk, name, next,
                      "%s was last heard %s ago, from %s: its host or the network "
                      "between is down",
                      label, age, ip);
    }
    return good(walk, name, "%s, %s ago, from %s", label, age, ip);
}

static bool check_key(struct walk *walk)
{
    const char *theirs = walk->consumer->key, *ours = walk->facts->key;

    if (ours[0] == '\0') {
        return good(walk, "key", "open: nothing is signed");
    }
    return good(walk, "key", "signs with %s, %s", theirs,
                strcmp(theirs, ours) == 0 ? "as we do" : "our second key (psk_file_next)");
}

static bool check_one_sender(struct walk *walk)
{
    const struct yk_heard *heard =
        yk_knowledge_of(walk->facts->knowledge, &walk->consumer->entry.id);
    char here[INET_ADDRSTRLEN], there[INET_ADDRSTRLEN];

    if (heard == NULL || !heard->place.is_two) {
        return true; /* not worth a line */
    }
    return broken(walk, "id", "give one of them another node.id, and commission it",
                  "two nodes use the id %s, at %s and at %s", walk->consumer->entry.id.text,
                  ip_text(here, heard->place.latest.ip), ip_text(there, heard->place.former.ip));
}

static bool judge_distance(struct walk *walk, const char *what, int64_t ahead_ms)
{
    if (yk_clock_distance(ahead_ms) > YK_SEQ_FUTURE) {
        return broken(walk, "clock", "timedatectl, on both hosts",
                      "%s; over an hour apart, frames are dropped", what);
    }
    if (yk_clock_is_apart(ahead_ms)) {
        return good(walk, "clock", "%s; it works, but set the one that is wrong", what);
    }
    return good(walk, "clock", "near this host's");
}

static bool check_clock(struct walk *walk)
{
    const struct yk_overheard *node = &walk->facts->consumer;
    char apart[YK_DURATION_MAX], whose[128];
    struct yk_clocks clocks;
    int64_t ahead_ms;

    if (walk->facts->wall_ns < walk->facts->built_ns) {
        return broken(walk, "clock", "timedatectl",
                      "this host's clock is before the day this program was made; set it");
    }
    if (!node->has_clock && !walk->consumer->has_clock) {
        return unchecked(walk, "clock", "",
                         "an agent here hears it, and we did not hear it ourselves");
    }
    yk_clocks_compare(&clocks, walk->peers, 0);
    if (clocks.peers > 1 && yk_clock_is_apart(clocks.ahead_ms)) {
        snprintf(whose, sizeof whose, "this host's clock is %s %s those of %u nodes",
                 yk_duration(apart, yk_clock_distance(clocks.ahead_ms)),
                 clocks.ahead_ms > 0 ? "ahead of" : "behind", clocks.peers);
        return judge_distance(walk, whose, clocks.ahead_ms);
    }
    ahead_ms = node->has_clock ? node->clock_ahead_ms : walk->consumer->clock_ahead_ms;
    snprintf(whose, sizeof whose, "its clock is %s %s this host's",
             yk_duration(apart, yk_clock_distance(ahead_ms)), ahead_ms > 0 ? "ahead of" : "behind");
    return judge_distance(walk, whose, ahead_ms);
}

static bool check_role(struct walk *walk)
{
    if (walk->consumer->role == YK_ROLE_CONSUMER) {
        return true;
    }
    return broken(walk, "role", "yoke list",
                  "%s is a producer, which shows nothing; name a consumer",
                  walk->consumer->entry.id.text);
}

static bool check_version(struct walk *walk)
{
    const struct yk_version *own = &walk->consumer->pairing.version;
    const struct yk_heard *heard =
        yk_knowledge_of(walk->facts->knowledge, &walk->consumer->entry.id);
    char next[YK_LINK_NEXT_MAX];

    if (heard != NULL && heard->has_version && yk_version_compare(&heard->version, own) > 0) {
        unit_command(walk, walk->consumer, &walk->consumer->entry.id, "journalctl -n 20 -u", next);
        return broken(walk, "saved", next,
                      "version %" PRIu64 " was asked for by %s, and it is still at %" PRIu64
                      ": it cannot save, or it did not hear it",
                      heard->version.n, heard->version.author.text, own->n);
    }
    return own->n == 0 ||
           good(walk, "saved", "version %" PRIu64 ", and no newer one is known", own->n);
}

static bool check_paired(struct walk *walk)
{
    const struct yk_id *producer = &walk->consumer->pairing.producer;
    char next[YK_LINK_NEXT_MAX], label[YK_LABEL_MAX];

    if (producer->size == 0) {
        snprintf(next, sizeof next, "yoke pair %s PRODUCER", walk->consumer->entry.id.text);
        return broken(walk, "paired", next, "it is paired with nobody");
    }
    return good(walk, "paired", "with %s", yk_label(label, walk->peers, producer));
}

static bool check_producer(struct walk *walk)
{
    const struct yk_peer *producer = walk->producer;
    const char *consumer = walk->consumer->entry.id.text;
    char next[YK_LINK_NEXT_MAX];

    if (!check_heard(walk, producer, &walk->facts->producer, "producer")) {
        return false;
    }
    snprintf(next, sizeof next, "yoke list, then yoke pair %s PRODUCER", consumer);
    if (producer->role != YK_ROLE_PRODUCER) {
        return broken(walk, "kind", next, "%s is a consumer and has nothing to show",
                      producer->entry.id.text);
    }
    if (producer->kind != walk->consumer->kind) {
        return broken(walk, "kind", next, "%s is %s, %s is %s", producer->entry.id.text,
                      yk_kind_word(producer->kind), consumer, yk_kind_word(walk->consumer->kind));
    }
    return good(walk, "kind", "both are %s", yk_kind_word(producer->kind));
}

static bool check_media(struct walk *walk)
{
    struct yk_peer_text text;
    char brief[YK_MEDIA_TEXT_MAX], next[YK_LINK_NEXT_MAX];

    yk_peers_text(walk->peers, walk->producer, &text);
    if (walk->producer->has_media) {
        yk_media_brief(brief, text.media);
        return good(walk, "media", "%s", brief);
    }
    unit_command(walk, walk->producer, &walk->producer->entry.id, "journalctl -n 20 -u", next);
    return broken(walk, "media", next,
                  "%s announces none: its driver is not ready, or none is configured",
                  walk->producer->entry.id.text);
}

static bool check_driver(struct walk *walk)
{
    char text[YK_TROUBLE_MAX] = "", retry[64] = "", next[YK_LINK_NEXT_MAX], in[32];
    const struct yk_chain_facts *facts = walk->facts;
    struct yk_peer_text own;

    yk_peers_text(walk->peers, walk->consumer, &own);
    if (walk->consumer->state == YK_STATE_ACTIVE) {
        yk_plain(text, sizeof text, own.evidence);
        return good(walk, "driver", "active%s%s", text[0] != '\0' ? ": " : "", text);
    }
    yk_trouble_of(text, walk->peers, walk->consumer, facts->now);
    if (facts->retry_ms >= 0) {
        snprintf(retry, sizeof retry, "; asked again in %s",
                 yk_duration(in, (yk_time)facts->retry_ms * YK_MS));
    }
    unit_command(walk, walk->consumer, &walk->consumer->entry.id, "journalctl -n 20 -u", next);
    return broken(walk, "driver", next, "%s: %s%s", yk_state_word(walk->consumer->state), text,
                  retry);
}

/* For how long no query has been heard where one is listened for; "" where that is not known, or not
 * long enough to mean something. */
static const char *unqueried(char out[YK_DURATION_MAX], const struct yk_querier_seen *seen)
{
    yk_time silent = seen->heard ? seen->age : seen->listened;

    out[0] = '\0';
    if (seen->known && seen->unheard[0] == '\0' && silent > YK_QUERIER_GONE) {
        yk_duration(out, silent);
    }
    return out;
}

/* A group and port can be looked for; channels and imports are the backend's. */
static bool check_stream(struct walk *walk)
{
    const struct yk_chain_facts *facts = walk->facts;
    struct yk_peer_text text;
    uint8_t group[4];
    uint16_t port;
    char next[YK_LINK_NEXT_MAX], command[YK_LINK_NEXT_MAX / 2], time[32], silent[YK_DURATION_MAX];

    unqueried(silent, &facts->querier);
    yk_peers_text(walk->peers, walk->producer, &text);
    if (!yk_media_group(text.media, group, &port)) {
        return unchecked(walk, "stream", "", "only the backend can tell whether it is seen");
    }
    yk_duration(time, facts->arrival_time);
    switch (facts->arrival) {
    case YK_ARRIVAL_SOME:
        return good(walk, "stream", "%u datagrams came in within %s", facts->arrived, time);
    case YK_ARRIVAL_NONE:
        snprintf(next, sizeof next, "yoke snoop --media %s --for 5 -q",
                 walk->producer->entry.id.text);
        return broken(
            walk, "stream", next,
            "nothing came in within %s: the producer does not send, or a switch with IGMP "
            "snooping does not pass it on%s%s",
            time, silent[0] != '\0' ? "; no IGMP query was heard for " : "", silent);
    case YK_ARRIVAL_UNKNOWN:
        return unchecked(walk, "stream", "", "not checked: %s", facts->arrival_why);
    case YK_ARRIVAL_ELSEWHERE:
        break;
    }
    snprintf(command, sizeof command, "yoke why %s", walk->consumer->entry.id.text);
    at_node(walk, walk->consumer, next, command);
    return unchecked(walk, "stream", next,
                     "not checked: it can be seen on the consumer's host only");
}

/* What has to be so that switches with IGMP snooping pass a stream on for longer than minutes. */
static bool check_querier(struct walk *walk)
{
    const struct yk_querier_seen *seen = &walk->facts->querier;
    char next[YK_LINK_NEXT_MAX], command[YK_LINK_NEXT_MAX / 2], time[YK_DURATION_MAX];
    struct yk_peer_text text;
    uint8_t group[4];
    uint16_t port;

    yk_peers_text(walk->peers, walk->producer, &text);
    if (!yk_media_group(text.media, group, &port)) {
        return true;
    }
    if (seen->heard && seen->age <= YK_QUERIER_GONE) {
        return good(walk, "querier", "%s asked %s ago on %s (IGMPv%d)", seen->address,
                    yk_duration(time, seen->age), seen->interface, seen->version);
    }
    snprintf(command, sizeof command, "tcpdump -ni %s igmp",
             seen->known ? seen->interface : "INTERFACE");
    at_node(walk, walk->consumer, next, command);
    if (!seen->known) {
        return unchecked(
            walk, "querier", next,
            "not checked: the consumer's host can tell; a query has to come every "
            "125 s, or switches with IGMP snooping stop the stream after some minutes");
    }
    if (seen->unheard[0] != '\0') {
        return unchecked(walk, "querier", next,
                         "not checked: the agent may not listen for queries (%s); give it the "
                         "drop-in querier.conf",
                         seen->unheard);
    }
    if (unqueried(time, seen)[0] == '\0') {
        return unchecked(walk, "querier", next,
                         "none heard on %s yet, and the agent has listened for %s only; one has to "
                         "come within 125 s",
                         seen->interface, yk_duration(time, seen->listened));
    }
    return unchecked(walk, "querier", next,
                     "none heard on %s for %s: where a switch snoops IGMP, streams stop after some "
                     "minutes; switch a querier on",
                     seen->interface, yk_duration(time, seen->heard ? seen->age : seen->listened));
}

bool yk_chain_walk(struct yk_chain *chain, const struct yk_chain_facts *facts)
{
    const struct yk_peers *peers = &facts->knowledge->peers;
    struct walk walk = {.chain = chain,
                        .facts = facts,
                        .peers = peers,
                        .consumer = yk_peers_find(peers, &facts->consumer.id),
                        .producer = yk_peers_find(peers, &facts->producer.id)};
    bool whole;

    chain->count = 0;
    whole = check_heard(&walk, walk.consumer, &facts->consumer, "heard") && check_key(&walk) &&
            check_one_sender(&walk) && check_clock(&walk) && check_role(&walk) &&
            check_version(&walk) && check_paired(&walk) && check_producer(&walk) &&
            check_media(&walk) && check_driver(&walk) && check_stream(&walk) &&
            check_querier(&walk);
    if (!whole && facts->warning[0] != '\0') {
        struct yk_link *last = &chain->links[chain->count - 1];
        size_t used = strlen(last->text);

        snprintf(last->text + used, sizeof last->text - used, "; its agent says: %s",
                 facts->warning);
    }
    return whole;
}

const char *yk_verdict_word(enum yk_verdict verdict)
{
    switch (verdict) {
    case YK_LINK_OK:
        return "ok";
    case YK_LINK_BROKEN:
        return "broken";
    case YK_LINK_UNCHECKED:
        return "unchecked";
    }
    return "";
}
