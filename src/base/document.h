/* document.h - a JSON document from a file: strict, whoever wrote it. */
#ifndef YK_BASE_DOCUMENT_H
#define YK_BASE_DOCUMENT_H

#include <jansson.h>

/* The document in `size` bytes, to be given back with json_decref; NULL and `error` (line, column
 * and text) when it is none, has a key twice or a zero byte anywhere. */
json_t *yk_document_parse(const char *text, size_t size, json_error_t *error);

#endif
