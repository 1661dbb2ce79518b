#include "shell/intake.h"

int yk_density_add(struct yk_density *density, size_t count, yk_time now)
{
    yk_time passed = now - density->since;

    density->count += count;
    if (passed >= YK_INTAKE_WINDOW) {
        density->dense = density->count * YK_SECOND / passed >= YK_INTAKE_DENSE;
        density->since = now;
        density->count = 0;
    }
    if (!density->dense || count == YK_SOCKET_BATCH) {
        return -1; /* the rest of what makes a whole batch is there already */
    }
    return count > YK_INTAKE_SOME ? YK_INTAKE_SHORT_MS : YK_INTAKE_PAUSE_MS;
}

static void arm(struct yk_intake *intake);

static void look(struct yk_intake *intake)
{
    intake->ready(intake->owner);
    if (intake->wanted) {
        arm(intake);
    }
}

static void readable(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    look(poll->data);
}

static void due(uv_timer_t *timer)
{
    look(timer->data);
}

/* To tell libuv again what it knows would be a system call. */
static void set_polling(struct yk_intake *intake, bool on)
{
    if (on == (uv_is_active((uv_handle_t *)&intake->poll) != 0)) {
        return;
    }
    if (on) {
        uv_poll_start(&intake->poll, UV_READABLE, readable);
    } else {
        uv_poll_stop(&intake->poll);
    }
}

static void arm(struct yk_intake *intake)
{
    set_polling(intake, intake->pause_ms < 0);
    if (intake->pause_ms >= 0) {
        uv_timer_start(&intake->timer, due, (uint64_t)intake->pause_ms, 0);
    }
}

int yk_intake_open(struct yk_intake *intake, uv_loop_t *loop, struct yk_socket *socket, void *owner,
                   void (*ready)(void *owner))
{
    intake->socket = socket;
    intake->owner = owner;
    intake->ready = ready;
    intake->pause_ms = -1;
    intake->density.since = uv_hrtime();
    intake->poll.data = intake->timer.data = intake;
    uv_timer_init(loop, &intake->timer);
    return uv_poll_init(loop, &intake->poll, socket->fd);
}

static void close_if_open(void *handle)
{
    if (((uv_handle_t *)handle)->type != UV_UNKNOWN_HANDLE) {
        uv_close(handle, NULL);
    }
}

void yk_intake_close(struct yk_intake *intake)
{
    intake->wanted = false;
    close_if_open(&intake->timer);
    close_if_open(&intake->poll);
}

void yk_intake_want(struct yk_intake *intake, bool want)
{
    if (want == intake->wanted) {
        return;
    }
    intake->wanted = want;
    if (want) {
        arm(intake);
    } else {
        set_polling(intake, false);
        uv_timer_stop(&intake->timer);
    }
}

size_t yk_intake_read(struct yk_intake *intake)
{
    size_t count = yk_socket_read(intake->socket);

    intake->pause_ms = yk_density_add(&intake->density, count, uv_hrtime());
    return count;
}
