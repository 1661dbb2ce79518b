/* conformance_internal.h - between the files of the conformance check. */
#ifndef YK_SNOOPER_CONFORMANCE_INTERNAL_H
#define YK_SNOOPER_CONFORMANCE_INTERNAL_H

#include "snooper/conformance.h"

/* What is remembered of a sender whose frames verify. */
struct yk_sender {
    struct yk_entry entry;
    struct yk_address from; /* of the last accepted frame; so are the next three */
    uint64_t seq;
    int64_t ts_ms;
    yk_time heard;
    uint64_t bye_seq; /* when that was a bye; else 0 */
    bool two_said;    /* two addresses under this id were told of */
    bool announced;   /* the members down to `hasty` are known */
    enum yk_role role;
    struct yk_pairing pairing; /* of a consumer */
    uint64_t body;             /* hash of the announcement */
    yk_time ann_at;
    int64_t ann_ts_ms;
    bool gapless;     /* no sequence number is missing since */
    unsigned hasty;   /* unchanged announcements that came too soon, in a row */
    yk_time stirred;  /* when something gave it cause to announce sooner; 0: nothing did */
    yk_time drops_at; /* of its last rx-drop in this life; 0: none */
    int64_t drops_ts_ms;
    struct yk_version applied;    /* the highest it acknowledged so */
    struct yk_version superseded; /* the highest it said is superseded */
};

/* One datagram under the eyes of the rules. */
struct yk_view {
    const struct yk_observer *observer;
    const struct yk_heard_frame *heard;
    const struct yk_auth *auth;
    const struct yk_sender *sender; /* as it was before this frame; NULL: not known */
    bool body_explained;            /* a rule has said what is wrong with the body */
    char *detail;                   /* YK_VIOLATION_DETAIL_MAX bytes, "" at first */
};

/* What a datagram must be for a rule to be asked. */
enum yk_asked {
    YK_ASKED_ALWAYS = 1,
    YK_ASKED_JSON,     /* its canonical spelling is indexed, and it is of our version */
    YK_ASKED_ENVELOPE, /* the frame is filled but for its body */
    YK_ASKED_BROKEN,   /* the same, and its body is malformed, under a good signature */
    YK_ASKED_TRUSTED,  /* the frame is filled whole, accepted or not */
    YK_ASKED_ACCEPTED  /* the same, and it is accepted */
};

/* A rule: true when it is broken; `view->detail` then says by what. */
typedef bool yk_rule_check(struct yk_view *view);

/* Rules on one frame (conformance_frame.c, conformance_body.c). */
yk_rule_check yk_rule_oversize, yk_rule_json, yk_rule_canonical, yk_rule_non_integer,
    yk_rule_version_form, yk_rule_version_other, yk_rule_envelope, yk_rule_sig_form,
    yk_rule_unsigned, yk_rule_signed_open, yk_rule_signature, yk_rule_future;
yk_rule_check yk_rule_pairing_version, yk_rule_zero_paired, yk_rule_word, yk_rule_name_length,
    yk_rule_producer_pairing, yk_rule_consumer_media, yk_rule_slug_form, yk_rule_body,
    yk_rule_event, yk_rule_drops_form, yk_rule_ack_reason, yk_rule_evidence, yk_rule_media_budget,
    yk_rule_self_pair, yk_rule_active_unpaired, yk_rule_idle_paired;
/* Rules on the conduct of a sender (conformance_conduct.c). */
yk_rule_check yk_rule_seq_back, yk_rule_seq_reused, yk_rule_repeated, yk_rule_foreign,
    yk_rule_two_senders, yk_rule_silent, yk_rule_hasty, yk_rule_drops_rate, yk_rule_after_bye;
/* Rules on pairings (conformance_pairing.c). */
yk_rule_check yk_rule_ack_producer, yk_rule_ack_old, yk_rule_ack_unshown, yk_rule_ack_below,
    yk_rule_version_back, yk_rule_version_twice, yk_rule_two_bodies, yk_rule_author_reused,
    yk_rule_kind_mismatch;

/* Takes an accepted frame into the memory of its sender. */
void yk_sender_remember(struct yk_sender *sender, const struct yk_view *view);

/* Writes the detail; true, so that a rule can end with it. */
__attribute__((format(printf, 2, 3))) bool yk_view_say(struct yk_view *view, const char *format,
                                                       ...);
/* The index of the frame's canonical spelling. */
const struct yk_json *yk_view_json(const struct yk_view *view);
/* The value of a member of the body; 0: none. */
size_t yk_view_member(const struct yk_view *view, const char *name);
/* The operation of that version, as far as it was heard of; NULL: not kept. */
const struct yk_trail *yk_trail_of(const struct yk_observer *observer, const struct yk_id *consumer,
                                   const struct yk_version *version);

#endif
