/* The state file's text, read and first made. */
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/atomic.h"
#include "base/document.h"
#include "base/members.h"
#include "core/frame.h"
#include "shell/store.h"

#define UNSAFE_BITS 022 /* who may write a state can pair */

/* For messages: what a lost or broken state means and what to do. */
#define RECOVERY                                                                                 \
    "restore a copy, or move it away and run yoke agent --commission (this node then counts as " \
    "new)"

size_t yk_state_encode(const struct yk_durable *state, char out[YK_STATE_MAX])
{
    struct yk_json_writer writer;

    yk_json_writer_init(&writer, (uint8_t *)out, YK_STATE_MAX);
    yk_json_open(&writer, '{');
    yk_json_key(&writer, "pairing");
    yk_pairing_write(&writer, &state->pairing);
    yk_json_key(&writer, "seq");
    yk_json_unsigned(&writer, state->seq);
    yk_json_close(&writer, '}');
    return writer.size;
}

__attribute__((format(printf, 2, 3))) static bool bad(char cause[YK_CAUSE_MAX], const char *format,
                                                      ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(cause, YK_CAUSE_MAX, format, arguments);
    va_end(arguments);
    return false;
}

/* "place is VALUE, not ..." */
static bool bad_value(char cause[YK_CAUSE_MAX], const char *place, const json_t *value,
                      const char *wanted)
{
    char shown[YK_SHOWN_MAX];

    yk_shown(shown, value);
    return bad(cause, "%s is %s, not %s", place, shown, wanted);
}

/* An integer of 0 to 2^63-1; a boolean or a real is none. */
static bool read_count(const json_t *value, const char *place, uint64_t *count,
                       char cause[YK_CAUSE_MAX])
{
    if (!json_is_integer(value) || json_integer_value(value) < 0) {
        return bad_value(cause, place, value, "an integer from 0 to 2^63-1");
    }
    *count = (uint64_t)json_integer_value(value);
    return true;
}

static bool read_id(const json_t *value, const char *place, struct yk_id *id,
                    char cause[YK_CAUSE_MAX])
{
    struct yk_slice text = {(const uint8_t *)json_string_value(value), json_string_length(value)};

    if (!json_is_string(value) || !yk_id_parse(id, text)) {
        return bad_value(cause, place, value, "a node id");
    }
    return true;
}

static bool read_version(const json_t *value, struct yk_version *version, char cause[YK_CAUSE_MAX])
{
    const json_t *author = json_array_get(value, 1);

    memset(version, 0, sizeof *version);
    if (!json_is_array(value) || json_array_size(value) != 2) {
        return bad_value(cause, "pairing.version", value, "an array of a counter and an author");
    }
    if (!read_count(json_array_get(value, 0), "pairing.version[0]", &version->n, cause)) {
        return false;
    }
    if (version->n > 0) {
        return read_id(author, "pairing.version[1]", &version->author, cause);
    }
    if (!json_is_string(author) || json_string_length(author) != 0) {
        return bad_value(cause, "pairing.version[1]", author, "\"\", as the zero version has it");
    }
    return true;
}

static bool read_pairing(const json_t *value, struct yk_pairing *pairing, char cause[YK_CAUSE_MAX])
{
    const json_t *producer = json_object_get(value, "producer");
    const json_t *version = json_object_get(value, "version");

    if (producer == NULL || version == NULL || json_object_size(value) != 2) {
        return bad_value(cause, "pairing", value, "an object of exactly producer and version");
    }
    if (!read_version(version, &pairing->version, cause)) {
        return false;
    }
    memset(&pairing->producer, 0, sizeof pairing->producer);
    if (json_is_null(producer)) {
        return true;
    }
    if (!read_id(producer, "pairing.producer", &pairing->producer, cause)) {
        return false;
    }
    if (pairing->version.n == 0) {
        return bad_value(cause, "pairing.producer", producer, "null, as the zero version has it");
    }
    return true;
}

static bool read_state(const json_t *root, struct yk_durable *state, char cause[YK_CAUSE_MAX])
{
    const json_t *seq = json_object_get(root, "seq");
    const json_t *pairing = json_object_get(root, "pairing");

    if (seq == NULL || pairing == NULL || json_object_size(root) != 2) {
        return bad_value(cause, "it", root, "an object of exactly pairing and seq");
    }
    return read_count(seq, "seq", &state->seq, cause) &&
           read_pairing(pairing, &state->pairing, cause);
}

bool yk_state_decode(struct yk_slice text, struct yk_durable *state, char cause[YK_CAUSE_MAX])
{
    json_error_t error;
    json_t *root;
    bool ok;

    if (text.size == 0) {
        return bad(cause, "it is empty");
    }
    root = yk_document_parse((const char *)text.data, text.size, &error);
    if (root == NULL) {
        return bad(cause, "line %d, column %d: %s", error.line, error.column, error.text);
    }
    ok = read_state(root, state, cause);
    json_decref(root);
    return ok;
}

bool yk_state_load(const char *path, struct yk_durable *state, struct yk_refusal *why)
{
    uint8_t text[YK_STATE_MAX];
    struct stat facts;
    char cause[YK_CAUSE_MAX];
    size_t size;

    if (!yk_file_read(path, false, text, sizeof text, &size, &facts, cause)) {
        if (errno == ENOENT) {
            return yk_refuse(why, YK_EXIT_CONFIG,
                             "state_file %s: does not exist; for a new node run yoke agent "
                             "--commission, else restore a copy",
                             path);
        }
        return yk_refuse(why, YK_EXIT_CONFIG, "state_file %s: %s; %s", path, cause,
                         errno == EACCES ? YK_FILE_BE_OWNER : RECOVERY);
    }
    if (!yk_file_is_safe(path, &facts, UNSAFE_BITS, cause)) {
        return yk_refuse(why, YK_EXIT_UNSAFE, "state_file %s: %s", path, cause);
    }
    if (!yk_state_decode((struct yk_slice){text, size}, state, cause)) {
        return yk_refuse(why, YK_EXIT_CONFIG, "state_file %s: corrupt: %s; " RECOVERY, path, cause);
    }
    return true;
}

bool yk_state_commission(const char *path, struct yk_refusal *why)
{
    static const struct yk_durable fresh;
    char text[YK_STATE_MAX];
    const char *step;
    int error = yk_atomic_write(path, text, yk_state_encode(&fresh, text), YK_ATOMIC_CREATE, &step);

    if (error == EEXIST) {
        return yk_refuse(
            why, YK_EXIT_CANNOT_MAKE,
            "state_file %s: is there already; start the agent without --commission, or "
            "move the file away to begin as a new node",
            path);
    }
    if (error != 0) {
        return yk_refuse(why, YK_EXIT_CANNOT_MAKE,
                         "state_file %s: %s: %s; its directory must exist, be writable and have "
                         "room",
                         path, step, strerror(error));
    }
    return true;
}
