#include "conformance_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct conf_rig conf;
const struct yk_address conf_home = {{10, 0, 0, 1}, 4000}, conf_away = {{10, 0, 0, 2}, 4000};

void conf_start_keys(const char *site_key, const char *own_key)
{
    if (conf.memory != NULL) {
        snoop_fini(&conf.rig);
        free(conf.memory);
    }
    snoop_init_keys(&conf.rig, site_key, own_key);
    conf.memory = calloc(1, yk_conformance_memory(SNOOP_TRACKED));
    ck_assert_ptr_nonnull(conf.memory);
    yk_conformance_init(&conf.check, conf.memory, SNOOP_TRACKED, 7, &conf.rig.auth, conf.rig.now);
    memset(conf.told, 0, sizeof conf.told);
    memset(conf.known, 0, sizeof conf.known);
    conf.ts_shift_ms = 0;
    conf.rig.from = conf_home;
}

void conf_start(void)
{
    conf_start_keys("site", "site");
}

static void collect(void)
{
    for (size_t i = 0; i < conf.check.count; i++) {
        size_t used = strlen(conf.told);

        conf.last = conf.check.violations[i];
        snprintf(conf.told + used, sizeof conf.told - used, "%s ",
                 yk_rule_text(conf.last.rule)->word);
        ck_assert_uint_gt(strlen(conf.last.detail), 0);
    }
}

void conf_pass(yk_time duration)
{
    snoop_pass(&conf.rig, duration);
    while (yk_conformance_deadline(&conf.check) <= conf.rig.now) {
        yk_conformance_tick(&conf.check, conf.rig.observer, conf.rig.now);
        collect();
    }
}

void conf_hear(const void *bytes, size_t size)
{
    snoop_bytes(&conf.rig, bytes, size);
    yk_conformance_hear(&conf.check, conf.rig.observer, &conf.rig.heard);
    collect();
}

void conf_again(void)
{
    uint8_t bytes[YK_FRAME_MAX + 1];

    memcpy(bytes, conf.rig.bytes, conf.rig.size);
    conf_hear(bytes, conf.rig.size);
}

uint64_t *conf_number_of(const char *origin)
{
    size_t i = 0;

    while (i < CONF_SENDERS - 1 && conf.known[i] != NULL && strcmp(conf.known[i], origin) != 0) {
        i++;
    }
    if (conf.known[i] == NULL) {
        conf.known[i] = origin;
        conf.numbers[i] = (uint64_t)SNOOP_WALL_NS;
    }
    return &conf.numbers[i];
}

static int64_t sender_ms(void)
{
    return (SNOOP_WALL_NS + (int64_t)conf.rig.now) / (int64_t)YK_MS + conf.ts_shift_ms;
}

static struct yk_id id_of(const char *text)
{
    struct yk_id id = {.size = 0};

    ck_assert(text == NULL || yk_id_parse(&id, yk_slice_of(text)));
    return id;
}

static struct yk_version version_of(uint64_t n, const char *author)
{
    return (struct yk_version){n, id_of(n == 0 ? NULL : author)};
}

void conf_say(const char *origin, struct yk_frame frame)
{
    uint8_t bytes[YK_FRAME_MAX];
    uint64_t *number = conf_number_of(origin);
    size_t size;

    frame.origin = id_of(origin);
    if (frame.seq == 0) {
        frame.seq = (*number)++;
    }
    frame.ts_ms = sender_ms();
    size = yk_frame_encode(&frame, &conf.rig.site, bytes);
    ck_assert_uint_gt(size, 0);
    conf_hear(bytes, size);
}

void conf_say_text(const char *origin, const char *type, const char *body, const char *sig)
{
    char head[2 * YK_FRAME_MAX], tail[128], whole[3 * YK_FRAME_MAX], made[YK_SIG_SIZE + 1] = "";
    struct yk_slice parts[2];
    int64_t ms = sender_ms();

    snprintf(head, sizeof head, "{\"body\":%s,\"origin\":\"%s\",\"seq\":%llu", body, origin,
             (unsigned long long)(*conf_number_of(origin))++);
    snprintf(tail, sizeof tail, ",\"ts\":%lld,\"type\":\"%s\",\"v\":1}", (long long)(ms / 1000),
             type);
    parts[0] = yk_slice_of(head);
    parts[1] = yk_slice_of(tail);
    made[yk_auth_sign(&conf.rig.site, parts, made)] = '\0';
    snprintf(whole, sizeof whole, "%s,\"sig\":\"%s\"%s", head, sig != NULL ? sig : made, tail);
    ck_assert_uint_le(strlen(whole), YK_FRAME_MAX);
    conf_hear(whole, strlen(whole));
}

void conf_consumer(enum yk_state state, const char *producer, uint64_t n, const char *author)
{
    struct yk_frame frame = {.type = YK_TYPE_ANN};

    frame.as.ann = (struct yk_ann){.role = YK_ROLE_CONSUMER,
                                   .kind = YK_KIND_HDMI,
                                   .name = yk_slice_of("Room 3"),
                                   .state = state,
                                   .pairing = {id_of(producer), version_of(n, author)}};
    conf_say("dec", frame);
}

void conf_idle(void)
{
    conf_consumer(YK_STATE_IDLE, NULL, 0, NULL);
}

struct yk_frame conf_producing(enum yk_kind kind)
{
    struct yk_frame frame = {.type = YK_TYPE_ANN};

    frame.as.ann = (struct yk_ann){.role = YK_ROLE_PRODUCER,
                                   .kind = kind,
                                   .name = yk_slice_of("Player"),
                                   .state = YK_STATE_ACTIVE,
                                   .media = yk_slice_of("{\"port\":5004}")};
    return frame;
}

void conf_intend(const char *tool, const char *producer, uint64_t n, const char *author)
{
    struct yk_frame frame = {.type = YK_TYPE_INT};

    frame.as.intent = (struct yk_intent){producer != NULL ? YK_OP_PAIR : YK_OP_UNPAIR, id_of("dec"),
                                         id_of(producer), version_of(n, author)};
    conf_say(tool, frame);
}

void conf_acknowledge(const char *origin, uint64_t n, const char *author, bool applied,
                      enum yk_reason reason)
{
    struct yk_frame frame = {.type = YK_TYPE_ACK};

    frame.as.ack = (struct yk_ack){version_of(n, author), applied, reason};
    conf_say(origin, frame);
}

void conf_applied(uint64_t n, const char *author)
{
    conf_acknowledge("dec", n, author, true, YK_REASON_APPLIED);
}

void conf_superseded(uint64_t n, const char *author)
{
    conf_acknowledge("dec", n, author, false, YK_REASON_SUPERSEDED);
}

void conf_event(enum yk_event which, const char *detail)
{
    struct yk_frame frame = {.type = YK_TYPE_EVT};

    frame.as.evt = (struct yk_evt){.event = which, .detail = yk_slice_of(detail)};
    conf_say("dec", frame);
}

void conf_bye(void)
{
    conf_say("dec", (struct yk_frame){.type = YK_TYPE_BYE});
}

void conf_restart(void) /* the block of conf.numbers is left behind */
{
    *conf_number_of("dec") += YK_SEQ_BLOCK;
}

/* All rules are tried before the first failure is told. */
static char failures[8192];

static void fail_later(enum yk_rule rule, const char *why)
{
    size_t used = strlen(failures);

    snprintf(failures + used, sizeof failures - used, "%s: %s: \"%s\"\n", yk_rule_text(rule)->word,
             why, conf.told);
}

/* Does what breaks the rule or, else, what keeps it; is the rule's word told, alone or at all? */
static void expect(const struct conf_case *cases, enum yk_rule first, enum yk_rule last,
                   bool broken)
{
    for (int rule = (int)first; rule <= (int)last; rule++) {
        void (*act)(void) = broken ? cases[rule].breaks : cases[rule].keeps;
        char wanted[64];

        snprintf(wanted, sizeof wanted, "%s ", yk_rule_text((enum yk_rule)rule)->word);
        ck_assert_msg(act != NULL, "no case: %s", wanted);
        conf_start();
        act();
        if (broken && strcmp(conf.told, wanted) != 0) {
            fail_later((enum yk_rule)rule, "broken, and told is");
        } else if (!broken && strstr(conf.told, wanted) != NULL) {
            fail_later((enum yk_rule)rule, "kept, and told is");
        }
    }
    ck_assert_msg(failures[0] == '\0', "\n%s", failures);
}

void conf_expect_broken(const struct conf_case *cases, enum yk_rule first, enum yk_rule last)
{
    expect(cases, first, last, true);
}

void conf_expect_kept(const struct conf_case *cases, enum yk_rule first, enum yk_rule last)
{
    expect(cases, first, last, false);
}
