#include "core/recent.h"

#define PATIENCE_MAX 15 /* frames; all ones */

enum yk_recall yk_recent_recall(const struct yk_recent *recent, const struct yk_decoder *decoder,
                                struct yk_frame *frame)
{
    size_t size = decoder->head.size;

    /* No whole head is the beginning of another. */
    if ((recent->head_size > 0 && recent->head_size != size) ||
        !yk_resume_begins(&recent->resume, decoder->head)) {
        return YK_RECALL_NOTHING;
    }
    if (recent->head_size == 0 || recent->resume.size != size) {
        return YK_RECALL_BEGINNING;
    }
    frame->as.ann = recent->ann;
    return YK_RECALL_HEAD;
}

/* A text of the head, in our copy of it. */
static void move(struct yk_slice *text, const struct yk_recent *recent, struct yk_slice head)
{
    if (text->data != NULL) {
        text->data = recent->resume.bytes + (text->data - head.data);
    }
}

static void keep(struct yk_recent *recent, const struct yk_decoder *decoder, struct yk_frame *frame,
                 uint64_t *editions)
{
    struct yk_slice head = decoder->head;

    recent->head_size = 0;
    /* Not what the resume does not hold in whole, and not what had escapes: its texts are elsewhere. */
    if (!decoder->is_plain || decoder->text_used > 0 || head.size != recent->resume.size) {
        return;
    }
    frame->as.ann.edition = ++*editions;
    recent->ann = frame->as.ann;
    move(&recent->ann.name, recent, head);
    move(&recent->ann.err, recent, head);
    move(&recent->ann.media, recent, head);
    move(&recent->ann.evidence, recent, head);
    recent->head_size = (uint16_t)head.size;
}

void yk_recent_note(struct yk_recent *recent, enum yk_recall recalled,
                    const struct yk_decoder *decoder, struct yk_frame *frame, uint64_t *editions)
{
    if (recalled == YK_RECALL_HEAD) {
        recent->wait = recent->patience = 0;
    } else if (recent->wait > 0) {
        recent->wait--;
    } else {
        keep(recent, decoder, frame, editions);
        recent->wait = recent->patience;
        recent->patience = (uint8_t)(2 * recent->patience + 1) & PATIENCE_MAX;
    }
}
