#include "cli/line.h"

#include <arpa/inet.h>

static const struct yk_slice null_json = {(const uint8_t *)"null", 4};

void yk_line_open(struct yk_json_writer *line, uint8_t *bytes, size_t capacity, const char *type)
{
    yk_json_writer_init(line, bytes, capacity);
    yk_json_open(line, '{');
    yk_line_unsigned(line, "v", 1);
    yk_line_word(line, "type", type);
}

void yk_line_close(struct yk_json_writer *line, FILE *out)
{
    yk_json_close(line, '}');
    fprintf(out, "%.*s\n", (int)line->size, (const char *)line->out);
}

void yk_line_text(struct yk_json_writer *line, const char *name, bool there, struct yk_slice text)
{
    yk_json_key(line, name);
    if (there) {
        yk_json_string(line, text);
    } else {
        yk_json_raw(line, null_json);
    }
}

void yk_line_word(struct yk_json_writer *line, const char *name, const char *text)
{
    yk_line_text(line, name, text[0] != '\0', yk_slice_of(text));
}

void yk_line_null(struct yk_json_writer *line, const char *name)
{
    yk_line_text(line, name, false, null_json);
}

void yk_line_bool(struct yk_json_writer *line, const char *name, bool value)
{
    yk_json_key(line, name);
    yk_json_raw(line, yk_slice_of(value ? "true" : "false"));
}

void yk_line_unsigned(struct yk_json_writer *line, const char *name, uint64_t value)
{
    yk_json_key(line, name);
    yk_json_unsigned(line, value);
}

void yk_line_version(struct yk_json_writer *line, const struct yk_version *version)
{
    yk_json_key(line, "version");
    yk_json_open(line, '[');
    yk_json_unsigned(line, version->n);
    yk_json_string(line, yk_slice_of(version->author.text));
    yk_json_close(line, ']');
}

static void pairing(struct yk_json_writer *line, const struct yk_peer *peer)
{
    yk_json_key(line, "pairing");
    if (peer->role != YK_ROLE_CONSUMER) {
        yk_json_raw(line, null_json);
        return;
    }
    yk_json_open(line, '{');
    yk_line_word(line, "producer", peer->pairing.producer.text);
    yk_line_version(line, &peer->pairing.version);
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
    yk_line_text(line, "detail", true, detail);
    yk_json_close(line, '}');
}

void yk_line_node(struct yk_json_writer *line, const struct yk_peers *peers,
                  const struct yk_peer *peer, const struct yk_place *place, yk_time now)
{
    struct yk_peer_text text;
    char address[INET_ADDRSTRLEN] = "", other[INET_ADDRSTRLEN] = "";

    if (peer->place.latest.ip[0] != 0) {
        inet_ntop(AF_INET, peer->place.latest.ip, address, sizeof address);
    }
    if (place != NULL && place->is_two) {
        inet_ntop(AF_INET, place->former.ip, other, sizeof other);
    }
    yk_peers_text(peers, peer, &text);
    yk_line_word(line, "id", peer->entry.id.text);
    yk_line_word(line, "role", yk_role_word(peer->role));
    yk_line_word(line, "kind", yk_kind_word(peer->kind));
    yk_line_text(line, "name", true, text.name);
    yk_line_word(line, "state", yk_state_word(peer->state));
    yk_line_text(line, "err", peer->has_err, text.err);
    pairing(line, peer);
    yk_json_key(line, "media");
    yk_json_raw(line, peer->has_media ? text.media : null_json);
    driver_status(line, peer->has_evidence, text.evidence);
    yk_line_bool(line, "live", peer->presence == YK_PRESENCE_LIVE);
    yk_line_unsigned(line, "age_ms", (now - peer->last_ann) / YK_MS);
    yk_line_word(line, "address", address);
    yk_line_word(line, "also_at", other);
    yk_line_word(line, "key", peer->key);
}
