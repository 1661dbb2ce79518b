/* cli_rig.h - a tool's knowledge under test, and the frames of the nodes it hears. */
#ifndef YK_TESTS_CLI_RIG_H
#define YK_TESTS_CLI_RIG_H

#include "cli/knowledge.h"

#define CLI_NOW (1000 * YK_SECOND)

struct cli_rig {
    struct yk_knowledge knowledge;
    void *memory;
    yk_time now;
    struct yk_address from; /* of the frames that follow; 10.0.0.1 at first */
};

void cli_rig_init(struct cli_rig *rig);
void cli_rig_fini(struct cli_rig *rig);

struct yk_id cli_id(const char *text);

/* Frames, to be heard or only looked at. `err` may be NULL, `producer` too (unpaired); n 0 is the
 * zero version. */
struct yk_frame cli_consumer(const char *id, const char *name, enum yk_state state,
                             const char *producer, uint64_t n, const char *author);
struct yk_frame cli_producer(const char *id, const char *name, enum yk_kind kind,
                             const char *media);
struct yk_frame cli_ack(const char *consumer, const struct yk_version *version, bool applied,
                        enum yk_reason reason);
struct yk_frame cli_intent(const char *origin, const char *consumer, uint64_t n,
                           const char *author);
struct yk_frame cli_bye(const char *id);

/* Makes the knowledge hear a frame. */
void cli_hear(struct cli_rig *rig, struct yk_frame frame);

#endif
