/* refusal.h - why something an operator gave us is refused: one line of text and an exit status. */
#ifndef YK_BASE_REFUSAL_H
#define YK_BASE_REFUSAL_H

#include <stdarg.h>

#define YK_REFUSAL_MAX 1024 /* a path, a value and a remedy fit one terminal line or two */

/* Exit statuses of every program of ours (completions section 6). */
enum yk_exit {
    YK_EXIT_OK = 0,
    YK_EXIT_NO = 1,           /* the answer is no */
    YK_EXIT_USAGE = 64,       /* the command line is wrong */
    YK_EXIT_EXHAUSTED = 65,   /* nothing newer can be authored */
    YK_EXIT_UNANSWERED = 69,  /* not heard, or no acknowledgment in time */
    YK_EXIT_INTERNAL = 70,    /* a fault of ours */
    YK_EXIT_CANNOT_MAKE = 73, /* a file could not be made, or is there already */
    YK_EXIT_NOT_YET = 75,     /* saved but not active in time; or the state is in use by another */
    YK_EXIT_UNSAFE = 77,      /* a key or state file with unsafe owner or mode */
    YK_EXIT_CONFIG = 78       /* configuration, key or state is wrong, absent or corrupt */
};

struct yk_refusal {
    enum yk_exit exit;
    char text[YK_REFUSAL_MAX]; /* "thing: cause; next step", no newline, always terminated */
};

/* Fills `why` and returns false, so that a check can end with `return yk_refuse(...)`.
 * Text that does not fit is cut. `why` must not be NULL. */
__attribute__((format(printf, 3, 4))) _Bool yk_refuse(struct yk_refusal *why, enum yk_exit exit,
                                                      const char *format, ...);

#endif
