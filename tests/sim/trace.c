#include "sim/trace.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "sim/check.h"

#define FNV_PRIME UINT64_C(0x100000001b3)

void trace_mix(struct trace *trace, uint64_t value)
{
    trace->hash = (trace->hash ^ value) * FNV_PRIME;
    trace->hash ^= trace->hash >> 31;
}

void trace_mix_bytes(struct trace *trace, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    uint64_t word;

    trace_mix(trace, size);
    for (; size >= sizeof word; size -= sizeof word, at += sizeof word) {
        word = 0;
        for (unsigned i = 0; i < sizeof word; i++) { /* the same on every machine */
            word |= (uint64_t)at[i] << 8 * i;
        }
        trace_mix(trace, word);
    }
    for (; size > 0; size--, at++) {
        trace_mix(trace, *at);
    }
}

void trace_say(struct world *world, const struct agent *agent, const char *format, ...)
{
    struct trace *trace = world->trace;
    char *line;
    int used;
    va_list arguments;

    if (!trace->wanted) {
        return;
    }
    line = trace->lines[trace->line_count++ % TRACE_LINES];
    used = snprintf(line, TRACE_LINE_MAX, "%12.6f  %-8.8s ", (double)world->now / 1e9,
                    agent != NULL ? agent->id.text : "");
    va_start(arguments, format);
    vsnprintf(line + used, TRACE_LINE_MAX - (size_t)used, format, arguments);
    va_end(arguments);
    if (trace->all) {
        puts(line);
    }
}

void trace_print(const struct trace *trace)
{
    uint64_t first = trace->line_count > TRACE_LINES ? trace->line_count - TRACE_LINES : 0;

    for (uint64_t i = first; i < trace->line_count; i++) {
        puts(trace->lines[i % TRACE_LINES]);
    }
}

/* ---- a frame in words */

#define WORDS_MAX 240

static const char *pairing_words(const struct yk_pairing *pairing)
{
    static char text[2 * YK_ID_MAX + 32];

    snprintf(text, sizeof text, "%s %s",
             pairing->producer.size > 0 ? pairing->producer.text : "none",
             version_text(&pairing->version).text);
    return text;
}

static void frame_words(const struct sent *sent, char words[WORDS_MAX])
{
    const struct yk_frame *frame = &sent->frame;
    struct yk_pairing pairing;

    switch (frame->type) {
    case YK_TYPE_ANN:
        snprintf(words, WORDS_MAX, "ann %s %s", yk_state_word(frame->as.ann.state),
                 frame->as.ann.role == YK_ROLE_CONSUMER ? pairing_words(&frame->as.ann.pairing)
                 : frame->as.ann.media.size > 0         ? "with media"
                                                        : "without media");
        break;
    case YK_TYPE_INT:
        pairing = (struct yk_pairing){frame->as.intent.producer, frame->as.intent.version};
        snprintf(words, WORDS_MAX, "int %s %s %s", yk_op_word(frame->as.intent.op),
                 frame->as.intent.consumer.text, pairing_words(&pairing));
        break;
    case YK_TYPE_ACK:
        snprintf(words, WORDS_MAX, "ack %s %s", version_text(&frame->as.ack.version).text,
                 yk_reason_word(frame->as.ack.reason));
        break;
    case YK_TYPE_EVT:
        snprintf(words, WORDS_MAX, "evt %s", yk_event_word(frame->as.evt.event));
        break;
    default:
        snprintf(words, WORDS_MAX, "%s", yk_type_word(frame->type));
    }
}

/* ---- a step in words */

static void say_datagram(struct world *world, const struct agent *agent, const struct step *step)
{
    char words[WORDS_MAX] = "something forged or broken";
    const struct sent *sent = step->datagram->sent;

    if (sent != NULL) {
        frame_words(sent, words);
    }
    trace_say(world, agent, "hears %s%s from %s #%" PRIu64 ": %s",
              step->datagram->replayed ? "replayed " : "", words,
              sent != NULL ? sent->frame.origin.text : "?", sent != NULL ? sent->number : 0,
              step->verdict == YK_DROP_NONE  ? "accepted"
              : step->verdict == YK_DROP_END ? "ignored"
                                             : yk_drop_word(step->verdict));
}

static void say_input(struct world *world, const struct agent *agent, const struct step *step)
{
    static const char *const reports[] = {"?", "idle", "pending", "active", "error"};
    const struct yk_input *input = step->input;

    switch (input->kind) {
    case YK_INPUT_DATAGRAM:
        say_datagram(world, agent, step);
        break;
    case YK_INPUT_PERSISTED:
        trace_say(world, agent, "saved: %s", input->as.persisted.ok ? "yes" : "no");
        break;
    case YK_INPUT_REPORT:
        trace_say(world, agent, "driver says %s (%" PRIu64 ")", reports[input->as.report.status],
                  input->as.report.generation);
        break;
    case YK_INPUT_STOP:
        trace_say(world, agent, "is to stop");
        break;
    case YK_INPUT_WALL:
        trace_say(world, agent, "wall clock is set");
        break;
    case YK_INPUT_RETURN:
        trace_say(world, agent, "network is back");
        break;
    case YK_INPUT_MEDIA:
        trace_say(world, agent, "driver has other media");
        break;
    case YK_INPUT_START:
    case YK_INPUT_TICK:
        break;
    }
}

static void say_effect(struct world *world, const struct agent *agent,
                       const struct yk_effect *effect, const struct sent *sent)
{
    static const char *const reasons[] = {"?", "unpair", "replace", "restart", "stop"};
    char words[WORDS_MAX];

    switch (effect->kind) {
    case YK_EFFECT_SEND:
        frame_words(sent, words);
        trace_say(world, agent, "  sends %s #%" PRIu64, words, sent->number);
        break;
    case YK_EFFECT_PERSIST:
        trace_say(world, agent, "  saves %s, numbers to %" PRIu64,
                  pairing_words(&effect->as.persist.state.pairing), effect->as.persist.state.seq);
        break;
    case YK_EFFECT_ATTACH:
        trace_say(world, agent, "  attach %" PRIu64 " %.*s", effect->as.attach.generation,
                  effect->as.attach.media.size < 60 ? (int)effect->as.attach.media.size : 60,
                  (const char *)effect->as.attach.media.data);
        break;
    case YK_EFFECT_DETACH:
        trace_say(world, agent, "  detach %" PRIu64 " for %s", effect->as.detach.generation,
                  reasons[effect->as.detach.reason]);
        break;
    case YK_EFFECT_EVENT:
        if (effect->as.event.event >= YK_NOTE_PEER_NEW) {
            trace_say(world, agent, "  notes %s", yk_event_word(effect->as.event.event));
        }
        break;
    case YK_EFFECT_STOPPED:
        trace_say(world, agent, "  has stopped");
        break;
    case YK_EFFECT_POLL:
        break;
    }
}

void trace_step(struct world *world, const struct agent *agent, const struct step *step)
{
    struct trace *trace = world->trace;

    trace_mix(trace, world->now);
    trace_mix(trace, (uint64_t)agent->number << 16 | (uint64_t)step->input->kind << 8 |
                         (uint64_t)step->verdict);
    for (size_t i = 0; i < step->effects->count; i++) {
        trace_mix(trace, step->effects->list[i].kind);
        if (step->sent[i] != NULL) {
            trace_mix_bytes(trace, step->sent[i]->bytes, step->sent[i]->size);
        }
    }
    if (!trace->wanted) {
        return;
    }
    say_input(world, agent, step);
    for (size_t i = 0; i < step->effects->count; i++) {
        say_effect(world, agent, &step->effects->list[i], step->sent[i]);
    }
}
