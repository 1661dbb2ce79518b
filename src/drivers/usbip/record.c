#include "drivers/usbip/record.h"

#include <stdio.h>

/* The bytes up to a blank or the end, printable ones. */
static struct yk_slice take_word(struct yk_slice *text)
{
    struct yk_slice word = {text->data, 0};

    while (word.size < text->size && text->data[word.size] > ' ' && text->data[word.size] <= '~') {
        word.size++;
    }
    text->data += word.size;
    text->size -= word.size;
    return word;
}

static bool take_blank(struct yk_slice *text)
{
    if (text->size == 0 || text->data[0] != ' ') {
        return false;
    }
    text->data++;
    text->size--;
    return true;
}

static bool take_port(struct yk_slice *text, struct yk_usbip_target *target)
{
    struct yk_slice word = take_word(text);
    unsigned value;

    while (word.size > 0 && word.data[0] == '0' && target->mark <= YK_USBIP_MARK_MAX) {
        word.data++;
        word.size--;
        target->mark++;
    }
    if (target->mark > YK_USBIP_MARK_MAX || !yk_usbip_take_number(&word, &value) || word.size > 0 ||
        value > UINT16_MAX) {
        return false;
    }
    target->port = (uint16_t)value;
    return true;
}

bool yk_usbip_record_parse(struct yk_usbip_target *target, struct yk_slice text)
{
    struct yk_slice host;

    memset(target, 0, sizeof *target);
    if (text.size > YK_USBIP_RECORD_MAX || text.size == 0 || text.data[text.size - 1] != '\n') {
        return false;
    }
    text.size--;
    host = take_word(&text);
    if (host.size == 0 || host.size > YK_USBIP_HOST_MAX || !take_blank(&text) ||
        !take_port(&text, target) || !take_blank(&text) ||
        !yk_usbip_busid_parse(target->busid, text)) {
        return false;
    }
    memcpy(target->host, host.data, host.size);
    return true;
}

bool yk_usbip_record_fits(const struct yk_usbip_target *target)
{
    return snprintf(NULL, 0, "%s %u %s\n", target->host, target->port, target->busid) +
               YK_USBIP_MARK_MAX <=
           YK_USBIP_RECORD_MAX;
}

bool yk_usbip_target_equal(const struct yk_usbip_target *a, const struct yk_usbip_target *b)
{
    return strcmp(a->host, b->host) == 0 && a->port == b->port && strcmp(a->busid, b->busid) == 0;
}

void yk_usbip_port_text(char out[YK_USBIP_PORT_TEXT_MAX], const struct yk_usbip_target *target)
{
    memset(out, '0', target->mark);
    snprintf(out + target->mark, YK_USBIP_PORT_TEXT_MAX - target->mark, "%u", target->port);
}
