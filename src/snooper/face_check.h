/* face_check.h - what is heard, held against the rules: a line a violation, a sum, and a verdict. */
#ifndef YK_SNOOPER_FACE_CHECK_H
#define YK_SNOOPER_FACE_CHECK_H

#include "snooper/snoop.h"

/* Its exit status is YK_EXIT_NO when a rule was broken. */
extern const struct yk_face yk_face_check;

/* The list of rules on standard output. */
void yk_check_list(bool json);

#endif
