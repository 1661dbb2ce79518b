#include "snooper/conformance.h"

#include <stdarg.h>
#include <stdio.h>

#include "snooper/conformance_internal.h"

static const struct yk_rule_text texts[YK_RULE_END] = {
#define YK_RULE(id, word, section, sentence) [YK_RULE_##id] = {word, section, sentence},
#include "snooper/conformance.def"
#undef YK_RULE
};

/* When each rule is asked, and of which type of frame (YK_TYPE_NONE: of any). A rule that is not
 * here belongs to no single datagram. */
static const struct {
    enum yk_asked asked;
    enum yk_type type;
    yk_rule_check *is_broken;
} rows[YK_RULE_END] = {
    [YK_RULE_OVERSIZE] = {YK_ASKED_ALWAYS, YK_TYPE_NONE, yk_rule_oversize},
    [YK_RULE_JSON] = {YK_ASKED_ALWAYS, YK_TYPE_NONE, yk_rule_json},
    [YK_RULE_CANONICAL] = {YK_ASKED_JSON, YK_TYPE_NONE, yk_rule_canonical},
    [YK_RULE_NON_INTEGER] = {YK_ASKED_JSON, YK_TYPE_NONE, yk_rule_non_integer},
    [YK_RULE_VERSION_FORM] = {YK_ASKED_JSON, YK_TYPE_NONE, yk_rule_version_form},
    [YK_RULE_VERSION_OTHER] = {YK_ASKED_ALWAYS, YK_TYPE_NONE, yk_rule_version_other},
    [YK_RULE_ENVELOPE] = {YK_ASKED_JSON, YK_TYPE_NONE, yk_rule_envelope},
    [YK_RULE_SIG_FORM] = {YK_ASKED_ENVELOPE, YK_TYPE_NONE, yk_rule_sig_form},
    [YK_RULE_UNSIGNED] = {YK_ASKED_ENVELOPE, YK_TYPE_NONE, yk_rule_unsigned},
    [YK_RULE_SIGNED_OPEN] = {YK_ASKED_ENVELOPE, YK_TYPE_NONE, yk_rule_signed_open},
    [YK_RULE_SIGNATURE] = {YK_ASKED_ENVELOPE, YK_TYPE_NONE, yk_rule_signature},
    [YK_RULE_FUTURE] = {YK_ASKED_TRUSTED, YK_TYPE_NONE, yk_rule_future},
    [YK_RULE_PAIRING_VERSION] = {YK_ASKED_BROKEN, YK_TYPE_NONE, yk_rule_pairing_version},
    [YK_RULE_ZERO_PAIRED] = {YK_ASKED_BROKEN, YK_TYPE_ANN, yk_rule_zero_paired},
    [YK_RULE_WORD] = {YK_ASKED_BROKEN, YK_TYPE_NONE, yk_rule_word},
    [YK_RULE_NAME_LENGTH] = {YK_ASKED_BROKEN, YK_TYPE_ANN, yk_rule_name_length},
    [YK_RULE_PRODUCER_PAIRING] = {YK_ASKED_BROKEN, YK_TYPE_ANN, yk_rule_producer_pairing},
    [YK_RULE_CONSUMER_MEDIA] = {YK_ASKED_BROKEN, YK_TYPE_ANN, yk_rule_consumer_media},
    [YK_RULE_SLUG_FORM] = {YK_ASKED_BROKEN, YK_TYPE_EVT, yk_rule_slug_form},
    [YK_RULE_BODY] = {YK_ASKED_BROKEN, YK_TYPE_NONE, yk_rule_body},
    [YK_RULE_EVENT] = {YK_ASKED_ACCEPTED, YK_TYPE_EVT, yk_rule_event},
    [YK_RULE_DROPS_FORM] = {YK_ASKED_ACCEPTED, YK_TYPE_EVT, yk_rule_drops_form},
    [YK_RULE_ACK_REASON] = {YK_ASKED_ACCEPTED, YK_TYPE_ACK, yk_rule_ack_reason},
    [YK_RULE_EVIDENCE] = {YK_ASKED_ACCEPTED, YK_TYPE_ANN, yk_rule_evidence},
    [YK_RULE_MEDIA_BUDGET] = {YK_ASKED_ACCEPTED, YK_TYPE_ANN, yk_rule_media_budget},
    [YK_RULE_SELF_PAIR] = {YK_ASKED_ACCEPTED, YK_TYPE_ANN, yk_rule_self_pair},
    [YK_RULE_ACTIVE_UNPAIRED] = {YK_ASKED_ACCEPTED, YK_TYPE_ANN, yk_rule_active_unpaired},
    [YK_RULE_IDLE_PAIRED] = {YK_ASKED_ACCEPTED, YK_TYPE_ANN, yk_rule_idle_paired},
    [YK_RULE_SEQ_BACK] = {YK_ASKED_TRUSTED, YK_TYPE_NONE, yk_rule_seq_back},
    [YK_RULE_SEQ_REUSED] = {YK_ASKED_TRUSTED, YK_TYPE_NONE, yk_rule_seq_reused},
    [YK_RULE_REPEATED] = {YK_ASKED_TRUSTED, YK_TYPE_NONE, yk_rule_repeated},
    [YK_RULE_FOREIGN] = {YK_ASKED_TRUSTED, YK_TYPE_NONE, yk_rule_foreign},
    [YK_RULE_TWO_SENDERS] = {YK_ASKED_ACCEPTED, YK_TYPE_NONE, yk_rule_two_senders},
    [YK_RULE_SILENT] = {YK_ASKED_ACCEPTED, YK_TYPE_ANN, yk_rule_silent},
    [YK_RULE_HASTY] = {YK_ASKED_ACCEPTED, YK_TYPE_ANN, yk_rule_hasty},
    [YK_RULE_DROPS_RATE] = {YK_ASKED_ACCEPTED, YK_TYPE_EVT, yk_rule_drops_rate},
    [YK_RULE_AFTER_BYE] = {YK_ASKED_ACCEPTED, YK_TYPE_NONE, yk_rule_after_bye},
    [YK_RULE_ACK_PRODUCER] = {YK_ASKED_ACCEPTED, YK_TYPE_ACK, yk_rule_ack_producer},
    [YK_RULE_ACK_OLD] = {YK_ASKED_ACCEPTED, YK_TYPE_ACK, yk_rule_ack_old},
    [YK_RULE_ACK_UNSHOWN] = {YK_ASKED_ACCEPTED, YK_TYPE_ANN, yk_rule_ack_unshown},
    [YK_RULE_ACK_BELOW] = {YK_ASKED_ACCEPTED, YK_TYPE_ANN, yk_rule_ack_below},
    [YK_RULE_VERSION_BACK] = {YK_ASKED_ACCEPTED, YK_TYPE_ANN, yk_rule_version_back},
    [YK_RULE_VERSION_TWICE] = {YK_ASKED_ACCEPTED, YK_TYPE_ANN, yk_rule_version_twice},
    [YK_RULE_TWO_BODIES] = {YK_ASKED_ACCEPTED, YK_TYPE_INT, yk_rule_two_bodies},
    [YK_RULE_AUTHOR_REUSED] = {YK_ASKED_ACCEPTED, YK_TYPE_INT, yk_rule_author_reused},
    [YK_RULE_KIND_MISMATCH] = {YK_ASKED_ACCEPTED, YK_TYPE_ANN, yk_rule_kind_mismatch},
};

const struct yk_rule_text *yk_rule_text(enum yk_rule rule)
{
    return &texts[rule];
}

size_t yk_conformance_memory(uint32_t tracked)
{
    return yk_table_memory(tracked, sizeof(struct yk_sender));
}

void yk_conformance_init(struct yk_conformance *check, void *memory, uint32_t tracked,
                         uint64_t hash_seed, const struct yk_auth *auth, yk_time now)
{
    memset(check, 0, sizeof *check);
    yk_table_init(&check->senders, memory, tracked, sizeof(struct yk_sender), hash_seed);
    check->auth = auth;
    check->started = now;
}

/* ---- for the rules */

bool yk_view_say(struct yk_view *view, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(view->detail, YK_VIOLATION_DETAIL_MAX, format, arguments);
    va_end(arguments);
    return true;
}

const struct yk_json *yk_view_json(const struct yk_view *view)
{
    return &view->observer->receiver.decoder.json;
}

size_t yk_view_member(const struct yk_view *view, const char *name)
{
    return yk_json_member(yk_view_json(view), view->observer->receiver.decoder.body_token, name);
}

const struct yk_trail *yk_trail_of(const struct yk_observer *observer, const struct yk_id *consumer,
                                   const struct yk_version *version)
{
    const struct yk_trail *list[YK_TRAILS_KEPT];
    size_t count = yk_trails_of(&observer->trails, consumer, list);

    for (size_t i = 0; i < count; i++) {
        if (yk_version_compare(&list[i]->version, version) == 0) {
            return list[i];
        }
    }
    return NULL;
}

/* ---- asking */

static bool has_broken_body(const struct yk_heard_frame *heard)
{
    return heard->has_envelope && heard->verdict == YK_DROP_MALFORMED;
}

static bool is_asked(enum yk_rule rule, const struct yk_heard_frame *heard)
{
    if (rows[rule].is_broken == NULL ||
        (rows[rule].type != YK_TYPE_NONE && rows[rule].type != heard->frame.type)) {
        return false;
    }
    switch (rows[rule].asked) {
    case YK_ASKED_ALWAYS:
        return true;
    case YK_ASKED_JSON:
        return heard->canonical.size > 0 && heard->verdict != YK_DROP_VERSION;
    case YK_ASKED_ENVELOPE:
        return heard->has_envelope;
    case YK_ASKED_BROKEN:
        return has_broken_body(heard);
    case YK_ASKED_TRUSTED:
        return heard->trusted;
    case YK_ASKED_ACCEPTED:
        break;
    }
    return heard->verdict == YK_DROP_NONE;
}

static void add(struct yk_conformance *check, enum yk_rule rule)
{
    check->violations[check->count++].rule = rule;
    check->totals[rule]++;
    check->totals[YK_RULE_NONE]++;
}

static void ask(struct yk_conformance *check, struct yk_view *view, enum yk_rule rule)
{
    const struct yk_heard_frame *heard = view->heard;
    struct yk_violation *place = &check->violations[check->count];

    memset(place, 0, sizeof *place);
    view->detail = place->detail;
    if (!rows[rule].is_broken(view)) {
        return;
    }
    view->body_explained |= rows[rule].asked == YK_ASKED_BROKEN;
    place->from = heard->from;
    place->verified = heard->trusted || has_broken_body(heard);
    if (heard->has_envelope) {
        place->id = heard->frame.origin;
    }
    add(check, rule);
}

static struct yk_sender *sender_of(struct yk_conformance *check, const struct yk_id *origin)
{
    struct yk_sender *sender = yk_table_find(&check->senders, origin);

    if (sender == NULL) {
        if (check->senders.count == check->senders.capacity) {
            yk_table_remove(&check->senders, yk_table_oldest(&check->senders));
            check->not_kept++;
        }
        sender = yk_table_add(&check->senders, origin);
    }
    yk_table_touch(&check->senders, sender);
    return sender;
}

/* ---- acknowledgments without an intent */

static void expect_intent(struct yk_conformance *check, const struct yk_view *view)
{
    const struct yk_heard_frame *heard = view->heard;
    const struct yk_version *version = &heard->frame.as.ack.version;
    const struct yk_trail *trail = yk_trail_of(view->observer, &heard->frame.origin, version);
    struct yk_unasked *place;

    /* Who has just come may have missed the intent. */
    if (trail == NULL || trail->intents > 0 || heard->now < check->started + YK_TRAIL_PATIENCE) {
        return;
    }
    for (size_t i = 0; i < check->unasked_count; i++) {
        if (yk_id_equal(&check->unasked[i].consumer, &heard->frame.origin) &&
            yk_version_compare(&check->unasked[i].version, version) == 0) {
            return;
        }
    }
    if (check->unasked_count == YK_ACKS_WAITING_MAX) {
        check->not_kept++;
        return;
    }
    place = &check->unasked[check->unasked_count++];
    *place = (struct yk_unasked){.consumer = heard->frame.origin,
                                 .version = *version,
                                 .from = heard->from,
                                 .due = heard->now + YK_ACK_PATIENCE};
}

static void judge_unasked(struct yk_conformance *check, const struct yk_observer *observer)
{
    struct yk_unasked first = check->unasked[0];
    const struct yk_trail *trail = yk_trail_of(observer, &first.consumer, &first.version);
    struct yk_violation *place = &check->violations[check->count];

    check->unasked_count--;
    memmove(check->unasked, check->unasked + 1, check->unasked_count * sizeof first);
    if (trail == NULL || trail->intents > 0) {
        return;
    }
    memset(place, 0, sizeof *place);
    place->from = first.from;
    place->verified = true;
    place->id = first.consumer;
    snprintf(place->detail, sizeof place->detail, "ack of [%llu,%s] without its intent",
             (unsigned long long)first.version.n, first.version.author.text);
    add(check, YK_RULE_ACK_UNASKED);
}

/* ---- the doors */

void yk_conformance_hear(struct yk_conformance *check, const struct yk_observer *observer,
                         const struct yk_heard_frame *heard)
{
    struct yk_view view = {.observer = observer, .heard = heard, .auth = check->auth};

    check->count = 0;
    if (heard->has_envelope) {
        view.sender = yk_table_find(&check->senders, &heard->frame.origin);
    }
    for (int rule = YK_RULE_NONE + 1; rule < YK_RULE_END; rule++) {
        if (check->count < YK_VIOLATIONS_MAX && is_asked((enum yk_rule)rule, heard)) {
            ask(check, &view, (enum yk_rule)rule);
        }
    }
    if (heard->verdict != YK_DROP_NONE) {
        return;
    }
    yk_sender_remember(sender_of(check, &heard->frame.origin), &view);
    if (heard->frame.type == YK_TYPE_ACK) {
        expect_intent(check, &view);
    } else if (heard->frame.type == YK_TYPE_INT) {
        struct yk_sender *consumer =
            yk_table_find(&check->senders, &heard->frame.as.intent.consumer);

        if (consumer != NULL) {
            consumer->stirred = heard->now;
        }
    }
}

void yk_conformance_tick(struct yk_conformance *check, const struct yk_observer *observer,
                         yk_time now)
{
    check->count = 0;
    while (check->count < YK_VIOLATIONS_MAX && yk_conformance_deadline(check) <= now) {
        judge_unasked(check, observer);
    }
}

yk_time yk_conformance_deadline(const struct yk_conformance *check)
{
    return check->unasked_count > 0 ? check->unasked[0].due : YK_TIME_NEVER;
}
