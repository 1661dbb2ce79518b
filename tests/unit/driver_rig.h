/* driver_rig.h - a driver on a real loop, with what it reported and logged. */
#ifndef YK_TESTS_DRIVER_RIG_H
#define YK_TESTS_DRIVER_RIG_H

#include "drivers/driver.h"

#define RIG_WAIT_MS 5000

struct driver_rig {
    uv_loop_t loop;
    const struct yk_driver_ops *ops;
    void *self;
    uint64_t generation; /* last given to the driver */
    unsigned reports;    /* how many came */
    enum yk_report status;
    char detail[YK_REFUSAL_MAX]; /* of the last one */
    bool was_active;             /* one of them was */
    char log[4096];
    bool closed;
};

extern const struct yk_driver_site rig_consumer, rig_producer;

/* Parses `config` (JSON) and opens the driver; both must work. */
void rig_open(struct driver_rig *rig, const struct yk_driver_ops *ops, const char *config,
              const struct yk_driver_site *site);
/* Closes the driver, asserts that nothing is left on the loop, and frees all. */
void rig_close(struct driver_rig *rig);

/* Each gives a new generation. */
void rig_attach(struct driver_rig *rig, const char *media);
void rig_detach(struct driver_rig *rig, enum yk_detach_reason reason);

/* Runs the loop until the last report is `status`; asserts that it comes. */
void rig_wait(struct driver_rig *rig, enum yk_report status);
/* Runs the loop for that long, or until a new report comes; true when one did. */
bool rig_wait_report(struct driver_rig *rig, unsigned ms);
/* Asks for a poll and gives the status reported. */
enum yk_report rig_poll(struct driver_rig *rig);

/* The refusal of a configuration that must be refused. */
const char *rig_refusal(const struct yk_driver_ops *ops, const char *config);

/* Open descriptors of this process. */
unsigned rig_descriptors(void);

#endif
