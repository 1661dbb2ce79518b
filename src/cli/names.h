/* names.h - from what a person typed, an id or a human name, to a node. */
#ifndef YK_CLI_NAMES_H
#define YK_CLI_NAMES_H

#include "core/peers.h"

#define YK_NAMES_LISTED_MAX 8 /* nodes that a message about an ambiguous name lists */

enum yk_match {
    YK_MATCH_NONE = 1,  /* nobody known has this id or name */
    YK_MATCH_ID,        /* a known node's id */
    YK_MATCH_NAME,      /* the name of exactly one node */
    YK_MATCH_AMBIGUOUS, /* the name of several */
};

struct yk_names {
    enum yk_match match;
    size_t count;                            /* nodes of that name; 1 for an id */
    struct yk_id nodes[YK_NAMES_LISTED_MAX]; /* in the order of ids; with NONE: nothing */
};

/* Looks `word` up; an id goes before a name, and a name among live nodes before one among those
 * that fell silent (a device that was replaced keeps its name). */
void yk_names_find(const struct yk_peers *peers, const char *word, struct yk_names *found);

/* The node of that role whose id or name is nearest to `word`; false when none is near enough.
 * `name` (YK_NAME_BYTES_MAX + 1) gets what is near, the id or the name. */
bool yk_names_nearest(const struct yk_peers *peers, const char *word, enum yk_role role,
                      struct yk_id *id, char *name);

/* False when `word` can be neither an id nor a name: empty, too long, no UTF-8. */
bool yk_names_possible(const char *word);

#endif
