#include "cli/explain.h"

#include <string.h>

#include "cli/say.h"
#include "cli/trouble.h"

/* Nodes heard at all: those that can keep an intent for who is not there. */
static unsigned listeners(const struct yk_operation *operation)
{
    return operation->knowledge->peers.live_count;
}

/* True, and `out` (YK_LABEL_MAX) filled, when a node of the right role has nearly that id or name. */
static bool find_nearest(const struct yk_operation *operation, const struct yk_end *end, char *out)
{
    char name[YK_NAME_BYTES_MAX + 1];
    const struct yk_peers *peers = &operation->knowledge->peers;
    struct yk_id id;

    if (end->found.match != YK_MATCH_NONE ||
        !yk_names_nearest(peers, end->word, end->role, &id, name)) {
        return false;
    }
    yk_label(out, peers, &id);
    return true;
}

static void explain_unknown(const struct yk_operation *operation, const struct yk_site *site)
{
    const char *word = operation->mistaken->word;
    char label[YK_LABEL_MAX];

    if (find_nearest(operation, operation->mistaken, label)) {
        yk_say("\"%s\": nobody heard has this id or name; did you mean %s?", word, label);
    } else if (listeners(operation) > 0) {
        yk_say("\"%s\": nobody heard has this id or name; yoke list shows who is heard", word);
    } else {
        yk_say("\"%s\": no node id, and nobody is heard who could have this name; give an id",
               word);
        yk_site_explain_silence(site);
    }
}

static void explain_ambiguous(const struct yk_end *end)
{
    char list[YK_NAMES_LISTED_MAX * (YK_ID_MAX + 2) + 8] = "";
    size_t listed = end->found.count < YK_NAMES_LISTED_MAX ? end->found.count : YK_NAMES_LISTED_MAX;

    for (size_t i = 0; i < listed; i++) {
        strcat(list, i > 0 ? ", " : "");
        strcat(list, end->found.nodes[i].text);
    }
    if (listed < end->found.count) {
        strcat(list, ", ...");
    }
    yk_say("\"%s\": %zu nodes have this name: %s; give the id of the one you mean", end->word,
           end->found.count, list);
}

/* Arguments the wrong way round are the usual slip; then the right command can be shown whole. */
static void explain_role(const struct yk_operation *operation)
{
    const struct yk_end *end = operation->mistaken;
    const struct yk_peers *peers = &operation->knowledge->peers;
    const struct yk_peer *first = yk_peers_find(peers, &operation->consumer.id);
    const struct yk_peer *second = yk_peers_find(peers, &operation->producer.id);
    char label[YK_LABEL_MAX];

    yk_label(label, peers, &end->id);
    if (operation->options.op == YK_OP_UNPAIR) {
        yk_say("%s: a producer, which has no pairing of its own; name the consumer that shows it "
               "(yoke list)",
               label);
    } else if (first != NULL && first->role == YK_ROLE_PRODUCER &&
               (second == NULL || second->role == YK_ROLE_CONSUMER)) {
        yk_say("%s: a producer, and the consumer comes first; try: yoke pair %s %s", label,
               operation->producer.id.text, operation->consumer.id.text);
    } else if (end->role == YK_ROLE_CONSUMER) {
        yk_say("%s: a producer, and so is %s; name the consumer first (yoke list)", label,
               operation->producer.id.text);
    } else {
        yk_say("%s: a consumer, which has nothing to show; name a producer second (yoke list)",
               label);
    }
}

static void explain_mistake(const struct yk_operation *operation, const struct yk_site *site)
{
    switch (operation->mistake) {
    case YK_MISTAKE_UNKNOWN:
        explain_unknown(operation, site);
        break;
    case YK_MISTAKE_AMBIGUOUS:
        explain_ambiguous(operation->mistaken);
        break;
    case YK_MISTAKE_ROLE:
        explain_role(operation);
        break;
    case YK_MISTAKE_SELF:
        yk_say("%s: a consumer cannot be paired with itself; name the producer second",
               operation->consumer.id.text);
        break;
    case YK_MISTAKE_NONE:
        break;
    }
}

static void explain_superseded(const struct yk_operation *operation, const char *consumer)
{
    const struct yk_heard *heard = yk_knowledge_of(operation->knowledge, &operation->consumer.id);
    const struct yk_version *rival = &operation->rival;

    if (rival->n == 0 && operation->blind) {
        yk_say("%s: it has a newer pairing than we could know: it answered, but none of its "
               "announcements came through; run this again, with a longer --timeout",
               consumer);
        return;
    }
    if (rival->n == 0) {
        yk_say("%s: a newer pairing governs it; look at yoke list, and run this again if yours is "
               "the one that should hold",
               consumer);
        return;
    }
    yk_say("%s: switched meanwhile by %s (version %llu%s%s); look at yoke list, and run this again "
           "if yours is the one that should hold",
           consumer, rival->author.text, (unsigned long long)rival->n,
           heard != NULL && heard->carrier.size > 0 ? ", heard from " : "",
           heard != NULL ? heard->carrier.text : "");
}

static void explain_refusal(const struct yk_operation *operation, const char *consumer)
{
    const struct yk_peers *peers = &operation->knowledge->peers;
    const struct yk_peer *peer = yk_peers_find(peers, &operation->consumer.id);
    char producer[YK_LABEL_MAX];

    yk_label(producer, peers, &operation->producer.id);
    switch (operation->reason) {
    case YK_REASON_SUPERSEDED:
        explain_superseded(operation, consumer);
        break;
    case YK_REASON_KIND_MISMATCH:
        yk_say("%s: %s is of another kind; pair it with a producer of kind %s (yoke list)",
               consumer, producer, peer != NULL ? yk_kind_word(peer->kind) : "its own");
        break;
    case YK_REASON_SELF_PAIR:
        yk_say("%s: it cannot show itself; name a producer (yoke list)", consumer);
        break;
    case YK_REASON_UNKNOWN_PRODUCER:
        yk_say("%s: it takes %s for no node id; give the producer's id as yoke list shows it",
               consumer, producer);
        break;
    case YK_REASON_DRIVER_ERROR:
        yk_say("%s: its driver refused; its log says why, and the pairing it had still holds",
               consumer);
        break;
    case YK_REASON_APPLIED:
    case YK_REASON_NONE:
    case YK_REASON_END:
        yk_say("%s: it refused without saying why; its log may", consumer);
        break;
    }
}

/* Not heard: what becomes of the intent that was sent (completions section 5), and what to do. */
static void explain_absent(const struct yk_operation *operation, const struct yk_site *site,
                           const char *consumer)
{
    char label[YK_LABEL_MAX], next[YK_LABEL_MAX + 64];
    unsigned count = listeners(operation);

    if (find_nearest(operation, &operation->consumer, label)) {
        snprintf(next, sizeof next, "did you mean %s?", label);
    } else if (count == 0) {
        snprintf(next, sizeof next, "nobody else is heard who would keep it");
    } else if (operation->blind) {
        snprintf(next, sizeof next, "switch it on and run this again");
    } else {
        snprintf(next, sizeof next, "the nodes heard (%u) keep it for 24 h", count);
    }
    yk_say("%s: not heard; sent as version %llu, %s; %s", consumer,
           (unsigned long long)operation->intent.version.n,
           operation->blind ? "blind, which loses to any earlier pairing"
                            : "above the last one known, so it applies when it appears",
           next);
    if (count == 0) {
        yk_site_explain_silence(site);
    }
}

static void explain_unanswered(const struct yk_operation *operation, const struct yk_site *site,
                               const char *consumer, int send_error)
{
    const struct yk_peer *peer =
        yk_peers_find(&operation->knowledge->peers, &operation->consumer.id);
    char age[32];

    if (send_error != 0) {
        yk_say("sending at %s: %s; check cable and --interface", yk_site_place(site),
               strerror(send_error));
    } else if (peer == NULL || peer->presence != YK_PRESENCE_LIVE) {
        explain_absent(operation, site, consumer);
    } else if (site->accepted == 0) {
        yk_say("%s: an agent of this host hears it, and we hear nothing; it may have been saved",
               consumer);
        yk_site_explain_silence(site);
    } else {
        yk_say("%s: last heard %s ago, and it did not answer: it went off just now (then it "
               "applies when it appears), or it cannot save (its log says so), or our frames do "
               "not reach it; try again, with a longer --timeout",
               consumer, yk_duration(age, operation->ended - peer->last_ann));
    }
}

static void explain_not_reached(const struct yk_operation *operation, const char *consumer)
{
    const struct yk_peers *peers = &operation->knowledge->peers;
    const struct yk_peer *peer = yk_peers_find(peers, &operation->consumer.id);
    char reason[YK_TROUBLE_MAX];

    if (operation->rival.n > 0) {
        explain_superseded(operation, consumer);
    } else if (peer != NULL && yk_trouble_of(reason, peers, peer, operation->ended)) {
        yk_say("%s: saved, but %s: %s; it goes on trying by itself, yoke list shows how it is",
               consumer, yk_presence_word(peer), reason);
    } else {
        yk_say("%s: saved, but nothing was heard of it since; yoke list shows how it is", consumer);
    }
}

void yk_explain_stranger(const struct yk_operation *operation)
{
    const struct yk_peers *peers = &operation->knowledge->peers;
    char label[YK_LABEL_MAX], near[YK_LABEL_MAX];
    bool found = find_nearest(operation, &operation->producer, near);

    yk_say("%s: not heard; the pairing will be pending until it is%s%s%s",
           yk_label(label, peers, &operation->producer.id), found ? "; did you mean " : "",
           found ? near : "", found ? "?" : "");
}

void yk_explain(const struct yk_operation *operation, const struct yk_site *site, int send_error)
{
    char consumer[YK_LABEL_MAX];

    yk_label(consumer, &operation->knowledge->peers, &operation->consumer.id);
    switch (operation->outcome) {
    case YK_OUTCOME_MISTAKE:
        explain_mistake(operation, site);
        break;
    case YK_OUTCOME_REFUSED:
        explain_refusal(operation, consumer);
        break;
    case YK_OUTCOME_UNANSWERED:
        explain_unanswered(operation, site, consumer, send_error);
        break;
    case YK_OUTCOME_NOT_ACTIVE:
    case YK_OUTCOME_NOT_IDLE:
        explain_not_reached(operation, consumer);
        break;
    case YK_OUTCOME_EXHAUSTED:
        yk_say("%s: its version counter is at its end (%lld), nothing newer can be written; give "
               "it another id and a fresh state (yoke agent --commission)",
               consumer, (long long)YK_COUNT_MAX);
        break;
    case YK_OUTCOME_NONE:
    case YK_OUTCOME_APPLIED:
    case YK_OUTCOME_ACTIVE:
    case YK_OUTCOME_IDLE:
        break;
    }
}
