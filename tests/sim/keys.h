/* keys.h - the site's keys. Each host has files of one that signs and perhaps of a second that is
 * accepted too; its agent has what it read of them last. Keys are numbered from 1; 0: none. */
#ifndef YK_SIM_KEYS_H
#define YK_SIM_KEYS_H

#include "core/auth.h"
#include "sim/dice.h"

struct world;
struct agent;
struct item;

struct keyring {
    unsigned sign, accept; /* `sign` 0: open mode */
};

struct keys {
    struct keyring files;
    struct keyring read;
    struct yk_auth auth; /* of what was read, in place */
};

static inline bool keys_accept(const struct keys *keys, unsigned key)
{
    return key == keys->read.sign || (key != 0 && key == keys->read.accept);
}

/* A key alone, as somebody has it who is no host. */
void keys_one(struct yk_auth *auth, unsigned key);
/* The host's first files, read. */
void keys_init(struct keys *keys, bool keyed);
/* The files are read where they were changed. */
void keys_read(struct world *world, struct agent *agent);
/* The site goes on to another key: each host, at a time of its own in each third of the item, accepts
 * it, signs with it, and refuses the old one. */
void keys_rotate(struct world *world, const struct item *item);
/* One host's files change; `token` is keys_rotate's. */
void keys_turn(struct world *world, struct agent *agent, uint64_t token);
/* Whoever is behind is put right. */
void keys_settle(struct world *world);

#endif
