#include "snooper/tone.h"

enum yk_tone yk_tone_of_state(enum yk_state state)
{
    return state == YK_STATE_ERROR     ? YK_TONE_BAD
           : state == YK_STATE_PENDING ? YK_TONE_WAITING
           : state == YK_STATE_ACTIVE  ? YK_TONE_GOOD
                                       : YK_TONE_PLAIN;
}

enum yk_tone yk_tone_of_frame(const struct yk_heard_frame *heard)
{
    if (heard->verdict == YK_DROP_DUP) {
        return YK_TONE_FAINT;
    }
    if (heard->verdict != YK_DROP_NONE) {
        return YK_TONE_BAD;
    }
    return heard->frame.type == YK_TYPE_ANN ? yk_tone_of_state(heard->frame.as.ann.state)
                                            : YK_TONE_PLAIN;
}

enum yk_tone yk_tone_of_change(const struct yk_change *change)
{
    switch (change->kind) {
    case YK_CHANGE_LOST:
        return YK_TONE_BAD;
    case YK_CHANGE_STATE:
        return yk_tone_of_state(change->state);
    case YK_CHANGE_EVENT:
        return change->event == YK_EVENT_DRIVER_ERROR || change->event == YK_EVENT_PEER_LOST
                   ? YK_TONE_BAD
               : change->event == YK_EVENT_MEDIA_UP ? YK_TONE_GOOD
                                                    : YK_TONE_STRONG;
    case YK_CHANGE_OPERATION:
        break;
    case YK_CHANGE_NODE_NEW:
    case YK_CHANGE_NODE_GONE:
    case YK_CHANGE_RETURNED:
        return YK_TONE_STRONG;
    }
    switch (change->trail.outcome) {
    case YK_SEEN_APPLIED:
    case YK_SEEN_ACTIVE:
    case YK_SEEN_IDLE:
        return YK_TONE_GOOD;
    case YK_SEEN_REFUSED:
    case YK_SEEN_UNANSWERED:
    case YK_SEEN_AMBIGUOUS:
        return YK_TONE_BAD;
    case YK_SEEN_WAITING:
    case YK_SEEN_SUPERSEDED:
    case YK_SEEN_END:
        break;
    }
    return YK_TONE_WAITING;
}
