/* words.h - frames and changes in words, for lines that people read. Everything is escaped for
 * terminals. */
#ifndef YK_SNOOPER_WORDS_H
#define YK_SNOOPER_WORDS_H

#include "snooper/snoop.h"

#define YK_WORDS_MAX_BYTES 1024 /* of one description; more is cut between characters */

/* What a frame says, without its origin and type: "pending, shows enc-1 (7/op-a)". */
void yk_frame_words(char out[YK_WORDS_MAX_BYTES], const struct yk_heard_frame *heard);
/* What changed, without the id: "unanswered: pair with enc-1 (7/op-a), by cli-desk-1f". */
void yk_change_words(char out[YK_WORDS_MAX_BYTES], const struct yk_snoop *snoop,
                     const struct yk_change *change);
/* Local time of the day, "09:30:00.250". */
void yk_clock_words(char out[16], struct yk_moment at);

#endif
