#include "core/protocol.h"
#include "lib/suite.h"

/* Each list, written out by hand from the specification: the table may not drift from it. */

START_TEST(frame_types_are_the_five_of_the_specification)
{
    ck_assert_int_eq(yk_type_parse(yk_slice_of("ann")), YK_TYPE_ANN);
    ck_assert_int_eq(yk_type_parse(yk_slice_of("int")), YK_TYPE_INT);
    ck_assert_int_eq(yk_type_parse(yk_slice_of("ack")), YK_TYPE_ACK);
    ck_assert_int_eq(yk_type_parse(yk_slice_of("evt")), YK_TYPE_EVT);
    ck_assert_int_eq(yk_type_parse(yk_slice_of("bye")), YK_TYPE_BYE);
    ck_assert_int_eq(YK_TYPE_END, 6);
}
END_TEST

START_TEST(roles_kinds_states_and_ops_are_those_of_the_specification)
{
    ck_assert_int_eq(yk_role_parse(yk_slice_of("producer")), YK_ROLE_PRODUCER);
    ck_assert_int_eq(yk_role_parse(yk_slice_of("consumer")), YK_ROLE_CONSUMER);
    ck_assert_int_eq(YK_ROLE_END, 3);
    ck_assert_int_eq(yk_kind_parse(yk_slice_of("hdmi")), YK_KIND_HDMI);
    ck_assert_int_eq(yk_kind_parse(yk_slice_of("usb")), YK_KIND_USB);
    ck_assert_int_eq(YK_KIND_END, 3);
    ck_assert_int_eq(yk_state_parse(yk_slice_of("idle")), YK_STATE_IDLE);
    ck_assert_int_eq(yk_state_parse(yk_slice_of("active")), YK_STATE_ACTIVE);
    ck_assert_int_eq(yk_state_parse(yk_slice_of("pending")), YK_STATE_PENDING);
    ck_assert_int_eq(yk_state_parse(yk_slice_of("error")), YK_STATE_ERROR);
    ck_assert_int_eq(YK_STATE_END, 5);
    ck_assert_int_eq(yk_op_parse(yk_slice_of("pair")), YK_OP_PAIR);
    ck_assert_int_eq(yk_op_parse(yk_slice_of("unpair")), YK_OP_UNPAIR);
    ck_assert_int_eq(YK_OP_END, 3);
}
END_TEST

START_TEST(ack_reasons_are_the_six_of_the_specification)
{
    static const char *const words[] = {"applied",      "superseded",    "unknown-producer",
                                        "driver-error", "kind-mismatch", "self-pair"};

    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq(yk_reason_parse(yk_slice_of(words[i])), i + 1);
        ck_assert_str_eq(yk_reason_word((enum yk_reason)(i + 1)), words[i]);
    }
    ck_assert_int_eq(YK_REASON_END, 7);
}
END_TEST

START_TEST(event_slugs_are_the_eleven_of_the_specification)
{
    static const char *const words[] = {"pairing-applied", "media-up",      "media-pending",
                                        "media-down",      "driver-error",  "driver-retry",
                                        "peer-lost",       "peer-returned", "rx-drop",
                                        "started",         "stopping"};

    for (int i = 0; i < 11; i++) {
        ck_assert_int_eq(yk_event_parse(yk_slice_of(words[i])), i + 1);
        ck_assert_str_eq(yk_event_word((enum yk_event)(i + 1)), words[i]);
    }
}
END_TEST

START_TEST(notes_have_words_but_are_no_events_of_the_wire)
{
    for (int note = YK_EVENT_STOPPING + 1; note < YK_EVENT_END; note++) {
        const char *word = yk_event_word((enum yk_event)note);

        ck_assert_str_ne(word, "");
        ck_assert_int_eq(yk_event_parse(yk_slice_of(word)), YK_EVENT_NONE);
    }
}
END_TEST

START_TEST(drop_counters_are_those_of_rx_drop_then_dup)
{
    ck_assert_str_eq(yk_drop_word(YK_DROP_MALFORMED), "malformed");
    ck_assert_str_eq(yk_drop_word(YK_DROP_VERSION), "version");
    ck_assert_str_eq(yk_drop_word(YK_DROP_AUTH), "auth");
    ck_assert_str_eq(yk_drop_word(YK_DROP_STALE), "stale");
    ck_assert_str_eq(yk_drop_word(YK_DROP_OVERSIZE), "oversize");
    ck_assert_str_eq(yk_drop_word(YK_DROP_DUP), "dup");
    ck_assert_int_eq(YK_DROP_DUP, YK_DROP_END - 1);
}
END_TEST

START_TEST(a_word_that_is_not_on_the_list_is_none)
{
    ck_assert_int_eq(yk_type_parse(yk_slice_of("")), YK_TYPE_NONE);
    ck_assert_int_eq(yk_type_parse(yk_slice_of("an")), YK_TYPE_NONE);
    ck_assert_int_eq(yk_type_parse(yk_slice_of("anna")), YK_TYPE_NONE);
    ck_assert_int_eq(yk_type_parse(yk_slice_of("ANN")), YK_TYPE_NONE);
    ck_assert_int_eq(yk_event_parse(yk_slice_of("auth-fail")), YK_EVENT_NONE);
    ck_assert_str_eq(yk_type_word(YK_TYPE_NONE), "");
    ck_assert_str_eq(yk_type_word(YK_TYPE_END), "");
    ck_assert_str_eq(yk_drop_word(YK_DROP_NONE), "");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        frame_types_are_the_five_of_the_specification,
        roles_kinds_states_and_ops_are_those_of_the_specification,
        ack_reasons_are_the_six_of_the_specification,
        event_slugs_are_the_eleven_of_the_specification,
        notes_have_words_but_are_no_events_of_the_wire,
        drop_counters_are_those_of_rx_drop_then_dup,
        a_word_that_is_not_on_the_list_is_none,
        NULL,
    };

    return suite_main("protocol", tests);
}
