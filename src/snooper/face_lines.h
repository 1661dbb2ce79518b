/* face_lines.h - a line a frame and a line a change, for people. */
#ifndef YK_SNOOPER_FACE_LINES_H
#define YK_SNOOPER_FACE_LINES_H

#include "snooper/snoop.h"

extern const struct yk_face yk_face_lines;

#endif
