#include "base/document.h"

#include <stdio.h>
#include <string.h>

static void refuse_zero(const char *text, const char *zero, json_error_t *error)
{
    const char *line = text;

    memset(error, 0, sizeof *error); /* its code is kept in the last byte of its text */
    error->line = 1;
    for (const char *at = text; (at = memchr(at, '\n', (size_t)(zero - at))) != NULL; line = ++at) {
        error->line++;
    }
    error->column = (int)(zero - line) + 1;
    snprintf(error->text, sizeof error->text, "a zero byte");
}

json_t *yk_document_parse(const char *text, size_t size, json_error_t *error)
{
    /* jansson steps over a zero byte behind a number or a word. */
    const char *zero = size > 0 ? memchr(text, 0, size) : NULL;

    if (zero != NULL) {
        refuse_zero(text, zero, error);
        return NULL;
    }
    return json_loadb(text, size, JSON_REJECT_DUPLICATES, error);
}
