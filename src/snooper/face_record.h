/* face_record.h - what is heard, into a capture file. */
#ifndef YK_SNOOPER_FACE_RECORD_H
#define YK_SNOOPER_FACE_RECORD_H

#include "snooper/snoop.h"

extern const struct yk_face yk_face_record;

#endif
