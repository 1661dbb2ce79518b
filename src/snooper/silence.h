/* silence.h - what keeps the snooper from transmitting, beside having no code that does: each UDP
 * socket is shut down for writing, and the kernel refuses the calls that send. */
#ifndef YK_SNOOPER_SILENCE_H
#define YK_SNOOPER_SILENCE_H

#include <stdbool.h>

#include "base/refusal.h"

/* Shuts a UDP socket down for writing: every later send fails, and receiving goes on. Before its
 * first read. False when the kernel did not do it. */
bool yk_silence_mute(int fd);

/* From now on the kernel refuses this process, its threads and children every call that sends a
 * datagram, connects to an internet address or opens a raw socket. With `answers` it may write to the
 * connections that others open to it (for HTTP), and still open none. False and `why` when the kernel
 * has no such filters. */
bool yk_silence_seal(bool answers, struct yk_refusal *why);

#endif
