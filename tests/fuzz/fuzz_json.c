/* json - our own JSON against jansson, where both apply: integers of 64 bits, no zero byte in keys or
 * outside of strings (jansson steps over some of those), the depth and number of values of a frame.
 * Reals are compared by value, and are the shortest. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/json.h"
#include "fuzz/fuzz.h"

#define DIGITS_ENOUGH 17 /* every binary64 reads back from so many */

/* What a value has of what we bound. */
struct extent {
    size_t tokens;
    unsigned depth;
    bool has_real;
};

static void measure(const json_t *value, unsigned depth, struct extent *extent)
{
    const char *key;
    json_t *member;
    size_t index;

    extent->tokens++;
    if (json_is_real(value)) {
        extent->has_real = true;
    }
    if (!json_is_object(value) && !json_is_array(value)) {
        return;
    }
    if (depth > extent->depth) {
        extent->depth = depth;
    }
    json_object_foreach((json_t *)(uintptr_t)value, key, member)
    {
        extent->tokens++;
        measure(member, depth + 1, extent);
    }
    json_array_foreach(value, index, member)
    {
        measure(member, depth + 1, extent);
    }
}

static json_t *jansson(struct yk_slice text, json_error_t *error)
{
    return json_loadb((const char *)text.data, text.size,
                      JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, error);
}

/* Digits of a real's spelling, without zeros at either end. */
static int significant_digits(struct yk_slice text)
{
    int digits = 0, zeros = 0;

    for (size_t i = 0; i < text.size && text.data[i] != 'e'; i++) {
        if (text.data[i] == '0') {
            zeros += digits > 0;
        } else if (text.data[i] > '0' && text.data[i] <= '9') {
            digits += zeros + 1;
            zeros = 0;
        }
    }
    return digits;
}

/* No more digits than the fewest with which printf's nearest decimal reads back. */
static void check_shortest(struct yk_slice text)
{
    char ours[64], theirs[64];
    double value;
    int precision = 1;

    FUZZ_CHECK(text.size < sizeof ours, "a real is short");
    memcpy(ours, text.data, text.size);
    ours[text.size] = 0;
    value = strtod(ours, NULL);
    do {
        snprintf(theirs, sizeof theirs, "%.*e", precision - 1, value);
    } while (strtod(theirs, NULL) != value && ++precision < DIGITS_ENOUGH);
    FUZZ_CHECK(significant_digits(text) <= precision, "a real has the fewest digits");
}

static void check_reals(struct yk_slice canonical)
{
    static struct yk_json json;

    FUZZ_CHECK(yk_json_index_canonical(&json, canonical), "the canonical form is canonical");
    for (size_t i = 0; i < json.count; i++) {
        if (json.tokens[i].type == YK_JSON_REAL) {
            check_shortest(yk_json_spelling(&json, i));
        }
    }
}

/* jansson spells the digits of an escape in capitals, so texts with one are left out. */
static void check_spelling(const json_t *theirs, struct yk_slice canonical)
{
    char *text;

    if (memmem(canonical.data, canonical.size, "\\u00", 4) != NULL) {
        return;
    }
    text = json_dumps(theirs, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
    FUZZ_CHECK(text != NULL && yk_slice_equal(yk_slice_of(text), canonical),
               "without reals the canonical form is jansson's compact one with sorted keys");
    free(text);
}

static void check_accepted(const json_t *theirs, struct yk_slice canonical)
{
    json_error_t error;
    json_t *again = jansson(canonical, &error);
    struct extent extent = {0, 0, false};

    FUZZ_CHECK(again != NULL, "jansson reads the canonical form");
    FUZZ_CHECK(json_equal(theirs, again), "the canonical form is the same value");
    json_decref(again);
    measure(theirs, 1, &extent);
    if (extent.has_real) {
        check_reals(canonical);
    } else {
        check_spelling(theirs, canonical);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct yk_json json;
    static uint8_t canonical[4 * YK_CANONICAL_MAX];
    struct yk_slice text = {data, size};
    struct extent extent = {0, 0, false};
    json_error_t error;
    json_t *theirs;
    size_t written = 0;

    if (size > YK_CANONICAL_MAX) {
        return 0;
    }
    if (yk_json_index(&json, text)) {
        written = yk_json_canonicalise(&json, canonical, sizeof canonical);
    }
    if (memchr(data, 0, size) != NULL) {
        FUZZ_CHECK(written == 0, "a zero byte is no JSON");
        return 0;
    }
    theirs = jansson(text, &error);
    if (theirs == NULL) {
        enum json_error_code code = json_error_code(&error);

        FUZZ_CHECK(written == 0 || code == json_error_numeric_overflow ||
                       code == json_error_null_byte_in_key,
                   "we refuse what jansson refuses");
        return 0;
    }
    if (written == 0) {
        measure(theirs, 1, &extent);
        FUZZ_CHECK(extent.depth > YK_DEPTH_MAX || extent.tokens > YK_JSON_TOKENS_MAX,
                   "we take what jansson takes, within our bounds");
    } else if (written <= YK_CANONICAL_MAX) {
        check_accepted(theirs, (struct yk_slice){canonical, written});
    }
    json_decref(theirs);
    return 0;
}
