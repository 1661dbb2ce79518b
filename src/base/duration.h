/* duration.h - a length of time for people. */
#ifndef YK_BASE_DURATION_H
#define YK_BASE_DURATION_H

#include <stdint.h>

#define YK_DURATION_MAX 32 /* bytes of the text */

/* In the unit that suits it: "400 ms", "1.5 s", "12 s", "5 min", "3 h", "9 days". `out` has
 * YK_DURATION_MAX bytes and is given back. */
const char *yk_duration(char *out, uint64_t nanoseconds);

#endif
