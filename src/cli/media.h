/* media.h - a producer's media in few words. */
#ifndef YK_CLI_MEDIA_H
#define YK_CLI_MEDIA_H

#include "core/types.h"

#define YK_MEDIA_TEXT_MAX (YK_FRAME_MAX + 64)

/* What an installer wants to know of media (canonical JSON) whose shape one of the drivers of the
 * specification has: "239.10.0.5:5004", "channel 7 (239.10.0.5)", "10.0.5.3: 1-1.2 1-1.3". Other
 * media is given as it is. Raw, as a string. */
void yk_media_brief(char out[YK_MEDIA_TEXT_MAX], struct yk_slice media);
/* True, with group and port, when media has the shape of a multicast stream (igmp). */
bool yk_media_group(struct yk_slice media, uint8_t group[4], uint16_t *port);

#endif
