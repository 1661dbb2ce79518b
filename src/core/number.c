#include "core/number.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Halfway points between two binary64 have at most 767 digits: behind this many, all that matters
 * is whether a digit is not 0. */
#define DIGITS_MAX 800
/* Any exponent beyond is infinity or nothing, however many digits a text has. */
#define EXPONENT_MAX 99999
#define EXPONENT_TEXT_MAX 16 /* of the exponent and the end */
/* Every decimal of so many digits survives the way to a normal binary64 and back, and no other of
 * so many digits is the same binary64: it is the shortest spelling already. */
#define DIGITS_KEPT DBL_DIG
#define DIGITS_ENOUGH DBL_DECIMAL_DIG /* every binary64 reads back from so many */
#define POINT_SAFE 300                /* decimals with the point so near are normal binary64 */

/* 0.DIGITS x 10^point, without zeros at either end. No digits at all is 0. */
struct decimal {
    bool negative;
    int count;
    int point;
    char digits[DIGITS_MAX];
};

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static void trim(struct decimal *decimal)
{
    while (decimal->count > 0 && decimal->digits[decimal->count - 1] == '0') {
        decimal->count--;
    }
}

static int read_exponent(struct yk_slice text)
{
    size_t at = text.data[0] == '-' || text.data[0] == '+';
    int value = 0;

    for (; at < text.size; at++) {
        value = value * 10 + (text.data[at] - '0');
        value = value < EXPONENT_MAX ? value : EXPONENT_MAX;
    }
    return text.data[0] == '-' ? -value : value;
}

static void append_digit(struct decimal *decimal, uint8_t digit)
{
    if (decimal->count < DIGITS_MAX) {
        decimal->digits[decimal->count++] = (char)digit;
    } else if (digit != '0') {
        decimal->digits[DIGITS_MAX - 1] = '1'; /* that place is beyond every halfway point */
    }
}

static void read_decimal(struct decimal *decimal, struct yk_slice text)
{
    bool fraction = false;

    decimal->negative = text.data[0] == '-';
    decimal->count = 0;
    decimal->point = 0;
    for (size_t at = decimal->negative; at < text.size; at++) {
        uint8_t c = text.data[at];

        if (c == '.') {
            fraction = true;
        } else if (!is_digit(c)) {
            decimal->point +=
                read_exponent((struct yk_slice){text.data + at + 1, text.size - at - 1});
            break;
        } else if (decimal->count > 0 || c != '0') {
            append_digit(decimal, c);
            decimal->point += !fraction;
        } else {
            decimal->point -= fraction; /* a zero in front of the digits */
        }
    }
    trim(decimal);
}

/* The exponent as text, with its end; quicker than a formatted print, which counts when a hostile
 * datagram is full of numbers. */
static void write_integer(char out[EXPONENT_TEXT_MAX], int value)
{
    unsigned left = (unsigned)abs(value);
    size_t size = value < 0;

    for (unsigned more = left; more > 9; more /= 10) {
        size++;
    }
    out[0] = '-';
    out[size + 1] = '\0';
    for (size_t at = size + 1; at > (size_t)(value < 0); left /= 10) {
        out[--at] = (char)('0' + left % 10);
    }
}

/* Absolute value. The text has no decimal point, so that the locale has no say. */
static double to_double(const struct decimal *decimal)
{
    char text[DIGITS_MAX + 1 + EXPONENT_TEXT_MAX];

    memcpy(text, decimal->digits, (size_t)decimal->count);
    text[decimal->count] = 'e';
    write_integer(text + decimal->count + 1, decimal->point - decimal->count);
    return strtod(text, NULL);
}

/* The decimal of `count` digits nearest to `value`. Only the digits are taken out of what is
 * printed: what stands for the decimal point depends on the locale. */
static void round_to_digits(struct decimal *decimal, double value, int count)
{
    char text[64];
    const char *at = text;

    snprintf(text, sizeof(text), "%.*e", count - 1, value);
    decimal->count = 0;
    for (; *at != 'e'; at++) {
        if (is_digit((uint8_t)*at)) {
            append_digit(decimal, (uint8_t)*at);
        }
    }
    decimal->point = read_exponent(yk_slice_of(at + 1)) + 1;
}

/* One more in the last place. */
static void step_up(struct decimal *decimal)
{
    while (decimal->count > 0 && decimal->digits[decimal->count - 1] == '9') {
        decimal->count--;
    }
    if (decimal->count > 0) {
        decimal->digits[decimal->count - 1]++;
    } else {
        append_digit(decimal, '1');
        decimal->point++;
    }
}

static bool is_power_of_two(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return (bits & ((UINT64_C(1) << (DBL_MANT_DIG - 1)) - 1)) == 0;
}

/* Is there a decimal of `count` digits that reads back as `value`? The nearest one, or, where the
 * gap below is half the gap above, the next above. */
static bool has_digits(struct decimal *decimal, double value, int count)
{
    round_to_digits(decimal, value, count);
    if (to_double(decimal) == value) {
        return true;
    }
    if (!is_power_of_two(value)) {
        return false;
    }
    step_up(decimal);
    return to_double(decimal) == value;
}

/* Of the decimals that read back as `value` the nearest of the shortest. As many digits as `decimal`
 * has now are enough, since it was read as `value`. */
static void find_shortest(struct decimal *decimal, double value)
{
    int low = value < DBL_MIN ? 1 : DIGITS_KEPT;
    int high = decimal->count < DIGITS_ENOUGH ? decimal->count : DIGITS_ENOUGH;
    int tried = 0;

    while (low < high) {
        int middle = (low + high) / 2;

        if (has_digits(decimal, value, middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
        tried = middle;
    }
    if (tried != high) { /* what is at hand is another try, that did not read back */
        (void)has_digits(decimal, value, high);
    }
    trim(decimal);
}

static size_t write_fixed(const struct decimal *decimal, char *out)
{
    char *at = out;

    if (decimal->point <= 0) {
        *at++ = '0';
    }
    for (int place = decimal->point > 0 ? 0 : decimal->point;
         place < decimal->count || place <= decimal->point; place++) {
        if (place == decimal->point) {
            *at++ = '.';
        }
        *at++ = place >= 0 && place < decimal->count ? decimal->digits[place] : '0';
    }
    return (size_t)(at - out);
}

static size_t write_exponent(const struct decimal *decimal, char *out)
{
    char *at = out;

    *at++ = decimal->digits[0];
    if (decimal->count > 1) {
        *at++ = '.';
        memcpy(at, decimal->digits + 1, (size_t)decimal->count - 1);
        at += decimal->count - 1;
    }
    return (size_t)(at - out) +
           (size_t)snprintf(at, EXPONENT_TEXT_MAX, "e%+03d", decimal->point - 1);
}

size_t yk_real_write(struct yk_slice text, char out[YK_REAL_MAX])
{
    struct decimal decimal;
    size_t sign;

    read_decimal(&decimal, text);
    if (decimal.count > DIGITS_KEPT || abs(decimal.point) > POINT_SAFE) {
        double value = to_double(&decimal);

        if (value > DBL_MAX) {
            return 0;
        }
        if (value > 0) {
            find_shortest(&decimal, value);
        } else {
            decimal.count = 0;
        }
    }
    if (decimal.count == 0) {
        decimal.point = 1;
    }
    sign = decimal.negative;
    out[0] = '-';
    if (decimal.point > -4 && decimal.point <= 16) {
        return sign + write_fixed(&decimal, out + sign);
    }
    return sign + write_exponent(&decimal, out + sign);
}

/* The common case without any arithmetic: fixed notation, no superfluous zero, few digits. */
static bool is_short_fixed(struct yk_slice text)
{
    const uint8_t *at = text.data + (text.data[0] == '-');
    size_t size = (size_t)(text.data + text.size - at);
    const uint8_t *point = memchr(at, '.', size);
    size_t fraction;

    if (point == NULL || size > DIGITS_KEPT + 1) {
        return false;
    }
    fraction = (size_t)(at + size - point) - 1;
    for (size_t i = 1; i < fraction; i++) {
        if (!is_digit(point[i])) {
            return false;
        }
    }
    return (fraction == 1 || point[fraction] != '0') &&
           !(at[0] == '0' && fraction > 4 && memcmp(point + 1, "0000", 4) == 0);
}

bool yk_real_is_canonical(struct yk_slice text)
{
    char canonical[YK_REAL_MAX];
    size_t size;

    if (is_short_fixed(text)) {
        return true;
    }
    size = yk_real_write(text, canonical);
    return size == text.size && memcmp(canonical, text.data, size) == 0;
}

/* What agents send: figures, a point, one to three figures. */
static bool read_plain_seconds(struct yk_slice text, int64_t *ms)
{
    size_t point = text.size;
    int64_t value = 0;

    if (text.size > DIGITS_KEPT) {
        return false;
    }
    for (size_t i = 0; i < text.size; i++) {
        if (is_digit(text.data[i])) {
            value = value * 10 + (text.data[i] - '0');
        } else if (text.data[i] == '.') {
            point = i + 1;
        } else {
            return false;
        }
    }
    if (text.size - point > 3) {
        return false;
    }
    for (size_t figures = text.size - point; figures < 3; figures++) {
        value *= 10;
    }
    *ms = value;
    return true;
}

int64_t yk_seconds_to_ms(struct yk_slice text)
{
    struct decimal decimal;
    int places;
    int64_t ms = 0;

    if (read_plain_seconds(text, &ms)) {
        return ms;
    }
    read_decimal(&decimal, text);
    places = decimal.count > 0 ? decimal.point + 3 : 0;
    if (places > 18) {
        return decimal.negative ? INT64_MIN : INT64_MAX;
    }
    for (int i = 0; i < places; i++) {
        ms = ms * 10 + (i < decimal.count ? decimal.digits[i] - '0' : 0);
    }
    if (places >= 0 && places < decimal.count && decimal.digits[places] >= '5') {
        ms++;
    }
    return decimal.negative ? -ms : ms;
}

size_t yk_seconds_write(int64_t ms, char out[YK_REAL_MAX])
{
    char text[YK_REAL_MAX];
    uint64_t size = ms < 0 ? -(uint64_t)ms : (uint64_t)ms;

    if (size > YK_SECONDS_MS_MAX) {
        size = YK_SECONDS_MS_MAX;
    }
    snprintf(text, sizeof(text), "%s%" PRIu64 ".%03u", ms < 0 ? "-" : "", size / 1000,
             (unsigned)(size % 1000));
    return yk_real_write(yk_slice_of(text), out);
}
