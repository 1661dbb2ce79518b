#include "drivers/usbip/producer_view.h"

#include <stdio.h>

#include "drivers/usbip/list.h"

#define ASK_LIMIT_MS 15000 /* a usbipd on this host answers at once, but the host may be busy */
#define ASK_AGAIN (10 * YK_SECOND) /* while all is as it should be */
#define ASK_SOON (1 * YK_SECOND)   /* while it is not */
#define PORT_TEXT_MAX 8

void yk_usbip_view_init(struct yk_usbip_view *view, const struct yk_usbip_places *places,
                        uint16_t port, const struct yk_usbip_binder *binder, void *owner,
                        void (*seen)(void *owner))
{
    *view = (struct yk_usbip_view){
        .places = places, .port = port, .binder = binder, .owner = owner, .seen = seen};
}

/* It is for importers to see now. */
static bool is_offered(const struct yk_usbip_item *item)
{
    return item->wanted && yk_usbip_item_is_bound(item) && yk_usbip_item_is_right(item) &&
           item->seen.status == YK_USBIP_EXPORT_FREE;
}

static void take_answer(struct yk_usbip_view *view, const struct yk_usbip_end *end)
{
    bool answered = end->way == YK_USBIP_EXITED && end->number == 0;

    for (size_t i = 0; i < view->binder->count; i++) {
        view->listed[i] = answered && yk_usbip_list_has(end->output, view->binder->items[i].busid);
    }
    view->cause[0] = 0;
    if (end->way == YK_USBIP_UNSTARTED) {
        snprintf(view->cause, sizeof view->cause, "%.60s: %.40s; apt install usbip",
                 view->places->tool, strerror(end->number));
    } else if (end->late) {
        snprintf(view->cause, sizeof view->cause,
                 "usbipd at port %u does not answer; is it usbipd? see ss -ltnp", view->port);
    } else if (!answered) {
        snprintf(view->cause, sizeof view->cause,
                 "no usbipd at port %u; start usbipd -D, or set \"usbipd\": true", view->port);
    }
}

static void ended(void *owner, const struct yk_usbip_end *end)
{
    struct yk_usbip_view *view = owner;

    view->tool = NULL;
    view->answered = true;
    take_answer(view, end);
    view->seen(view->owner);
}

static void ask(struct yk_usbip_view *view, uv_loop_t *loop, yk_time now)
{
    char port[PORT_TEXT_MAX];
    const char *argv[] = {view->places->tool, "--tcp-port", port, "list", "-r", "127.0.0.1", NULL};
    struct yk_refusal why;

    snprintf(port, sizeof port, "%u", view->port);
    view->asked = now;
    view->tool = yk_usbip_tool_start(loop, argv, ASK_LIMIT_MS, -1, view, ended, &why);
    if (view->tool == NULL) {
        snprintf(view->cause, sizeof view->cause, "%.*s", (int)sizeof view->cause - 1, why.text);
        view->answered = true;
    }
}

void yk_usbip_view_update(struct yk_usbip_view *view, uv_loop_t *loop, yk_time now)
{
    bool offered = false, hidden = false;

    for (size_t i = 0; i < view->binder->count; i++) {
        if (!is_offered(&view->binder->items[i])) {
            view->listed[i] = false;
            continue;
        }
        offered = true;
        hidden = hidden || !view->listed[i];
    }
    if (!hidden) {
        view->answered = false; /* what comes to be hidden from now on is asked for first */
    }
    if (offered && view->tool == NULL &&
        (view->asked == 0 || (hidden && !view->answered) ||
         now - view->asked >= (hidden ? ASK_SOON : ASK_AGAIN))) {
        ask(view, loop, now);
    }
}

bool yk_usbip_view_has(const struct yk_usbip_view *view, size_t item)
{
    return view->listed[item] || view->binder->items[item].seen.status == YK_USBIP_EXPORT_USED;
}

void yk_usbip_view_stop(struct yk_usbip_view *view)
{
    if (view->tool != NULL) {
        yk_usbip_tool_stop(view->tool);
    }
}
