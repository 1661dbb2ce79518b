/* verbs.h - the tools, one file each. */
#ifndef YK_CLI_VERBS_H
#define YK_CLI_VERBS_H

#include "cli/options.h"

extern const struct yk_verb yk_verb_pair;
extern const struct yk_verb yk_verb_unpair;
extern const struct yk_verb yk_verb_list;
extern const struct yk_verb yk_verb_why;
extern const struct yk_verb yk_verb_keygen;
extern const struct yk_verb yk_verb_version;

#endif
