#include "drivers/usbip/producer_words.h"

#include <stdio.h>

void yk_usbip_say_media(char out[YK_FRAME_MAX], const struct yk_usbip_facts *facts, bool all)
{
    size_t used = (size_t)snprintf(out, YK_FRAME_MAX, "{\"busids\":[");
    bool any = false;

    for (size_t i = 0; i < facts->settings->count; i++) {
        const char *busid = facts->settings->exports[i].busid;
        bool bound = all;

        for (size_t j = 0; j < facts->binder->count; j++) {
            const struct yk_usbip_item *item = &facts->binder->items[j];

            bound = bound || (item->wanted && strcmp(item->busid, busid) == 0 &&
                              yk_usbip_item_is_bound(item) && yk_usbip_item_is_right(item));
        }
        if (bound) {
            used += (size_t)snprintf(out + used, YK_FRAME_MAX - used, "%s\"%s\"", any ? "," : "",
                                     busid);
            any = true;
        }
    }
    snprintf(out + used, YK_FRAME_MAX - used, "],\"host\":\"%s\",\"port\":%u}", facts->host,
             facts->settings->port);
    if (!any) {
        out[0] = 0;
    }
}

static void append_one(char text[YK_USBIP_SAID_MAX], const char *more)
{
    size_t used = strlen(text), size = strlen(more);

    if (size > YK_USBIP_SAID_MAX - 1 - used) {
        size = YK_USBIP_SAID_MAX - 1 - used; /* what is worst stands first */
    }
    memcpy(text + used, more, size);
    text[used + size] = 0;
}

void yk_usbip_append(char text[YK_USBIP_SAID_MAX], const char *between, const char *more)
{
    if (text[0] != 0) {
        append_one(text, between);
    }
    append_one(text, more);
}

/* Whom importers must see, and whether they do: `waits` when that is being found out. */
static void describe_view(const struct yk_usbip_facts *facts, char problem[YK_USBIP_SAID_MAX],
                          bool *waits)
{
    const struct yk_usbip_view *view = facts->view;

    for (size_t i = 0; i < facts->binder->count; i++) {
        const struct yk_usbip_item *item = &facts->binder->items[i];
        char text[YK_USBIP_SAID_MAX];

        if (!item->wanted || !yk_usbip_item_is_bound(item) || !yk_usbip_item_is_right(item) ||
            yk_usbip_view_has(view, i)) {
            continue;
        }
        if (!view->answered) {
            *waits = true;
        } else if (view->cause[0] != 0) {
            yk_usbip_append(problem, "; ", view->cause); /* once for all */
            return;
        } else {
            snprintf(text, sizeof text,
                     "%s: bound, but usbipd at port %u does not show it; "
                     "restart usbipd",
                     item->busid, facts->settings->port);
            yk_usbip_append(problem, "; ", text);
        }
    }
}

void yk_usbip_say_problem(const struct yk_usbip_facts *facts, char problem[YK_USBIP_SAID_MAX],
                          bool *waits)
{
    char text[YK_USBIP_SAID_MAX];

    problem[0] = 0;
    if (facts->trouble[0] != 0) {
        yk_usbip_append(problem, "", facts->trouble);
        return;
    }
    for (size_t i = 0; i < facts->binder->count; i++) {
        const struct yk_usbip_item *item = &facts->binder->items[i];

        if (item->wanted && yk_usbip_item_problem(facts->binder, item, text, sizeof text) &&
            (facts->binder->loaded || problem[0] == 0)) { /* a missing module is said once */
            yk_usbip_append(problem, "; ", text);
        }
    }
    if (facts->host[0] == 0) {
        snprintf(text, sizeof text, "no IPv4 address on \"%.32s\"; give it one, or set driver.host",
                 facts->interface);
        yk_usbip_append(problem, "; ", text);
    }
    if (facts->settings->usbipd && facts->daemon == NULL) {
        snprintf(text, sizeof text, "%.120s; is port %u taken? see ss -ltnp",
                 facts->daemon_end[0] != 0 ? facts->daemon_end : "usbipd is not running",
                 facts->settings->port);
        yk_usbip_append(problem, "; ", text);
    } else if (facts->settings->usbipd && yk_process_state(facts->daemon) == YK_PROCESS_STARTS) {
        *waits = true;
    } else {
        describe_view(facts, problem, waits);
    }
}

void yk_usbip_say_evidence(const struct yk_usbip_facts *facts, char text[YK_USBIP_SAID_MAX])
{
    char more[YK_USBIP_SAID_MAX];

    text[0] = 0;
    for (size_t i = 0; i < facts->binder->count; i++) {
        const struct yk_usbip_item *item = &facts->binder->items[i];

        if (item->wanted) {
            yk_usbip_append(text, ", ", item->busid);
            if (item->seen.status == YK_USBIP_EXPORT_USED) {
                yk_usbip_append(text, "", " (in use)");
            }
        }
    }
    snprintf(more, sizeof more, " bound, usbipd at %s:%u", facts->host, facts->settings->port);
    yk_usbip_append(text, "", more);
    for (size_t i = 0; i < facts->binder->count; i++) {
        const struct yk_usbip_item *item = &facts->binder->items[i];

        if (item->wanted && item->quiet) {
            snprintf(more, sizeof more,
                     "%s: in use, but no traffic and nobody paired; if its importer is gone: usbip "
                     "unbind -b %s, then bind; or \"reclaim\": true",
                     item->busid, item->busid);
            yk_usbip_append(text, "; ", more);
            break;
        }
    }
}

bool yk_usbip_say_release(const struct yk_usbip_facts *facts, enum yk_report *status,
                          char text[YK_USBIP_SAID_MAX])
{
    text[0] = 0;
    if (!facts->loaded) {
        *status = YK_REPORT_ERROR;
        yk_usbip_append(text, "", facts->trouble);
        return true;
    }
    for (size_t i = 0; i < facts->binder->count; i++) {
        const struct yk_usbip_item *item = &facts->binder->items[i];

        if (item->failed != YK_USBIP_REST && (item->hold != YK_USBIP_NOT_OURS || item->entered)) {
            *status = YK_REPORT_ERROR;
            snprintf(text, YK_USBIP_SAID_MAX, "%s: cannot be given back: %s; usbip unbind -b %s",
                     item->busid, strerror(item->error), item->busid);
            return true;
        }
    }
    *status = YK_REPORT_IDLE;
    return yk_usbip_binder_is_empty(facts->binder) && facts->daemon == NULL;
}
