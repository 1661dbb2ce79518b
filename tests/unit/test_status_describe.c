#include "shell/status_describe.h"

#include <stdlib.h>
#include <string.h>

#include "base/build.h"
#include "lib/suite.h"
#include "shell/wall.h"
#include "shell/warnings.h"

#define NOW (100 * YK_SECOND)

static struct yk_auth auth;
static struct yk_network network;
static struct yk_socket socket_;
static struct yk_node *node;
static struct yk_effects effects;
static struct yk_status_facts facts = {.network = &network,
                                       .socket = &socket_,
                                       .auth = &auth,
                                       .started = 90 * YK_SECOND,
                                       .join_problem = "",
                                       .save_failure = ""};

static struct yk_id id_of(const char *text)
{
    struct yk_id id;

    ck_assert(yk_id_parse(&id, yk_slice_of(text)));
    return id;
}

static void step(struct yk_input *input, yk_time now)
{
    input->now = now;
    yk_node_step(node, input, &effects);
}

/* A decoder that has started; in open mode. */
static void start_node(void)
{
    struct yk_node_options options = {.id = id_of("dec-1"),
                                      .name = yk_slice_of("Room"),
                                      .role = YK_ROLE_CONSUMER,
                                      .kind = YK_KIND_HDMI,
                                      .auth = &auth,
                                      .tracked = YK_TRACKED_MIN,
                                      .seed = 1};
    struct yk_input start = {.kind = YK_INPUT_START, .as.start.wall_ns = yk_wall_now()};
    struct yk_input saved = {.kind = YK_INPUT_PERSISTED, .as.persisted.ok = true};

    network = YK_NETWORK_DEFAULT;
    yk_auth_init(&auth, (struct yk_slice){NULL, 0}, (struct yk_slice){NULL, 0});
    free(node); /* of a former start in the same test */
    node = yk_node_init(calloc(1, yk_node_memory(YK_TRACKED_MIN)), &options);
    step(&start, NOW);
    ck_assert_int_eq(effects.list[0].kind, YK_EFFECT_PERSIST);
    saved.as.persisted.request = effects.list[0].as.persist.request;
    step(&saved, NOW);
}

static void hear_from(const char *origin, struct yk_frame *frame, yk_time now)
{
    uint8_t bytes[YK_FRAME_MAX];
    struct yk_input heard = {.kind = YK_INPUT_DATAGRAM, .as.datagram.from = {{10, 0, 0, 7}, 9753}};

    frame->origin = id_of(origin);
    frame->seq = (uint64_t)yk_wall_now();
    frame->ts_ms = yk_wall_now() / (int64_t)YK_MS;
    heard.as.datagram.bytes = (struct yk_slice){bytes, yk_frame_encode(frame, &auth, bytes)};
    ck_assert_uint_gt(heard.as.datagram.bytes.size, 0);
    step(&heard, now);
}

static void hear(struct yk_frame *frame, yk_time now)
{
    hear_from("enc-1", frame, now);
}

static json_t *hear_producer_with(const char *media)
{
    struct yk_frame ann = {.type = YK_TYPE_ANN,
                           .as.ann = {.role = YK_ROLE_PRODUCER,
                                      .kind = YK_KIND_HDMI,
                                      .name = yk_slice_of("a\nb"),
                                      .state = YK_STATE_ACTIVE,
                                      .media = yk_slice_of(media),
                                      .has_evidence = true,
                                      .evidence = yk_slice_of("up")}};
    struct yk_node_view view;

    start_node();
    hear(&ann, NOW + YK_SECOND);
    facts.now = NOW + 3 * YK_SECOND;
    yk_node_view(node, &view);
    return yk_status_describe(&view, &facts, SIZE_MAX);
}

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    ck_assert_msg(text != NULL, "%s is no string", name);
    return text;
}

START_TEST(an_object_has_all_members_of_the_contract)
{
    static const char *const members[] = {
        "v",    "type",  "id",        "pid",      "version",      "group",          "port",
        "key",  "up_ms", "interface", "drops",    "kernel_drops", "receive_buffer", "seq_bound",
        "self", "nodes", "intents",   "warnings", "commit",       "retry_ms",       "querier"};
    json_t *object = hear_producer_with("{\"port\":5}");

    ck_assert_uint_eq(json_object_size(object), sizeof members / sizeof *members);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        ck_assert_msg(json_object_get(object, members[i]) != NULL, "%s", members[i]);
    }
    ck_assert_int_eq(json_integer_value(json_object_get(object, "up_ms")), 13000);
    ck_assert_str_eq(text_of(object, "group"), "239.121.111.107");
    ck_assert(json_is_null(json_object_get(object, "key")));
    ck_assert_uint_eq(json_object_size(json_object_get(object, "drops")), 6);
    json_decref(object);
}
END_TEST

START_TEST(nodes_are_as_yoke_list_prints_them)
{
    static const char *const members[] = {
        "id",     "role",    "kind",    "name",          "state",
        "err",    "pairing", "media",   "driver_status", "live",
        "age_ms", "address", "also_at", "key",           "clock_ahead_ms"};
    json_t *object = hear_producer_with("{\"port\":5}");
    json_t *self = json_object_get(object, "self");
    json_t *peer = json_array_get(json_object_get(object, "nodes"), 0);

    ck_assert_uint_eq(json_object_size(peer), sizeof members / sizeof *members);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        ck_assert_msg(json_object_get(peer, members[i]) != NULL, "%s", members[i]);
        ck_assert_msg(json_object_get(self, members[i]) != NULL, "%s", members[i]);
    }
    ck_assert_str_eq(text_of(peer, "name"), "a\nb");
    ck_assert_str_eq(text_of(peer, "address"), "10.0.0.7");
    ck_assert(json_is_null(json_object_get(peer, "pairing")));
    ck_assert_int_eq(json_integer_value(json_object_get(peer, "age_ms")), 2000);
    ck_assert(json_is_true(json_object_get(peer, "live")));
    ck_assert_str_eq(text_of(json_object_get(peer, "driver_status"), "detail"), "up");
    ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(peer, "media"), "port")),
                     5);
    ck_assert(json_is_null(json_object_get(json_object_get(self, "pairing"), "producer")));
    json_decref(object);
}
END_TEST

START_TEST(media_that_cannot_be_held_is_told_as_text_and_harms_nothing)
{
    static const char *const media[] = {"{\"n\":123456789012345678901234567890}",
                                        "{\"a\":[{\"fps\":29.97}]}", "{\"a\\u0000b\":1}"};

    for (size_t i = 0; i < sizeof media / sizeof *media; i++) {
        json_t *object = hear_producer_with(media[i]);
        json_t *peer = json_array_get(json_object_get(object, "nodes"), 0);

        ck_assert_ptr_nonnull(peer);
        ck_assert_str_eq(text_of(peer, "media_text"), media[i]);
        json_decref(object);
    }
}
END_TEST

START_TEST(warnings_say_what_an_operator_should_know)
{
    struct yk_node_view view;
    json_t *object, *warnings;

    start_node();
    facts.now = NOW;
    facts.join_problem = "interface \"eth9\": does not exist";
    facts.save_failure = "fsync: Input/output error";
    socket_.kernel_drops = 3;
    yk_node_view(node, &view);
    view.clock_ahead = view.id_conflict = true;
    view.clocks = &(const struct yk_clocks){.peers = 1, .ahead_ms = -7200000};
    view.conflict_from = (struct yk_address){{10, 0, 0, 9}, 9753};
    object = yk_status_describe(&view, &facts, SIZE_MAX);
    warnings = json_object_get(object, "warnings");
    ck_assert_uint_eq(json_array_size(warnings), 7);
    ck_assert_ptr_nonnull(strstr(json_string_value(json_array_get(warnings, 0)), "OPEN"));
    ck_assert_ptr_nonnull(strstr(json_string_value(json_array_get(warnings, 1)), "eth9"));
    ck_assert_ptr_nonnull(strstr(json_string_value(json_array_get(warnings, 2)), "fsync"));
    ck_assert_ptr_nonnull(strstr(json_string_value(json_array_get(warnings, 3)), "ahead"));
    ck_assert_ptr_nonnull(strstr(json_string_value(json_array_get(warnings, 4)),
                                 "clocks differ: this host's is 2 h behind that of the one"));
    ck_assert_ptr_nonnull(strstr(json_string_value(json_array_get(warnings, 5)), "10.0.0.9"));
    ck_assert_ptr_nonnull(strstr(json_string_value(json_array_get(warnings, 6)), "3 datagrams"));
    json_decref(object);
}
END_TEST

START_TEST(who_heard_nothing_at_all_says_so_after_a_while)
{
    struct yk_node_view view;
    char text[YK_WARNING_MAX];
    uint64_t drops[YK_DROP_END] = {0};

    start_node();
    yk_node_view(node, &view);
    view.drops = drops;
    ck_assert(!yk_warning_alone(text, &view, YK_ALONE_AFTER - 1));
    ck_assert(yk_warning_alone(text, &view, YK_ALONE_AFTER));
    ck_assert_ptr_nonnull(strstr(text, "nobody was heard"));
    drops[YK_DROP_AUTH] = 1; /* something came in */
    ck_assert(!yk_warning_alone(text, &view, YK_ALONE_AFTER));
    json_decref(hear_producer_with("{\"port\":5}"));
    yk_node_view(node, &view);
    ck_assert(!yk_warning_alone(text, &view, YK_ALONE_AFTER));
}
END_TEST

START_TEST(a_clock_before_the_program_was_made_is_said)
{
    int64_t made = yk_build_time * (int64_t)YK_SECOND;
    char text[YK_WARNING_MAX];

    ck_assert(!yk_warning_clock_wrong(text, made));
    ck_assert(yk_warning_clock_wrong(text, made - (int64_t)YK_SECOND));
    ck_assert_ptr_nonnull(strstr(text, "clock says 19"));
    ck_assert_ptr_nonnull(strchr(text, ';'));
}
END_TEST

/* The warnings of a node that dropped one frame so. */
static json_t *warnings_after(enum yk_drop drop)
{
    uint64_t drops[YK_DROP_END] = {0};
    struct yk_node_view view;
    json_t *object, *warnings;

    start_node();
    facts.now = NOW;
    drops[drop] = 1;
    yk_node_view(node, &view);
    view.drops = drops;
    object = yk_status_describe(&view, &facts, SIZE_MAX);
    warnings = json_incref(json_object_get(object, "warnings"));
    json_decref(object);
    return warnings;
}

START_TEST(a_node_that_drops_everybody_says_why)
{
    static const struct {
        enum yk_drop drop;
        const char *remedy;
    } cases[] = {{YK_DROP_AUTH, "set psk_file"},
                 {YK_DROP_STALE, "set the clock"},
                 {YK_DROP_VERSION, "an update of yoke"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *warnings = warnings_after(cases[i].drop);

        ck_assert_uint_eq(json_array_size(warnings), 2); /* the first says OPEN */
        ck_assert_ptr_nonnull(
            strstr(json_string_value(json_array_get(warnings, 1)), cases[i].remedy));
        json_decref(warnings);
    }
}
END_TEST

START_TEST(who_hears_somebody_is_not_called_deaf)
{
    json_t *object = hear_producer_with("{\"port\":5}");
    uint64_t drops[YK_DROP_END] = {[YK_DROP_STALE] = 9};
    struct yk_node_view view;

    json_decref(object);
    yk_node_view(node, &view);
    view.drops = drops;
    object = yk_status_describe(&view, &facts, SIZE_MAX);
    ck_assert_uint_eq(json_array_size(json_object_get(object, "warnings")), 1);
    json_decref(object);
}
END_TEST

START_TEST(what_is_stale_under_the_own_id_says_nothing_of_the_clock)
{
    uint64_t drops[YK_DROP_END] = {[YK_DROP_STALE] = 2};
    struct yk_node_view view;
    char text[YK_WARNING_MAX];

    start_node();
    yk_node_view(node, &view);
    view.drops = drops;
    ck_assert(yk_warning_deaf(text, &view, &auth));
    view.stale_own = 2;
    ck_assert(!yk_warning_deaf(text, &view, &auth));
}
END_TEST

START_TEST(a_bounded_object_has_who_was_heard_last)
{
    struct yk_node_view view;
    json_t *object, *nodes;

    start_node();
    for (unsigned i = 1; i <= 3; i++) {
        struct yk_frame ann = {
            .type = YK_TYPE_ANN,
            .as.ann = {.role = YK_ROLE_CONSUMER, .kind = YK_KIND_HDMI, .state = YK_STATE_IDLE}};
        char id[16];

        snprintf(id, sizeof id, "dec-%u", i);
        hear_from(id, &ann, NOW + i * YK_SECOND);
    }
    facts.now = NOW + 4 * YK_SECOND;
    yk_node_view(node, &view);
    object = yk_status_describe(&view, &facts, 2);
    nodes = json_object_get(object, "nodes");
    ck_assert_uint_eq(json_array_size(nodes), 2);
    ck_assert_str_eq(text_of(json_array_get(nodes, 0), "id"), "dec-2");
    ck_assert_str_eq(text_of(json_array_get(nodes, 1), "id"), "dec-3");
    json_decref(object);
}
END_TEST

START_TEST(a_cached_intent_is_listed)
{
    struct yk_frame intent = {.type = YK_TYPE_INT,
                              .as.intent = {.op = YK_OP_PAIR,
                                            .consumer = id_of("dec-9"),
                                            .producer = id_of("enc-9"),
                                            .version = {.n = 4, .author = id_of("op-x")}}};
    struct yk_node_view view;
    json_t *object, *listed;

    start_node();
    hear(&intent, NOW);
    facts.now = NOW;
    yk_node_view(node, &view);
    object = yk_status_describe(&view, &facts, SIZE_MAX);
    ck_assert_uint_eq(json_array_size(json_object_get(object, "intents")), 1);
    listed = json_array_get(json_object_get(object, "intents"), 0);
    ck_assert_str_eq(text_of(listed, "consumer"), "dec-9");
    ck_assert_str_eq(text_of(listed, "op"), "pair");
    ck_assert_str_eq(text_of(listed, "producer"), "enc-9");
    ck_assert_int_eq(json_integer_value(json_array_get(json_object_get(listed, "version"), 0)), 4);
    json_decref(object);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        an_object_has_all_members_of_the_contract,
        nodes_are_as_yoke_list_prints_them,
        media_that_cannot_be_held_is_told_as_text_and_harms_nothing,
        warnings_say_what_an_operator_should_know,
        who_heard_nothing_at_all_says_so_after_a_while,
        a_clock_before_the_program_was_made_is_said,
        a_node_that_drops_everybody_says_why,
        who_hears_somebody_is_not_called_deaf,
        what_is_stale_under_the_own_id_says_nothing_of_the_clock,
        a_bounded_object_has_who_was_heard_last,
        a_cached_intent_is_listed,
        NULL,
    };

    return suite_main("status_describe", tests);
}
