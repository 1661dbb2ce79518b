/* Lines for programs, as completions section 6 has them. */
#include "cli/line.h"
#include "cli/writer.h"

static void result(FILE *out, const struct yk_operation *operation)
{
    uint8_t bytes[YK_LINE_MAX];
    struct yk_json_writer line;
    bool authored = operation->authored > 0;

    yk_line_open(&line, bytes, sizeof bytes, "result");
    yk_line_word(&line, "op", yk_op_word(operation->options.op));
    yk_line_word(&line, "consumer", operation->consumer.id.text);
    yk_line_word(&line, "producer", operation->producer.id.text);
    if (authored) {
        yk_line_version(&line, &operation->intent.version);
    } else {
        yk_line_null(&line, "version");
    }
    yk_line_word(&line, "authored", !authored ? "" : operation->blind ? "blind" : "known");
    yk_line_word(&line, "outcome", yk_outcome_word(operation->outcome));
    yk_line_word(&line, "reason", yk_reason_word(operation->reason));
    yk_line_word(&line, "state", yk_state_word(operation->state));
    yk_line_text(&line, "err", operation->consumer_heard && operation->has_err,
                 (struct yk_slice){(const uint8_t *)operation->err, operation->err_size});
    yk_line_unsigned(&line, "elapsed_ms", (operation->ended - operation->started) / YK_MS);
    yk_line_close(&line, out);
}

static void node(FILE *out, const struct yk_roster *roster, const struct yk_peer *peer)
{
    const struct yk_knowledge *knowledge = &roster->site->knowledge;
    const struct yk_heard *heard = yk_knowledge_of(knowledge, &peer->entry.id);
    uint8_t bytes[YK_LINE_MAX];
    struct yk_json_writer line;

    yk_line_open(&line, bytes, sizeof bytes, "node");
    yk_line_node(&line, &knowledge->peers, peer, heard != NULL ? &heard->place : NULL, roster->now);
    if (peer->has_clock) {
        yk_json_key(&line, "clock_ahead_ms");
        yk_json_signed(&line, peer->clock_ahead_ms);
    } else {
        yk_line_null(&line, "clock_ahead_ms");
    }
    yk_line_close(&line, out);
}

static void roster(FILE *out, const struct yk_roster *roster)
{
    for (size_t i = 0; i < roster->count; i++) {
        node(out, roster, roster->peers[i]);
    }
}

/* A line a link, and one that sums up. */
static void chain(FILE *out, const struct yk_id *consumer, const struct yk_chain *chain)
{
    const struct yk_link *last = &chain->links[chain->count - 1];
    bool whole = last->verdict != YK_LINK_BROKEN;
    uint8_t bytes[YK_LINE_MAX];
    struct yk_json_writer line;

    for (size_t i = 0; i < chain->count; i++) {
        yk_line_open(&line, bytes, sizeof bytes, "link");
        yk_line_word(&line, "consumer", consumer->text);
        yk_line_word(&line, "link", chain->links[i].name);
        yk_line_word(&line, "verdict", yk_verdict_word(chain->links[i].verdict));
        yk_line_word(&line, "text", chain->links[i].text);
        yk_line_word(&line, "next", chain->links[i].next);
        yk_line_close(&line, out);
    }
    yk_line_open(&line, bytes, sizeof bytes, "why");
    yk_line_word(&line, "consumer", consumer->text);
    yk_line_bool(&line, "whole", whole);
    yk_line_word(&line, "broken", whole ? "" : last->name);
    yk_line_word(&line, "next", whole ? "" : last->next);
    yk_line_close(&line, out);
}

static void versions(FILE *out, const struct yk_part *parts, size_t count)
{
    uint8_t bytes[YK_LINE_MAX];
    struct yk_json_writer line;

    yk_line_open(&line, bytes, sizeof bytes, "version");
    for (size_t i = 0; i < count; i++) {
        yk_line_word(&line, parts[i].name, parts[i].version);
    }
    yk_line_close(&line, out);
}

const struct yk_writer yk_writer_json = {
    .result = result,
    .roster = roster,
    .chain = chain,
    .version = versions,
};
