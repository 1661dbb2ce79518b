#include "drivers/usbip/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic.h"

#define CAUSE_MAX 160

void yk_usbip_store_init(struct yk_usbip_store *store, const char *path, void *owner,
                         void (*saved)(void *owner, const char *cause))
{
    memset(store, 0, sizeof *store);
    snprintf(store->path, sizeof store->path, "%s", path);
    store->owner = owner;
    store->saved = saved;
}

/* In a thread of the pool. */
static void write_it(uv_work_t *work)
{
    struct yk_usbip_store *store = work->data;

    store->error = ENOMEM;
    store->step = "making its text";
    if (store->text != NULL) {
        store->error = yk_atomic_write(store->path, store->text, strlen(store->text),
                                       YK_ATOMIC_REPLACE, &store->step);
    }
}

static void written(uv_work_t *work, int status)
{
    struct yk_usbip_store *store = work->data;
    char cause[CAUSE_MAX] = "";

    (void)status;
    free(store->text);
    store->text = NULL;
    store->busy = false;
    if (store->error != 0) {
        snprintf(cause, sizeof cause, "%s: %s", store->step, strerror(store->error));
    }
    store->saved(store->owner, cause);
}

void yk_usbip_store_save(struct yk_usbip_store *store, uv_loop_t *loop, char *text)
{
    store->busy = true;
    store->text = text;
    store->work.data = store;
    uv_queue_work(loop, &store->work, write_it, written); /* fails only without a function */
}
