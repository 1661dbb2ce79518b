/* node_parse.h - the objects of a status answer (shell/status.h) as frames of the wire. */
#ifndef YK_CLI_NODE_PARSE_H
#define YK_CLI_NODE_PARSE_H

#include <jansson.h>

#include "core/frame.h"

/* A node object as the announcement it came from. */
struct yk_node_parsed {
    struct yk_frame frame; /* its texts live as long as the object and this */
    struct yk_address address;
    struct yk_address also_at; /* zero: it has one sender */
    char key[YK_FINGERPRINT_SIZE];
    bool live;
    yk_time age;
    bool has_clock;
    int64_t clock_ahead_ms; /* its clock less this host's */
    char *media;            /* to be freed */
};

/* False when the object is not one. */
bool yk_node_parse(struct yk_node_parsed *node, const json_t *object);
/* An intent of a status answer; the frame's origin is "none". */
bool yk_intent_parse(struct yk_frame *frame, const json_t *object);

#endif
