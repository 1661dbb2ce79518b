#include "drivers/usbip/busid.h"

#define DIGITS_MAX 9 /* any such number fits an unsigned */

bool yk_usbip_take_number(struct yk_slice *text, unsigned *value)
{
    size_t digits = 0;

    *value = 0;
    while (digits < text->size && text->data[digits] >= '0' && text->data[digits] <= '9') {
        if (digits == DIGITS_MAX) {
            return false;
        }
        *value = *value * 10 + (unsigned)(text->data[digits++] - '0');
    }
    text->data += digits;
    text->size -= digits;
    return digits > 0;
}

/* A number of a busid: not 0, and spelled in one way. */
static bool take_place(struct yk_slice *text)
{
    unsigned value;

    return text->size > 0 && text->data[0] != '0' && yk_usbip_take_number(text, &value);
}

static bool take_character(struct yk_slice *text, char wanted)
{
    if (text->size == 0 || text->data[0] != (uint8_t)wanted) {
        return false;
    }
    text->data++;
    text->size--;
    return true;
}

bool yk_usbip_busid_parse(char out[YK_USBIP_BUSID_MAX + 1], struct yk_slice text)
{
    struct yk_slice rest = text;

    out[0] = 0;
    if (text.size > YK_USBIP_BUSID_MAX || !take_place(&rest) || !take_character(&rest, '-') ||
        !take_place(&rest)) {
        return false;
    }
    while (rest.size > 0) {
        if (!take_character(&rest, '.') || !take_place(&rest)) {
            return false;
        }
    }
    memcpy(out, text.data, text.size);
    out[text.size] = 0;
    return true;
}
