/* host.h - the shell's driver host as the core knows it: one call at a time, the latest wanted route
 * behind it, a detach never dropped between two attaches, the latest report kept until taken. */
#ifndef YK_SIM_HOST_H
#define YK_SIM_HOST_H

#include "core/report.h"
#include "core/types.h"

struct world;
struct agent;

struct host_report {
    uint64_t generation;
    enum yk_report status;
    size_t detail_size;
    uint8_t detail[2 * YK_REPORT_DETAIL_MAX];
};

struct host {
    bool in_flight;
    bool detaching;
    uint64_t generation; /* given last to the driver */
    struct {
        bool wanted;
        uint64_t generation;
        enum yk_detach_reason reason;
    } detach;
    struct {
        bool wanted;
        uint64_t generation;
        size_t media_size;
        uint8_t media[YK_FRAME_MAX];
    } attach;
    bool has_report;
    struct host_report report;
};

void host_attach(struct world *world, struct agent *agent, uint64_t generation,
                 struct yk_slice media);
void host_detach(struct world *world, struct agent *agent, uint64_t generation,
                 enum yk_detach_reason reason);
void host_poll(struct world *world, struct agent *agent);
/* What the driver says. */
void host_report(struct world *world, struct agent *agent, const struct host_report *report);
bool host_take(struct agent *agent, struct host_report *report);
/* Begins the call that waits, if the driver is free. */
void host_go_on(struct world *world, struct agent *agent);

#endif
