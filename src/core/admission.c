#include "core/admission.h"

#include "core/frame_plain.h"

uint64_t yk_wall_at(const struct yk_wall *wall, yk_time now)
{
    uint64_t passed = now > wall->at ? now - wall->at : 0;
    uint64_t distance = wall->unix_ns < 0 ? -(uint64_t)wall->unix_ns : (uint64_t)wall->unix_ns;

    if (wall->unix_ns < 0) {
        return passed > distance ? passed - distance : 0;
    }
    return passed < UINT64_MAX - distance ? distance + passed : UINT64_MAX;
}

static uint32_t recent_count(uint32_t tracked)
{
    return tracked < YK_RECENTS_MAX ? tracked : YK_RECENTS_MAX;
}

size_t yk_receiver_memory(uint32_t tracked)
{
    return recent_count(tracked) * sizeof(struct yk_recent) + yk_replay_memory(tracked);
}

void yk_receiver_init(struct yk_receiver *rx, void *memory, uint32_t tracked,
                      const struct yk_auth *auth, struct yk_wall wall, uint64_t hash_seed)
{
    rx->auth = auth;
    rx->wall = wall;
    rx->seq_floor = 0;
    rx->path = YK_PATH_AUTO;
    rx->signer = NULL;
    rx->editions = 0;
    for (int i = 0; i < YK_DROP_END; i++) {
        rx->drops[i] = 0;
    }
    rx->recents = memory;
    rx->recent_count = recent_count(tracked);
    yk_replay_init(&rx->replay, rx->recents + rx->recent_count, tracked, hash_seed);
}

/* It goes with the number of the origin's record, whoever had that before. */
static struct yk_recent *recent_of(const struct yk_receiver *rx, const struct yk_seen *seen)
{
    uint32_t number = seen != NULL ? yk_replay_number(&rx->replay, seen) : UINT32_MAX;

    return number < rx->recent_count ? &rx->recents[number] : NULL;
}

static bool is_far_ahead(const struct yk_receiver *rx, uint64_t seq, yk_time now)
{
    uint64_t bound = yk_wall_at(&rx->wall, now);

    if (bound < rx->seq_floor) {
        bound = rx->seq_floor;
    }
    return seq > bound && seq - bound > YK_SEQ_FUTURE;
}

/* What is known of the origin, and of its last announcement; NULL where nothing is. */
struct origin {
    struct yk_seen *seen;
    struct yk_recent *recent;
    enum yk_recall recalled;
};

static void look_up(const struct yk_receiver *rx, const struct yk_frame *frame,
                    struct origin *origin)
{
    origin->seen = yk_replay_find(&rx->replay, &frame->origin);
    origin->recent = recent_of(rx, origin->seen);
    origin->recalled = YK_RECALL_NOTHING;
}

/* The envelope, and of an announcement read the short way the body too. */
static enum yk_drop read_frame(struct yk_receiver *rx, struct yk_slice raw, struct yk_frame *frame,
                               struct origin *origin)
{
    struct yk_decoder *decoder = &rx->decoder;
    enum yk_path path = rx->path == YK_PATH_AUTO ? YK_PATH_FAST : rx->path;
    enum yk_drop drop;

    if (rx->path == YK_PATH_AUTO && yk_frame_read_tail(decoder, raw, frame)) {
        look_up(rx, frame, origin);
        if (origin->recent != NULL) {
            origin->recalled = yk_recent_recall(origin->recent, decoder, frame);
        }
        decoder->is_plain =
            origin->recalled == YK_RECALL_HEAD || yk_frame_read_head(decoder, frame);
        if (decoder->is_plain) {
            return YK_DROP_NONE;
        }
    }
    drop = yk_frame_read_envelope(decoder, raw, path, frame);
    if (drop == YK_DROP_NONE) {
        look_up(rx, frame, origin);
    }
    return drop;
}

static bool verify(const struct yk_receiver *rx, const struct origin *origin,
                   struct yk_digest *digest, const struct yk_key **signer)
{
    bool begins = origin->recalled != YK_RECALL_NOTHING;
    struct yk_resume *resume = NULL;
    struct yk_slice parts[2], sig = rx->decoder.sig;

    yk_frame_signed_parts(&rx->decoder, parts);
    if (origin->recent != NULL && (begins || yk_recent_is_wanted(origin->recent))) {
        resume = &origin->recent->resume;
    }
    if (!rx->decoder.is_plain) {
        return yk_auth_verify(rx->auth, parts, sig, resume, digest, signer);
    }
    return yk_auth_verify_claim(rx->auth, parts, sig.size > 0 ? &rx->decoder.claimed : NULL, resume,
                                begins, digest, signer);
}

/* The order of completions section 1; the first that fails names the drop. */
static enum yk_drop judge(struct yk_receiver *rx, struct yk_slice raw, yk_time now,
                          struct yk_frame *frame, const struct yk_key **signer)
{
    struct origin origin;
    enum yk_drop drop = read_frame(rx, raw, frame, &origin);
    struct yk_digest digest;

    if (drop != YK_DROP_NONE) {
        return drop;
    }
    if (!verify(rx, &origin, &digest, signer)) {
        return YK_DROP_AUTH;
    }
    if (origin.recent != NULL) {
        yk_recent_note(origin.recent, origin.recalled, &rx->decoder, frame, &rx->editions);
    }
    if (!yk_frame_read_body(&rx->decoder, frame)) {
        return YK_DROP_MALFORMED;
    }
    if (is_far_ahead(rx, frame->seq, now)) {
        return YK_DROP_STALE;
    }
    return yk_replay_check(&rx->replay, origin.seen, &frame->origin, frame->seq, &digest, now);
}

enum yk_drop yk_receiver_admit(struct yk_receiver *rx, struct yk_slice raw, yk_time now,
                               struct yk_frame *frame)
{
    const struct yk_key *signer;
    enum yk_drop drop = judge(rx, raw, now, frame, &signer);

    if (drop == YK_DROP_NONE) {
        rx->signer = signer;
    }
    rx->drops[drop]++;
    return drop;
}
