#include "pair_rig.h"

struct pair_rig pair;

void pair_start(enum yk_op op, const char *consumer, const char *producer, enum yk_state wait,
                yk_time timeout)
{
    struct yk_operation_options options = {
        .op = op, .consumer = consumer, .producer = producer, .wait = wait, .timeout = timeout};

    options.authors[0] = cli_id("op-first");
    options.authors[1] = cli_id("op-second");
    pair.tells = 0;
    yk_operation_start(&pair.operation, &options, &pair.rig.knowledge, pair.rig.now);
}

void pair_start_pair(const char *consumer, const char *producer)
{
    pair_start(YK_OP_PAIR, consumer, producer, YK_STATE_NONE, 5 * YK_SECOND);
}

enum yk_want pair_next(void)
{
    enum yk_want want;

    while ((want = yk_operation_next(&pair.operation, pair.rig.now)) == YK_WANT_TELL) {
        pair.tells |= 1u << pair.operation.told;
    }
    return want;
}

bool pair_was_told(enum yk_tell tell)
{
    return (pair.tells & 1u << tell) != 0;
}

void pair_hear(struct yk_frame frame)
{
    cli_hear(&pair.rig, frame);
    yk_operation_hear(&pair.operation, &frame, pair.rig.now);
}

unsigned pair_pass(yk_time until)
{
    unsigned sent = 0;

    for (;;) {
        enum yk_want want = pair_next();

        if (want == YK_WANT_SEND) {
            sent++;
        } else if (want == YK_WANT_NOTHING || yk_operation_deadline(&pair.operation) > until) {
            break;
        } else {
            ck_assert(yk_operation_deadline(&pair.operation) > pair.rig.now);
            pair.rig.now = yk_operation_deadline(&pair.operation);
        }
    }
    pair.rig.now = until > pair.rig.now ? until : pair.rig.now;
    return sent;
}

void pair_room(void)
{
    cli_rig_init(&pair.rig);
    cli_hear(&pair.rig, cli_consumer("dec-1", "Room 3", YK_STATE_IDLE, NULL, 6, "op-before"));
    cli_hear(&pair.rig, cli_producer("enc-1", "Lobby", YK_KIND_HDMI, PAIR_MEDIA));
}

void pair_answer(bool applied, enum yk_reason reason)
{
    pair_hear(cli_ack("dec-1", &pair.operation.intent.version, applied, reason));
}
