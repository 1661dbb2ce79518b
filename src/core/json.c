#include "core/json.h"

#include <string.h>

#include "core/json_string.h"
#include "core/number.h"

/* One scanner for both passes: what a canonical text may not have is asked for in few places. */
struct level {
    bool object;
    uint16_t token; /* of the container */
    uint16_t key;   /* the key before, when there was one; never 0 */
};

struct scanner {
    struct yk_json *json;
    const uint8_t *at, *end;
    bool canonical;
    size_t depth, depth_max;
    struct level levels[YK_DEPTH_MAX];
};

enum step {
    STEP_BROKEN,
    STEP_VALUE_FOLLOWS,
    STEP_VALUE_DONE,
};

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* The byte that comes next, or 0, which is at home nowhere outside of strings. */
static uint8_t next_byte(const struct scanner *scanner)
{
    return scanner->at < scanner->end ? *scanner->at : 0;
}

static void skip_space(struct scanner *scanner)
{
    if (scanner->canonical) {
        return;
    }
    for (;;) {
        uint8_t c = next_byte(scanner);

        if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
            return;
        }
        scanner->at++;
    }
}

/* A new token that starts here, or NULL when there are too many. */
static struct yk_json_token *add_token(struct scanner *scanner, enum yk_json_type type)
{
    struct yk_json *json = scanner->json;
    struct yk_json_token *token;

    if (json->count == YK_JSON_TOKENS_MAX) {
        return NULL;
    }
    token = &json->tokens[json->count++];
    token->type = (uint8_t)type;
    token->escaped = 0;
    token->start = (uint16_t)(scanner->at - json->text.data);
    token->next = (uint16_t)json->count;
    return token;
}

static bool end_token(struct scanner *scanner, struct yk_json_token *token, const uint8_t *end)
{
    scanner->at = end;
    token->end = (uint16_t)(end - scanner->json->text.data);
    return true;
}

static bool scan_string(struct scanner *scanner)
{
    struct yk_json_token *token = add_token(scanner, YK_JSON_STRING);
    bool escaped = false;
    const uint8_t *quote =
        yk_json_string_end(scanner->at + 1, scanner->end, scanner->canonical, &escaped);

    if (token == NULL || quote == NULL) {
        return false;
    }
    token->escaped = escaped;
    return end_token(scanner, token, quote + 1);
}

static const uint8_t *skip_digits(const uint8_t *at, const uint8_t *end)
{
    while (at < end && is_digit(*at)) {
        at++;
    }
    return at;
}

const uint8_t *yk_json_number_end(const uint8_t *at, const uint8_t *end, bool *real)
{
    const uint8_t *from = at += at < end && *at == '-';

    *real = false;
    at = skip_digits(at, end);
    if (at == from || (*from == '0' && at - from > 1)) {
        return NULL;
    }
    if (at < end && *at == '.') {
        *real = true;
        from = ++at;
        at = skip_digits(at, end);
        if (at == from) {
            return NULL;
        }
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        *real = true;
        at++;
        from = at += at < end && (*at == '+' || *at == '-');
        at = skip_digits(at, end);
        if (at == from) {
            return NULL;
        }
    }
    return at;
}

static bool scan_number(struct scanner *scanner)
{
    struct yk_json_token *token = add_token(scanner, YK_JSON_INTEGER);
    const uint8_t *start = scanner->at;
    bool real;
    const uint8_t *end = yk_json_number_end(start, scanner->end, &real);
    struct yk_slice text;

    if (token == NULL || end == NULL) {
        return false;
    }
    text = (struct yk_slice){start, (size_t)(end - start)};
    if (real) {
        token->type = YK_JSON_REAL;
    }
    if (scanner->canonical) {
        bool minus_zero = text.size == 2 && memcmp(start, "-0", 2) == 0;

        if (real ? !yk_real_is_canonical(text) : minus_zero) {
            return false;
        }
    }
    return end_token(scanner, token, end);
}

static bool scan_word(struct scanner *scanner, enum yk_json_type type, const char *word)
{
    struct yk_json_token *token = add_token(scanner, type);
    size_t size = strlen(word);

    if (token == NULL || (size_t)(scanner->end - scanner->at) < size ||
        memcmp(scanner->at, word, size) != 0) {
        return false;
    }
    return end_token(scanner, token, scanner->at + size);
}

/* True when the key comes behind the one before it. A first byte above the backslash stands for
 * itself, and it is mostly enough. */
static bool in_order(const struct yk_json *json, size_t before, size_t key)
{
    uint8_t before_first = json->text.data[json->tokens[before].start + 1];
    uint8_t first = json->text.data[json->tokens[key].start + 1];

    if (first > '\\' && first > before_first) {
        return true;
    }
    return yk_json_string_compare(json, before, key) < 0;
}

/* A key and its colon; a canonical text has its keys in rising order. */
static enum step scan_key(struct scanner *scanner)
{
    struct level *level = &scanner->levels[scanner->depth - 1];
    size_t key = scanner->json->count;

    skip_space(scanner);
    if (next_byte(scanner) != '"' || !scan_string(scanner)) {
        return STEP_BROKEN;
    }
    if (scanner->canonical && level->key != 0 && !in_order(scanner->json, level->key, key)) {
        return STEP_BROKEN;
    }
    level->key = (uint16_t)key;
    skip_space(scanner);
    if (next_byte(scanner) != ':') {
        return STEP_BROKEN;
    }
    scanner->at++;
    return STEP_VALUE_FOLLOWS;
}

static enum step close_container(struct scanner *scanner)
{
    struct yk_json *json = scanner->json;
    struct yk_json_token *token = &json->tokens[scanner->levels[--scanner->depth].token];

    token->next = (uint16_t)json->count;
    end_token(scanner, token, scanner->at + 1);
    return STEP_VALUE_DONE;
}

static enum step open_container(struct scanner *scanner, bool object)
{
    if (scanner->depth == scanner->depth_max ||
        add_token(scanner, object ? YK_JSON_OBJECT : YK_JSON_ARRAY) == NULL) {
        return STEP_BROKEN;
    }
    scanner->levels[scanner->depth++] =
        (struct level){.object = object, .token = (uint16_t)(scanner->json->count - 1)};
    scanner->at++;
    skip_space(scanner);
    if (next_byte(scanner) == (object ? '}' : ']')) {
        return close_container(scanner);
    }
    return object ? scan_key(scanner) : STEP_VALUE_FOLLOWS;
}

static enum step scan_value(struct scanner *scanner)
{
    uint8_t c;
    bool good;

    skip_space(scanner);
    c = next_byte(scanner);
    if (c == '{' || c == '[') {
        return open_container(scanner, c == '{');
    }
    if (c == '"') {
        good = scan_string(scanner);
    } else if (c == 'n') {
        good = scan_word(scanner, YK_JSON_NULL, "null");
    } else if (c == 't') {
        good = scan_word(scanner, YK_JSON_TRUE, "true");
    } else if (c == 'f') {
        good = scan_word(scanner, YK_JSON_FALSE, "false");
    } else {
        good = scan_number(scanner);
    }
    return good ? STEP_VALUE_DONE : STEP_BROKEN;
}

/* What follows a value inside a container: a comma and more, or the end of the container. */
static enum step scan_after_value(struct scanner *scanner)
{
    bool object = scanner->levels[scanner->depth - 1].object;
    uint8_t c;

    skip_space(scanner);
    c = next_byte(scanner);
    if (c == (object ? '}' : ']')) {
        return close_container(scanner);
    }
    if (c != ',') {
        return STEP_BROKEN;
    }
    scanner->at++;
    return object ? scan_key(scanner) : STEP_VALUE_FOLLOWS;
}

/* The size of the value that begins the text, or 0. Each step takes at least a byte: linear in the
 * text, but for the order of keys, where a key is compared once with the one before. */
static size_t scan(struct yk_json *json, struct yk_slice text, bool canonical, size_t depth)
{
    struct scanner scanner;
    enum step step = STEP_VALUE_FOLLOWS;

    json->text = text;
    json->count = 0;
    if (text.size == 0 || text.size > YK_CANONICAL_MAX) {
        return 0;
    }
    scanner.json = json;
    scanner.at = text.data;
    scanner.end = text.data + text.size;
    scanner.canonical = canonical;
    scanner.depth = 0;
    scanner.depth_max = depth;
    do {
        step = step == STEP_VALUE_FOLLOWS ? scan_value(&scanner) : scan_after_value(&scanner);
    } while (step == STEP_VALUE_FOLLOWS || (step == STEP_VALUE_DONE && scanner.depth > 0));
    skip_space(&scanner);
    return step == STEP_VALUE_DONE ? (size_t)(scanner.at - text.data) : 0;
}

static bool scan_whole(struct yk_json *json, struct yk_slice text, bool canonical)
{
    size_t size = scan(json, text, canonical, YK_DEPTH_MAX);

    return size > 0 && size == text.size;
}

bool yk_json_index_canonical(struct yk_json *json, struct yk_slice text)
{
    return scan_whole(json, text, true);
}

bool yk_json_index(struct yk_json *json, struct yk_slice text)
{
    return scan_whole(json, text, false);
}

struct yk_slice yk_json_index_object(struct yk_json *json, struct yk_slice text, size_t depth)
{
    bool object = text.size > 0 && text.data[0] == '{';

    return (struct yk_slice){text.data, object ? scan(json, text, true, depth) : 0};
}

/* Order of a key and a name: by the spelling, for a backslash and whatever a canonical key may have
 * escaped sort below all that names are made of. */
static int compare_key(const struct yk_json *json, size_t key, const char *name, size_t size)
{
    struct yk_slice raw = yk_json_raw_string(json, key);
    int order = (raw.size > 0 ? raw.data[0] : 0) - (uint8_t)name[0];

    if (order == 0) {
        order = memcmp(raw.data, name, raw.size < size ? raw.size : size);
    }
    return order != 0 ? order : (raw.size > size) - (raw.size < size);
}

void yk_json_members(const struct yk_json *json, size_t object, const char *const *names,
                     size_t count, size_t *values)
{
    const struct yk_json_token *tokens = json->tokens;
    size_t end = tokens[object].next;
    size_t key = object + 1;

    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(names[i]);
        int order = -1;

        while (key < end && (order = compare_key(json, key, names[i], size)) < 0) {
            key = tokens[key + 1].next;
        }
        values[i] = order == 0 ? key + 1 : 0;
    }
}

size_t yk_json_member(const struct yk_json *json, size_t object, const char *name)
{
    size_t value;

    yk_json_members(json, object, &name, 1, &value);
    return value;
}

bool yk_json_count(const struct yk_json *json, size_t token, uint64_t *value)
{
    struct yk_slice text = yk_json_spelling(json, token);
    uint64_t count = 0;

    if (json->tokens[token].type != YK_JSON_INTEGER || text.data[0] == '-' || text.size > 19) {
        return false;
    }
    for (size_t i = 0; i < text.size; i++) {
        count = count * 10 + (uint64_t)(text.data[i] - '0');
    }
    *value = count;
    return count <= YK_COUNT_MAX;
}
