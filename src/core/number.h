/* number.h - numbers that are not plain integers, as the canonical form spells them (completions
 * section 2): the shortest digits that read back as the same binary64, whatever the locale. */
#ifndef YK_CORE_NUMBER_H
#define YK_CORE_NUMBER_H

#include "core/types.h"

/* The longest is "-2.2250738585072014e-308", 24 bytes. */
#define YK_REAL_MAX 32

/* Below, `text` is a number by the grammar of JSON, with at most UINT16_MAX bytes. */

/* The canonical spelling of a number with '.', 'e' or 'E'. Gives its size; 0 when the number
 * overflows to infinity. */
YK_MUST_USE size_t yk_real_write(struct yk_slice text, char out[YK_REAL_MAX]);

/* True when `text` is what yk_real_write would write. */
YK_MUST_USE bool yk_real_is_canonical(struct yk_slice text);

/* A number of seconds, integer or not, as milliseconds: rounded half away from 0, clamped. */
int64_t yk_seconds_to_ms(struct yk_slice text);

/* Milliseconds as the canonical spelling of the number of seconds, always with a point. Beyond
 * YK_SECONDS_MS_MAX either way it is clamped: 15 digits are what every binary64 keeps. */
#define YK_SECONDS_MS_MAX INT64_C(999999999999999)
size_t yk_seconds_write(int64_t ms, char out[YK_REAL_MAX]);

#endif
