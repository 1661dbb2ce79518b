#include "shell/store.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/atomic.h"

void yk_store_init(struct yk_store *store, const char *path, void *owner,
                   void (*saved)(void *owner, uint64_t request, bool ok, const char *cause))
{
    memset(store, 0, sizeof *store);
    snprintf(store->path, sizeof store->path, "%s", path);
    store->owner = owner;
    store->saved = saved;
}

/* In the thread pool; only `state`, `path`, `error` and `step` are touched. */
static void save(uv_work_t *work)
{
    struct yk_store *store = work->data;
    char text[YK_STATE_MAX];

    store->error = yk_atomic_write(store->path, text, yk_state_encode(&store->state, text),
                                   YK_ATOMIC_REPLACE, &store->step);
}

static void save_done(uv_work_t *work, int status)
{
    struct yk_store *store = work->data;
    char cause[YK_CAUSE_MAX] = "";
    int error = status != 0 ? -status : store->error;

    store->busy = false;
    if (error != 0) {
        snprintf(cause, sizeof cause, "%s: %s", store->step, strerror(error));
    }
    store->saved(store->owner, store->request, error == 0, cause);
}

void yk_store_save(struct yk_store *store, uv_loop_t *loop, uint64_t request,
                   const struct yk_durable *state)
{
    int error;

    assert(!store->busy);
    store->busy = true;
    store->request = request;
    store->state = *state;
    store->step = "starting a thread";
    store->work.data = store;
    error = uv_queue_work(loop, &store->work, save, save_done);
    assert(error == 0); /* it fails only without a work function */
    (void)error;
}
