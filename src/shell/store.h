/* store.h - the durable state file (spec, state file): read, and saved atomically off the loop. */
#ifndef YK_SHELL_STORE_H
#define YK_SHELL_STORE_H

#include <uv.h>

#include "base/file.h"
#include "base/refusal.h"
#include "core/types.h"
#include "shell/config.h"

#define YK_STATE_MAX 4096 /* bytes of a state file */

/* Canonical text of a state; gives its size. No final LF: so every cut of it is invalid. */
size_t yk_state_encode(const struct yk_durable *state, char out[YK_STATE_MAX]);
/* True when `text` is a valid state; else `cause` says what is wrong, with its place. */
bool yk_state_decode(struct yk_slice text, struct yk_durable *state, char cause[YK_CAUSE_MAX]);

/* Reads a state file without following links or blocking; leaves it exactly as it is. Refusals:
 * absent, corrupt, no regular file 78; unsafe 77. */
bool yk_state_load(const char *path, struct yk_durable *state, struct yk_refusal *why);
/* Creates the first state file (zero version), owned by its directory's owner; 73 when it cannot
 * or when one is there. */
bool yk_state_commission(const char *path, struct yk_refusal *why);

/* One save at a time, in libuv's thread pool: unique temporary file in the same directory, whole
 * write, fsync, rename, fsync of the directory. A failure leaves the old file and no temporary
 * one; the next save writes everything anew. */
struct yk_store {
    uv_work_t work;
    char path[YK_PATH_MAX];
    struct yk_durable state;
    uint64_t request;
    int error;        /* errno of the failed step, 0 */
    const char *step; /* the failed one */
    bool busy;
    void *owner;
    void (*saved)(void *owner, uint64_t request, bool ok, const char *cause);
};
void yk_store_init(struct yk_store *store, const char *path, void *owner,
                   void (*saved)(void *owner, uint64_t request, bool ok, const char *cause));
/* Must not be busy. `saved` is called from the loop, later. */
void yk_store_save(struct yk_store *store, uv_loop_t *loop, uint64_t request,
                   const struct yk_durable *state);

/* The exclusive lease on STATE.lock, held until the process ends; the file is never unlinked.
 * Gives a descriptor no child inherits, or -1: 75 when another agent holds it, else 73. */
int yk_lease_take(const char *state_path, struct yk_refusal *why);

#endif
