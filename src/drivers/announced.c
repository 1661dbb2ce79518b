#include "drivers/announced.h"

#include "base/escape.h"

bool yk_announced_index(struct yk_json *index, struct yk_slice json)
{
    return json.size > 0 && json.size <= YK_FRAME_MAX && yk_json_index_canonical(index, json) &&
           index->tokens[0].type == YK_JSON_OBJECT;
}

void yk_announced_show(char out[YK_SHOWN_MAX], const struct yk_json *index, size_t token)
{
    out[0] = 0;
    if (token != 0) {
        struct yk_slice text = yk_json_spelling(index, token);

        yk_escape(out, YK_SHOWN_MAX, (const char *)text.data, text.size);
    }
}
