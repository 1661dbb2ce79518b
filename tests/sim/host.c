#include "sim/host.h"

#include <string.h>

#include "sim/world.h"

static void begin(struct host *host, uint64_t generation)
{
    host->generation = generation;
    host->has_report = false;
    host->in_flight = true;
}

void host_go_on(struct world *world, struct agent *agent)
{
    struct host *host = &agent->host;

    if (host->in_flight) {
        return;
    }
    if (host->detach.wanted) {
        host->detach.wanted = false;
        host->detaching = true;
        begin(host, host->detach.generation);
        backend_detach(world, agent, host->generation, host->detach.reason);
    } else if (host->attach.wanted && !host->detaching) {
        host->attach.wanted = false;
        begin(host, host->attach.generation);
        backend_attach(world, agent, host->generation,
                       (struct yk_slice){host->attach.media, host->attach.media_size});
    }
}

void host_attach(struct world *world, struct agent *agent, uint64_t generation,
                 struct yk_slice media)
{
    struct host *host = &agent->host;

    host->attach.wanted = true;
    host->attach.generation = generation;
    host->attach.media_size = media.size;
    if (media.size > 0) {
        memcpy(host->attach.media, media.data, media.size);
    }
    host_go_on(world, agent);
}

void host_detach(struct world *world, struct agent *agent, uint64_t generation,
                 enum yk_detach_reason reason)
{
    struct host *host = &agent->host;
    bool unpair =
        host->detach.wanted && host->detach.reason == YK_DETACH_UNPAIR && reason == YK_DETACH_STOP;

    host->attach.wanted = false;
    host->detach.wanted = true;
    host->detach.generation = generation;
    host->detach.reason = unpair ? YK_DETACH_UNPAIR : reason;
    host_go_on(world, agent);
}

void host_poll(struct world *world, struct agent *agent)
{
    struct host *host = &agent->host;

    if (!host->in_flight && !host->detach.wanted && !host->attach.wanted) {
        host->in_flight = true;
        backend_poll(world, agent);
    }
}

void host_report(struct world *world, struct agent *agent, const struct host_report *report)
{
    if (report->generation == agent->host.generation) {
        agent->host.report = *report;
        agent->host.has_report = true;
        agent_pump(world, agent);
    }
}

bool host_take(struct agent *agent, struct host_report *report)
{
    struct host *host = &agent->host;

    if (!host->has_report) {
        return false;
    }
    *report = host->report;
    host->has_report = false;
    host->in_flight = false;
    if (report->status == YK_REPORT_IDLE) {
        host->detaching = false;
    }
    return true;
}
