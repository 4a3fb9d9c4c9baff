/// What Hopscope needs of ncursesw and of a terminal's signals, as plain functions: curses' macros and globals do not reach Swift.
///
/// There is one terminal at a time in a process. All functions are for the one thread that opened it, except where they say otherwise.
#ifndef CCURSES_H
#define CCURSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOP_CLOSED_ENUM __attribute__((enum_extensibility(closed)))

// MARK: Opening and closing

typedef enum HOP_CLOSED_ENUM {
    HOP_OPENED,
    HOP_ALREADY_OPEN,
    HOP_NOT_A_TERMINAL,
    /// `TERM` is not set.
    HOP_NAMELESS,
    /// The terminfo database has no entry for `TERM`.
    HOP_UNKNOWN,
    /// The terminal cannot place its cursor.
    HOP_NO_CURSOR_ADDRESSING,
    /// The operating system refused; `errno` says why.
    HOP_SYSTEM_ERROR,
} hop_opening;

/// Takes the terminal of two file descriptors, which stay the caller's. Sets the process' `LC_CTYPE` from the environment, installs the signal handlers
/// below, and leaves the screen blank. What is written to the standard error from then on, if that is a terminal, shows when this one is given back.
hop_opening hop_screen_open(int input, int output);

/// Gives the terminal and the signals back. A second call does nothing.
void hop_screen_close(void);

/// Gives the terminal back for a while; `hop_screen_enter` takes it again, and the next flush paints everything.
void hop_screen_leave(void);
void hop_screen_enter(void);

// MARK: What the terminal is

/// The value of `TERM`; empty where it is not set.
const char *hop_screen_terminal_name(void);
/// The colours that terminfo has for the terminal; 0 for none.
int hop_screen_colours(void);
bool hop_screen_is_utf8(void);
/// Whether the user asked for no colours: `NO_COLOR` is set to something.
bool hop_screen_refuses_colour(void);
int hop_screen_columns(void);
int hop_screen_rows(void);
/// Takes over the terminal's present size with a blank screen; the next flush paints everything.
void hop_screen_resize(void);
/// The columns that the C library, and so curses, gives a scalar; less than 1 for what it cannot show by itself.
int hop_scalar_width(uint32_t scalar);

// MARK: Painting

enum { HOP_CELL_SCALARS = 5 };

enum {
    HOP_BOLD = 1,
    HOP_DIM = 2,
    HOP_UNDERLINE = 4,
    HOP_REVERSE = 8,
};

/// A character that is at least one column wide with the marks on it, unused scalars 0, and how it looks.
typedef struct {
    uint32_t scalars[HOP_CELL_SCALARS];
    uint16_t attributes;
    int16_t pair;
} hop_cell;

/// Begins to use colours, with the terminal's own as the default (-1).
void hop_screen_start_colours(void);
void hop_screen_define_pair(int pair, int foreground, int background);
/// Puts characters side by side; a wide one advances by two columns. Nothing is shown before the flush.
void hop_screen_put(int row, int column, const hop_cell *cells, int count);
/// Shows what was put, and whatever a resize or a return made stale.
void hop_screen_flush(void);
/// Has the next flush paint every cell, whatever the terminal is thought to show.
void hop_screen_invalidate(void);
/// Sends bytes that are no picture past curses, as those for the clipboard are.
void hop_screen_send(const char *bytes, size_t count);

// MARK: Reading

typedef enum HOP_CLOSED_ENUM {
    HOP_INPUT_NONE,
    HOP_INPUT_CHARACTER,
    HOP_INPUT_KEY,
    HOP_INPUT_FUNCTION_KEY,
    HOP_INPUT_MOUSE,
    HOP_INPUT_PASTE_BEGIN,
    HOP_INPUT_PASTE_END,
} hop_input_kind;

typedef enum HOP_CLOSED_ENUM {
    HOP_KEY_UP, HOP_KEY_DOWN, HOP_KEY_LEFT, HOP_KEY_RIGHT, HOP_KEY_HOME, HOP_KEY_END, HOP_KEY_PAGE_UP, HOP_KEY_PAGE_DOWN,
    HOP_KEY_ENTER, HOP_KEY_BACK_TAB, HOP_KEY_BACKSPACE, HOP_KEY_DELETE, HOP_KEY_INSERT,
} hop_key;

typedef struct {
    hop_input_kind kind;
    uint32_t character;
    hop_key key;
    int function_key;
    /// A mouse report of xterm's mode 1006, as it came.
    int mouse_code, mouse_column, mouse_row;
    bool mouse_released;
} hop_input;

/// The next of what has arrived, without waiting; keys that have no name here are passed over.
hop_input hop_input_next(void);

typedef enum HOP_CLOSED_ENUM {
    HOP_WAKE_TIMEOUT,
    HOP_WAKE_INPUT,
    HOP_WAKE_SIGNAL,
    /// The terminal is gone.
    HOP_WAKE_HANGUP,
} hop_wake;

/// Waits for input or a signal, for so many milliseconds at most; a negative number waits for ever. May return early.
hop_wake hop_input_wait(int milliseconds);

// MARK: Signals

typedef enum HOP_CLOSED_ENUM {
    HOP_SIGNAL_NONE,
    /// SIGINT, SIGTERM or SIGHUP.
    HOP_SIGNAL_END,
    /// SIGTSTP: stop.
    HOP_SIGNAL_STOP,
    /// SIGCONT: the process went on after a stop.
    HOP_SIGNAL_CONTINUE,
    /// SIGWINCH: the terminal's size changed.
    HOP_SIGNAL_RESIZE,
} hop_signal_kind;

typedef struct {
    hop_signal_kind kind;
    int number;
} hop_signal;

/// The next signal that arrived and was not taken yet, in order. One that was ignored when the terminal was opened stays ignored.
hop_signal hop_signal_take(void);
/// Stops the process as SIGTSTP does by default, and returns when it goes on.
void hop_signal_stop_process(void);
/// Sends SIGTSTP to the process' group, as a terminal does for Control-Z.
void hop_signal_stop_group(void);

#endif
