/// ncursesw and terminal signals as plain functions, because curses' macros and globals do not reach Swift.
///
/// A process has at most one open terminal. Only the thread that opened it may call these functions, unless a comment says otherwise.
#ifndef CCURSES_H
#define CCURSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CURSES_CLOSED_ENUM __attribute__((enum_extensibility(closed)))

// MARK: Opening and closing

typedef enum CURSES_CLOSED_ENUM {
    CURSES_OPENED,
    CURSES_ALREADY_OPEN,
    CURSES_NOT_A_TERMINAL,
    /// `TERM` is not set.
    CURSES_NAMELESS,
    /// The terminfo database has no entry for `TERM`.
    CURSES_UNKNOWN,
    /// The terminal cannot place its cursor.
    CURSES_NO_CURSOR_ADDRESSING,
    /// The operating system refused; `errno` has the reason.
    CURSES_SYSTEM_ERROR,
} curses_opening;

/// Takes over the terminal behind two file descriptors; the caller keeps owning both. Sets the process's `LC_CTYPE` from the environment,
/// installs the signal handlers below and blanks the screen. If the standard error is a terminal, text written to it from then on is
/// held back, and shows when the terminal is released.
curses_opening curses_screen_open(int input, int output);

/// Restores the terminal and the signal handlers. A second call does nothing.
void curses_screen_close(void);

/// Releases the terminal until `curses_screen_enter` takes it again. The first flush after that paints every cell.
void curses_screen_leave(void);
void curses_screen_enter(void);

// MARK: Capabilities

/// The value of `TERM`; empty if it is not set.
const char *curses_screen_terminal_name(void);
/// The number of colours in the terminal's terminfo entry; 0 for none.
int curses_screen_colours(void);
/// Whether the numbers of colours are red, green and blue in eight bits each. The terminfo entry says so: that of `TERM` or, if `COLORTERM`
/// claims such colours, its twin in the database, such as `xterm-direct` of `xterm-256color`.
bool curses_screen_has_direct_colours(void);
/// The value of `COLORFGBG`; empty if it is not set.
const char *curses_screen_colour_hint(void);
bool curses_screen_is_utf8(void);
/// Whether `NO_COLOR` is set and not empty.
bool curses_screen_refuses_colour(void);
int curses_screen_columns(void);
int curses_screen_rows(void);
/// Adopts the terminal's current size and blanks the screen; the next flush paints every cell.
void curses_screen_resize(void);
/// The columns that the C library, and therefore curses, gives a scalar; less than 1 for a scalar that cannot stand alone.
int curses_scalar_width(uint32_t scalar);

// MARK: Painting

enum { CURSES_CELL_SCALARS = 5 };

enum {
    CURSES_BOLD = 1,
    CURSES_DIM = 2,
    CURSES_UNDERLINE = 4,
    CURSES_REVERSE = 8,
};

/// A character at least one column wide, its combining marks (unused scalars are 0), and its attributes and colours.
typedef struct {
    uint32_t scalars[CURSES_CELL_SCALARS];
    uint16_t attributes;
    int16_t pair;
} curses_cell;

/// Enables colours. Colour -1 is the terminal's own.
void curses_screen_start_colours(void);
void curses_screen_define_pair(int pair, int foreground, int background);
/// Puts characters side by side; a wide one advances by two columns. They show at the next flush.
void curses_screen_put(int row, int column, const curses_cell *cells, int count);
/// Shows every cell that changed since the last flush.
void curses_screen_flush(void);
/// Makes the next flush paint every cell.
void curses_screen_invalidate(void);
/// Sends bytes to the terminal directly, for example a clipboard sequence.
void curses_screen_send(const char *bytes, size_t count);
/// Asks the terminal for the colour of its ground (OSC 11), then for its attributes (DA1). A terminal answers in order, and all that report
/// a mouse know the second question, so an answer to it ends the wait for the first. False if the terminal may not know these questions.
bool curses_screen_ask_ground(void);

// MARK: Reading

typedef enum CURSES_CLOSED_ENUM {
    CURSES_INPUT_NONE,
    CURSES_INPUT_CHARACTER,
    CURSES_INPUT_KEY,
    CURSES_INPUT_FUNCTION_KEY,
    CURSES_INPUT_MOUSE,
    CURSES_INPUT_PASTE_BEGIN,
    CURSES_INPUT_PASTE_END,
    /// The terminal's answer about its ground.
    CURSES_INPUT_GROUND,
    /// The terminal's answer about its attributes.
    CURSES_INPUT_ATTRIBUTES,
} curses_input_kind;

typedef enum CURSES_CLOSED_ENUM {
    CURSES_KEY_UP, CURSES_KEY_DOWN, CURSES_KEY_LEFT, CURSES_KEY_RIGHT,
    CURSES_KEY_HOME, CURSES_KEY_END, CURSES_KEY_PAGE_UP, CURSES_KEY_PAGE_DOWN,
    CURSES_KEY_ENTER, CURSES_KEY_BACK_TAB, CURSES_KEY_BACKSPACE, CURSES_KEY_DELETE, CURSES_KEY_INSERT,
} curses_key;

enum { CURSES_ANSWER_LENGTH = 64 };

typedef struct {
    curses_input_kind kind;
    uint32_t character;
    curses_key key;
    int function_key;
    /// The fields of a mouse report in xterm's mode 1006, unchanged.
    int mouse_code, mouse_column, mouse_row;
    bool mouse_released;
    /// The text of an answer, such as `rgb:ffff/ffff/ffff`, up to a zero.
    char answer[CURSES_ANSWER_LENGTH];
} curses_input;

/// The next input that has arrived. Waits only for the rest of a sequence that has begun, and not for long. Skips keys that have no name in
/// `curses_key`.
curses_input curses_input_next(void);

typedef enum CURSES_CLOSED_ENUM {
    CURSES_WAKE_TIMEOUT,
    CURSES_WAKE_INPUT,
    CURSES_WAKE_SIGNAL,
    /// The terminal was closed from its other side.
    CURSES_WAKE_HANGUP,
} curses_wake;

/// Waits for input or a signal for at most `milliseconds`; a negative number waits without limit. May return early.
curses_wake curses_input_wait(int milliseconds);

// MARK: Signals

typedef enum CURSES_CLOSED_ENUM {
    CURSES_SIGNAL_NONE,
    /// SIGINT, SIGTERM or SIGHUP.
    CURSES_SIGNAL_END,
    /// SIGTSTP: stop.
    CURSES_SIGNAL_STOP,
    /// SIGCONT: the process continues after a stop.
    CURSES_SIGNAL_CONTINUE,
    /// SIGWINCH: the terminal's size changed.
    CURSES_SIGNAL_RESIZE,
} curses_signal_kind;

typedef struct {
    curses_signal_kind kind;
    int number;
} curses_signal;

/// Removes and returns the oldest signal that has arrived. Signals that were ignored when the terminal was opened stay ignored.
curses_signal curses_signal_take(void);
/// Stops the process as SIGTSTP does by default, and returns when it is continued.
void curses_signal_stop_process(void);
/// Sends SIGTSTP to the process group, as a terminal does for Control-Z.
void curses_signal_stop_group(void);

// MARK: Faults

enum { CURSES_FAULT_PLACES = 24 };

/// A trap that `curses_run_guarded` has caught.
typedef struct {
    int signal;
    size_t count;
    /// Addresses in code, the innermost first.
    const void *places[CURSES_FAULT_PLACES];
} curses_fault;

/// Runs `body`. False if one of its instructions raised SIGILL, SIGTRAP, SIGFPE or SIGSEGV: the body's frames are then gone without having
/// ended. Any thread may call it. Other threads' faults take their usual course.
bool curses_run_guarded(void (*body)(void *), void *context, curses_fault *fault);

/// The signal's name.
const char *curses_fault_signal(const curses_fault *fault);

/// Writes a place as `FILE+OFFSET`.
void curses_fault_call(const curses_fault *fault, size_t index, char *out, size_t room);

#endif
