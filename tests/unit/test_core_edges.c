/* The edges of the core that an ordinary history reaches seldom or never: full tables, ends of
 * ranges, words that no peer should say. */
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "core/place.h"
#include "lib/suite.h"
#include "unit/rig.h"

static struct rig rig;

static void started(enum yk_role role)
{
    rig_init(&rig, role);
    rig.options.tracked = 128;
    rig_start(&rig);
    if (role == YK_ROLE_PRODUCER) {
        rig_report(&rig, YK_REPORT_ACTIVE, "streaming");
    }
    rig_forget(&rig);
}

static const char *numbered(const char *prefix, int number)
{
    static char text[32];

    snprintf(text, sizeof text, "%s-%d", prefix, number);
    return text;
}

static struct yk_node_view view(void)
{
    struct yk_node_view view;

    yk_node_view(rig.node, &view);
    return view;
}

/* ---- tables */

START_TEST(full_intent_table_forgets_the_least_recent_consumer)
{
    struct yk_id first;
    struct yk_id last;

    ck_assert(yk_id_parse(&first, yk_slice_of("dec-100")));
    ck_assert(yk_id_parse(&last, yk_slice_of("dec-116")));
    rig_init(&rig, YK_ROLE_PRODUCER);
    rig_start(&rig);
    for (int i = 0; i <= YK_TRACKED_MIN; i++) {
        rig_intent(&rig, numbered("dec", 100 + i), "enc-1", 1, "op-a");
    }
    ck_assert_uint_eq(view().intents->table.count, YK_TRACKED_MIN);
    ck_assert_ptr_null(yk_intents_version(view().intents, &first));
    ck_assert_ptr_nonnull(yk_intents_version(view().intents, &last));
    rig_fini(&rig);
}
END_TEST

START_TEST(reissues_beyond_the_bound_are_served_after_the_next_announcement)
{
    started(YK_ROLE_PRODUCER);
    for (int i = 0; i <= YK_REISSUES_MAX; i++) {
        rig_intent(&rig, numbered("dec", 100 + i), "enc-1", 1, "op-a");
    }
    for (int i = 0; i <= YK_REISSUES_MAX; i++) {
        rig_hear_consumer(&rig, numbered("dec", 100 + i), "", 0, "");
    }
    ck_assert_uint_eq(view().intents->reissue_count, YK_REISSUES_MAX);
    rig.now += 2 * YK_SECOND; /* a tick that comes late has more to do than one step may */
    rig_pass(&rig, 2 * YK_SECOND);
    ck_assert_uint_eq(rig_count(&rig, "int pair"), YK_REISSUES_MAX);
    rig_forget(&rig);
    rig_hear_consumer(&rig, numbered("dec", 100 + YK_REISSUES_MAX), "", 0, "");
    rig_pass(&rig, 2 * YK_SECOND);
    rig_expect_has(&rig, "int pair dec-164 enc-1 1/op-a");
    rig_fini(&rig);
}
END_TEST

START_TEST(more_peers_and_intents_than_a_step_may_forget_are_gone_after_a_day)
{
    started(YK_ROLE_PRODUCER);
    for (int i = 0; i < 20; i++) {
        rig_hear_producer(&rig, numbered("enc", 100 + i), YK_KIND_HDMI, MEDIA_6);
        rig_intent(&rig, numbered("dec", 100 + i), "enc-1", 1, "op-a");
    }
    ck_assert_uint_eq(view().peers->table.count, 20);
    rig_pass(&rig, YK_PEER_FORGET - YK_SECOND);
    ck_assert_uint_eq(view().peers->table.count, 20);
    ck_assert_uint_eq(view().intents->table.count, 20);
    rig_pass(&rig, 2 * YK_SECOND);
    ck_assert_uint_eq(view().peers->table.count, 0);
    ck_assert_uint_eq(view().intents->table.count, 0);
    rig_fini(&rig);
}
END_TEST

START_TEST(nobody_is_found_under_no_id_and_only_who_announces_is_live)
{
    struct yk_id none = {0};
    struct yk_id peer;

    ck_assert(yk_id_parse(&peer, yk_slice_of("enc-9")));
    started(YK_ROLE_PRODUCER);
    ck_assert_ptr_null(yk_peers_find(view().peers, &none));
    ck_assert(!yk_peers_is_live(view().peers, &peer));
    rig_hear_producer(&rig, "enc-9", YK_KIND_HDMI, MEDIA_6);
    ck_assert(yk_peers_is_live(view().peers, &peer));
    rig_bye(&rig, "enc-9");
    ck_assert(!yk_peers_is_live(view().peers, &peer));
    rig_fini(&rig);
}
END_TEST

/* ---- a frame that is small as it comes and larger than a frame in the canonical form */

static struct yk_slice swollen_announcement(char *text, size_t size)
{
    static uint8_t canonical[YK_CANONICAL_MAX];
    static struct yk_json json;
    static const char name[] = ",\"sig\":\"";
    size_t used = (size_t)snprintf(text, size,
                                   "{\"body\":{\"err\":null,\"kind\":\"hdmi\","
                                   "\"media\":{\"a\":[1e15");
    uint8_t *sig;
    struct yk_slice parts[2];
    char hex[YK_SIG_SIZE];

    for (int i = 0; i < 150; i++) {
        used += (size_t)snprintf(text + used, size - used, ",1e15");
    }
    used +=
        (size_t)snprintf(text + used, size - used,
                         "]},\"name\":\"\",\"pairing\":null,\"role\":\"producer\","
                         "\"state\":\"active\"},\"origin\":\"enc-9\",\"seq\":%llu,\"sig\":\"%064d\""
                         ",\"ts\":1,\"type\":\"ann\",\"v\":1}",
                         (unsigned long long)RIG_WALL_NS, 0);
    ck_assert(yk_json_index(&json, (struct yk_slice){(uint8_t *)text, used}));
    size = yk_json_canonicalise(&json, canonical, sizeof canonical);
    sig = memmem(canonical, size, name, strlen(name));
    parts[0] = (struct yk_slice){canonical, (size_t)(sig - canonical)};
    sig += strlen(name) + YK_SIG_SIZE + 1;
    parts[1] = (struct yk_slice){sig, (size_t)(canonical + size - sig)};
    ck_assert_uint_eq(yk_auth_sign(&rig.auth, parts, hex), YK_SIG_SIZE);
    memcpy((char *)memmem(text, used, name, strlen(name)) + strlen(name), hex, YK_SIG_SIZE);
    return (struct yk_slice){(uint8_t *)text, used};
}

START_TEST(media_that_grows_past_a_frame_in_the_canonical_form_counts_as_none)
{
    char text[YK_FRAME_MAX + 1];
    struct yk_slice frame;
    const struct yk_peer *peer;
    struct yk_id id;

    ck_assert(yk_id_parse(&id, yk_slice_of("enc-9")));
    started(YK_ROLE_PRODUCER);
    frame = swollen_announcement(text, sizeof text);
    ck_assert_uint_le(frame.size, YK_FRAME_MAX);
    rig_bytes(&rig, (const char *)frame.data, frame.size);
    peer = yk_peers_find(view().peers, &id);
    ck_assert_ptr_nonnull(peer);
    ck_assert(!peer->has_media);
    rig_fini(&rig);
}
END_TEST

/* ---- clocks and numbers */

START_TEST(clock_before_1970_starts_at_the_saved_bound)
{
    rig_init(&rig, YK_ROLE_CONSUMER);
    rig.wall_ns = -INT64_C(3600) * (int64_t)YK_SECOND;
    rig.disk.seq = 1000;
    rig_start(&rig);
    ck_assert_uint_eq(rig.disk.seq, 1000 + YK_SEQ_BLOCK);
    rig_fini(&rig);
}
END_TEST

START_TEST(peer_whose_clock_is_before_1970_would_refuse_our_numbers)
{
    started(YK_ROLE_PRODUCER);
    rig.wall_ns = -INT64_C(3600) * (int64_t)YK_SECOND; /* that of the frames made here */
    rig_hear_producer(&rig, "enc-9", YK_KIND_HDMI, MEDIA_6);
    ck_assert(view().clock_ahead);
    rig_fini(&rig);
}
END_TEST

START_TEST(reissue_without_a_number_is_not_said)
{
    rig_init(&rig, YK_ROLE_PRODUCER);
    rig.disk.seq = YK_COUNT_MAX - 2;
    rig.wall_ns = INT64_MAX / 2;
    rig_start(&rig);
    rig_report(&rig, YK_REPORT_ACTIVE, "streaming");
    rig_intent(&rig, "dec-9", "enc-1", 1, "op-a");
    rig_hear_consumer(&rig, "dec-9", "", 0, "");
    ck_assert_uint_eq(view().seq_left, 0);
    rig_forget(&rig);
    rig_pass(&rig, 2 * YK_SECOND);
    rig_expect_not(&rig, "int");
    rig_expect_not(&rig, "reissued");
    rig_fini(&rig);
}
END_TEST

START_TEST(conflict_of_ids_is_said_once_and_forgotten_after_a_quiet_minute)
{
    started(YK_ROLE_PRODUCER);
    rig.peer_seq += 1000 * YK_SECOND;
    rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, MEDIA_6);
    rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, MEDIA_6);
    ck_assert_uint_eq(rig_count(&rig, "id-conflict"), 1);
    ck_assert(view().id_conflict);
    rig_pass(&rig, 50 * YK_SECOND);
    ck_assert(view().id_conflict);
    rig_pass(&rig, 15 * YK_SECOND);
    ck_assert(!view().id_conflict);
    rig_fini(&rig);
}
END_TEST

START_TEST(third_address_and_one_that_comes_back_late_are_no_second_sender)
{
    struct yk_place place = {0};
    const struct yk_address one = {{192, 0, 2, 1}, 9753};
    const struct yk_address third = {{192, 0, 2, 3}, 9753};
    const struct yk_address other = {{192, 0, 2, 2}, 9753};

    yk_place_note(&place, one, YK_SECOND);
    yk_place_note(&place, other, 2 * YK_SECOND);
    yk_place_note(&place, third, 2 * YK_SECOND);
    yk_place_note(&place, one, 2 * YK_SECOND);
    yk_place_note(&place, other, 2 * YK_SECOND);
    ck_assert(!place.is_two);
    yk_place_note(&place, one, 3 * YK_SECOND + YK_PEER_TIMEOUT);
    ck_assert(!place.is_two);
    yk_place_note(&place, other, 3 * YK_SECOND + 2 * YK_PEER_TIMEOUT);
    ck_assert(place.is_two);
}
END_TEST

/* ---- driver */

static void paired(void)
{
    started(YK_ROLE_CONSUMER);
    rig_hear_producer(&rig, "enc-1", YK_KIND_HDMI, MEDIA_5);
    rig_intent(&rig, "dec-1", "enc-1", 1, "op-a");
    rig_forget(&rig);
}

START_TEST(driver_that_fails_without_a_word_is_an_error_with_words)
{
    paired();
    rig_report(&rig, YK_REPORT_ERROR, "");
    rig_expect_has(&rig, "err=\"the driver gives no reason\"");
    rig_fini(&rig);
}
END_TEST

START_TEST(driver_that_is_idle_instead_of_attaching_is_asked_again)
{
    yk_time due;

    paired();
    rig_report(&rig, YK_REPORT_IDLE, "");
    due = view().retry_at;
    ck_assert_uint_eq(due, rig.now + YK_RETRY_MIN);
    rig_report(&rig, YK_REPORT_PENDING, ""); /* postpones nothing */
    ck_assert_uint_le(view().retry_at, due);
    rig_report(&rig, YK_REPORT_IDLE, "");
    ck_assert_uint_le(view().retry_at, due);
    rig_fini(&rig);
}
END_TEST

START_TEST(release_that_failed_and_fails_again_keeps_its_retry)
{
    yk_time due;

    paired();
    rig_report(&rig, YK_REPORT_ACTIVE, "");
    rig.answer_detach = false;
    rig_intent(&rig, "dec-1", NULL, 2, "op-b");
    rig_report(&rig, YK_REPORT_ERROR, "busy");
    due = view().retry_at;
    rig.now += YK_SECOND / 2;
    rig_report(&rig, YK_REPORT_ERROR, "busy");
    ck_assert_uint_eq(view().retry_at, due);
    ck_assert_uint_eq(rig_count(&rig, "evt driver-error"), 1);
    rig_fini(&rig);
}
END_TEST

START_TEST(second_stop_changes_nothing)
{
    paired();
    rig.answer_detach = false;
    rig_stop(&rig);
    rig_forget(&rig);
    rig_stop(&rig);
    rig_expect(&rig, "");
    rig_fini(&rig);
}
END_TEST

/* ---- words of the wire */

/* True when a frame of open mode with that type and body is well-formed. */
static bool decodes(const char *type, const char *body)
{
    static struct yk_decoder decoder;
    struct yk_frame frame;
    char text[YK_FRAME_MAX];

    snprintf(
        text, sizeof text,
        "{\"body\":%s,\"origin\":\"a\",\"seq\":1,\"sig\":\"\",\"ts\":1,\"type\":\"%s\",\"v\":1}",
        body, type);
    return yk_frame_read_envelope(&decoder, yk_slice_of(text), YK_PATH_AUTO, &frame) ==
               YK_DROP_NONE &&
           yk_frame_read_body(&decoder, &frame);
}

#define ANN(name, kind, role, state)                                                     \
    "{\"err\":null,\"kind\":" kind ",\"media\":null,\"name\":" name ",\"pairing\":null," \
    "\"role\":" role ",\"state\":" state "}"

START_TEST(announcement_with_a_word_that_is_not_on_its_list_is_malformed)
{
    ck_assert(decodes("ann", ANN("\"\"", "\"usb\"", "\"producer\"", "\"idle\"")));
    ck_assert(!decodes("ann", ANN("7", "\"usb\"", "\"producer\"", "\"idle\"")));
    ck_assert(!decodes("ann", ANN("\"\"", "\"vga\"", "\"producer\"", "\"idle\"")));
    ck_assert(!decodes("ann", ANN("\"\"", "\"usb\"", "\"director\"", "\"idle\"")));
    ck_assert(!decodes("ann", ANN("\"\"", "\"usb\"", "\"producer\"", "\"busy\"")));
    ck_assert(!decodes("ann", ANN("\"\"", "null", "\"producer\"", "\"idle\"")));
}
END_TEST

START_TEST(version_is_a_count_and_an_author_and_nothing_else)
{
#define ACK(version) "{\"applied\":true,\"reason\":\"applied\",\"version\":" version "}"
    ck_assert(decodes("ack", ACK("[1,\"op-a\"]")));
    ck_assert(!decodes("ack", ACK("[[1]]")));
    ck_assert(!decodes("ack", ACK("[[],\"op-a\"]")));
    ck_assert(!decodes("ack", ACK("[1]")));
    ck_assert(!decodes("ack", ACK("[]")));
    ck_assert(!decodes("ack", ACK("[1,2]")));
    ck_assert(!decodes("ack", ACK("[1,\"op-a\",1]")));
    ck_assert(!decodes("ack", ACK("{\"n\":1}")));
    ck_assert(!decodes("ack", "{\"applied\":true,\"reason\":\"applied\"}"));
}
END_TEST

START_TEST(slug_has_small_letters_digits_and_inner_hyphens)
{
#define EVT(slug) "{\"detail\":{},\"event\":\"" slug "\"}"
    ck_assert(decodes("evt", EVT("a-9")));
    ck_assert(!decodes("evt", EVT("-a")));
    ck_assert(!decodes("evt", EVT("")));
    ck_assert(!decodes("evt", EVT("A")));
    ck_assert(!decodes("evt", EVT("a~")));
    ck_assert(!decodes("evt", EVT("a:")));
    ck_assert(!decodes("evt", EVT("a+")));
}
END_TEST

/* ---- the scanner's own bounds */

/* "[x,x,...]" with so many elements. */
static struct yk_slice array_of(const char *element, size_t count)
{
    static char text[2 * YK_CANONICAL_MAX];
    size_t used = 0;

    text[used++] = '[';
    for (size_t i = 0; i < count; i++) {
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%s", i > 0 ? "," : "", element);
    }
    text[used++] = ']';
    return (struct yk_slice){(const uint8_t *)text, used};
}

START_TEST(text_of_more_tokens_than_a_frame_can_have_is_refused)
{
    static const char *const elements[] = {"1", "\"\"", "[]", "{}", "null", "true"};
    static struct yk_json json;

    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        ck_assert(yk_json_index(&json, array_of(elements[i], YK_JSON_TOKENS_MAX - 1)));
        ck_assert(!yk_json_index(&json, array_of(elements[i], YK_JSON_TOKENS_MAX)));
        ck_assert(!yk_json_index_canonical(&json, array_of(elements[i], YK_JSON_TOKENS_MAX)));
    }
}
END_TEST

START_TEST(text_beyond_the_longest_canonical_form_is_refused)
{
    static struct yk_json json;
    static char text[YK_CANONICAL_MAX + 2];

    memset(text, 'x', sizeof text);
    text[0] = '"';
    text[YK_CANONICAL_MAX - 1] = '"';
    ck_assert(yk_json_index(&json, (struct yk_slice){(uint8_t *)text, YK_CANONICAL_MAX}));
    text[YK_CANONICAL_MAX - 1] = 'x';
    text[YK_CANONICAL_MAX] = '"';
    ck_assert(!yk_json_index(&json, (struct yk_slice){(uint8_t *)text, YK_CANONICAL_MAX + 1}));
}
END_TEST

START_TEST(invalid_utf8_and_broken_escapes_are_malformed)
{
    static const char *const bad[] = {
        "\"\xed\xa0\x80\"",     /* a surrogate */
        "\"\xf4\x90\x80\x80\"", /* beyond U+10FFFF */
        "\"\xf0\x80\x80\x80\"", /* overlong */
        "\"\\ud83d\"",          /* half a pair, then the end */
        "\"\\ud83dxxxxxx\"",    /* half a pair, then something else */
        "\"\\ud83d\\n00000\"",  /* half a pair, then another escape */
        "\"\\ud83d\\u0041\"",   /* half a pair, then no half */
        "\"\\x\"",
        "\"\\u00g0\"",
    };
    static const char with_zero[] = {'"', '\\', '\0', '"'};
    static struct yk_json json;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_msg(!yk_json_index(&json, yk_slice_of(bad[i])), "%s", bad[i]);
    }
    ck_assert(!yk_json_index(&json, (struct yk_slice){(const uint8_t *)with_zero, 4}));
    ck_assert(
        yk_json_index(&json, yk_slice_of("\"\\ud83d\\udcfa \xed\x9f\xbf \xf4\x8f\xbf\xbf\"")));
}
END_TEST

START_TEST(digits_beyond_every_halfway_point_still_count)
{
    char text[1000] = "0.";
    char out[YK_REAL_MAX];

    memset(text + 2, '1', 900);
    ck_assert_uint_eq(yk_real_write(yk_slice_of(text), out), strlen("0.1111111111111111"));
    ck_assert_mem_eq(out, "0.1111111111111111", strlen("0.1111111111111111"));
    memset(text + 850, '0', 52);
    ck_assert_uint_eq(yk_real_write(yk_slice_of(text), out), strlen("0.1111111111111111"));
}
END_TEST

START_TEST(empty_key_is_a_key_like_any_other)
{
    static struct yk_json json;

    ck_assert(yk_json_index_canonical(&json, yk_slice_of("{\"\":1,\"a\":2}")));
    ck_assert(
        yk_slice_equal(yk_json_spelling(&json, yk_json_member(&json, 0, "a")), yk_slice_of("2")));
    ck_assert(yk_slice_equal((struct yk_slice){NULL, 0}, (struct yk_slice){NULL, 0}));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        full_intent_table_forgets_the_least_recent_consumer,
        reissues_beyond_the_bound_are_served_after_the_next_announcement,
        more_peers_and_intents_than_a_step_may_forget_are_gone_after_a_day,
        nobody_is_found_under_no_id_and_only_who_announces_is_live,
        media_that_grows_past_a_frame_in_the_canonical_form_counts_as_none,
        clock_before_1970_starts_at_the_saved_bound,
        peer_whose_clock_is_before_1970_would_refuse_our_numbers,
        reissue_without_a_number_is_not_said,
        conflict_of_ids_is_said_once_and_forgotten_after_a_quiet_minute,
        third_address_and_one_that_comes_back_late_are_no_second_sender,
        driver_that_fails_without_a_word_is_an_error_with_words,
        driver_that_is_idle_instead_of_attaching_is_asked_again,
        release_that_failed_and_fails_again_keeps_its_retry,
        second_stop_changes_nothing,
        announcement_with_a_word_that_is_not_on_its_list_is_malformed,
        version_is_a_count_and_an_author_and_nothing_else,
        slug_has_small_letters_digits_and_inner_hyphens,
        text_of_more_tokens_than_a_frame_can_have_is_refused,
        text_beyond_the_longest_canonical_form_is_refused,
        invalid_utf8_and_broken_escapes_are_malformed,
        digits_beyond_every_halfway_point_still_count,
        empty_key_is_a_key_like_any_other,
        NULL,
    };

    return suite_main("core edges", tests);
}
