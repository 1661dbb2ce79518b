/* store.h - writes a small file durably, off the loop, one write at a time. */
#ifndef YK_DRIVERS_USBIP_STORE_H
#define YK_DRIVERS_USBIP_STORE_H

#include <stdbool.h>
#include <uv.h>

#define YK_USBIP_PATH_MAX 4096

struct yk_usbip_store {
    char path[YK_USBIP_PATH_MAX];
    void *owner;
    /* The write is over; `cause` is "" when it is durable. Called from the loop. */
    void (*saved)(void *owner, const char *cause);
    bool busy;
    /* Of the write under way. */
    uv_work_t work;
    char *text;
    int error;
    const char *step;
};

void yk_usbip_store_init(struct yk_usbip_store *store, const char *path, void *owner,
                         void (*saved)(void *owner, const char *cause));
/* Writes `text`, which is taken over and freed; NULL: there was no memory for it. Not while busy. */
void yk_usbip_store_save(struct yk_usbip_store *store, uv_loop_t *loop, char *text);

#endif
