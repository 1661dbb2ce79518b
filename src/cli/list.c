/* list: who is there, and how they are. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/local.h"
#include "cli/say.h"
#include "cli/site.h"
#include "cli/verbs.h"
#include "cli/writer.h"
#include "shell/warnings.h"

static int by_id(const void *a, const void *b)
{
    const struct yk_peer *const *left = a, *const *right = b;

    return yk_id_compare(&(*left)->entry.id, &(*right)->entry.id);
}

/* How much longer to listen, after the agents of this host were asked. */
static yk_time listening_time(const struct yk_options *options, const struct yk_site *site,
                              const struct yk_local *local)
{
    if (options->listen_given || local->agents == 0) {
        return options->listen;
    }
    return site->knowledge.complete ? 0 : YK_KNOWLEDGE_LISTEN - local->up_longest;
}

static bool listen_for(struct yk_site *site, yk_time duration, struct yk_refusal *why)
{
    yk_time until = yk_site_now() + duration;

    if (!yk_site_join(site, why)) {
        return false;
    }
    while (yk_site_now() < until) {
        yk_site_listen(site, until, NULL, NULL);
    }
    yk_knowledge_expire(&site->knowledge, yk_site_now());
    return true;
}

static bool print_roster(const struct yk_site *site, bool json, struct yk_refusal *why)
{
    const struct yk_peers *peers = &site->knowledge.peers;
    struct yk_roster roster = {.site = site, .now = yk_site_now()};
    const struct yk_peer *peer = NULL;
    struct yk_clocks clocks;

    roster.peers = calloc(peers->table.count + 1, sizeof *roster.peers);
    if (roster.peers == NULL) {
        return yk_refuse(why, YK_EXIT_INTERNAL, "memory: none left; free some and try again");
    }
    while ((peer = yk_peers_next(peers, peer)) != NULL) {
        roster.peers[roster.count++] = peer;
    }
    qsort(roster.peers, roster.count, sizeof *roster.peers, by_id);
    yk_clocks_compare(&clocks, peers, 0);
    roster.own_clock_is_wrong = clocks.peers > 1 && yk_clock_is_apart(clocks.ahead_ms);
    yk_writer(json)->roster(stdout, &roster);
    fflush(stdout);
    free(roster.peers);
    if (roster.count == 0) {
        yk_say("nobody is heard");
        yk_site_explain_silence(site);
    }
    return true;
}

/* An agent of this host would have said it. */
static void say_clock(const struct yk_site *site)
{
    struct yk_clocks clocks;
    char text[YK_WARNING_MAX];

    yk_clocks_compare(&clocks, &site->knowledge.peers, 0);
    if (clocks.peers > 0 && yk_clock_is_apart(clocks.ahead_ms)) {
        yk_warning_clocks(text, &clocks);
        yk_say("%s", text);
    }
}

static bool list(struct yk_site *site, const struct yk_options *options, struct yk_local *local,
                 struct yk_refusal *why)
{
    yk_time duration;

    yk_local_learn(local, site);
    duration = listening_time(options, site, local);
    if (duration > 0 && !listen_for(site, duration, why)) {
        if (local->agents == 0) {
            return false;
        }
        yk_say("%s", why->text); /* what the agents know is still worth showing */
    }
    if (!print_roster(site, options->json, why)) {
        return false;
    }
    if (!options->json) {
        yk_local_print_versions(local, stdout);
        fflush(stdout);
    }
    yk_local_say_warnings(local);
    if (local->agents == 0) {
        say_clock(site);
    }
    return true;
}

static int run_list(const struct yk_options *options)
{
    struct yk_refusal why = {.exit = YK_EXIT_OK};
    struct yk_local local = {.agents = 0};
    struct yk_site *site = yk_site_open(options, &why);
    int status = YK_EXIT_OK;

    if (site == NULL || !list(site, options, &local, &why)) {
        yk_say("%s", why.text);
        status = why.exit;
    }
    yk_local_fini(&local);
    if (site != NULL) {
        yk_site_close(site);
    }
    return status;
}

const struct yk_verb yk_verb_list = {
    .name = "list",
    .words = "",
    .word_count = 0,
    .takes = YK_TAKES_SITE | YK_TAKES_JSON | YK_TAKES_FOR,
    .summary = "who is there, and how they are",
    .about =
        "Lists the nodes with their state, what they show and, where one is not well, why. An\n"
        "agent on this host is asked, which takes no time; without one, or with --for, the\n"
        "network is listened to. Nobody heard is an empty list and a hint on standard error.\n",
    .exit_statuses = "  0   done, also when nobody is heard\n"
                     "  64  the command line is wrong\n"
                     "  70  internal fault, or standard output cannot be written\n"
                     "  77  the key file is not safe from others\n"
                     "  78  configuration, key or network is wrong\n",
    .run = run_list,
};
