#include "snooper/top_screen.h"

#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/utf8.h"

#define NOTICES_SHOWN 4096               /* bytes of the last notices that are printed again */
#define NOTICES_KEPT (64 * 1024)         /* with more than that, they begin anew */
#define ESCAPE_MS 25                     /* an escape key alone is known after so long */
#define PAIR(tone) ((short)((tone) + 1)) /* of colours; 0 is the terminal's own */

static struct {
    SCREEN *terminal;
    bool unicode, colours;
    int notices;      /* a file in memory that standard error is written to; -1: none */
    int error_output; /* what standard error was */
    off_t seen;       /* bytes of the notices */
} screen;

/* ---- notices */

static void take_error_output(void)
{
    screen.seen = 0;
    screen.error_output = -1;
    screen.notices = isatty(STDERR_FILENO) == 1 ? memfd_create("notices", MFD_CLOEXEC) : -1;
    if (screen.notices >= 0) {
        screen.error_output = dup(STDERR_FILENO);
        dup2(screen.notices, STDERR_FILENO);
    }
}

static void give_error_output_back(void)
{
    static char text[NOTICES_SHOWN];
    off_t end;
    ssize_t size;

    if (screen.notices < 0) {
        return;
    }
    end = lseek(screen.notices, 0, SEEK_END);
    size = pread(screen.notices, text, sizeof text,
                 end > (off_t)sizeof text ? end - (off_t)sizeof text : 0);
    dup2(screen.error_output, STDERR_FILENO);
    close(screen.error_output);
    close(screen.notices);
    fwrite(text, 1, size > 0 ? (size_t)size : 0, stderr);
}

bool yk_screen_notice(char *out, size_t capacity)
{
    char text[1024];
    off_t end = screen.notices < 0 ? 0 : lseek(screen.notices, 0, SEEK_END);
    off_t start = end > (off_t)sizeof text ? end - (off_t)sizeof text : 0;
    ssize_t size;
    char *line;

    if (end <= screen.seen) {
        return false;
    }
    screen.seen = end;
    size = pread(screen.notices, text, sizeof text - 1, start);
    text[size > 0 ? size : 0] = '\0';
    if (size > 0 && text[size - 1] == '\n') {
        text[size - 1] = '\0';
    }
    line = strrchr(text, '\n');
    snprintf(out, capacity, "%s", line != NULL ? line + 1 : text);
    if (end > NOTICES_KEPT && ftruncate(screen.notices, 0) == 0) {
        lseek(screen.notices, 0, SEEK_SET);
        screen.seen = 0;
    }
    return true;
}

/* ---- the terminal */

/* Can the cursor of the terminal that was opened be moved? */
static bool is_capable(void)
{
    const char *position = tigetstr("cup");

    return position != NULL && position != (char *)-1; /* terminfo(3): no such capability */
}

static bool open_terminal(void)
{
    const char *name = getenv("TERM");

    if (isatty(STDOUT_FILENO) != 1 || name == NULL || strcmp(name, "dumb") == 0) {
        return false;
    }
    /* Characters alone: numbers stay as programs write them. */
    setlocale(LC_CTYPE, "");
    screen.unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    screen.terminal = newterm(NULL, stdout, stdin);
    if (screen.terminal == NULL) {
        return false;
    }
    set_term(screen.terminal);
    if (!is_capable()) {
        endwin();
        delscreen(screen.terminal);
        return false;
    }
    return true;
}

static void open_colours(void)
{
    static const short colours[] = {[YK_TONE_PLAIN] = -1,         [YK_TONE_FAINT] = -1,
                                    [YK_TONE_GOOD] = COLOR_GREEN, [YK_TONE_WAITING] = COLOR_YELLOW,
                                    [YK_TONE_BAD] = COLOR_RED,    [YK_TONE_STRONG] = -1};
    const char *refused = getenv("NO_COLOR");

    screen.colours = (refused == NULL || refused[0] == '\0') && has_colors() &&
                     start_color() == OK && use_default_colors() == OK;
    for (size_t tone = 0; screen.colours && tone < sizeof colours / sizeof colours[0]; tone++) {
        init_pair(PAIR(tone), colours[tone], -1);
    }
}

bool yk_screen_open(void)
{
    if (!open_terminal()) {
        return false;
    }
    set_escdelay(ESCAPE_MS);
    cbreak();
    noecho();
    nodelay(stdscr, TRUE);
    keypad(stdscr, TRUE);
    curs_set(0);
    open_colours();
    take_error_output();
    return true;
}

void yk_screen_close(void)
{
    endwin();
    delscreen(screen.terminal);
    give_error_output_back();
}

void yk_screen_size(size_t *rows, size_t *columns)
{
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0 &&
        is_term_resized(size.ws_row, size.ws_col)) {
        resizeterm(size.ws_row, size.ws_col);
    }
    *rows = (size_t)LINES;
    *columns = (size_t)COLS;
}

/* Where the terminal knows only ASCII, the rest is a question mark. */
static void add_text(const char *text)
{
    size_t size = strlen(text);

    for (size_t at = 0; at < size && !screen.unicode;) {
        uint32_t point = '?';
        size_t taken = yk_utf8_next(text + at, size - at, &point);

        addch(taken == 1 ? (chtype)point : '?');
        at += taken > 0 ? taken : 1;
    }
    if (screen.unicode) {
        addstr(text);
    }
}

static void draw_line(const struct yk_top_line *line)
{
    static const attr_t weights[] = {
        [YK_TONE_PLAIN] = A_NORMAL,   [YK_TONE_FAINT] = A_DIM, [YK_TONE_GOOD] = A_NORMAL,
        [YK_TONE_WAITING] = A_NORMAL, [YK_TONE_BAD] = A_BOLD,  [YK_TONE_STRONG] = A_BOLD};

    attr_set(line->bar ? A_REVERSE : weights[line->tone],
             screen.colours && !line->bar ? PAIR(line->tone) : 0, NULL);
    add_text(line->text);
}

void yk_screen_draw(const struct yk_top_page *page)
{
    erase();
    for (size_t i = 0; i < page->count; i++) {
        move((int)i, 0);
        draw_line(&page->lines[i]);
    }
    refresh();
}

enum yk_top_key yk_screen_key(void)
{
    switch (getch()) {
    case ERR:
        return YK_TOP_KEY_NONE;
    case 'q':
    case 'Q':
        return YK_TOP_KEY_QUIT;
    case KEY_UP:
    case 'k':
        return YK_TOP_KEY_UP;
    case KEY_DOWN:
    case 'j':
        return YK_TOP_KEY_DOWN;
    case KEY_PPAGE:
    case 'b':
        return YK_TOP_KEY_PAGE_UP;
    case KEY_NPAGE:
    case ' ':
        return YK_TOP_KEY_PAGE_DOWN;
    case KEY_HOME:
    case 'g':
        return YK_TOP_KEY_HOME;
    case KEY_END:
    case 'G':
        return YK_TOP_KEY_END;
    default:
        return YK_TOP_KEY_OTHER;
    }
}

int yk_screen_input(void)
{
    return isatty(STDIN_FILENO) == 1 ? STDIN_FILENO : -1;
}
