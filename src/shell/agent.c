#include "shell/agent.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "shell/agent_internal.h"
#include "shell/log.h"
#include "shell/status_line.h"
#include "shell/warnings.h"

#define KERNEL_DROPS_PAUSE (10 * YK_SECOND) /* between two lines about them */

static void send_frame(struct yk_agent *agent, struct yk_slice bytes)
{
    int error = yk_socket_send(&agent->socket, bytes);

    if (agent->socket.joined_ifindex == 0) {
        return; /* said when the interface went */
    }
    if (error != 0 && error != agent->send_error) {
        yk_log(YK_LOG_ERROR, "sending: %s; this node is mute until it works again",
               strerror(error));
    } else if (error == 0 && agent->send_error != 0) {
        yk_log(YK_LOG_INFO, "sending works again");
    }
    agent->send_error = error;
}

/* The core says what it met, and neither from where nor all that can be done. */
static void say_remedy(struct yk_agent *agent, enum yk_event event)
{
    enum yk_log_level level = YK_LOG_ERROR;
    char text[YK_WARNING_MAX] = "";
    struct yk_node_view view;

    yk_node_view(agent->node, &view);
    if (event == YK_NOTE_CLOCK_AHEAD) {
        yk_warning_clock_ahead(text);
    } else if (event == YK_NOTE_CLOCK_APART && view.clocks != NULL) {
        level = YK_LOG_WARNING;
        yk_warning_clocks(text, view.clocks);
    } else if (event == YK_NOTE_ID_CONFLICT) {
        yk_warning_id_conflict(text, &view);
    } else if (event == YK_EVENT_RX_DROP && !agent->deaf_said) {
        agent->deaf_said = yk_warning_deaf(text, &view, agent->site->auth);
    }
    if (text[0] != 0) {
        yk_log(level, "%s", text);
    }
}

static void perform(struct yk_agent *agent, const struct yk_effect *effect, yk_time now)
{
    switch (effect->kind) {
    case YK_EFFECT_SEND:
        send_frame(agent, effect->as.send.bytes);
        break;
    case YK_EFFECT_PERSIST:
        yk_store_save(&agent->store, &agent->loop, effect->as.persist.request,
                      &effect->as.persist.state);
        break;
    case YK_EFFECT_ATTACH:
        yk_driver_host_attach(&agent->host, effect->as.attach.generation, effect->as.attach.media);
        break;
    case YK_EFFECT_DETACH:
        yk_driver_host_detach(&agent->host, effect->as.detach.generation, effect->as.detach.reason);
        break;
    case YK_EFFECT_POLL:
        yk_driver_host_poll(&agent->host);
        break;
    case YK_EFFECT_EVENT:
        yk_log_event(effect->as.event.event, effect->as.event.detail, now);
        say_remedy(agent, effect->as.event.event);
        break;
    case YK_EFFECT_STOPPED:
        yk_agent_close(agent);
        break;
    }
}

/* Before the barrier: the start, and the end of a save. */
static bool next_always(struct yk_agent *agent, struct yk_input *input)
{
    if (agent->waiting.start) {
        agent->waiting.start = false;
        input->kind = YK_INPUT_START;
        input->as.start.wall_ns = yk_wall_now();
        input->as.start.state = agent->site->state;
        return true;
    }
    if (agent->waiting.persisted) {
        agent->waiting.persisted = false;
        input->kind = YK_INPUT_PERSISTED;
        input->as.persisted.request = agent->waiting.persisted_request;
        input->as.persisted.ok = agent->waiting.persisted_ok;
        return true;
    }
    return false;
}

static bool next_report(struct yk_agent *agent, struct yk_input *input,
                        struct yk_host_report *report)
{
    if (!yk_driver_host_take(&agent->host, report)) {
        return false;
    }
    input->kind = YK_INPUT_REPORT;
    input->as.report.generation = report->generation;
    input->as.report.status = report->status;
    input->as.report.detail = (struct yk_slice){report->detail, report->detail_size};
    return true;
}

/* What waits, the urgent before the many: a flood of datagrams delays none of the others. `report`
 * holds what the input may borrow. */
static bool next_input(struct yk_agent *agent, struct yk_input *input,
                       struct yk_host_report *report)
{
    input->now = uv_hrtime();
    if (next_always(agent, input)) {
        return true;
    }
    if (yk_node_is_blocked(agent->node)) {
        return false;
    }
    if (agent->waiting.stop) {
        agent->waiting.stop = false;
        input->kind = YK_INPUT_STOP;
    } else if (agent->waiting.wall) {
        agent->waiting.wall = false;
        input->kind = YK_INPUT_WALL;
        input->as.wall.wall_ns = yk_wall_now();
    } else if (agent->waiting.back) {
        agent->waiting.back = false;
        input->kind = YK_INPUT_RETURN;
    } else if (yk_driver_host_take_media(&agent->host, &input->as.media.bytes)) {
        input->kind = YK_INPUT_MEDIA; /* before the report that it is ready */
    } else if (next_report(agent, input, report)) {
        return true;
    } else if (yk_node_deadline(agent->node) <= input->now) {
        input->kind = YK_INPUT_TICK;
    } else if (agent->batch_next < agent->batch_count) {
        const struct yk_datagram *datagram = &agent->socket.batch[agent->batch_next++];

        input->kind = YK_INPUT_DATAGRAM;
        input->as.datagram.bytes = datagram->bytes;
        input->as.datagram.from = datagram->from;
    } else {
        return false;
    }
    return true;
}

/* Rounded up: a timer that is early would only wake for nothing. */
static void set_timer(struct yk_agent *agent)
{
    yk_time deadline = yk_node_deadline(agent->node);
    yk_time now = uv_hrtime();
    uint64_t wait_ms;

    if (deadline == YK_TIME_NEVER) {
        uv_timer_stop(&agent->timer);
        return;
    }
    wait_ms = deadline > now ? (deadline - now + YK_MS - 1) / YK_MS : 0;
    uv_update_time(&agent->loop);
    uv_timer_start(&agent->timer, yk_agent_due, wait_ms, 0);
}

/* While the core is blocked, and while a batch waits for it, the rest waits in the kernel. */
static void set_reading(struct yk_agent *agent)
{
    yk_intake_want(&agent->intake,
                   !yk_node_is_blocked(agent->node) && agent->batch_next == agent->batch_count);
}

static void say_kernel_drops(struct yk_agent *agent, yk_time now)
{
    uint64_t drops = agent->socket.kernel_drops;

    if (drops != agent->kernel_drops_said &&
        now - agent->kernel_drops_said_at >= KERNEL_DROPS_PAUSE) {
        yk_log(YK_LOG_WARNING,
               "the kernel dropped %" PRIu64 " datagrams for want of room, %" PRIu64
               " since the start; receive buffer %d bytes",
               drops - agent->kernel_drops_said, drops, agent->socket.granted);
        agent->kernel_drops_said = drops;
        agent->kernel_drops_said_at = now;
    }
}

void yk_agent_say_clock(struct yk_agent *agent)
{
    char text[YK_WARNING_MAX];
    bool wrong = yk_warning_clock_wrong(text, yk_wall_now());

    if (wrong && !agent->clock_said) {
        yk_log(YK_LOG_WARNING, "%s", text);
    } else if (!wrong && agent->clock_said) {
        yk_log(YK_LOG_INFO, "this host's clock can be right now");
    }
    agent->clock_said = wrong;
}

static void say_alone(struct yk_agent *agent, yk_time now)
{
    struct yk_node_view view;
    char text[YK_WARNING_MAX];

    if (agent->alone_said || now - agent->started < YK_ALONE_AFTER) {
        return;
    }
    agent->alone_said = true;
    yk_node_view(agent->node, &view);
    if (yk_warning_alone(text, &view, now - agent->started)) {
        yk_log(YK_LOG_WARNING, "%s", text);
    }
}

/* Also after the command ended: what changed meanwhile is told then, at the next announcement. */
static void tell_room(struct yk_agent *agent)
{
    struct yk_node_view view;

    yk_node_view(agent->node, &view);
    yk_hook_look(&agent->hook, json_object_get(agent->reload.in_force, "on_change"), &view);
}

static void say_status(struct yk_agent *agent, yk_time now)
{
    struct yk_node_view view;
    char line[YK_STATUS_LINE_MAX];

    if (yk_notify_wants_status(&agent->notify, now)) {
        yk_node_view(agent->node, &view);
        yk_status_line(line, &view,
                       agent->join.problem[0] != 0 ? agent->join.problem : agent->save_failure);
        yk_notify_status(&agent->notify, line, now);
    }
}

void yk_agent_pump(struct yk_agent *agent)
{
    struct yk_input input;
    struct yk_host_report report;

    while (agent->phase == YK_AGENT_RUNNING && next_input(agent, &input, &report)) {
        yk_node_step(agent->node, &input, &agent->effects);
        for (size_t i = 0; i < agent->effects.count; i++) {
            perform(agent, &agent->effects.list[i], input.now);
        }
        yk_driver_host_go_on(&agent->host);
    }
    if (agent->phase == YK_AGENT_RUNNING) {
        yk_log_flush(input.now);
        say_kernel_drops(agent, input.now);
        tell_room(agent);
        say_alone(agent, input.now);
        say_status(agent, input.now);
        set_timer(agent);
        set_reading(agent);
    }
}

void yk_agent_readable(void *owner)
{
    struct yk_agent *agent = owner;

    agent->batch_count = yk_intake_read(&agent->intake);
    agent->batch_next = 0;
    yk_agent_pump(agent);
}

void yk_agent_due(uv_timer_t *timer)
{
    yk_agent_pump(timer->data);
}

void yk_agent_saved(void *owner, uint64_t request, bool ok, const char *cause)
{
    struct yk_agent *agent = owner;

    if (!ok && strcmp(agent->save_failure, cause) != 0) {
        yk_log(YK_LOG_ERROR,
               "state_file %s: %s; its directory must be writable and have room, until then no "
               "pairing is taken",
               agent->store.path, cause);
    } else if (ok && agent->save_failure[0] != 0) {
        yk_log(YK_LOG_INFO, "state_file %s: saving works again", agent->store.path);
    }
    snprintf(agent->save_failure, sizeof agent->save_failure, "%s", cause);
    agent->waiting.persisted = true;
    agent->waiting.persisted_ok = ok;
    agent->waiting.persisted_request = request;
    yk_agent_pump(agent);
}

void yk_agent_reported(void *owner)
{
    yk_agent_pump(owner);
}

void yk_agent_clock_stepped(void *owner)
{
    struct yk_agent *agent = owner;

    agent->waiting.wall = true;
    yk_log(YK_LOG_INFO, "the wall clock was set");
    yk_agent_say_clock(agent);
    yk_agent_pump(agent);
}
