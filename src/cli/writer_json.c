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
    yk_line_close(&line, out);
}

static void roster(FILE *out, const struct yk_roster *roster)
{
    for (size_t i = 0; i < roster->count; i++) {
        node(out, roster, roster->peers[i]);
    }
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
    .version = versions,
};
