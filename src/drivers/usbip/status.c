#include "drivers/usbip/status.h"

#define HEADING "hub port sta spd dev      sockfd local_busid"
#define DIGITS_MAX 20 /* of any number: a 64-bit descriptor of a controller that is not ready */

static struct yk_slice take_line(struct yk_slice *text)
{
    const uint8_t *end = text->size > 0 ? memchr(text->data, '\n', text->size) : NULL;
    struct yk_slice line = {text->data, end == NULL ? 0 : (size_t)(end - text->data)};

    if (end == NULL) {
        return line;
    }
    text->data += line.size + 1;
    text->size -= line.size + 1;
    return line;
}

/* A word and the blanks behind it. */
static struct yk_slice take_field(struct yk_slice *line)
{
    struct yk_slice field = {line->data, 0};

    while (field.size < line->size && line->data[field.size] != ' ') {
        field.size++;
    }
    line->data += field.size;
    line->size -= field.size;
    while (line->size > 0 && line->data[0] == ' ') {
        line->data++;
        line->size--;
    }
    return field;
}

static int digit_of(uint8_t c, unsigned base)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    return base == 16 && c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool take_number(struct yk_slice *line, unsigned base, uint64_t most, uint64_t *value)
{
    struct yk_slice field = take_field(line);

    *value = 0;
    if (field.size == 0 || field.size > DIGITS_MAX) {
        return false;
    }
    for (size_t i = 0; i < field.size; i++) {
        int digit = digit_of(field.data[i], base);

        if (digit < 0 || (uint64_t)digit > most || *value > (most - (uint64_t)digit) / base) {
            return false;
        }
        *value = *value * base + (uint64_t)digit;
    }
    return true;
}

static bool parse_line(struct yk_usbip_status *status, struct yk_slice line)
{
    struct yk_slice hub = take_field(&line);
    uint64_t number, state, speed, devid, fd;

    memset(status, 0, sizeof *status);
    if (hub.size != 2 || hub.data[1] != 's' || (hub.data[0] != 'h' && hub.data[0] != 's') ||
        !take_number(&line, 10, UINT16_MAX, &number) || !take_number(&line, 10, 7, &state) ||
        !take_number(&line, 10, UINT16_MAX, &speed) ||
        !take_number(&line, 16, UINT32_MAX, &devid) || !take_number(&line, 10, UINT64_MAX, &fd) ||
        state < YK_USBIP_FREE) {
        return false;
    }
    status->number = (unsigned)number;
    status->state = (enum yk_usbip_state)state;
    status->speed = (unsigned)speed;
    status->devid = (uint32_t)devid;
    return yk_usbip_busid_parse(status->local, line) || yk_slice_equal(line, yk_slice_of("0-0"));
}

size_t yk_usbip_status_parse(struct yk_slice text, void *owner,
                             bool (*take)(void *owner, const struct yk_usbip_status *status))
{
    struct yk_usbip_status status;
    unsigned next = 0; /* least number that the next port may have */

    if (!yk_slice_equal(take_line(&text), yk_slice_of(HEADING))) {
        return 1;
    }
    for (size_t number = 2; text.size > 0; number++) {
        if (!parse_line(&status, take_line(&text)) || status.number < next ||
            !take(owner, &status)) {
            return number;
        }
        next = status.number + 1;
    }
    return 0;
}
