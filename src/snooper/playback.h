/* playback.h - a capture file as the source: its clock is the clock, its speed is ours. */
#ifndef YK_SNOOPER_PLAYBACK_H
#define YK_SNOOPER_PLAYBACK_H

#include "snooper/snoop.h"

/* The moment to open a snooper with that will hear a capture; the capture sets the clocks. */
struct yk_moment yk_playback_start(void);
/* Hands on the datagrams of `path` to the group, until the end, the time of --for, SIGINT or SIGTERM,
 * or nothing more can be shown; `at` is then the last moment. False and `why` when the file cannot be
 * read, or not to its end: what could be read was handed on. */
bool yk_playback_run(struct yk_snoop *snoop, const char *path, struct yk_moment *at,
                     struct yk_refusal *why);
/* Behind that: a face that is a screen stays as it was at that last moment, until its user quits it or
 * a signal does. At once over where there is none. */
void yk_playback_stay(struct yk_snoop *snoop, struct yk_moment at);

#endif
