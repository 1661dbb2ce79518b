#include "core/recent.h"

#define PATIENCE_MAX 15 /* frames; all ones */

bool yk_recent_recall(const struct yk_recent *recent, const struct yk_decoder *decoder,
                      struct yk_frame *frame)
{
    struct yk_slice kept = {recent->resume.bytes, recent->head_size};

    if (kept.size == 0 || !yk_slice_equal(kept, decoder->head)) {
        return false;
    }
    frame->as.ann = recent->ann;
    return true;
}

/* A text of the head, in our copy of it. */
static void move(struct yk_slice *text, const struct yk_recent *recent, struct yk_slice head)
{
    if (text->data != NULL) {
        text->data = recent->resume.bytes + (text->data - head.data);
    }
}

static void keep(struct yk_recent *recent, const struct yk_decoder *decoder,
                 const struct yk_frame *frame)
{
    struct yk_slice head = decoder->head;

    recent->head_size = 0;
    /* Not what is too long for the resume, and not what had escapes: its texts are elsewhere. */
    if (!decoder->is_plain || decoder->text_used > 0 || head.size > recent->resume.size) {
        return;
    }
    recent->ann = frame->as.ann;
    move(&recent->ann.name, recent, head);
    move(&recent->ann.err, recent, head);
    move(&recent->ann.media, recent, head);
    move(&recent->ann.evidence, recent, head);
    recent->head_size = (uint16_t)head.size;
}

void yk_recent_note(struct yk_recent *recent, bool recalled, const struct yk_decoder *decoder,
                    const struct yk_frame *frame)
{
    if (recalled) {
        recent->wait = recent->patience = 0;
    } else if (recent->wait > 0) {
        recent->wait--;
    } else {
        keep(recent, decoder, frame);
        recent->wait = recent->patience;
        recent->patience = (uint8_t)(2 * recent->patience + 1) & PATIENCE_MAX;
    }
}
