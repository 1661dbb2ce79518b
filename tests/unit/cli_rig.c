#include "cli_rig.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define TRACKED 64

void cli_rig_init(struct cli_rig *rig)
{
    memset(rig, 0, sizeof *rig);
    rig->memory = calloc(1, yk_knowledge_memory(TRACKED));
    ck_assert_ptr_nonnull(rig->memory);
    yk_knowledge_init(&rig->knowledge, rig->memory, TRACKED, 7);
    rig->now = CLI_NOW;
    rig->from = (struct yk_address){.ip = {10, 0, 0, 1}, .port = 9753};
}

void cli_rig_fini(struct cli_rig *rig)
{
    free(rig->memory);
}

struct yk_id cli_id(const char *text)
{
    struct yk_id id;

    ck_assert(yk_id_parse(&id, yk_slice_of(text)));
    return id;
}

static struct yk_version version_of(uint64_t n, const char *author)
{
    struct yk_version version = {.n = n};

    if (n > 0) {
        version.author = cli_id(author);
    }
    return version;
}

static struct yk_frame frame_of(enum yk_type type, const char *origin)
{
    return (struct yk_frame){.type = type, .origin = cli_id(origin), .seq = 1};
}

struct yk_frame cli_consumer(const char *id, const char *name, enum yk_state state,
                             const char *producer, uint64_t n, const char *author)
{
    struct yk_frame frame = frame_of(YK_TYPE_ANN, id);

    frame.as.ann.role = YK_ROLE_CONSUMER;
    frame.as.ann.kind = YK_KIND_HDMI;
    frame.as.ann.name = yk_slice_of(name);
    frame.as.ann.state = state;
    frame.as.ann.pairing.version = version_of(n, author);
    if (producer != NULL) {
        frame.as.ann.pairing.producer = cli_id(producer);
    }
    return frame;
}

struct yk_frame cli_producer(const char *id, const char *name, enum yk_kind kind, const char *media)
{
    struct yk_frame frame = frame_of(YK_TYPE_ANN, id);

    frame.as.ann.role = YK_ROLE_PRODUCER;
    frame.as.ann.kind = kind;
    frame.as.ann.name = yk_slice_of(name);
    frame.as.ann.state = YK_STATE_ACTIVE;
    if (media != NULL) {
        frame.as.ann.media = yk_slice_of(media);
    }
    return frame;
}

struct yk_frame cli_ack(const char *consumer, const struct yk_version *version, bool applied,
                        enum yk_reason reason)
{
    struct yk_frame frame = frame_of(YK_TYPE_ACK, consumer);

    frame.as.ack = (struct yk_ack){.version = *version, .applied = applied, .reason = reason};
    return frame;
}

struct yk_frame cli_intent(const char *origin, const char *consumer, uint64_t n, const char *author)
{
    struct yk_frame frame = frame_of(YK_TYPE_INT, origin);

    frame.as.intent.op = YK_OP_UNPAIR;
    frame.as.intent.consumer = cli_id(consumer);
    frame.as.intent.version = version_of(n, author);
    return frame;
}

struct yk_frame cli_bye(const char *id)
{
    return frame_of(YK_TYPE_BYE, id);
}

void cli_hear(struct cli_rig *rig, struct yk_frame frame)
{
    static const char open[YK_FINGERPRINT_SIZE];

    yk_knowledge_hear(&rig->knowledge, &frame, rig->from, open, rig->now);
}
