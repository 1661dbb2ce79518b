/* driver.h - what a driver is: told the route, it converges and reports what it sees; the core
 * decides. A new driver is a row in drivers.c and a folder. */
#ifndef YK_DRIVERS_DRIVER_H
#define YK_DRIVERS_DRIVER_H

#include <jansson.h>
#include <uv.h>

#include "base/refusal.h"
#include "core/protocol.h"
#include "core/report.h"
#include "core/types.h"

enum yk_log_level { YK_LOG_ERROR = 1, YK_LOG_WARNING, YK_LOG_INFO, YK_LOG_DEBUG };

/* Fixed facts of the node a driver serves. */
struct yk_driver_site {
    enum yk_role role;
    enum yk_kind kind;
    const char *node_id;
    uint8_t control_group[4];      /* never a media group */
    const char *control_interface; /* as configured: a name, an address or 0.0.0.0 */
    const char *state_file;
};

/* What the shell lends a driver from open to closed. */
struct yk_driver_env {
    struct yk_driver_site site;
    uv_loop_t *loop;
    void *host;
    /* Answers an attach, detach or poll, or says what changed by itself. `generation` is that of
     * the last attach or detach the driver was given. It may be called before such a call returns. */
    void (*report)(void *host, uint64_t generation, enum yk_report status, const char *detail);
    /* A producer's driver that makes its media: what there is to be had from now on (a canonical JSON
     * object, copied), or "" while there is nothing. */
    void (*announce)(void *host, const char *media);
    /* Does a live consumer announce a pairing with this producer? */
    bool (*is_paired)(void *host);
    /* One line for the local log. */
    __attribute__((format(printf, 3, 4))) void (*log)(void *host, enum yk_log_level level,
                                                      const char *format, ...);
};

struct yk_driver_ops {
    const char *name; /* driver.type of the configuration */
    uint32_t
        stop_limit_ms; /* longest time from detach(STOP) to its report, and from close to closed */

    /* Reads the configuration's "driver" object (its "type" included; unknown members are refused
     * with the place, like "driver.comand"). Touches nothing outside. NULL and `why` when it is
     * wrong. The result is the `self` of all calls below, freed by `free`. */
    void *(*parse)(json_t *config, const struct yk_driver_site *site, struct yk_refusal *why);
    /* Is this media, configured on a producer (JSON object or null), something this driver can
     * serve? Places are given like "media.group". */
    bool (*check_media)(void *self, json_t *media, struct yk_refusal *why);

    /* On a producer whose driver makes its media: the longest that it will ever announce, NULL on a
     * consumer. NULL in a driver whose media is what is configured. */
    const char *(*longest_media)(void *self);

    /* Takes up work; `env` is copied. False and `why` when it can never work as configured. */
    bool (*open)(void *self, const struct yk_driver_env *env, struct yk_refusal *why);
    /* Wanted now: this media (canonical JSON object, borrowed for the call). Idempotent: for media
     * it already serves, nothing is touched and it reports at once. The host calls it only after
     * the last detach was confirmed. Answers by one report of this generation; later changes are
     * reported under it too. */
    void (*attach)(void *self, uint64_t generation, struct yk_slice media);
    /* Wanted now: nothing. Idempotent. Reports IDLE when release is confirmed, ERROR when it is
     * not; until then it keeps its bookkeeping. */
    void (*detach)(void *self, uint64_t generation, enum yk_detach_reason reason);
    /* Look again and report what is there, under the generation last given. */
    void (*poll)(void *self);
    /* Gives everything back (children reaped, groups left, handles closed), then calls `closed`. */
    void (*close)(void *self, void (*closed)(void *host));
    void (*free)(void *self);

    /* For "agent --check": a line for people on each thing that this host lacks, or that nothing is
     * lacking. Looks, and touches nothing. NULL in a driver that needs nothing. */
    void (*survey)(void *self, void (*note)(const char *line));
    /* For "agent --check --device", instead of open: asks the device what it is, in a few seconds,
     * changing nothing. `fact` takes lines for people, `warn` what will not work well. False and
     * `why` when it cannot work. NULL in a driver without a device to ask. */
    bool (*inspect)(void *self, void (*fact)(const char *line), void (*warn)(const char *line),
                    struct yk_refusal *why);
};

/* The driver of that name (driver.type). NULL and `why`: there is none, or its module cannot be
 * loaded. */
const struct yk_driver_ops *yk_driver_find(const char *name, struct yk_refusal *why);
/* Names of all drivers, in a text for messages: "igmp, jap, null, usbip". */
const char *yk_driver_names(void);

#endif
