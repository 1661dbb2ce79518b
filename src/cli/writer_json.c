/* Lines for programs, as completions section 6 has them. The wire's own writer is used, not a
 * library: what a peer announced (integers of any size, media as it is) comes out unchanged. */
#include <arpa/inet.h>

#include "cli/writer.h"
#include "core/json.h"

/* A peer's texts fit a frame, and grow to six times that when all of it is controls. */
#define LINE_MAX_BYTES (8 * YK_FRAME_MAX)

static const struct yk_slice null_json = {(const uint8_t *)"null", 4};

static void open_line(struct yk_json_writer *line, uint8_t *bytes, const char *type)
{
    yk_json_writer_init(line, bytes, LINE_MAX_BYTES);
    yk_json_open(line, '{');
    yk_json_key(line, "v");
    yk_json_unsigned(line, 1);
    yk_json_key(line, "type");
    yk_json_string(line, yk_slice_of(type));
}

static void close_line(struct yk_json_writer *line, FILE *out)
{
    yk_json_close(line, '}');
    fprintf(out, "%.*s\n", (int)line->size, (const char *)line->out);
}

/* A member that is a text, or null when it is not there. */
static void text_or_null(struct yk_json_writer *line, const char *name, bool there,
                         struct yk_slice text)
{
    yk_json_key(line, name);
    if (there) {
        yk_json_string(line, text);
    } else {
        yk_json_raw(line, null_json);
    }
}

static void word(struct yk_json_writer *line, const char *name, const char *text)
{
    text_or_null(line, name, text[0] != '\0', yk_slice_of(text));
}

static void version(struct yk_json_writer *line, const struct yk_version *version)
{
    yk_json_key(line, "version");
    yk_json_open(line, '[');
    yk_json_unsigned(line, version->n);
    yk_json_string(line, yk_slice_of(version->author.text));
    yk_json_close(line, ']');
}

static void result(FILE *out, const struct yk_operation *operation)
{
    uint8_t bytes[LINE_MAX_BYTES];
    struct yk_json_writer line;
    bool authored = operation->authored > 0;

    open_line(&line, bytes, "result");
    word(&line, "op", yk_op_word(operation->options.op));
    word(&line, "consumer", operation->consumer.id.text);
    word(&line, "producer", operation->producer.id.text);
    if (authored) {
        version(&line, &operation->intent.version);
    } else {
        text_or_null(&line, "version", false, null_json);
    }
    word(&line, "authored", !authored ? "" : operation->blind ? "blind" : "known");
    word(&line, "outcome", yk_outcome_word(operation->outcome));
    word(&line, "reason", yk_reason_word(operation->reason));
    word(&line, "state", yk_state_word(operation->state));
    text_or_null(&line, "err", operation->consumer_heard && operation->has_err,
                 (struct yk_slice){(const uint8_t *)operation->err, operation->err_size});
    yk_json_key(&line, "elapsed_ms");
    yk_json_unsigned(&line, (operation->ended - operation->started) / YK_MS);
    close_line(&line, out);
}

static void pairing(struct yk_json_writer *line, const struct yk_peer *peer)
{
    yk_json_key(line, "pairing");
    if (peer->role != YK_ROLE_CONSUMER) {
        yk_json_raw(line, null_json);
        return;
    }
    yk_json_open(line, '{');
    word(line, "producer", peer->pairing.producer.text);
    version(line, &peer->pairing.version);
    yk_json_close(line, '}');
}

static void driver_status(struct yk_json_writer *line, bool there, struct yk_slice detail)
{
    yk_json_key(line, "driver_status");
    if (!there) {
        yk_json_raw(line, null_json);
        return;
    }
    yk_json_open(line, '{');
    text_or_null(line, "detail", true, detail);
    yk_json_close(line, '}');
}

static void node(FILE *out, const struct yk_roster *roster, const struct yk_peer *peer)
{
    uint8_t bytes[LINE_MAX_BYTES];
    struct yk_json_writer line;
    struct yk_peer_text text;
    const struct yk_heard *heard = yk_knowledge_of(&roster->site->knowledge, &peer->entry.id);
    char address[INET_ADDRSTRLEN] = "", other[INET_ADDRSTRLEN] = "";

    if (peer->address.ip[0] != 0) {
        inet_ntop(AF_INET, peer->address.ip, address, sizeof address);
    }
    if (heard != NULL && heard->place.is_two) {
        inet_ntop(AF_INET, heard->place.former.ip, other, sizeof other);
    }
    yk_peers_text(&roster->site->knowledge.peers, peer, &text);
    open_line(&line, bytes, "node");
    word(&line, "id", peer->entry.id.text);
    word(&line, "role", yk_role_word(peer->role));
    word(&line, "kind", yk_kind_word(peer->kind));
    text_or_null(&line, "name", true, text.name);
    word(&line, "state", yk_state_word(peer->state));
    text_or_null(&line, "err", peer->has_err, text.err);
    pairing(&line, peer);
    yk_json_key(&line, "media");
    yk_json_raw(&line, peer->has_media ? text.media : null_json);
    driver_status(&line, peer->has_evidence, text.evidence);
    yk_json_key(&line, "live");
    yk_json_raw(&line, yk_slice_of(peer->presence == YK_PRESENCE_LIVE ? "true" : "false"));
    yk_json_key(&line, "age_ms");
    yk_json_unsigned(&line, (roster->now - peer->last_ann) / YK_MS);
    word(&line, "address", address);
    word(&line, "also_at", other);
    word(&line, "key", peer->key);
    close_line(&line, out);
}

static void roster(FILE *out, const struct yk_roster *roster)
{
    for (size_t i = 0; i < roster->count; i++) {
        node(out, roster, roster->peers[i]);
    }
}

static void versions(FILE *out, const struct yk_part *parts, size_t count)
{
    uint8_t bytes[LINE_MAX_BYTES];
    struct yk_json_writer line;

    open_line(&line, bytes, "version");
    for (size_t i = 0; i < count; i++) {
        word(&line, parts[i].name, parts[i].version);
    }
    close_line(&line, out);
}

const struct yk_writer yk_writer_json = {
    .result = result,
    .roster = roster,
    .version = versions,
};
