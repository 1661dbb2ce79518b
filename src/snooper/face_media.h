/* face_media.h - --media: the streams of producers, measured from outside. */
#ifndef YK_SNOOPER_FACE_MEDIA_H
#define YK_SNOOPER_FACE_MEDIA_H

#include "snooper/snoop.h"

extern const struct yk_face yk_face_media;

#endif
