/// Opening, releasing and examining the terminal.
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <term.h>

static struct {
    SCREEN *screen;
    FILE *input, *output;
    struct termios modes;
    bool has_mouse, has_paste;
} terminal;

// `tputs` resolves the padding of a terminfo string and passes on one byte at a time; these functions collect them.
static char collected[512];
static size_t collected_count;

static int collect_byte(int byte) {
    if (collected_count < sizeof collected) collected[collected_count++] = (char)byte;
    return byte;
}

static bool is_string(const char *capability) {
    return capability != NULL && capability != (char *)-1;
}

static void collect(const char *name) {
    char *capability = tigetstr(name);
    if (is_string(capability)) tputs(capability, 1, collect_byte);
}

static void emit(const char *bytes) {
    ssize_t written = write(fileno(terminal.output), bytes, strlen(bytes));
    (void)written;  // A closed terminal is noticed when input is read.
}

static void begin_reports(void) {
    if (terminal.has_mouse) emit("\033[?1000h\033[?1002h\033[?1006h");
    if (terminal.has_paste) emit("\033[?2004h");
}

static void end_reports(void) {
    if (terminal.has_paste) emit("\033[?2004l");
    if (terminal.has_mouse) emit("\033[?1006l\033[?1002l\033[?1000l");
}

static void arm_rescue(void) {
    collected_count = 0;
    if (terminal.has_paste) tputs("\033[?2004l", 1, collect_byte);
    if (terminal.has_mouse) tputs("\033[?1006l\033[?1002l\033[?1000l", 1, collect_byte);
    static const char *const capabilities[] = {"sgr0", "op", "cnorm", "rmkx", "rmcup"};
    for (size_t index = 0; index < sizeof capabilities / sizeof *capabilities; index++) collect(capabilities[index]);
    tputs("\r", 1, collect_byte);
    curses_rescue_arm(fileno(terminal.output), &terminal.modes, collected, collected_count);
}

// Falls back to C.UTF-8 if the requested UTF-8 locale is not installed, as often over ssh; otherwise only ASCII would show.
static void set_locale(void) {
    if (setlocale(LC_CTYPE, "") != NULL) return;
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t index = 0; index < 3; index++) {
        const char *value = getenv(names[index]);
        if (value == NULL || *value == '\0') continue;
        if (strcasestr(value, "utf-8") != NULL || strcasestr(value, "utf8") != NULL) setlocale(LC_CTYPE, "C.UTF-8");
        return;
    }
}

// `RGB` may be a flag, a number or a string in the current terminfo entry.
bool curses_screen_has_direct_colours(void) {
    bool is_direct = tigetflag("RGB") > 0 || tigetnum("RGB") > 0 || is_string(tigetstr("RGB"));
    return is_direct && tigetnum("colors") == 1 << 24;
}

// The entry to use, written to `name`: NULL for that of `TERM`. A terminal of direct colours mostly calls itself `…-256color` and claims
// in `COLORTERM` what it can do. The claim counts only if the database knows how to speak to such a terminal.
static const char *entry_of_terminal(int output, char *name, size_t room) {
    const char *claim = getenv("COLORTERM");
    if (claim == NULL || (strcmp(claim, "truecolor") != 0 && strcmp(claim, "24bit") != 0)) return NULL;
    const char *own = curses_screen_terminal_name();
    const char *suffix = strrchr(own, '-');
    if (suffix == NULL || strcmp(suffix, "-256color") != 0) return NULL;
    int length = snprintf(name, room, "%.*s-direct", (int)(suffix - own), own);
    if (length < 0 || (size_t)length >= room) return NULL;
    int status;
    if (setupterm(name, output, &status) != OK) return NULL;
    bool serves = curses_screen_has_direct_colours() && is_string(tigetstr("cup"));
    del_curterm(cur_term);
    return serves ? name : NULL;
}

static curses_opening examine(int input, int output) {
    if (!isatty(input) || !isatty(output)) return CURSES_NOT_A_TERMINAL;
    if (*curses_screen_terminal_name() == '\0') return CURSES_NAMELESS;
    int status;
    if (setupterm(NULL, output, &status) != OK) return CURSES_UNKNOWN;
    bool can_place_cursor = is_string(tigetstr("cup"));
    terminal.has_mouse = is_string(tigetstr("kmous"));
    terminal.has_paste = is_string(tigetstr("BE"));
    del_curterm(cur_term);
    return can_place_cursor ? CURSES_OPENED : CURSES_NO_CURSOR_ADDRESSING;
}

static FILE *duplicate(int descriptor, const char *mode) {
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    if (copy < 0) return NULL;
    FILE *file = fdopen(copy, mode);
    if (file == NULL) close(copy);
    return file;
}

static void forget(void) {
    int saved = errno;
    curses_rescue_disarm();
    curses_signals_remove();
    if (terminal.screen != NULL) delscreen(terminal.screen);
    if (terminal.input != NULL) fclose(terminal.input);
    if (terminal.output != NULL) fclose(terminal.output);
    memset(&terminal, 0, sizeof terminal);
    errno = saved;
}

// Raw mode, except that Control-\ still sends SIGQUIT: it must end the process even if the reading thread hangs.
static void set_modes(void) {
    raw();
    noecho();
    nonl();
    struct termios modes;
    if (tcgetattr(fileno(terminal.input), &modes) != 0) return;
    modes.c_lflag |= ISIG;
    modes.c_cc[VINTR] = _POSIX_VDISABLE;
    modes.c_cc[VSUSP] = _POSIX_VDISABLE;
    tcsetattr(fileno(terminal.input), TCSADRAIN, &modes);
    def_prog_mode();
}

// Curses allocates cells for the size that the environment states, and fails for an absurd size.
static bool is_plausible_size(const char *variable) {
    const char *text = getenv(variable);
    if (text == NULL) return true;
    char *end;
    long size = strtol(text, &end, 10);
    return *end == '\0' && size > 0 && size <= 4096;
}

curses_opening curses_screen_open(int input, int output) {
    if (terminal.screen != NULL) return CURSES_ALREADY_OPEN;
    curses_opening found = examine(input, output);
    if (found != CURSES_OPENED) return found;
    set_locale();
    terminal.input = duplicate(input, "r");
    terminal.output = duplicate(output, "w");
    if (terminal.input == NULL || terminal.output == NULL || tcgetattr(input, &terminal.modes) != 0 || !curses_signals_install()) {
        forget();
        return CURSES_SYSTEM_ERROR;
    }
    // The handlers are installed first, because curses installs its own handlers for signals without one.
    use_env(is_plausible_size("COLUMNS") && is_plausible_size("LINES"));
    char name[64];
    terminal.screen = newterm(entry_of_terminal(output, name, sizeof name), terminal.output, terminal.input);
    if (terminal.screen == NULL) {
        forget();
        return CURSES_UNKNOWN;
    }
    arm_rescue();
    set_modes();
    keypad(stdscr, TRUE);
    meta(stdscr, TRUE);
    wtimeout(stdscr, 0);
    leaveok(stdscr, TRUE);
    curs_set(0);
    curses_input_define_keys();
    curses_screen_resize();
    begin_reports();
    curses_errors_hold();
    return CURSES_OPENED;
}

void curses_screen_close(void) {
    if (terminal.screen == NULL) return;
    curses_screen_leave();
    forget();
}

void curses_screen_leave(void) {
    if (isendwin()) return;
    end_reports();
    endwin();
    curses_rescue_disarm();
    curses_errors_release();
}

void curses_screen_enter(void) {
    arm_rescue();
    curses_errors_hold();
    reset_prog_mode();
    begin_reports();
    curses_screen_resize();
}

int curses_screen_input(void) {
    return terminal.input == NULL ? -1 : fileno(terminal.input);
}

const char *curses_screen_terminal_name(void) {
    const char *name = getenv("TERM");
    return name == NULL ? "" : name;
}

int curses_screen_colours(void) {
    int colours = tigetnum("colors");
    return colours < 0 ? 0 : colours;
}

const char *curses_screen_colour_hint(void) {
    const char *value = getenv("COLORFGBG");
    return value == NULL ? "" : value;
}

bool curses_screen_is_utf8(void) {
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

bool curses_screen_refuses_colour(void) {
    const char *value = getenv("NO_COLOR");
    return value != NULL && *value != '\0';
}

int curses_screen_columns(void) {
    return getmaxx(stdscr);
}

int curses_screen_rows(void) {
    return getmaxy(stdscr);
}

void curses_screen_resize(void) {
    struct winsize size;
    if (ioctl(fileno(terminal.output), TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
        resize_term(size.ws_row, size.ws_col);
    }
    erase();
    curses_screen_invalidate();
}

void curses_screen_send(const char *bytes, size_t count) {
    if (!terminal.output) return;
    fwrite(bytes, 1, count, terminal.output);
    fflush(terminal.output);
}

bool curses_screen_ask_ground(void) {
    if (!terminal.output || !terminal.has_mouse) return false;
    emit("\033]11;?\033\\\033[c");
    return true;
}
