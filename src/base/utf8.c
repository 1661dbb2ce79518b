#include "base/utf8.h"

size_t yk_utf8_next(const char *text, size_t size, uint32_t *point)
{
    const unsigned char *bytes = (const unsigned char *)text;
    unsigned char lead = bytes[0];
    size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    /* The smallest character that needs this many bytes: below it the form is overlong. */
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t value = length == 1 ? lead : lead & (0x7fu >> length);

    if (length == 0 || length > size || lead > 0xf4) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return 0;
        }
        value = value << 6 | (bytes[i] & 0x3f);
    }
    if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) {
        return 0;
    }
    *point = value;
    return length;
}
