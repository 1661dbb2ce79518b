#include "sim/backend.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/check.h"
#include "sim/world.h"

bool backend_serves(const struct backend *backend, struct yk_slice media)
{
    return backend->holds &&
           yk_slice_equal(media, (struct yk_slice){backend->media, backend->media_size});
}

/* Words of a driver: mostly short, now and then what is hard to put into a frame. */
static void set_detail(struct backend *backend, struct host_report *report)
{
    static const char *const hard[] = {"\x01\x02\x1f", "\"\\\"\\", "\xf0\x9f\x93\xba",
                                       "\xc3\x28 not UTF-8", "a very long story "};
    const char *piece = hard[dice_below(&backend->dice, 5)];
    size_t pieces = dice_below(&backend->dice, sizeof report->detail / strlen(piece));

    if (!dice_chance(&backend->dice, 100)) {
        report->detail_size = (size_t)snprintf((char *)report->detail, sizeof report->detail,
                                               "holds %zu bytes, question %" PRIu64,
                                               backend->media_size, backend->generation);
        return;
    }
    report->detail_size = 0;
    for (size_t i = 0; i < pieces; i++) {
        memcpy(report->detail + report->detail_size, piece, strlen(piece));
        report->detail_size += strlen(piece);
    }
}

static void say(struct world *world, struct agent *agent, enum yk_report status)
{
    struct host_report report = {.generation = agent->backend.generation, .status = status};

    set_detail(&agent->backend, &report);
    host_report(world, agent, &report);
}

static void start(struct world *world, struct agent *agent, enum backend_call call,
                  uint64_t duration)
{
    struct backend *backend = &agent->backend;

    backend->call = call;
    world_later(world, duration,
                (struct happening){
                    .kind = HAPPENS_DRIVER, .who = agent->number, .token = ++backend->token});
}

static uint64_t pick_duration(struct backend *backend)
{
    if (backend->slow_ms > 0) {
        return dice_between(&backend->dice, 1, backend->slow_ms) * YK_MS;
    }
    return dice_between(&backend->dice, 0, 50) * YK_MS;
}

/* Now and then the answer to a call is that it takes time; what comes of it is said later. */
static void say_early(struct world *world, struct agent *agent)
{
    struct backend *backend = &agent->backend;

    if (dice_chance(&backend->dice, 200)) {
        backend->said_pending = true;
        say(world, agent, backend->lies ? YK_REPORT_ACTIVE : YK_REPORT_PENDING);
    }
}

void backend_attach(struct world *world, struct agent *agent, uint64_t generation,
                    struct yk_slice media)
{
    struct backend *backend = &agent->backend;
    bool other = backend->holds && !backend_serves(backend, media);

    check_that(world, !other || backend->let_go, "teardown-first", agent,
               "the driver is asked to attach while it holds another route");
    backend->generation = generation;
    backend->asked_size = media.size;
    if (media.size > 0) {
        memcpy(backend->asked, media.data, media.size);
    }
    backend->said_pending = false;
    start(world, agent, BACKEND_ATTACH,
          backend_serves(backend, media) ? 0 : pick_duration(backend));
    say_early(world, agent);
}

void backend_detach(struct world *world, struct agent *agent, uint64_t generation,
                    enum yk_detach_reason reason)
{
    struct backend *backend = &agent->backend;

    backend->generation = generation;
    backend->reason = reason;
    backend->said_pending = false;
    start(world, agent, BACKEND_DETACH, pick_duration(backend));
    say_early(world, agent);
}

void backend_poll(struct world *world, struct agent *agent)
{
    struct backend *backend = &agent->backend;
    bool working = backend->call != BACKEND_NOTHING && backend->said_pending;

    if (working) { /* the answer to the poll is that it still works on it */
        say(world, agent, backend->lies ? YK_REPORT_ACTIVE : YK_REPORT_PENDING);
        return;
    }
    start(world, agent, BACKEND_POLL, dice_between(&backend->dice, 0, 20) * YK_MS);
}

static enum yk_report end_attach(struct backend *backend)
{
    if (backend->fail_attach) {
        return YK_REPORT_ERROR;
    }
    backend->holds = true;
    backend->let_go = false;
    backend->media_size = backend->asked_size;
    memcpy(backend->media, backend->asked, backend->asked_size);
    return YK_REPORT_ACTIVE;
}

static enum yk_report end_detach(struct backend *backend)
{
    bool keeps = backend->lazy && backend->reason != YK_DETACH_UNPAIR;

    if (backend->fail_detach) {
        backend->let_go = false;
        return YK_REPORT_ERROR;
    }
    backend->let_go = true;
    backend->holds = backend->holds && keeps;
    return YK_REPORT_IDLE;
}

/* What it sees. A lazy one that has let go in words says idle about what is still tuned. */
static enum yk_report look(const struct backend *backend)
{
    if (backend->lies) {
        return YK_REPORT_ACTIVE;
    }
    if (!backend->holds || (backend->lazy && backend->let_go)) {
        return YK_REPORT_IDLE;
    }
    return backend_serves(backend, (struct yk_slice){backend->asked, backend->asked_size})
               ? YK_REPORT_ACTIVE
               : YK_REPORT_PENDING;
}

/* Words about a question that is over reach the core past the host. */
static void say_late(struct world *world, struct agent *agent)
{
    struct backend *backend = &agent->backend;
    struct host_report report = {.status = YK_REPORT_ACTIVE, .detail_size = 3, .detail = "old"};

    if (backend->late && backend->generation > 1) {
        report.generation = dice_between(&backend->dice, 1, backend->generation - 1);
        if (dice_chance(&backend->dice, 300)) {
            report.status = YK_REPORT_IDLE;
        }
        agent_stray_report(world, agent, &report);
    }
}

void backend_end(struct world *world, struct agent *agent, uint64_t token)
{
    struct backend *backend = &agent->backend;
    enum backend_call call = backend->call;

    if (token != backend->token || call == BACKEND_NOTHING) {
        return;
    }
    backend->call = BACKEND_NOTHING;
    say_late(world, agent);
    switch (call) {
    case BACKEND_ATTACH:
        say(world, agent, end_attach(backend));
        break;
    case BACKEND_DETACH:
        say(world, agent, end_detach(backend));
        break;
    case BACKEND_POLL:
        say(world, agent, look(backend));
        break;
    case BACKEND_NOTHING:
        break;
    }
}

void backend_lose(struct world *world, struct agent *agent, unsigned how)
{
    if (!agent->backend.holds) {
        return;
    }
    agent->backend.holds = false;
    if (how > 0 && agent->up) {
        say(world, agent, how == 1 ? YK_REPORT_PENDING : YK_REPORT_ERROR);
    }
}

void backend_orphan(struct backend *backend, bool orderly, bool power_cut)
{
    backend->call = BACKEND_NOTHING;
    backend->token++;
    backend->generation = 0;
    backend->asked_size = 0;
    if (orderly ? !backend->lazy : !backend->sticky || (power_cut && !backend->lazy)) {
        backend->holds = false;
    }
    backend->let_go = false;
}
