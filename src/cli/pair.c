/* pair and unpair: one operation, driven with the socket and the clock. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/explain.h"
#include "cli/local.h"
#include "cli/operation.h"
#include "cli/say.h"
#include "cli/site.h"
#include "cli/verbs.h"
#include "cli/writer.h"

#define RANDOM_BYTES 8 /* of an id of ours: 16 hex digits */

/* One run: the operation, and the sender it needs. */
struct run {
    struct yk_operation operation;
    struct yk_site *site;
    uint64_t seq; /* last one used */
    int send_error;
};

/* "PREFIX-HEX", unpredictable. */
static bool make_id(struct yk_id *id, const char *prefix, struct yk_refusal *why)
{
    uint8_t random[RANDOM_BYTES];
    char text[YK_ID_MAX + 1];
    int size = snprintf(text, sizeof text - 2 * RANDOM_BYTES, "%s-", prefix);

    if (!yk_site_random(random, sizeof random, why)) {
        return false;
    }
    for (size_t i = 0; i < RANDOM_BYTES; i++) {
        size += snprintf(text + size, 3, "%02x", random[i]);
    }
    yk_id_parse(id, yk_slice_of(text));
    return true;
}

/* Our envelope origin: cli-HOST-HEX, so that everybody can see who switched a screen. */
static bool make_self(struct yk_id *self, struct yk_refusal *why)
{
    /* "cli-", the host, a dash, the digits. */
    char prefix[YK_ID_MAX - 2 * RANDOM_BYTES] = "cli-";
    char *host = prefix + 4;
    size_t room = sizeof prefix - 4;

    if (gethostname(host, room) != 0) {
        host[0] = '\0';
    }
    host[room - 1] = '\0';
    for (char *at = host; *at != '\0'; at++) {
        struct yk_id one;

        if (!yk_id_parse(&one, (struct yk_slice){(const uint8_t *)at, 1}) &&
            strchr("._-", *at) == NULL) {
            *at = '-';
        }
    }
    if (host[0] == '\0') {
        strcpy(host, "host");
    }
    return make_id(self, prefix, why);
}

static void send_intent(struct run *run)
{
    struct yk_frame frame = {.type = YK_TYPE_INT,
                             .origin = run->site->self,
                             .seq = ++run->seq,
                             .ts_ms = yk_site_wall() / 1000000,
                             .as.intent = run->operation.intent};
    uint8_t bytes[YK_FRAME_MAX];
    size_t size = yk_frame_encode(&frame, &run->site->auth, bytes);

    run->send_error = yk_socket_send(&run->site->socket, (struct yk_slice){bytes, size});
}

static void tell(const struct run *run)
{
    const struct yk_operation *operation = &run->operation;
    char consumer[YK_LABEL_MAX], took[32];

    yk_label(consumer, &run->site->knowledge.peers, &operation->consumer.id);
    yk_duration(took, yk_site_now() - operation->started);
    switch (operation->told) {
    case YK_TELL_HEARD:
        yk_progress("%s: heard, %s (%s)", consumer, yk_state_word(operation->state), took);
        break;
    case YK_TELL_UNHEARD:
        yk_progress("%s: not heard; asking it all the same (%s)", consumer, took);
        break;
    case YK_TELL_STRANGER:
        yk_explain_stranger(operation);
        break;
    case YK_TELL_SENT:
        yk_progress("%s: sent, version %llu (%s)", consumer,
                    (unsigned long long)operation->intent.version.n, took);
        break;
    case YK_TELL_AGAIN:
        yk_progress("%s: heard only now, and at a higher version; asking anew (%s)", consumer,
                    took);
        break;
    case YK_TELL_SAVED:
        yk_progress("%s: saved (%s)", consumer, took);
        break;
    case YK_TELL_REACHED:
        yk_progress("%s: %s (%s)", consumer, yk_state_word(operation->state), took);
        break;
    case YK_TELL_NONE:
    case YK_TELL_END:
        break;
    }
}

static void heard(void *owner, const struct yk_frame *frame, yk_time now)
{
    struct run *run = owner;

    yk_operation_hear(&run->operation, frame, now);
}

static void drive(struct run *run)
{
    for (;;) {
        switch (yk_operation_next(&run->operation, yk_site_now())) {
        case YK_WANT_TELL:
            tell(run);
            break;
        case YK_WANT_SEND:
            send_intent(run);
            break;
        case YK_WANT_WAIT:
            yk_site_listen(run->site, yk_operation_deadline(&run->operation), run, heard);
            break;
        case YK_WANT_NOTHING:
            return;
        }
    }
}

static int exit_status(enum yk_outcome outcome)
{
    switch (outcome) {
    case YK_OUTCOME_APPLIED:
    case YK_OUTCOME_ACTIVE:
    case YK_OUTCOME_IDLE:
        return YK_EXIT_OK;
    case YK_OUTCOME_REFUSED:
        return YK_EXIT_NO;
    case YK_OUTCOME_UNANSWERED:
        return YK_EXIT_UNANSWERED;
    case YK_OUTCOME_NOT_ACTIVE:
    case YK_OUTCOME_NOT_IDLE:
        return YK_EXIT_NOT_YET;
    case YK_OUTCOME_EXHAUSTED:
        return YK_EXIT_EXHAUSTED;
    case YK_OUTCOME_MISTAKE:
        return YK_EXIT_USAGE;
    case YK_OUTCOME_NONE:
        break;
    }
    return YK_EXIT_INTERNAL;
}

static void report(const struct run *run, const struct yk_options *options)
{
    const struct yk_operation *operation = &run->operation;

    if (operation->outcome != YK_OUTCOME_MISTAKE) {
        yk_writer(options->json)->result(stdout, operation);
        fflush(stdout); /* before the explanation, where both go to one terminal */
    }
    yk_explain(operation, run->site, run->send_error);
}

/* What is wrong with the words whoever is on the network. */
static bool check_words(const struct yk_options *options, struct yk_refusal *why)
{
    for (size_t i = 0; i < options->word_count; i++) {
        if (!yk_names_possible(options->words[i])) {
            return yk_refuse(why, YK_EXIT_USAGE,
                             "\"%s\": can be neither a node id nor a name (1 to %d characters); "
                             "give one as yoke list shows it",
                             options->words[i], YK_NAME_MAX);
        }
    }
    if (options->word_count == 2 && strcmp(options->words[0], options->words[1]) == 0) {
        return yk_refuse(why, YK_EXIT_USAGE,
                         "%s: a consumer cannot be paired with itself; name the producer second",
                         options->words[0]);
    }
    return true;
}

/* Joined before anything is sent: the answer must find us there. */
static bool prepare(struct run *run, struct yk_local *local, struct yk_operation_options *wanted,
                    struct yk_refusal *why)
{
    yk_time now = yk_site_now();

    for (size_t i = 0; i < YK_OPERATION_AUTHORS; i++) {
        if (!make_id(&wanted->authors[i], "op", why)) {
            return false;
        }
    }
    if (!make_self(&run->site->self, why)) {
        return false;
    }
    yk_local_learn(local, run->site);
    if (!yk_site_join(run->site, why)) {
        return false;
    }
    run->seq = (uint64_t)yk_site_wall();
    yk_operation_start(&run->operation, wanted, &run->site->knowledge, now);
    return true;
}

/* What agents of this host say is wrong with them by now: the cause may be among it. */
static void say_local_trouble(struct yk_local *local, struct yk_site *site)
{
    yk_local_fini(local);
    yk_local_learn(local, site);
    yk_local_say_warnings(local);
}

static int run_operation(const struct yk_options *options, enum yk_op op)
{
    struct yk_operation_options wanted = {.op = op,
                                          .consumer = options->words[0],
                                          .producer = op == YK_OP_PAIR ? options->words[1] : NULL,
                                          .wait = options->wait,
                                          .timeout = options->timeout};
    struct run run = {.send_error = 0};
    struct yk_local local = {.agents = 0};
    struct yk_refusal why;
    int status;

    if (!check_words(options, &why) || (run.site = yk_site_open(options, &why)) == NULL) {
        yk_say("%s", why.text);
        return why.exit;
    }
    if (prepare(&run, &local, &wanted, &why)) {
        drive(&run);
        report(&run, options);
        status = exit_status(run.operation.outcome);
        if (status != YK_EXIT_OK && status != YK_EXIT_USAGE) {
            say_local_trouble(&local, run.site);
        }
    } else {
        yk_say("%s", why.text);
        status = why.exit;
    }
    yk_local_fini(&local);
    yk_site_close(run.site);
    return status;
}

static int run_pair(const struct yk_options *options)
{
    return run_operation(options, YK_OP_PAIR);
}

static int run_unpair(const struct yk_options *options)
{
    return run_operation(options, YK_OP_UNPAIR);
}

#define TAKES (YK_TAKES_SITE | YK_TAKES_JSON | YK_TAKES_TIMEOUT | YK_TAKES_WAIT)
#define EXIT_STATUSES(state)                                                        \
    "  0   done\n"                                                                  \
    "  1   the consumer refused; its reason is printed\n"                           \
    "  64  the command line is wrong: no such node, or a consumer and a producer\n" \
    "      changed for each other\n"                                                \
    "  65  the consumer's versions are used up\n"                                   \
    "  69  no answer: the consumer is not heard, or did not answer in time\n"       \
    "  70  internal fault, or standard output cannot be written\n"                  \
    "  75  saved, but not " state " in time\n"                                      \
    "  77  the key file is not safe from others\n"                                  \
    "  78  configuration, key or network is wrong\n"

const struct yk_verb yk_verb_pair = {
    .name = "pair",
    .words = "CONSUMER PRODUCER",
    .word_count = 2,
    .takes = TAKES,
    .waits_for = YK_STATE_ACTIVE,
    .summary = "a decoder shows an encoder from now on",
    .about =
        "Pairs a consumer (a decoder: screen, USB port) with a producer (an encoder: player,\n"
        "keyboard). Each is a node id, or a human name that exactly one node has. The pairing\n"
        "is saved by the consumer and survives a power cut. An agent on this host is asked\n"
        "for what it knows; without one the network is listened to for up to 2.6 s.\n",
    .exit_statuses = EXIT_STATUSES("active"),
    .run = run_pair,
};

const struct yk_verb yk_verb_unpair = {
    .name = "unpair",
    .words = "CONSUMER",
    .word_count = 1,
    .takes = TAKES,
    .waits_for = YK_STATE_IDLE,
    .summary = "a decoder shows nothing from now on",
    .about = "Ends the pairing of a consumer (a decoder: screen, USB port), given by its node id\n"
             "or by a human name that exactly one node has. That it is unpaired is saved by the\n"
             "consumer and survives a power cut.\n",
    .exit_statuses = EXIT_STATUSES("idle"),
    .run = run_unpair,
};
