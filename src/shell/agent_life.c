/* An agent's start and stop. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/agent_internal.h"
#include "shell/log.h"
#include "shell/status_describe.h"
#include "shell/warnings.h"

static const int signal_numbers[] = {SIGTERM, SIGINT, SIGHUP};

void yk_agent_node_options(struct yk_node_options *options, const struct yk_config *config,
                           const struct yk_auth *auth)
{
    *options = (struct yk_node_options){
        .id = config->id,
        .name = yk_slice_of(config->name),
        .role = config->site.role,
        .kind = config->site.kind,
        .media = {config->media, config->driver->longest_media == NULL ? config->media_size : 0},
        .auth = auth,
        .tracked = config->tracked,
        .start_spread = YK_START_SPREAD,
        .stop_limit = config->driver->stop_limit_ms * YK_MS + YK_STOP_MARGIN,
    };
}

size_t yk_agent_memory(uint32_t tracked)
{
    return sizeof(struct yk_agent) + yk_node_memory(tracked);
}

static void look(void *owner, struct yk_node_view *view, struct yk_status_facts *facts)
{
    struct yk_agent *agent = owner;

    *facts = (struct yk_status_facts){.network = &agent->site->config->network,
                                      .socket = &agent->socket,
                                      .auth = agent->site->auth,
                                      .started = agent->started,
                                      .now = uv_hrtime(),
                                      .wall_ns = yk_wall_now(),
                                      .join_problem = agent->join.problem,
                                      .querier = &agent->querier,
                                      .save_failure = agent->save_failure};
    yk_node_view(agent->node, view);
}

static json_t *describe(void *owner)
{
    struct yk_status_facts facts;
    struct yk_node_view view;

    look(owner, &view, &facts);
    return yk_status_describe(&view, &facts, SIZE_MAX);
}

/* The picture matters more than being asked about it: only a path that was asked for must work. */
static bool open_status(struct yk_agent *agent, struct yk_refusal *why)
{
    const struct yk_config *config = agent->site->config;

    if (strncmp(config->status_socket, YK_STATUS_DIRECTORY "/", sizeof YK_STATUS_DIRECTORY) == 0) {
        mkdir(YK_STATUS_DIRECTORY, 0755); /* where it cannot be made, the socket cannot */
    }
    agent->status = yk_status_open(&agent->loop, config->status_socket, agent, describe, why);
    if (agent->status == NULL && !config->status_socket_given) {
        yk_log(YK_LOG_WARNING, "%s; going on without it", why->text);
        return true;
    }
    return agent->status != NULL;
}

static bool make_node(struct yk_agent *agent, struct yk_refusal *why)
{
    struct yk_node_options options;
    void *memory = calloc(1, yk_node_memory(agent->site->config->tracked));

    if (memory == NULL) {
        return yk_refuse(why, YK_EXIT_INTERNAL,
                         "limits.tracked: no memory for %u nodes; lower it, or free memory",
                         agent->site->config->tracked);
    }
    yk_agent_node_options(&options, agent->site->config, agent->site->auth);
    if (getrandom(&options.seed, sizeof options.seed, 0) != sizeof options.seed) {
        free(memory);
        return yk_refuse(why, YK_EXIT_INTERNAL, "random numbers: %s; start again", strerror(errno));
    }
    agent->node = yk_node_init(memory, &options);
    return true;
}

/* The process ends with what is stuck: a save that hangs in the kernel cannot be waited for. */
static void too_long(uv_timer_t *limit)
{
    struct yk_agent *agent = limit->data;

    yk_log(YK_LOG_ERROR, "stopping takes too long (%s); ending without",
           agent->store.busy ? "a save hangs" : "the driver does not let go");
    if (agent->status != NULL) {
        unlink(agent->site->config->status_socket);
    }
    _exit(YK_EXIT_INTERNAL);
}

static void begin_stop(struct yk_agent *agent)
{
    uint64_t limit_ms = YK_STOP_LIMIT / YK_MS + agent->site->config->driver->stop_limit_ms;

    if (uv_is_active((uv_handle_t *)&agent->limit)) {
        /* Asked twice: not even the goodbye is waited for. */
        if (agent->phase == YK_AGENT_RUNNING) {
            yk_agent_close(agent);
        }
        return;
    }
    yk_notify_stopping(&agent->notify);
    uv_timer_start(&agent->limit, too_long, limit_ms, 0);
    uv_unref((uv_handle_t *)&agent->limit);
    agent->waiting.stop = true;
    yk_agent_pump(agent);
}

static void reload(struct yk_agent *agent)
{
    yk_notify_reloading(&agent->notify, uv_hrtime());
    if (yk_reload(&agent->reload, agent->site->auth)) {
        agent->deaf_said = false; /* with another key it may be another reason */
    }
    yk_notify_ready(&agent->notify);
}

static void signalled(uv_signal_t *signal_, int number)
{
    if (number == SIGHUP) {
        reload(signal_->data);
    } else {
        begin_stop(signal_->data);
    }
}

static bool open_handles(struct yk_agent *agent)
{
    yk_notify_open(&agent->notify, &agent->loop);
    yk_hook_open(&agent->hook, &agent->loop);
    uv_timer_init(&agent->loop, &agent->timer);
    uv_timer_init(&agent->loop, &agent->limit);
    agent->timer.data = agent->limit.data = agent;
    for (size_t i = 0; i < sizeof signal_numbers / sizeof *signal_numbers; i++) {
        agent->signals[i].data = agent;
        if (uv_signal_init(&agent->loop, &agent->signals[i]) != 0 ||
            uv_signal_start(&agent->signals[i], signalled, signal_numbers[i]) != 0) {
            return false;
        }
    }
    signal(SIGPIPE, SIG_IGN);
    return yk_intake_open(&agent->intake, &agent->loop, &agent->socket, agent, yk_agent_readable) ==
               0 &&
           yk_wall_open(&agent->wall, &agent->loop, agent, yk_agent_clock_stepped) == 0;
}

static bool is_open(const void *handle)
{
    return ((const uv_handle_t *)handle)->type != UV_UNKNOWN_HANDLE;
}

static void close_if_open(void *handle)
{
    if (is_open(handle)) {
        uv_close(handle, NULL);
    }
}

/* All but the driver and the limit of a stop; also after a start that went half way. */
static void close_rest(struct yk_agent *agent)
{
    close_if_open(&agent->timer);
    yk_intake_close(&agent->intake);
    if (is_open(&agent->notify.watchdog)) {
        yk_notify_close(&agent->notify);
    }
    if (is_open(&agent->hook.child)) {
        yk_hook_close(&agent->hook);
    }
    for (size_t i = 0; i < sizeof signal_numbers / sizeof *signal_numbers; i++) {
        close_if_open(&agent->signals[i]);
    }
    if (is_open(&agent->wall.poll)) {
        yk_wall_close(&agent->wall);
    }
    if (is_open(&agent->join.retry)) {
        yk_join_close(&agent->join);
    }
    if (agent->status != NULL) {
        yk_status_close(agent->status, NULL);
        agent->status = NULL;
    }
    yk_querier_close(&agent->querier);
    yk_telemetry_close(&agent->telemetry);
}

static void driver_closed(void *owner)
{
    close_rest(owner);
}

void yk_agent_close(struct yk_agent *agent)
{
    agent->phase = YK_AGENT_CLOSING;
    uv_timer_stop(&agent->timer);
    yk_intake_want(&agent->intake, false);
    yk_driver_host_close(&agent->host, driver_closed);
}

static void say_what_starts(struct yk_agent *agent)
{
    const struct yk_config *config = agent->site->config;
    const uint8_t *ip = config->network.group;

    yk_log(YK_LOG_INFO,
           "yoke %s: %s (%s, %s), driver %s, group %u.%u.%u.%u port %u, key %s, receive buffer %d "
           "bytes",
           YK_VERSION, config->id.text, yk_role_word(config->site.role),
           yk_kind_word(config->site.kind), config->driver->name, ip[0], ip[1], ip[2], ip[3],
           config->network.port,
           agent->site->auth->key.set ? agent->site->auth->key.fingerprint : "OPEN",
           agent->socket.granted);
    yk_agent_say_clock(agent);
}

/* A cable or an address that changed may be the driver's: it need not say for another second what is
 * not true any more. */
static void look_again(void *owner)
{
    struct yk_agent *agent = owner;

    if (agent->phase != YK_AGENT_RUNNING) {
        return;
    }
    yk_driver_host_poll(&agent->host);
    if (agent->join.returned) {
        agent->join.returned = false;
        agent->waiting.back = true;
        yk_agent_pump(agent);
    }
}

/* Is this producer what a live consumer announces to be paired with? */
static bool is_paired(void *owner)
{
    const struct yk_agent *agent = owner;
    const struct yk_peer *peer = NULL;
    struct yk_node_view view;

    yk_node_view(agent->node, &view);
    while ((peer = yk_peers_next(view.peers, peer)) != NULL) {
        if (peer->presence == YK_PRESENCE_LIVE && peer->role == YK_ROLE_CONSUMER &&
            yk_id_equal(&peer->pairing.producer, &agent->site->config->id)) {
            return true;
        }
    }
    return false;
}

static bool open_all(struct yk_agent *agent, struct yk_refusal *why)
{
    const struct yk_config *config = agent->site->config;

    if (!make_node(agent, why) || !yk_socket_open(&agent->socket, &config->network, why)) {
        return false;
    }
    if (!open_handles(agent)) {
        return yk_refuse(why, YK_EXIT_INTERNAL, "event loop: %s; start again", strerror(errno));
    }
    say_what_starts(agent);
    yk_querier_open(&agent->querier, &agent->loop, config);
    if (!yk_join_open(&agent->join, &agent->loop, &agent->socket, config->network.interface, agent,
                      look_again, why) ||
        !open_status(agent, why)) {
        return false;
    }
    if (config->telemetry && !yk_telemetry_open(&agent->telemetry, &agent->loop,
                                                &config->telemetry_at, agent, look, why)) {
        return false;
    }
    yk_store_init(&agent->store, config->state_file, agent, yk_agent_saved);
    if (!yk_driver_host_open(&agent->host, config->driver, config->driver_self, &config->site,
                             &agent->loop, agent, yk_agent_reported, why)) {
        return false;
    }
    agent->host.is_paired = is_paired;
    return true;
}

/* Runs what is left of the loop: close callbacks, and a save under way. */
static void end_loop(struct yk_agent *agent)
{
    uv_run(&agent->loop, UV_RUN_DEFAULT);
    close_if_open(&agent->limit);
    uv_run(&agent->loop, UV_RUN_DEFAULT);
    uv_loop_close(&agent->loop);
    yk_socket_close(&agent->socket);
    free(agent->node);
}

static int run(struct yk_agent *agent, struct yk_refusal *why)
{
    int status = YK_EXIT_OK;

    agent->phase = YK_AGENT_RUNNING;
    agent->started = uv_hrtime();
    agent->socket.fd = agent->querier.fd = -1;
    if (open_all(agent, why)) {
        yk_notify_ready(&agent->notify);
        agent->waiting.start = true;
        yk_agent_pump(agent);
    } else {
        status = (int)why->exit;
        close_rest(agent);
    }
    end_loop(agent);
    if (status == YK_EXIT_OK) {
        yk_log_flush(YK_TIME_NEVER);
        yk_log(YK_LOG_INFO, "stopped");
    }
    return status;
}

int yk_agent_run(const struct yk_agent_site *site, struct yk_refusal *why)
{
    struct yk_agent *agent = calloc(1, sizeof *agent);
    int status;

    if (agent == NULL || uv_loop_init(&agent->loop) != 0) {
        free(agent);
        yk_refuse(why, YK_EXIT_INTERNAL, "event loop: cannot be made; free memory");
        return YK_EXIT_INTERNAL;
    }
    agent->site = site;
    yk_reload_init(&agent->reload, site->config_path, site->config, site->level_is_held);
    status = run(agent, why);
    yk_reload_fini(&agent->reload);
    free(agent);
    return status;
}
