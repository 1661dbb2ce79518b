/* face_top.h - --top: a screen of what is, kept up to date. */
#ifndef YK_SNOOPER_FACE_TOP_H
#define YK_SNOOPER_FACE_TOP_H

#include "snooper/snoop.h"

extern const struct yk_face yk_face_top;

#endif
