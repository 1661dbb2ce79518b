/* Rules on a datagram and its envelope, whoever sent it. */
#include "snooper/conformance_internal.h"

bool yk_rule_oversize(struct yk_view *view)
{
    return view->heard->verdict == YK_DROP_OVERSIZE &&
           yk_view_say(view, "%zu bytes or more", view->heard->raw.size);
}

bool yk_rule_json(struct yk_view *view)
{
    return view->heard->verdict == YK_DROP_MALFORMED && view->heard->canonical.size == 0 &&
           yk_view_say(view, "%zu bytes that are none", view->heard->raw.size);
}

/* Where the two spellings part, as far as one of them goes. */
static size_t first_difference(struct yk_slice a, struct yk_slice b)
{
    size_t at = 0;

    while (at < a.size && at < b.size && a.data[at] == b.data[at]) {
        at++;
    }
    return at;
}

bool yk_rule_canonical(struct yk_view *view)
{
    const struct yk_heard_frame *heard = view->heard;

    return !heard->is_canonical && yk_view_say(view, "spelled otherwise from byte %zu on",
                                               first_difference(heard->raw, heard->canonical));
}

/* The value of a member of the frame; 0: none, or no object. */
static size_t member(const struct yk_view *view, const char *name)
{
    const struct yk_json *json = yk_view_json(view);

    return json->tokens[0].type == YK_JSON_OBJECT ? yk_json_member(json, 0, name) : 0;
}

bool yk_rule_non_integer(struct yk_view *view)
{
    const struct yk_json *json = yk_view_json(view);
    size_t ts = member(view, "ts");

    for (size_t i = 0; i < json->count; i++) {
        if (json->tokens[i].type == YK_JSON_REAL && i != ts) {
            struct yk_slice text = yk_json_spelling(json, i);

            return yk_view_say(view, "the number %.*s", (int)text.size, (const char *)text.data);
        }
    }
    return false;
}

bool yk_rule_version_form(struct yk_view *view)
{
    size_t v = member(view, "v");

    return v != 0 && yk_view_json(view)->tokens[v].type != YK_JSON_INTEGER &&
           yk_view_say(view, "v is no integer");
}

bool yk_rule_version_other(struct yk_view *view)
{
    return view->heard->verdict == YK_DROP_VERSION && yk_view_say(view, "v is another number");
}

bool yk_rule_envelope(struct yk_view *view)
{
    size_t v = member(view, "v");
    bool is_told = v != 0 && yk_view_json(view)->tokens[v].type != YK_JSON_INTEGER;

    return view->heard->verdict == YK_DROP_MALFORMED && !view->heard->has_envelope && !is_told &&
           yk_view_say(view, "a member is missing, too many or of another type");
}

/* ---- signatures: which of the four it is */

enum sig_trouble { SIG_GOOD, SIG_MISSING, SIG_MISFORMED, SIG_NEEDLESS, SIG_WRONG };

static enum sig_trouble sig_trouble(const struct yk_view *view)
{
    struct yk_slice sig = view->observer->receiver.decoder.sig;

    if (view->heard->verdict != YK_DROP_AUTH) {
        return SIG_GOOD;
    }
    if (sig.size == 0) {
        return SIG_MISSING;
    }
    for (size_t i = 0; i < sig.size; i++) {
        bool is_hex = (sig.data[i] >= '0' && sig.data[i] <= '9') ||
                      (sig.data[i] >= 'a' && sig.data[i] <= 'f');

        if (!is_hex || sig.size != YK_SIG_SIZE) {
            return SIG_MISFORMED;
        }
    }
    return view->auth->key.set ? SIG_WRONG : SIG_NEEDLESS;
}

bool yk_rule_sig_form(struct yk_view *view)
{
    return sig_trouble(view) == SIG_MISFORMED &&
           yk_view_say(view, "sig has %zu bytes, or others than small hex digits",
                       view->observer->receiver.decoder.sig.size);
}

bool yk_rule_unsigned(struct yk_view *view)
{
    return sig_trouble(view) == SIG_MISSING && yk_view_say(view, "sig is empty");
}

bool yk_rule_signed_open(struct yk_view *view)
{
    return sig_trouble(view) == SIG_NEEDLESS && yk_view_say(view, "it is signed");
}

bool yk_rule_signature(struct yk_view *view)
{
    return sig_trouble(view) == SIG_WRONG &&
           yk_view_say(view, "it is signed with another key, or was changed on its way");
}

bool yk_rule_future(struct yk_view *view)
{
    uint64_t clock = yk_wall_at(&view->observer->receiver.wall, view->heard->now);
    uint64_t seq = view->heard->frame.seq;

    return view->heard->verdict == YK_DROP_STALE && seq > clock && seq - clock > YK_SEQ_FUTURE &&
           yk_view_say(view, "seq is %llu s ahead",
                       (unsigned long long)((seq - clock) / YK_SECOND));
}
