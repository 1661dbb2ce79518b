/* json_string.h - the inside of JSON strings: characters, escapes and their order; and of numbers.
 * For the files of the scanners and the writer only. */
#ifndef YK_CORE_JSON_STRING_H
#define YK_CORE_JSON_STRING_H

#include "core/json.h"

#define YK_UTF8_MAX 4        /* bytes of a character */
#define YK_JSON_ESCAPE_MAX 6 /* bytes of one canonical escape, "\u00xx" */

/* The end of the run of plain characters at `at`: ASCII, neither control, quote nor backslash. */
const uint8_t *yk_json_plain_end(const uint8_t *at, const uint8_t *end);
/* The closing quote of the string whose inside begins at `at`, or NULL when it is malformed (or, with
 * `canonical`, spelled otherwise). `escaped` is set when a backslash is in it. */
const uint8_t *yk_json_string_end(const uint8_t *at, const uint8_t *end, bool canonical,
                                  bool *escaped);

/* The end of the number at `at`, or NULL; `real` says that it is not an integer. */
const uint8_t *yk_json_number_end(const uint8_t *at, const uint8_t *end, bool *real);

/* Size of the character at `at`, or 0 when it is not valid UTF-8 (overlong, surrogate, cut off). */
size_t yk_utf8_size(const uint8_t *at, const uint8_t *end);
/* The size of the run of characters at `at` that are not ASCII (the first is none); 0 when one is broken. */
size_t yk_utf8_run(const uint8_t *at, const uint8_t *end);
size_t yk_utf8_write(uint32_t point, uint8_t out[YK_UTF8_MAX]);

/* Size of the escape at `at` (a backslash), or 0 when it is none; a surrogate pair is one. */
size_t yk_json_escape_size(const uint8_t *at, const uint8_t *end);
/* The same, and 0 too when the canonical form spells that character otherwise. */
size_t yk_json_escape_size_canonical(const uint8_t *at, const uint8_t *end);
/* The canonical spelling of an ASCII character inside a string. */
size_t yk_json_escape_write(uint8_t c, uint8_t out[YK_JSON_ESCAPE_MAX]);

/* Below, what is read is the valid inside of a JSON string. */

/* The code point at `*at`, spelled in any way; `*at` moves behind it. */
uint32_t yk_json_point(const uint8_t **at);
/* Order of two string tokens by code point: negative, 0 or positive. */
int yk_json_string_compare(const struct yk_json *json, size_t a, size_t b);

#endif
