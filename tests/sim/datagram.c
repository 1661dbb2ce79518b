#include "sim/datagram.h"

#include <stdlib.h>
#include <string.h>

static void *get(size_t size)
{
    void *memory = calloc(1, size);

    if (memory == NULL) {
        abort();
    }
    return memory;
}

static struct yk_slice moved(struct yk_slice slice, const uint8_t *from, uint8_t *to)
{
    return slice.size == 0 ? slice : (struct yk_slice){to + (slice.data - from), slice.size};
}

/* Keeps of an announcement what outlives the decoder. */
static void keep_ann(struct sent *sent, struct yk_ann *ann, const uint8_t *from)
{
    ann->media = moved(ann->media, from, sent->bytes);
    ann->name.size = ann->err.size = 0;
    ann->evidence.size =
        ann->evidence.size < sizeof sent->evidence ? ann->evidence.size : sizeof sent->evidence;
    if (ann->evidence.size > 0) {
        memcpy(sent->evidence, ann->evidence.data, ann->evidence.size);
        ann->evidence.data = sent->evidence;
    }
}

struct sent *sent_make(const struct keys *keys, uint32_t origin, uint64_t number,
                       struct yk_slice bytes)
{
    static struct yk_decoder decoder;
    struct sent *sent;
    struct yk_frame frame;
    struct yk_slice parts[2];
    struct yk_digest digest;
    const struct yk_key *signer;

    if (yk_frame_read_envelope(&decoder, bytes, YK_PATH_FAST, &frame) != YK_DROP_NONE ||
        decoder.spelled.data != bytes.data) {
        return NULL;
    }
    yk_frame_signed_parts(&decoder, parts);
    if (!yk_auth_verify(&keys->auth, parts, decoder.sig, NULL, &digest, &signer) ||
        signer == &keys->auth.next || !yk_frame_read_body(&decoder, &frame)) {
        return NULL;
    }
    sent = get(sizeof *sent);
    sent->references = 1;
    sent->origin = origin;
    sent->key = keys->read.sign;
    sent->number = number;
    sent->size = bytes.size;
    memcpy(sent->bytes, bytes.data, bytes.size);
    sent->frame = frame;
    if (frame.type == YK_TYPE_ANN) {
        keep_ann(sent, &sent->frame.as.ann, bytes.data);
    }
    return sent;
}

void sent_release(struct sent *sent)
{
    if (--sent->references == 0) {
        free(sent);
    }
}

/* The datagram of a true copy needs no bytes of its own, and no memory for them. */
struct datagram *datagram_of(struct sent *sent, bool replayed)
{
    struct datagram *datagram = get(sizeof *datagram);

    datagram->references = 1;
    datagram->sent = sent;
    datagram->replayed = replayed;
    sent->references++;
    return datagram;
}

struct datagram *datagram_raw(struct yk_slice bytes)
{
    struct datagram *datagram = get(sizeof *datagram + DATAGRAM_MAX);

    datagram->references = 1;
    datagram->own_bytes = true;
    datagram->size = bytes.size < DATAGRAM_MAX ? bytes.size : DATAGRAM_MAX;
    if (datagram->size > 0) {
        memcpy(datagram->bytes, bytes.data, datagram->size);
    }
    return datagram;
}

struct yk_slice datagram_bytes(const struct datagram *datagram)
{
    return datagram->own_bytes ? (struct yk_slice){datagram->bytes, datagram->size}
                               : (struct yk_slice){datagram->sent->bytes, datagram->sent->size};
}

void datagram_release(struct datagram *datagram)
{
    if (--datagram->references == 0) {
        if (datagram->sent != NULL) {
            sent_release(datagram->sent);
        }
        free(datagram);
    }
}

/* A flipped bit may leave the meaning alone (\u001F): what counts is the canonical form. */
static void find_meaning(struct datagram *datagram, struct sent *sent)
{
    static struct yk_decoder decoder;
    struct yk_frame frame;
    struct yk_slice whole = {sent->bytes, sent->size};

    if (yk_frame_read_envelope(&decoder, datagram_bytes(datagram), YK_PATH_GENERAL, &frame) ==
            YK_DROP_NONE &&
        yk_slice_equal(decoder.spelled, whole)) {
        datagram->sent = sent;
        sent->references++;
    }
}

struct datagram *datagram_corrupt(struct sent *sent, struct dice *dice)
{
    struct datagram *datagram = datagram_raw((struct yk_slice){sent->bytes, sent->size});
    uint64_t flips = dice_between(dice, 1, 3);

    switch (dice_below(dice, 4)) {
    case 0:
        datagram->size = dice_below(dice, sent->size);
        break;
    case 1:
        datagram->size += dice_between(dice, 1, 64);
        break;
    default:
        for (; flips > 0; flips--) {
            datagram->bytes[dice_below(dice, sent->size)] ^= (uint8_t)(1u << dice_below(dice, 8));
        }
    }
    find_meaning(datagram, sent);
    return datagram;
}

struct datagram *datagram_respell(struct sent *sent)
{
    struct datagram *datagram = datagram_raw((struct yk_slice){sent->bytes, sent->size});

    if (sent->size < YK_FRAME_MAX) { /* white space behind the first bracket */
        memmove(datagram->bytes + 2, datagram->bytes + 1, sent->size - 1);
        datagram->bytes[1] = ' ';
        datagram->size++;
    }
    find_meaning(datagram, sent);
    return datagram;
}

void archive_add(struct archive *archive, struct sent *sent)
{
    uint64_t place = archive->seen++;

    if (archive->count < ARCHIVE_MAX) {
        archive->count++;
    } else {
        place = dice_below(&archive->dice, archive->seen);
        if (place >= ARCHIVE_MAX) {
            return;
        }
        sent_release(archive->list[place]);
    }
    archive->list[place] = sent;
    sent->references++;
}

void archive_free(struct archive *archive)
{
    for (size_t i = 0; i < archive->count; i++) {
        sent_release(archive->list[i]);
    }
    archive->count = 0;
}
