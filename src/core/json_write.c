#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "core/json_string.h"
#include "core/number.h"

static void put(struct yk_json_writer *writer, const void *bytes, size_t size)
{
    if (writer->full || size > writer->capacity - writer->size) {
        writer->full = true;
        return;
    }
    if (size > 0) {
        memcpy(writer->out + writer->size, bytes, size);
        writer->size += size;
    }
}

static void put_byte(struct yk_json_writer *writer, char byte)
{
    put(writer, &byte, 1);
}

/* What comes in front of a value or a key. */
static void put_comma(struct yk_json_writer *writer)
{
    if (writer->comma) {
        put_byte(writer, ',');
    }
    writer->comma = true;
}

static void put_colon(struct yk_json_writer *writer)
{
    put_byte(writer, ':');
    writer->comma = false;
}

void yk_json_writer_init(struct yk_json_writer *writer, uint8_t *out, size_t capacity)
{
    *writer = (struct yk_json_writer){.out = out, .capacity = capacity};
}

void yk_json_open(struct yk_json_writer *writer, char bracket)
{
    put_comma(writer);
    put_byte(writer, bracket);
    writer->comma = false;
}

void yk_json_close(struct yk_json_writer *writer, char bracket)
{
    put_byte(writer, bracket);
    writer->comma = true;
}

void yk_json_key(struct yk_json_writer *writer, const char *name)
{
    yk_json_string(writer, yk_slice_of(name));
    put_colon(writer);
}

void yk_json_string(struct yk_json_writer *writer, struct yk_slice text)
{
    put_comma(writer);
    put_byte(writer, '"');
    for (size_t i = 0; i < text.size; i++) {
        uint8_t spelled[YK_JSON_ESCAPE_MAX];

        put(writer, spelled, yk_json_escape_write(text.data[i], spelled));
    }
    put_byte(writer, '"');
}

void yk_json_unsigned(struct yk_json_writer *writer, uint64_t value)
{
    char digits[24]; /* UINT64_MAX has 20 */

    put_comma(writer);
    put(writer, digits, (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, value));
}

void yk_json_signed(struct yk_json_writer *writer, int64_t value)
{
    char digits[24]; /* INT64_MIN has 20 */

    put_comma(writer);
    put(writer, digits, (size_t)snprintf(digits, sizeof(digits), "%" PRId64, value));
}

void yk_json_raw(struct yk_json_writer *writer, struct yk_slice json)
{
    put_comma(writer);
    put(writer, json.data, json.size);
}

/* ---- the general path */

/* The keys of every object that is open are a run of `keys`: together not more than all tokens. */
struct rewriter {
    const struct yk_json *json;
    struct yk_json_writer writer;
    bool broken; /* a key is there twice, or a number overflows */
    size_t key_count;
    uint16_t keys[YK_JSON_TOKENS_MAX];
};

/* Restores the heap (greatest key on top) below `parent`. */
static void sift_down(const struct yk_json *json, uint16_t *keys, size_t parent, size_t count)
{
    uint16_t moved = keys[parent];

    for (;;) {
        size_t child = 2 * parent + 1;

        if (child >= count) {
            break;
        }
        if (child + 1 < count && yk_json_string_compare(json, keys[child], keys[child + 1]) < 0) {
            child++;
        }
        if (yk_json_string_compare(json, moved, keys[child]) >= 0) {
            break;
        }
        keys[parent] = keys[child];
        parent = child;
    }
    keys[parent] = moved;
}

/* Heapsort: no memory of its own, and no input makes it slow. */
static void sort_keys(const struct yk_json *json, uint16_t *keys, size_t count)
{
    for (size_t i = count / 2; i > 0; i--) {
        sift_down(json, keys, i - 1, count);
    }
    for (size_t left = count; left > 1; left--) {
        uint16_t greatest = keys[0];

        keys[0] = keys[left - 1];
        keys[left - 1] = greatest;
        sift_down(json, keys, 0, left - 1);
    }
}

static void rewrite_string(struct rewriter *rewriter, size_t token)
{
    struct yk_slice raw = yk_json_raw_string(rewriter->json, token);
    const uint8_t *at = raw.data;
    const uint8_t *end = raw.data + raw.size;

    put_comma(&rewriter->writer);
    put_byte(&rewriter->writer, '"');
    while (at < end) {
        uint32_t point = yk_json_point(&at);
        uint8_t spelled[YK_JSON_ESCAPE_MAX];
        size_t size = point < 0x80 ? yk_json_escape_write((uint8_t)point, spelled)
                                   : yk_utf8_write(point, spelled);

        put(&rewriter->writer, spelled, size);
    }
    put_byte(&rewriter->writer, '"');
}

static void rewrite_number(struct rewriter *rewriter, size_t token)
{
    struct yk_slice text = yk_json_spelling(rewriter->json, token);
    char real[YK_REAL_MAX];

    if (rewriter->json->tokens[token].type == YK_JSON_REAL) {
        text = (struct yk_slice){(const uint8_t *)real, yk_real_write(text, real)};
        rewriter->broken |= text.size == 0;
    } else if (yk_slice_equal(text, yk_slice_of("-0"))) {
        text = yk_slice_of("0");
    }
    yk_json_raw(&rewriter->writer, text);
}

static void rewrite_value(struct rewriter *rewriter, size_t token);

static void rewrite_array(struct rewriter *rewriter, size_t array)
{
    const struct yk_json_token *tokens = rewriter->json->tokens;

    yk_json_open(&rewriter->writer, '[');
    for (size_t value = array + 1; value < tokens[array].next; value = tokens[value].next) {
        rewrite_value(rewriter, value);
    }
    yk_json_close(&rewriter->writer, ']');
}

static void rewrite_object(struct rewriter *rewriter, size_t object)
{
    const struct yk_json_token *tokens = rewriter->json->tokens;
    size_t first = rewriter->key_count;
    uint16_t *keys = rewriter->keys + first;
    size_t count;

    for (size_t key = object + 1; key < tokens[object].next; key = tokens[key + 1].next) {
        rewriter->keys[rewriter->key_count++] = (uint16_t)key;
    }
    count = rewriter->key_count - first;
    sort_keys(rewriter->json, keys, count);
    yk_json_open(&rewriter->writer, '{');
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && yk_json_string_compare(rewriter->json, keys[i - 1], keys[i]) == 0) {
            rewriter->broken = true;
        }
        rewrite_string(rewriter, keys[i]);
        put_colon(&rewriter->writer);
        rewrite_value(rewriter, keys[i] + 1u);
    }
    yk_json_close(&rewriter->writer, '}');
    rewriter->key_count = first;
}

/* Calls itself YK_DEPTH_MAX levels deep at most: the scanner let no more through. */
static void rewrite_value(struct rewriter *rewriter, size_t token)
{
    if (rewriter->broken || rewriter->writer.full) {
        return;
    }
    switch ((enum yk_json_type)rewriter->json->tokens[token].type) {
    case YK_JSON_NULL:
    case YK_JSON_FALSE:
    case YK_JSON_TRUE:
        yk_json_raw(&rewriter->writer, yk_json_spelling(rewriter->json, token));
        break;
    case YK_JSON_INTEGER:
    case YK_JSON_REAL:
        rewrite_number(rewriter, token);
        break;
    case YK_JSON_STRING:
        rewrite_string(rewriter, token);
        break;
    case YK_JSON_ARRAY:
        rewrite_array(rewriter, token);
        break;
    case YK_JSON_OBJECT:
        rewrite_object(rewriter, token);
        break;
    }
}

size_t yk_json_canonicalise(const struct yk_json *json, uint8_t *out, size_t capacity)
{
    struct rewriter rewriter;

    rewriter.json = json;
    rewriter.broken = false;
    rewriter.key_count = 0;
    yk_json_writer_init(&rewriter.writer, out, capacity);
    rewrite_value(&rewriter, 0);
    return rewriter.broken || rewriter.writer.full ? 0 : rewriter.writer.size;
}
