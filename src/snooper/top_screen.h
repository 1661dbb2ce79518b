/* top_screen.h - a terminal that can be drawn on. There is one at most. */
#ifndef YK_SNOOPER_TOP_SCREEN_H
#define YK_SNOOPER_TOP_SCREEN_H

#include "snooper/top.h"

enum yk_top_key {
    YK_TOP_KEY_NONE, /* no more for now */
    YK_TOP_KEY_OTHER,
    YK_TOP_KEY_QUIT,
    YK_TOP_KEY_UP,
    YK_TOP_KEY_DOWN,
    YK_TOP_KEY_PAGE_UP,
    YK_TOP_KEY_PAGE_DOWN,
    YK_TOP_KEY_HOME,
    YK_TOP_KEY_END
};

/* Takes standard output for the screen, and standard error for notices. False when it is no terminal,
 * or a dumb one: nothing was touched. */
bool yk_screen_open(void);
/* Gives the terminal back as it was, and prints the last notices again. */
void yk_screen_close(void);
/* The size as it is now. */
void yk_screen_size(size_t *rows, size_t *columns);
void yk_screen_draw(const struct yk_top_page *page);
/* The next key; never waits. */
enum yk_top_key yk_screen_key(void);
/* Standard input when it is a terminal, else -1. */
int yk_screen_input(void);
/* True, and `out` filled, when something new was said on standard error: its last line. */
bool yk_screen_notice(char *out, size_t capacity);

#endif
