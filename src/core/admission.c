#include "core/admission.h"

uint64_t yk_wall_at(const struct yk_wall *wall, yk_time now)
{
    uint64_t passed = now > wall->at ? now - wall->at : 0;
    uint64_t distance = wall->unix_ns < 0 ? -(uint64_t)wall->unix_ns : (uint64_t)wall->unix_ns;

    if (wall->unix_ns < 0) {
        return passed > distance ? passed - distance : 0;
    }
    return passed < UINT64_MAX - distance ? distance + passed : UINT64_MAX;
}

size_t yk_receiver_memory(uint32_t tracked)
{
    return yk_replay_memory(tracked);
}

void yk_receiver_init(struct yk_receiver *rx, void *memory, uint32_t tracked,
                      const struct yk_auth *auth, struct yk_wall wall, uint64_t hash_seed)
{
    rx->auth = auth;
    rx->wall = wall;
    rx->seq_floor = 0;
    rx->path = YK_PATH_AUTO;
    rx->signer = NULL;
    for (int i = 0; i < YK_DROP_END; i++) {
        rx->drops[i] = 0;
    }
    yk_replay_init(&rx->replay, memory, tracked, hash_seed);
}

static bool is_far_ahead(const struct yk_receiver *rx, uint64_t seq, yk_time now)
{
    uint64_t bound = yk_wall_at(&rx->wall, now);

    if (bound < rx->seq_floor) {
        bound = rx->seq_floor;
    }
    return seq > bound && seq - bound > YK_SEQ_FUTURE;
}

/* The order of completions section 1; the first that fails names the drop. */
static enum yk_drop judge(struct yk_receiver *rx, struct yk_slice raw, yk_time now,
                          struct yk_frame *frame, const struct yk_key **signer)
{
    enum yk_drop drop = yk_frame_read_envelope(&rx->decoder, raw, rx->path, frame);
    struct yk_slice parts[2];
    struct yk_digest digest;

    if (drop != YK_DROP_NONE) {
        return drop;
    }
    yk_frame_signed_parts(&rx->decoder, parts);
    if (!yk_auth_verify(rx->auth, parts, rx->decoder.sig, &digest, signer)) {
        return YK_DROP_AUTH;
    }
    if (!yk_frame_read_body(&rx->decoder, frame)) {
        return YK_DROP_MALFORMED;
    }
    if (is_far_ahead(rx, frame->seq, now)) {
        return YK_DROP_STALE;
    }
    return yk_replay_check(&rx->replay, &frame->origin, frame->seq, &digest, now);
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
