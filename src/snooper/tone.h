/* tone.h - how much a line for people matters, whatever it is shown with. */
#ifndef YK_SNOOPER_TONE_H
#define YK_SNOOPER_TONE_H

#include "snooper/observer.h"

enum yk_tone {
    YK_TONE_PLAIN,
    YK_TONE_FAINT,
    YK_TONE_GOOD,
    YK_TONE_WAITING,
    YK_TONE_BAD,
    YK_TONE_STRONG
};

enum yk_tone yk_tone_of_state(enum yk_state state);
enum yk_tone yk_tone_of_frame(const struct yk_heard_frame *heard);
enum yk_tone yk_tone_of_change(const struct yk_change *change);

#endif
