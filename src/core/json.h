/* json.h - the wire's JSON: strict scanner over fixed scratch, canonical writer; no heap.
 * The canonical form is that of completions section 2. */
#ifndef YK_CORE_JSON_H
#define YK_CORE_JSON_H

#include "core/types.h"

/* Every token takes two bytes at least ("[]" and a comma or end), so a frame has no more. */
#define YK_JSON_TOKENS_MAX (YK_FRAME_MAX / 2 + 8)
/* The worst growth from a spelling to its canonical form is 1e15 -> 1000000000000000.0, with its
 * comma 5 bytes to 19. */
#define YK_CANONICAL_MAX (4 * YK_FRAME_MAX)

enum yk_json_type {
    YK_JSON_NULL = 1,
    YK_JSON_FALSE,
    YK_JSON_TRUE,
    YK_JSON_INTEGER,
    YK_JSON_REAL,
    YK_JSON_STRING,
    YK_JSON_ARRAY,
    YK_JSON_OBJECT
};

/* A value, or a key (a string followed by its value). Strings include their quotes. */
struct yk_json_token {
    uint8_t type;
    uint8_t escaped;     /* a string with a backslash in it */
    uint16_t start, end; /* bytes of the text */
    uint16_t next;       /* number of the token behind this one and all inside it */
};

struct yk_json {
    struct yk_slice text;
    size_t count;
    struct yk_json_token tokens[YK_JSON_TOKENS_MAX]; /* in order of appearance; [0] is the root */
};

/* Texts of more than YK_CANONICAL_MAX bytes or YK_JSON_TOKENS_MAX tokens are refused by both. */

/* The fast pass: checks that `text` is canonical JSON (keys in order and unique, no white space,
 * shortest escapes and numbers) and indexes it. False when it is not, be it other JSON or none. */
YK_MUST_USE bool yk_json_index_canonical(struct yk_json *json, struct yk_slice text);

/* The same for a canonical object at the start of `text`, at most `depth` levels deep, whatever comes
 * behind it. Gives the object's bytes; nothing when there is none. */
YK_MUST_USE struct yk_slice yk_json_index_object(struct yk_json *json, struct yk_slice text,
                                                 size_t depth);

/* The general path, first half: indexes any valid JSON text (that keys are unique and numbers
 * finite is checked by the second half). False when it is malformed. */
YK_MUST_USE bool yk_json_index(struct yk_json *json, struct yk_slice text);

/* The general path, second half: writes the canonical spelling of an indexed text. Gives its size;
 * 0 when a key is there twice, a number overflows or `capacity` is too small. Reorders nothing in
 * `json`. */
YK_MUST_USE size_t yk_json_canonicalise(const struct yk_json *json, uint8_t *out, size_t capacity);

/* Below, `json` was filled by yk_json_index_canonical, and tokens are given by number. */

/* The value of member `name` of an object, or 0 (the root is nobody's member). */
size_t yk_json_member(const struct yk_json *json, size_t object, const char *name);
/* The same for `count` names at once, in one pass: they are in order, of small letters and "_". */
void yk_json_members(const struct yk_json *json, size_t object, const char *const *names,
                     size_t count, size_t *values);
/* The bytes of a token as spelled. */
static inline struct yk_slice yk_json_spelling(const struct yk_json *json, size_t token)
{
    const struct yk_json_token *place = &json->tokens[token];

    return (struct yk_slice){json->text.data + place->start, (size_t)(place->end - place->start)};
}
/* The bytes between the quotes of a string token, escapes and all. */
static inline struct yk_slice yk_json_raw_string(const struct yk_json *json, size_t token)
{
    struct yk_slice spelling = yk_json_spelling(json, token);

    return (struct yk_slice){spelling.data + 1, spelling.size - 2};
}
/* True, and `value` filled, when the token is an integer of 0 ... YK_COUNT_MAX. */
bool yk_json_count(const struct yk_json *json, size_t token, uint64_t *value);
/* Unescapes the inside of a canonical string to `out` (never longer than `raw`); gives its size. */
size_t yk_json_unescape(struct yk_slice raw, uint8_t *out);

/* Canonical writer: the caller opens, names and closes in the order of the canonical form. What
 * does not fit is remembered in `full` and the rest ignored. */
struct yk_json_writer {
    uint8_t *out;
    size_t size, capacity;
    bool full;
    bool comma; /* the next member or element needs one */
};

void yk_json_writer_init(struct yk_json_writer *writer, uint8_t *out, size_t capacity);
void yk_json_open(struct yk_json_writer *writer, char bracket);           /* '{' or '[' */
void yk_json_close(struct yk_json_writer *writer, char bracket);          /* '}' or ']' */
void yk_json_key(struct yk_json_writer *writer, const char *name);        /* needs no escapes */
void yk_json_string(struct yk_json_writer *writer, struct yk_slice text); /* UTF-8, escaped here */
void yk_json_unsigned(struct yk_json_writer *writer, uint64_t value);
void yk_json_signed(struct yk_json_writer *writer, int64_t value);
/* Canonical JSON as it is: null, true, false, or an object kept opaque. */
void yk_json_raw(struct yk_json_writer *writer, struct yk_slice json);

/* Size of `text` as a JSON string, quotes included. */
size_t yk_json_string_size(struct yk_slice text);
/* True when `text` is valid UTF-8 (no surrogates, no overlong forms); `points` (may be NULL) is
 * then the number of code points. */
bool yk_utf8_valid(struct yk_slice text, size_t *points);
/* The largest size <= `most` at which valid UTF-8 `text` may be cut without splitting a character. */
size_t yk_utf8_cut(struct yk_slice text, size_t most);

#endif
