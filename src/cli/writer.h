/* writer.h - results for people and for programs: one interface, a text and a JSON form. */
#ifndef YK_CLI_WRITER_H
#define YK_CLI_WRITER_H

#include <stdio.h>

#include "cli/chain.h"
#include "cli/operation.h"
#include "cli/site.h"

/* All nodes that `yoke list` shows, sorted by id. */
struct yk_roster {
    const struct yk_site *site;
    const struct yk_peer **peers;
    size_t count;
    yk_time now;
    bool own_clock_is_wrong; /* by those of several nodes */
};

/* A name and a version, the program's first; "" is none. */
struct yk_part {
    const char *name, *version;
};

/* Each writes whole lines; errors stay in the stream. */
struct yk_writer {
    void (*result)(FILE *out, const struct yk_operation *operation);
    void (*roster)(FILE *out, const struct yk_roster *roster);
    void (*chain)(FILE *out, const struct yk_id *consumer, const struct yk_chain *chain);
    void (*version)(FILE *out, const struct yk_part *parts, size_t count);
};

const struct yk_writer *yk_writer(bool json);

extern const struct yk_writer yk_writer_text;
extern const struct yk_writer yk_writer_json;

#endif
