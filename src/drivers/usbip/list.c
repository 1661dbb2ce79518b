#include "drivers/usbip/list.h"

#define BUSID_COLUMNS 11 /* right-aligned in them; longer ones make the line longer */

/* "        1-1: Vendor : product (0627:0001)": blanks, busid, colon, blank. */
static bool line_is_of(struct yk_slice line, struct yk_slice busid)
{
    size_t blanks = busid.size < BUSID_COLUMNS ? BUSID_COLUMNS - busid.size : 0;

    if (line.size < blanks + busid.size + 2) {
        return false;
    }
    for (size_t i = 0; i < blanks; i++) {
        if (line.data[i] != ' ') {
            return false;
        }
    }
    return memcmp(line.data + blanks, busid.data, busid.size) == 0 &&
           memcmp(line.data + blanks + busid.size, ": ", 2) == 0;
}

bool yk_usbip_list_has(struct yk_slice output, const char *busid)
{
    while (output.size > 0) {
        const uint8_t *end = memchr(output.data, '\n', output.size);
        struct yk_slice line = {output.data, end == NULL ? 0 : (size_t)(end - output.data)};

        if (end == NULL) {
            return false;
        }
        if (line_is_of(line, yk_slice_of(busid))) {
            return true;
        }
        output.data += line.size + 1;
        output.size -= line.size + 1;
    }
    return false;
}
