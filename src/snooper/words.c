#include "snooper/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/escape.h"
#include "cli/media.h"
#include "cli/say.h"

#define RAW_SHOWN 48 /* bytes of a datagram that is no frame */

/* Raw words in the making. */
struct words {
    char text[YK_SAY_MAX];
    size_t size;
};

static __attribute__((format(printf, 2, 3))) void add(struct words *words, const char *format, ...)
{
    size_t left = sizeof words->text - words->size;
    va_list arguments;
    int size;

    va_start(arguments, format);
    size = vsnprintf(words->text + words->size, left, format, arguments);
    va_end(arguments);
    words->size += size > 0 ? ((size_t)size < left ? (size_t)size : left - 1) : 0;
}

static void add_text(struct words *words, struct yk_slice text)
{
    char plain[YK_SAY_MAX];

    add(words, "%s", yk_plain(plain, sizeof plain, text));
}

static void finish(const struct words *words, char out[YK_WORDS_MAX_BYTES])
{
    yk_escape(out, YK_WORDS_MAX_BYTES, words->text, words->size);
}

static void add_version(struct words *words, const struct yk_version *version)
{
    add(words, " (%llu/%s)", (unsigned long long)version->n, version->author.text);
}

static void add_announcement(struct words *words, const struct yk_ann *ann)
{
    char media[YK_MEDIA_TEXT_MAX];

    add(words, "%s %s %s", yk_kind_word(ann->kind), yk_role_word(ann->role),
        yk_state_word(ann->state));
    if (ann->role == YK_ROLE_PRODUCER && ann->media.size > 0) {
        yk_media_brief(media, ann->media);
        add(words, ", %s", media);
    } else if (ann->pairing.version.n > 0) {
        add(words, ", shows %s",
            ann->pairing.producer.size > 0 ? ann->pairing.producer.text : "nothing");
        add_version(words, &ann->pairing.version);
    }
    add(words, ", \"");
    add_text(words, ann->name);
    add(words, "\"");
    if (ann->has_err) {
        add(words, ": ");
        add_text(words, ann->err);
    } else if (ann->has_evidence) {
        add(words, ": ");
        add_text(words, ann->evidence);
    }
}

static void add_intent(struct words *words, enum yk_op op, const struct yk_id *producer)
{
    add(words, "%s", yk_op_word(op));
    if (op == YK_OP_PAIR) {
        add(words, " with %s", producer->size > 0 ? producer->text : "what is no node id");
    }
}

static void add_body(struct words *words, const struct yk_frame *frame)
{
    switch (frame->type) {
    case YK_TYPE_ANN:
        add_announcement(words, &frame->as.ann);
        break;
    case YK_TYPE_INT:
        add(words, "%s: ", frame->as.intent.consumer.text);
        add_intent(words, frame->as.intent.op, &frame->as.intent.producer);
        add_version(words, &frame->as.intent.version);
        break;
    case YK_TYPE_ACK:
        add(words, "%s%s",
            frame->as.ack.applied ? "" : "refused: ", yk_reason_word(frame->as.ack.reason));
        add_version(words, &frame->as.ack.version);
        break;
    case YK_TYPE_EVT:
        add_text(words, frame->as.evt.slug);
        if (!yk_slice_equal(frame->as.evt.detail, yk_slice_of("{}"))) {
            add(words, " ");
            add_text(words, frame->as.evt.detail);
        }
        break;
    case YK_TYPE_BYE:
    case YK_TYPE_NONE:
    case YK_TYPE_END:
        break;
    }
}

void yk_frame_words(char out[YK_WORDS_MAX_BYTES], const struct yk_heard_frame *heard)
{
    struct words words = {.size = 0};

    if (heard->has_body) {
        add_body(&words, &heard->frame);
    } else {
        struct yk_slice start = heard->raw;

        start.size = start.size < RAW_SHOWN ? start.size : RAW_SHOWN;
        add(&words, "%zu bytes: ", heard->raw.size);
        /* As it came: escaped below, bytes that are no text too. */
        for (size_t i = 0; i < start.size; i++) {
            words.text[words.size++] = (char)start.data[i];
        }
        add(&words, "%s", start.size < heard->raw.size ? "..." : "");
    }
    if (heard->canonical.size > 0 && !heard->is_canonical) {
        add(&words, " (not spelled canonically)");
    }
    finish(&words, out);
}

static void add_new_node(struct words *words, const struct yk_peers *peers, const struct yk_id *id)
{
    const struct yk_peer *peer = yk_peers_find(peers, id);
    struct yk_peer_text text;

    if (peer != NULL) {
        yk_peers_text(peers, peer, &text);
        add(words, "new: %s %s %s, \"", yk_kind_word(peer->kind), yk_role_word(peer->role),
            yk_state_word(peer->state));
        add_text(words, text.name);
        add(words, "\"");
    }
}

static void add_state(struct words *words, const struct yk_peers *peers,
                      const struct yk_change *change)
{
    const struct yk_peer *peer = yk_peers_find(peers, &change->id);
    struct yk_peer_text text;

    add(words, "%s, was %s", yk_state_word(change->state), yk_state_word(change->former));
    if (peer != NULL && peer->has_err) {
        yk_peers_text(peers, peer, &text);
        add(words, ": ");
        add_text(words, text.err);
    }
}

static void add_trail(struct words *words, const struct yk_trail *trail)
{
    add(words, "%s: ", yk_outcome_seen_word(trail->outcome));
    add_intent(words, trail->op, &trail->producer);
    add_version(words, &trail->version);
    if (trail->outcome == YK_SEEN_REFUSED) {
        add(words, ", %s", yk_reason_word(trail->reason));
    }
    add(words, ", by %s", trail->sender.text);
}

void yk_change_words(char out[YK_WORDS_MAX_BYTES], const struct yk_snoop *snoop,
                     const struct yk_change *change)
{
    const struct yk_peers *peers = &snoop->observer->peers;
    struct words words = {.size = 0};

    switch (change->kind) {
    case YK_CHANGE_NODE_NEW:
        add_new_node(&words, peers, &change->id);
        break;
    case YK_CHANGE_NODE_GONE:
        add(&words, "gone: said goodbye");
        break;
    case YK_CHANGE_OPERATION:
        add_trail(&words, &change->trail);
        break;
    case YK_CHANGE_EVENT:
        add_text(&words, change->slug);
        if (!yk_slice_equal(change->detail, yk_slice_of("{}"))) {
            add(&words, " ");
            add_text(&words, change->detail);
        }
        break;
    case YK_CHANGE_LOST:
        add(&words, "lost: silent for %.1f s", (double)YK_PEER_TIMEOUT / (double)YK_SECOND);
        break;
    case YK_CHANGE_RETURNED:
        add(&words, "back: heard again");
        break;
    case YK_CHANGE_STATE:
        add_state(&words, peers, change);
        break;
    }
    finish(&words, out);
}

void yk_clock_words(char out[16], struct yk_moment at)
{
    time_t seconds = (time_t)(at.unix_ns / (int64_t)YK_SECOND);
    struct tm local = {.tm_sec = 0};
    size_t size;

    localtime_r(&seconds, &local);
    size = strftime(out, 16, "%H:%M:%S", &local);
    snprintf(out + size, 16 - size, ".%03u",
             (unsigned)(at.unix_ns % (int64_t)YK_SECOND / (int64_t)YK_MS) % 1000);
}
