#include "snooper/top.h"

#include <stdio.h>

#include "snooper/words.h"

size_t yk_top_memory(uint32_t tracked)
{
    return yk_table_memory(tracked, sizeof(struct yk_top_sender));
}

void yk_top_init(struct yk_top *top, void *memory, uint32_t tracked, uint64_t hash_seed)
{
    memset(top, 0, sizeof *top);
    yk_table_init(&top->senders, memory, tracked, sizeof(struct yk_top_sender), hash_seed);
}

static struct yk_top_sender *sender_of(struct yk_top *top, const struct yk_id *id)
{
    struct yk_top_sender *sender = yk_table_find(&top->senders, id);

    if (sender == NULL) {
        if (top->senders.count == top->senders.capacity) {
            yk_table_remove(&top->senders, yk_table_oldest(&top->senders));
        }
        sender = yk_table_add(&top->senders, id);
    }
    yk_table_touch(&top->senders, sender);
    return sender;
}

void yk_top_heard(struct yk_top *top, const struct yk_heard_frame *heard)
{
    top->heard.windows[top->window]++;
    if (heard->verdict == YK_DROP_NONE) {
        sender_of(top, &heard->frame.origin)->frames.windows[top->window]++;
    } else {
        top->dropped.windows[top->window]++;
    }
}

void yk_top_changed(struct yk_top *top, const struct yk_snoop *snoop, struct yk_moment at,
                    const struct yk_change *change)
{
    struct yk_top_event *event = &top->events[top->event_count++ % YK_TOP_EVENTS_KEPT];
    char words[YK_WORDS_MAX_BYTES];
    struct yk_slice text;

    yk_change_words(words, snoop, change);
    text = yk_slice_of(words);
    text.size = yk_utf8_cut(text, sizeof event->words - 1);
    *event = (struct yk_top_event){.at = at, .tone = yk_tone_of_change(change), .id = change->id};
    memcpy(event->words, text.data, text.size);
}

static void begin_window(struct yk_top *top)
{
    struct yk_top_sender *sender = yk_table_oldest(&top->senders);

    top->window = (top->window + 1) % (YK_TOP_WINDOWS + 1);
    top->whole += top->whole < YK_TOP_WINDOWS ? 1 : 0;
    top->heard.windows[top->window] = top->dropped.windows[top->window] = 0;
    for (; sender != NULL; sender = yk_table_next(&top->senders, sender)) {
        sender->frames.windows[top->window] = 0;
    }
}

void yk_top_pass(struct yk_top *top, yk_time now)
{
    if (top->window_end == 0) {
        top->window_end = now + YK_TOP_WINDOW;
    }
    for (unsigned i = 0; top->window_end <= now && i <= YK_TOP_WINDOWS; i++) {
        begin_window(top);
        top->window_end += YK_TOP_WINDOW;
    }
    if (top->window_end <= now) { /* we were held up: all of them are empty */
        top->window_end = now + YK_TOP_WINDOW;
    }
}

unsigned yk_top_rate(const struct yk_top *top, const struct yk_top_count *count)
{
    uint64_t sum = 0;

    for (size_t i = 0; i <= YK_TOP_WINDOWS; i++) {
        sum += i != top->window ? count->windows[i] : 0;
    }
    return top->whole == 0 ? 0 : (unsigned)(sum * 10 * YK_SECOND / (top->whole * YK_TOP_WINDOW));
}
