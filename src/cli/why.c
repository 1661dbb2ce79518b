/* why: from a pairing to its picture, and where it stops. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/build.h"
#include "cli/arrival.h"
#include "cli/chain.h"
#include "cli/local.h"
#include "cli/media.h"
#include "cli/names.h"
#include "cli/say.h"
#include "cli/site.h"
#include "cli/verbs.h"
#include "cli/writer.h"

/* One run; the facts borrow from it. */
struct run {
    struct yk_site *site;
    struct yk_local local;
    struct yk_chain_facts facts;
    char cause[256];
    struct yk_chain chain;
};

/* The consumer or its producer, when this is what was heard of. */
static struct yk_overheard *of(struct run *run, const struct yk_id *id)
{
    struct yk_chain_facts *facts = &run->facts;

    if (facts->consumer.id.size > 0 && yk_id_equal(&facts->consumer.id, id)) {
        return &facts->consumer;
    }
    return facts->producer.id.size > 0 && yk_id_equal(&facts->producer.id, id) ? &facts->producer
                                                                               : NULL;
}

/* Who shows what the consumer is paired with, once that is known. */
static void learn_producer(struct run *run)
{
    const struct yk_peer *consumer =
        yk_peers_find(&run->site->knowledge.peers, &run->facts.consumer.id);

    if (consumer != NULL && !yk_id_equal(&run->facts.producer.id, &consumer->pairing.producer)) {
        run->facts.producer = (struct yk_overheard){.id = consumer->pairing.producer};
    }
}

static void heard(void *owner, const struct yk_frame *frame, yk_time now)
{
    struct run *run = owner;
    struct yk_overheard *node = of(run, &frame->origin);

    (void)now;
    if (node != NULL) {
        node->has_clock = true;
        node->clock_ahead_ms = yk_clock_ahead(frame->ts_ms, yk_site_wall());
    }
    learn_producer(run);
}

static void refused(void *owner, enum yk_drop drop, const struct yk_frame *frame,
                    struct yk_address from)
{
    struct yk_overheard *node = of(owner, &frame->origin);

    if (node != NULL) {
        node->from = from;
        node->unverified += drop == YK_DROP_AUTH;
        node->ahead += drop == YK_DROP_STALE;
    }
}

static bool heard_both(const struct run *run)
{
    const struct yk_chain_facts *facts = &run->facts;

    return facts->consumer.has_clock && (facts->producer.id.size == 0 || facts->producer.has_clock);
}

/* An id, known or not, or a name that one node has; while nobody of that name is heard: not yet. */
static bool settle(struct run *run, const char *word)
{
    struct yk_names found;

    yk_names_find(&run->site->knowledge.peers, word, &found);
    if (found.match == YK_MATCH_ID || found.match == YK_MATCH_NAME) {
        run->facts.consumer.id = found.nodes[0];
        return true;
    }
    return found.match != YK_MATCH_AMBIGUOUS &&
           yk_id_parse(&run->facts.consumer.id, yk_slice_of(word));
}

static bool listen_for(struct run *run, const char *word, struct yk_refusal *why)
{
    yk_time until = yk_site_now() + YK_KNOWLEDGE_LISTEN;

    if (!yk_site_join(run->site, why)) {
        return false;
    }
    run->site->refused = refused;
    settle(run, word);
    learn_producer(run);
    while (yk_site_now() < until && !heard_both(run)) {
        yk_site_listen(run->site, until, run, heard);
        if (run->facts.consumer.id.size == 0) {
            settle(run, word);
        }
    }
    yk_knowledge_expire(&run->site->knowledge, yk_site_now());
    return true;
}

/* What the agent of the consumer says, where it runs on this host. */
static void ask_here(struct run *run)
{
    const struct yk_id *id = &run->facts.consumer.id;
    char prefix[YK_ID_MAX + 16];
    size_t size = (size_t)snprintf(prefix, sizeof prefix, "agent %s: ", id->text);

    for (unsigned i = 0; i < run->local.agents; i++) {
        if (yk_id_equal(&run->local.list[i].id, id)) {
            run->facts.is_here = true;
            run->facts.retry_ms = run->local.list[i].retry_ms;
            run->facts.querier = run->local.list[i].querier;
        }
    }
    for (size_t i = 0; i < run->local.warning_count; i++) {
        if (strncmp(run->local.warnings[i], prefix, size) == 0 && run->facts.warning[0] == '\0') {
            run->facts.warning = run->local.warnings[i] + size;
        }
    }
}

static void look_for_stream(struct run *run)
{
    const struct yk_peers *peers = &run->site->knowledge.peers;
    const struct yk_peer *producer = yk_peers_find(peers, &run->facts.producer.id);
    struct yk_peer_text text;
    uint8_t group[4];
    uint16_t port;

    if (run->facts.is_here && producer != NULL && producer->has_media) {
        yk_peers_text(peers, producer, &text);
        if (yk_media_group(text.media, group, &port)) {
            yk_arrival_look(&run->facts, group, port, run->cause, sizeof run->cause);
        }
    }
}

static int unknown_word(const struct run *run, const char *word)
{
    const struct yk_peers *peers = &run->site->knowledge.peers;
    char name[YK_NAME_BYTES_MAX + 1];
    struct yk_id near;

    if (peers->table.count == 0) {
        yk_say("nobody is heard");
        yk_site_explain_silence(run->site);
        return YK_EXIT_UNANSWERED;
    }
    if (yk_names_nearest(peers, word, YK_ROLE_CONSUMER, &near, name)) {
        yk_say("\"%s\": not one node heard has this id or name; did you mean %s?", word, name);
    } else {
        yk_say("\"%s\": not one node heard has this id or name; yoke list shows who is heard",
               word);
    }
    return YK_EXIT_USAGE;
}

/* Nobody at all spoke, or was understood, and no agent of this host knows anybody. */
static bool nobody_answers(const struct run *run)
{
    const struct yk_overheard *node = &run->facts.consumer;

    return run->site->knowledge.peers.table.count == 0 && node->unverified == 0 && node->ahead == 0;
}

static int walk(struct run *run, const struct yk_options *options, struct yk_refusal *why)
{
    bool whole;

    yk_local_learn(&run->local, run->site);
    if (!listen_for(run, options->words[0], why)) {
        yk_say("%s", why->text);
        return (int)why->exit;
    }
    if (run->facts.consumer.id.size == 0) {
        return unknown_word(run, options->words[0]);
    }
    if (nobody_answers(run)) {
        yk_say("nobody is heard");
        yk_site_explain_silence(run->site);
        return YK_EXIT_UNANSWERED;
    }
    learn_producer(run);
    ask_here(run);
    look_for_stream(run);
    run->facts.now = yk_site_now();
    whole = yk_chain_walk(&run->chain, &run->facts);
    yk_writer(options->json)->chain(stdout, &run->facts.consumer.id, &run->chain);
    return whole ? YK_EXIT_OK : YK_EXIT_NO;
}

static int run_why(const struct yk_options *options)
{
    struct yk_refusal why = {.exit = YK_EXIT_OK};
    struct run *run = calloc(1, sizeof *run);
    int status;

    if (run == NULL) {
        yk_say("memory: none left; free some and try again");
        return YK_EXIT_INTERNAL;
    }
    if (!yk_names_possible(options->words[0])) {
        yk_say("\"%s\": can be neither a node id nor a name (1 to %d characters); give one as yoke "
               "list shows it",
               options->words[0], YK_NAME_MAX);
        free(run);
        return YK_EXIT_USAGE;
    }
    run->site = yk_site_open(options, &why);
    if (run->site == NULL) {
        yk_say("%s", why.text);
        free(run);
        return (int)why.exit;
    }
    run->facts = (struct yk_chain_facts){.knowledge = &run->site->knowledge,
                                         .key = run->site->auth.key.fingerprint,
                                         .place = yk_site_place(run->site),
                                         .wall_ns = yk_site_wall(),
                                         .built_ns = yk_build_time * (int64_t)YK_SECOND,
                                         .retry_ms = -1,
                                         .warning = "",
                                         .arrival = YK_ARRIVAL_ELSEWHERE};
    status = walk(run, options, &why);
    yk_local_fini(&run->local);
    yk_site_close(run->site);
    free(run);
    return status;
}

const struct yk_verb yk_verb_why = {
    .name = "why",
    .words = "CONSUMER",
    .word_count = 1,
    .takes = YK_TAKES_SITE | YK_TAKES_JSON,
    .summary = "why a decoder does not show what it should",
    .about =
        "Walks from the pairing to the picture: is the consumer heard, and signed with our key; "
        "are\n"
        "the clocks sane; was the newest version saved; is the producer there, of the right kind,\n"
        "with media known; what does the driver say; does the stream come in. The first broken "
        "link\n"
        "ends it, with the command to run next. What cannot be seen from here is said: most can "
        "be\n"
        "seen on the consumer's own host. It listens for up to 2.6 s, asks the agents of this "
        "host,\n"
        "and sends nothing.\n",
    .exit_statuses = "  0   no link is broken\n"
                     "  1   a link is broken\n"
                     "  64  the command line is wrong, or not one node heard has this name\n"
                     "  69  nobody is heard\n"
                     "  70  internal fault, or standard output cannot be written\n"
                     "  77  the key file is not safe from others\n"
                     "  78  configuration, key or network is wrong\n",
    .run = run_why,
};
